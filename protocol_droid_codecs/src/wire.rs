//! The wire tables: which IR field is which member, written once for all revisions.
//!
//! A table makes the one reader and the one writer of its type. Against the generated tables it is
//! checked at compile time that each member exists, that the feature it is listed with has exactly
//! the revisions that define it, and that what it says of required members holds.

use crate::reader::{Key, Read, Reader};
use crate::writer::{Writer, Written};

/// An IR type that has a form of its own on the wire.
pub trait Wire: Sized {
    #[doc(hidden)]
    fn read(r: &mut Reader<'_>) -> Read<Self>;

    #[doc(hidden)]
    fn write(&self, w: &mut Writer<'_>) -> Written;
}

/// A type with a wire table.
pub(crate) trait Object: Sized {
    /// Reads the object, offering members that are not in the table to `also` first.
    fn read_with<'b>(r: &mut Reader<'b>, also: Also<'_, 'b>) -> Read<Self>;

    /// Writes the object, with the members of `also` before the extensions.
    fn write_with(&self, w: &mut Writer<'_>, also: AlsoWrite<'_>) -> Written;
}

/// Takes a member that is not in a table; `false` if it takes none of that name.
pub(crate) type Also<'a, 'b> = &'a mut dyn FnMut(&mut Reader<'b>, &Key<'b>) -> Read<bool>;

/// Writes members that are not in a table.
pub(crate) type AlsoWrite<'a> = &'a dyn Fn(&mut Writer<'_>) -> Written;

/// Takes nothing.
pub(crate) fn no_more(_: &mut Reader<'_>, _: &Key<'_>) -> Read<bool> {
    Ok(false)
}

/// Declares the wire table of a type: `if Feature` where not every revision has it, `each apart` where
/// a member that cannot be read is kept as it came and costs nothing else; a line a member,
/// `rule field: "member"`, then `if Feature` where not every revision that has the type has the member, and `via module` where
/// the module reads and writes the value in a way of its own. The rules:
///
/// - `req`: required by every revision that has the type.
/// - `opt`: optional; `null` is read as absent.
/// - `new`: optional in the IR, but required by every revision that defines it.
/// - `any`: optional, and `null` is a value like any other.
/// - `bag`: optional and open, let through at revisions that do not define it.
/// - `arr`: a required list; absent is read as empty, and reported.
/// - `nul`: required, and `null` is a value like any other; absent is read as `null`, and reported.
/// - `may`: required by every revision but those of the feature.
macro_rules! wire {
    (
        $type:ident = $schema:literal $( if $of:ident )? $( tag $tag:literal = $kind:literal )?
        $( each $apart:ident )? {
            $( $rule:ident $field:ident: $name:literal $( if $feature:ident )? $( via $via:ident )? , )*
        }
    ) => {
        const _: () = {
            use $crate::table::{self, Member};

            const MEMBERS: &[Member] = &[$( table::member($schema, $name) ),*];
            $( const _: Member = table::member($schema, $tag); )?
            #[allow(dead_code)]
            const DEFINED: u8 = table::defined($schema);

            $( const _: () = assert!(
                $crate::revision::feature_mask(protocol_droid_ir::Feature::$of) == DEFINED,
                "the feature has the revisions that define the type"
            ); )?

            #[allow(dead_code, non_camel_case_types)]
            #[repr(usize)]
            enum Field { $( $field, )* Tag }

            $( $crate::wire::check!(
                $rule, MEMBERS[Field::$field as usize], DEFINED $(, $feature)?
            ); )*

            static FIELDS: $crate::members::Fields = $crate::members::Fields {
                members: MEMBERS,
                of: DEFINED,
                bags: 0 $( | $crate::wire::bag!($rule, Field::$field as usize) )*,
                tag: $crate::wire::tag!($($tag, $kind)?),
                apart: $crate::wire::apart!($($apart)?),
            };

            impl $crate::wire::Object for $type {
                fn read_with<'b>(
                    r: &mut $crate::reader::Reader<'b>,
                    also: $crate::wire::Also<'_, 'b>,
                ) -> $crate::reader::Read<Self> {
                    $( let mut $field = None; )*
                    let mut members = r.members(&FIELDS)?;
                    while let Some(found) = r.next_member(&mut members, also)? {
                        match found {
                            $( found if found == Field::$field as usize => {
                                match $crate::wire::read_member!($rule, r $(, $via)?) {
                                    Ok(value) => {
                                        $field = value;
                                        r.leave_member(&mut members);
                                    }
                                    Err(error) => r.leave_unread(&mut members, error)?,
                                }
                            } )*
                            _ => {}
                        }
                    }
                    Ok($type {
                        $( $field: $crate::wire::finish!(
                            $rule, r, $field, MEMBERS[Field::$field as usize]
                        ), )*
                        extensions: members.extensions,
                    })
                }

                fn write_with(
                    &self,
                    w: &mut $crate::writer::Writer<'_>,
                    also: $crate::wire::AlsoWrite<'_>,
                ) -> $crate::writer::Written {
                    $( if !w.defines(DEFINED) {
                        return Err(w.inexpressible(protocol_droid_ir::Feature::$of));
                    } )?
                    let start = w.open();
                    $( w.tag($tag, $kind); )?
                    $( $crate::wire::write_member!(
                        $rule, w, self.$field, &MEMBERS[Field::$field as usize]
                        $(, if $feature)? $(, via $via)?
                    ); )*
                    also(w)?;
                    w.close(&self.extensions, &FIELDS, start)
                }
            }

            impl $crate::wire::Wire for $type {
                fn read(r: &mut $crate::reader::Reader<'_>) -> $crate::reader::Read<Self> {
                    <Self as $crate::wire::Object>::read_with(r, &mut $crate::wire::no_more)
                }

                fn write(&self, w: &mut $crate::writer::Writer<'_>) -> $crate::writer::Written {
                    $crate::wire::Object::write_with(self, w, &|_| Ok(()))
                }
            }

            impl $crate::carried::Tabled for $type {
                const TABLE: $crate::carried::Table = $crate::carried::Table {
                    of: $schema,
                    members: &[
                        $( ($tag, || "tag"), )?
                        $( ($name, || {
                            $crate::carried::type_name(|value: &$type| &value.$field)
                        }) ),*
                    ],
                };
            }
        };
    };
}

/// Holds a line of a wire table against the schemas, at compile time.
macro_rules! check {
    (bag, $member:expr, $type:expr) => {};
    (new, $member:expr, $type:expr, $feature:ident) => {
        const _: () = assert!($member.required == $member.defined, "required where defined");
        $crate::wire::check!(@feature $member, $type, $feature);
    };
    (req, $member:expr, $type:expr) => {
        const _: () = assert!($member.required == $type, "required at every revision");
    };
    (arr, $member:expr, $type:expr) => {
        $crate::wire::check!(req, $member, $type);
    };
    (nul, $member:expr, $type:expr) => {
        $crate::wire::check!(req, $member, $type);
    };
    (may, $member:expr, $type:expr, $feature:ident) => {
        const _: () = assert!($member.defined == $type, "defined at every revision");
        const _: () = assert!(
            $member.required
                == $type & !$crate::revision::feature_mask(protocol_droid_ir::Feature::$feature),
            "required by every revision without the feature"
        );
    };
    ($rule:ident, $member:expr, $type:expr) => {
        const _: () = assert!($member.required == 0, "optional at every revision");
        const _: () = assert!($member.defined == $type, "defined at every revision");
    };
    ($rule:ident, $member:expr, $type:expr, $feature:ident) => {
        const _: () = assert!($member.required == 0, "optional at every revision");
        $crate::wire::check!(@feature $member, $type, $feature);
    };
    (@feature $member:expr, $type:expr, $feature:ident) => {
        const _: () = assert!(
            $crate::revision::feature_mask(protocol_droid_ir::Feature::$feature) & $type
                == $member.defined,
            "the feature has the revisions that define the member"
        );
    };
}

macro_rules! tag {
    () => {
        None
    };
    ($tag:literal, $kind:literal) => {
        Some(($tag, $kind))
    };
}

macro_rules! apart {
    () => {
        false
    };
    (apart) => {
        true
    };
}

/// The bit of a member that is let through where it is not defined.
macro_rules! bag {
    (bag, $at:expr) => {
        1 << $at
    };
    ($rule:ident, $at:expr) => {
        0
    };
}

macro_rules! read_member {
    (req, $r:ident) => { $crate::wire::Wire::read($r).map(Some) };
    (req, $r:ident, $via:ident) => { $via::read($r).map(Some) };
    (nul, $r:ident) => { $r.nullable($crate::wire::Wire::read).map(Some) };
    (any, $r:ident) => { $crate::wire::Wire::read($r).map(Some) };
    (any, $r:ident, $via:ident) => { $via::read($r) };
    (arr, $r:ident $(, $via:ident)?) => { $crate::wire::read_member!(opt, $r $(, $via)?) };
    ($rule:ident, $r:ident) => { $r.optional($crate::wire::Wire::read) };
    ($rule:ident, $r:ident, $via:ident) => { $r.optional($via::read) };
}

macro_rules! finish {
    (req, $r:ident, $field:ident, $member:expr) => {
        match $field {
            Some(value) => value,
            None => return Err($r.missing($member.name)),
        }
    };
    (arr, $r:ident, $field:ident, $member:expr) => {
        $crate::wire::finish!(@default $r, $field, $member, "required, read as empty")
    };
    (nul, $r:ident, $field:ident, $member:expr) => {
        $crate::wire::finish!(@default $r, $field, $member, "required, read as null")
    };
    (may, $r:ident, $field:ident, $member:expr) => {
        match $field {
            None if $r.defines($member.required) => return Err($r.missing($member.name)),
            value => value,
        }
    };
    (@default $r:ident, $field:ident, $member:expr, $note:literal) => {
        match $field {
            Some(value) => value,
            None => {
                $r.at($member.name, |r| {
                    r.repaired(None, protocol_droid_ir::Reason::Missing, $note)
                });
                Default::default()
            }
        }
    };
    ($rule:ident, $r:ident, $field:ident, $member:expr) => {
        $field
    };
}

macro_rules! write_member {
    (req, $w:ident, $value:expr, $member:expr) => {
        $w.enter($member.name);
        $crate::wire::Wire::write(&$value, $w)?;
        $w.leave();
    };
    (req, $w:ident, $value:expr, $member:expr, via $via:ident) => {
        $w.enter($member.name);
        $via::write(&$value, $w)?;
        $w.leave();
    };
    (arr, $w:ident, $value:expr, $member:expr $(, via $via:ident)?) => {
        $crate::wire::write_member!(req, $w, $value, $member $(, via $via)?)
    };
    (nul, $w:ident, $value:expr, $member:expr) => {
        $w.enter($member.name);
        match &$value {
            Some(value) => $crate::wire::Wire::write(value, $w)?,
            None => $w.out().extend_from_slice(b"null"),
        }
        $w.leave();
    };
    (may, $w:ident, $value:expr, $member:expr, if $feature:ident) => {
        match &$value {
            None if $w.defines($member.required) => {
                let feature = protocol_droid_ir::Feature::$feature;
                return $w.at($member.name, |w| Err(w.inexpressible(feature)));
            }
            None => {}
            Some(value) => {
                $w.enter($member.name);
                $crate::wire::Wire::write(value, $w)?;
                $w.leave();
            }
        }
    };
    (bag, $w:ident, $value:expr, $member:expr) => {
        $crate::wire::write_member!(@some $w, $value, $member, $crate::wire::Wire::write)
    };
    ($rule:ident, $w:ident, $value:expr, $member:expr) => {
        $crate::wire::write_member!(@some $w, $value, $member, $crate::wire::Wire::write)
    };
    ($rule:ident, $w:ident, $value:expr, $member:expr, via $via:ident) => {
        $crate::wire::write_member!(@some $w, $value, $member, $via::write)
    };
    ($rule:ident, $w:ident, $value:expr, $member:expr, if $feature:ident) => {
        $w.offers($member, protocol_droid_ir::Feature::$feature, $value.is_some())?;
        $crate::wire::write_member!(@some $w, $value, $member, $crate::wire::Wire::write)
    };
    ($rule:ident, $w:ident, $value:expr, $member:expr, if $feature:ident, via $via:ident) => {
        $w.offers($member, protocol_droid_ir::Feature::$feature, $value.is_some())?;
        $crate::wire::write_member!(@some $w, $value, $member, $via::write)
    };
    (@some $w:ident, $value:expr, $member:expr, $write:path) => {
        if let Some(value) = &$value {
            $w.enter($member.name);
            $write(value, $w)?;
            $w.leave();
        }
    };
}

pub(crate) use {apart, bag, check, finish, read_member, tag, wire, write_member};
