//! The members of an object with a wire table, met one by one.
//!
//! What all tables do is done here, once: a table's own code only says where each value goes.

use protocol_droid_ir::{Extensions, Text};

use crate::error::DecodeError;
use crate::reader::{Mark, Read, Reader};
use crate::table::Member;
use crate::wire::Also;

/// What a wire table says of its members, in its order.
pub(crate) struct Fields {
    pub(crate) members: &'static [Member],
    /// The revisions that define the type.
    pub(crate) of: u8,
    /// A bit for each member that is let through at revisions that do not define it.
    pub(crate) bags: u32,
    /// The name and the text of the tag.
    pub(crate) tag: Option<(&'static str, &'static str)>,
    /// Whether a member that cannot be read is kept as it came.
    pub(crate) apart: bool,
}

/// An object being read.
pub(crate) struct Members {
    fields: &'static Fields,
    is_first: bool,
    /// Where the next member most likely stands in the table.
    next: usize,
    /// A bit for each member met, and one for the tag.
    seen: u32,
    /// The member being read, where one that cannot be read stays as it came.
    revocable: Option<Box<Revocable>>,
    pub(crate) extensions: Extensions,
}

/// A member that stays as it came if it cannot be read.
struct Revocable {
    start: Mark,
    name: Text,
    /// Whether only the receiver's revision defines it.
    is_adopted: bool,
}

impl Members {
    #[inline]
    fn find(&mut self, name: &str) -> Option<usize> {
        let members = self.fields.members;
        let found = match members.get(self.next) {
            Some(member) if member.name == name => self.next,
            _ => members.iter().position(|member| member.name == name)?,
        };
        self.next = found + 1;
        Some(found)
    }
}

impl<'b> Reader<'b> {
    /// Steps into an object.
    pub(crate) fn members(&mut self, fields: &'static Fields) -> Read<Members> {
        self.open_object()?;
        Ok(Members {
            fields,
            is_first: true,
            next: 0,
            seen: 0,
            revocable: None,
            extensions: Extensions::new(),
        })
    }

    /// Steps to the value of the next member of the table and tells which it is; the others are
    /// offered to `also`, and kept as they came if it does not take them. `None` at the end.
    pub(crate) fn next_member(
        &mut self,
        members: &mut Members,
        also: Also<'_, 'b>,
    ) -> Read<Option<usize>> {
        while self.has_member(std::mem::take(&mut members.is_first))? {
            let key = self.key()?;
            let fields = members.fields;
            if let Some(at) = members.find(key.name()) {
                let member = &fields.members[at];
                let is_here = fields.bags & 1 << at != 0
                    || self.defines(member.defined)
                    || self.target_has(fields.of, member.defined);
                if is_here || self.adopts(member) {
                    self.once(member.name, &mut members.seen, 1 << at)?;
                    if !is_here || fields.apart {
                        let (start, name) = (self.mark(), self.name(&key));
                        let revocable = Revocable { start, name, is_adopted: !is_here };
                        members.revocable = Some(Box::new(revocable));
                    }
                    self.path().member(member.name);
                    return Ok(Some(at));
                }
            } else if let Some((tag, kind)) = fields.tag
                && key.name() == tag
            {
                self.once(tag, &mut members.seen, 1 << fields.members.len())?;
                self.at(tag, |r| r.expect_text(kind))?;
                continue;
            }
            if !also(self, &key)? {
                self.extension(&key, &mut members.extensions)?;
            }
        }
        match members.fields.tag {
            Some((tag, _)) if members.seen & 1 << members.fields.members.len() == 0 => {
                Err(self.missing(tag))
            }
            _ => Ok(None),
        }
    }

    /// Leaves a member that was read.
    #[inline]
    pub(crate) fn leave_member(&mut self, members: &mut Members) {
        if members.revocable.take().is_some_and(|member| member.is_adopted) {
            self.adopted();
        }
        self.path().leave();
    }

    /// Leaves a member that could not be read: one of the receiver's stays as it came, as does any
    /// that stands apart, which is reported.
    #[cold]
    pub(crate) fn leave_unread(
        &mut self,
        members: &mut Members,
        error: Box<DecodeError>,
    ) -> Read<()> {
        match members.revocable.take() {
            Some(member) if !error.is_syntax() => {
                self.retreat(member.start);
                let value = self.json()?;
                if !member.is_adopted {
                    self.path.named(&member.name);
                    self.unreadable(&error);
                    self.path.leave();
                }
                members.extensions.push(member.name, value);
                Ok(())
            }
            _ => Err(error),
        }
    }
}
