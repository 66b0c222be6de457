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
}

/// An object being read.
pub(crate) struct Members {
    fields: &'static Fields,
    is_first: bool,
    /// Where the next member most likely stands in the table.
    next: usize,
    /// A bit for each member met, and one for the tag.
    seen: u32,
    /// Where a member began that only the receiver's revision defines, and its name.
    adopting: Option<Box<(Mark, Text)>>,
    pub(crate) extensions: Extensions,
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
            adopting: None,
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
                    if !is_here {
                        members.adopting = Some(Box::new((self.mark(), self.name(&key))));
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
        if members.adopting.take().is_some() {
            self.adopted();
        }
        self.path().leave();
    }

    /// Leaves a member that could not be read: one of the receiver's stays as it came.
    #[cold]
    pub(crate) fn leave_unread(
        &mut self,
        members: &mut Members,
        error: Box<DecodeError>,
    ) -> Read<()> {
        match members.adopting.take() {
            Some(adopting) if !error.is_syntax() => {
                let (mark, name) = *adopting;
                self.retreat(mark);
                let value = self.json()?;
                members.extensions.push(name, value);
                Ok(())
            }
            _ => Err(error),
        }
    }
}
