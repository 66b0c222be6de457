//! Writes IR values as JSON text of one revision.

use protocol_droid_ir::{Extensions, Feature, JsonObject, JsonText, Path, Slice, Text};

use crate::error::EncodeError;
use crate::members::Fields;
use crate::revision::Revision;
use crate::table::Member;

/// A result whose error is boxed, to keep the good case small.
pub(crate) type Written = Result<(), Box<EncodeError>>;

/// Long text that is left out of what is written, to be sent from where it is.
#[derive(Clone, Debug)]
pub struct Cut {
    /// Where in the written bytes it belongs.
    pub at: usize,
    /// What belongs there.
    pub text: Slice,
}

/// Whether text is worth a write of its own.
fn is_long(text: &Slice) -> bool {
    text.as_str().len() >= 32 << 10
}

/// A message being written.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
    cuts: Option<&'o mut Vec<Cut>>,
    revision: &'static Revision,
    path: Path,
}

impl<'o> Writer<'o> {
    pub(crate) fn new(out: &'o mut Vec<u8>, revision: &'static Revision) -> Self {
        Self { out, cuts: None, revision, path: Path::new() }
    }

    /// Leaves long text out, and notes in `cuts` where it belongs.
    pub(crate) fn cutting(mut self, cuts: &'o mut Vec<Cut>) -> Self {
        self.cuts = Some(cuts);
        self
    }

    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    pub(crate) fn revision(&self) -> &'static Revision {
        self.revision
    }

    /// Whether `mask` has the revision.
    #[inline]
    pub(crate) fn defines(&self, mask: u8) -> bool {
        mask & self.revision.bit != 0
    }

    // Values

    pub(crate) fn text(&mut self, text: &Text) {
        match (&mut self.cuts, text.as_written().filter(|text| is_long(text))) {
            (Some(cuts), Some(text)) => {
                self.out.push(b'"');
                cuts.push(Cut { at: self.out.len(), text: text.clone() });
                self.out.push(b'"');
            }
            _ => text.write_json(self.out),
        }
    }

    pub(crate) fn json(&mut self, json: &JsonText) {
        match (&mut self.cuts, json.as_slice().filter(|text| is_long(text))) {
            (Some(cuts), Some(text)) => cuts.push(Cut { at: self.out.len(), text: text.clone() }),
            _ => self.out.extend_from_slice(json.as_bytes()),
        }
    }

    pub(crate) fn array<T>(
        &mut self,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T) -> Written,
    ) -> Written {
        self.out.push(b'[');
        for (index, item) in items.iter().enumerate() {
            if index != 0 {
                self.out.push(b',');
            }
            self.path.index(index);
            write(self, item)?;
            self.path.leave();
        }
        self.out.push(b']');
        Ok(())
    }

    pub(crate) fn object(&mut self, members: impl FnOnce(&mut Self) -> Written) -> Written {
        self.out.push(b'{');
        members(self)?;
        self.out.push(b'}');
        Ok(())
    }

    /// Begins an object with a wire table; returns where.
    #[inline]
    pub(crate) fn open(&mut self) -> usize {
        self.out.push(b'{');
        self.out.len() - 1
    }

    /// Ends the object that began at `start`, with the members that the table does not have.
    pub(crate) fn close(
        &mut self,
        extensions: &Extensions,
        fields: &Fields,
        start: usize,
    ) -> Written {
        if !extensions.is_empty() {
            if let Some((tag, _)) = fields.tag
                && extensions.get(tag).is_some()
            {
                return Err(self.collision(tag));
            }
            match fields.apart {
                true => self.extensions_apart(extensions, start)?,
                false => self.extensions(extensions, fields.members)?,
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    /// Writes the members that could not be read beside those that no revision defines; refuses one
    /// that was written already.
    #[cold]
    fn extensions_apart(&mut self, extensions: &Extensions, start: usize) -> Written {
        let written = String::from_utf8_lossy(&self.out[start..]) + "}";
        let written = JsonObject::new(written.into_owned()).unwrap_or_default();
        match extensions.iter().find(|(name, _)| written.get(name).is_some()) {
            Some((name, _)) => Err(self.collision(name)),
            None => self.extensions(extensions, &[]),
        }
    }

    // Members

    /// Writes the tag of an object.
    pub(crate) fn tag(&mut self, name: &str, text: &str) {
        self.name(name);
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }

    /// Writes the name of a member, and steps into it.
    #[inline]
    pub(crate) fn enter(&mut self, name: &'static str) {
        self.name(name);
        self.path.member(name);
    }

    /// Steps out of a member.
    #[inline]
    pub(crate) fn leave(&mut self) {
        self.path.leave();
    }

    /// Whether a member may be as it is: set where the revision has it, and where it requires it.
    #[inline]
    pub(crate) fn offers(&mut self, member: &Member, feature: Feature, is_set: bool) -> Written {
        let mask = if is_set { !member.defined } else { member.required };
        if self.defines(mask) { self.refused(member, feature, is_set) } else { Ok(()) }
    }

    #[cold]
    fn refused(&mut self, member: &Member, feature: Feature, is_set: bool) -> Written {
        match is_set {
            true => self.at(member.name, |w| Err(w.inexpressible(feature))),
            false => Err(self.missing(member.name)),
        }
    }

    /// Writes the name of a member, and a comma before it where one is due.
    #[inline]
    pub(crate) fn name(&mut self, name: &str) {
        // A brace at the end opens this object: values never end in one.
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Writes a name that came from outside, and steps into it.
    pub(crate) fn entry(
        &mut self,
        name: &Text,
        write: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        name.write_json(self.out);
        self.out.push(b':');
        self.path.named(name);
        write(self)?;
        self.path.leave();
        Ok(())
    }

    /// Writes a member and its value.
    #[inline]
    pub(crate) fn member(
        &mut self,
        name: &'static str,
        write: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        self.name(name);
        self.at(name, write)
    }

    /// Does `step` inside the member `name`.
    #[inline]
    pub(crate) fn at(
        &mut self,
        name: &'static str,
        step: impl FnOnce(&mut Self) -> Written,
    ) -> Written {
        self.path.member(name);
        step(self)?;
        self.path.leave();
        Ok(())
    }

    /// Writes a member that is set; refuses one that the revision cannot express.
    #[inline]
    pub(crate) fn optional<T>(
        &mut self,
        member: &Member,
        feature: Feature,
        value: Option<&T>,
        write: impl FnOnce(&mut Self, &T) -> Written,
    ) -> Written {
        self.offers(member, feature, value.is_some())?;
        match value {
            Some(value) => self.member(member.name, |w| write(w, value)),
            None => Ok(()),
        }
    }

    /// Writes the members that no revision defines; refuses one that bears the name of a member
    /// that this revision does define.
    pub(crate) fn extensions(&mut self, extensions: &Extensions, members: &[Member]) -> Written {
        self.reserve(extensions, members)?;
        for (name, value) in extensions.iter() {
            if self.out.last() != Some(&b'{') {
                self.out.push(b',');
            }
            name.write_json(self.out);
            self.out.push(b':');
            self.json(value);
        }
        Ok(())
    }

    /// Refuses extensions that bear the name of one of `members`.
    pub(crate) fn reserve(&mut self, extensions: &Extensions, members: &[Member]) -> Written {
        let taken = |name: &str| members.iter().any(|m| m.name == name && self.defines(m.defined));
        match extensions.iter().find(|(name, _)| taken(name)) {
            Some((name, _)) => Err(self.collision(name)),
            None => Ok(()),
        }
    }

    // Errors

    pub(crate) fn inexpressible(&self, feature: Feature) -> Box<EncodeError> {
        let (path, revision) = (self.path.clone(), self.revision.name);
        Box::new(EncodeError::Inexpressible { path, feature, revision })
    }

    pub(crate) fn missing(&mut self, name: &'static str) -> Box<EncodeError> {
        self.path.member(name);
        let (path, revision) = (self.path.clone(), self.revision.name);
        Box::new(EncodeError::Missing { path, revision })
    }

    pub(crate) fn collision(&mut self, name: &str) -> Box<EncodeError> {
        self.path.named(name);
        let (path, revision) = (self.path.clone(), self.revision.name);
        Box::new(EncodeError::Collision { path, revision })
    }
}
