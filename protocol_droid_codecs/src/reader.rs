//! Reads IR values straight from JSON text, in one pass.

use std::borrow::Cow;

use protocol_droid_ir::lex::{Kind, Lexer, SyntaxError};
use protocol_droid_ir::text::unescape;
use protocol_droid_ir::{
    Action, Buffer, Entry, Extensions, Feature, JsonText, Path, Text, TranslationReport, Unknown,
};

use crate::error::DecodeError;
use crate::revision::Revision;
use crate::table::Member;

/// A result whose error is boxed, to keep the good case small.
pub(crate) type Read<T> = Result<T, Box<DecodeError>>;

impl From<SyntaxError> for Box<DecodeError> {
    fn from(error: SyntaxError) -> Self {
        Box::new(DecodeError::Syntax(error))
    }
}

/// A cursor over one message of one revision.
#[derive(Debug)]
pub struct Reader<'b> {
    buffer: &'b Buffer,
    lexer: Lexer<'b>,
    revision: &'static Revision,
    /// The bit of the revision that the message goes to next, or 0: members that only that one
    /// defines are read as it would read them.
    target: u8,
    path: Path,
    report: TranslationReport,
}

/// A place to go back to, with what had been reported there.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pos: usize,
    depth: usize,
    entries: usize,
}

/// The name of a member being read.
pub(crate) struct Key<'b> {
    name: Cow<'b, str>,
    start: usize,
    end: usize,
}

impl Key<'_> {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl<'b> Reader<'b> {
    pub(crate) fn new(buffer: &'b Buffer, revision: &'static Revision, target: u8) -> Self {
        let lexer = Lexer::new(buffer.as_str());
        let (path, report) = (Path::new(), TranslationReport::new());
        Self { buffer, lexer, revision, target, path, report }
    }

    pub(crate) fn revision(&self) -> &'static Revision {
        self.revision
    }

    pub(crate) fn lexer(&mut self) -> (&'b Buffer, &mut Lexer<'b>) {
        (self.buffer, &mut self.lexer)
    }

    pub(crate) fn pos(&self) -> usize {
        self.lexer.pos()
    }

    pub(crate) fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    /// Ends the message.
    pub(crate) fn finish(mut self) -> Read<TranslationReport> {
        self.lexer.end()?;
        Ok(self.report)
    }

    /// Whether the revision, or the one that comes next, defines `member`.
    #[inline]
    pub(crate) fn reads(&self, member: &Member) -> bool {
        self.defines(member.defined) || self.adopts(member)
    }

    /// Whether `mask` has the revision.
    #[inline]
    pub(crate) fn defines(&self, mask: u8) -> bool {
        mask & self.revision.bit != 0
    }

    /// Whether `mask` has the revision that comes next.
    pub(crate) fn target_defines(&self, mask: u8) -> bool {
        mask & self.target != 0
    }

    /// What the next revision requires says what kind a message is: that is never taken from a
    /// sender whose revision does not know it.
    fn adopts(&self, member: &Member) -> bool {
        self.target_defines(member.defined) && !self.target_defines(member.required)
    }

    // Values

    pub(crate) fn kind(&mut self) -> Read<Kind> {
        Ok(self.lexer.peek()?)
    }

    /// Checks what the next value is.
    pub(crate) fn expect(&mut self, kind: Kind) -> Read<()> {
        let found = self.kind()?;
        if found == kind { Ok(()) } else { Err(self.unexpected(kind.name())) }
    }

    pub(crate) fn text(&mut self) -> Read<Text> {
        self.expect(Kind::String)?;
        let token = self.lexer.string()?;
        if token.lone_surrogate {
            return Err(self.mismatch("Unicode text", "half of a surrogate pair"));
        }
        Ok(Text::from_token(self.buffer, token.range.start, token.range.end, token.escaped))
    }

    pub(crate) fn boolean(&mut self) -> Read<bool> {
        let kind = self.kind()?;
        if !matches!(kind, Kind::True | Kind::False) {
            return Err(self.unexpected("a boolean"));
        }
        self.lexer.value()?;
        Ok(kind == Kind::True)
    }

    /// Passes over the next value and keeps its text.
    pub(crate) fn json(&mut self) -> Read<JsonText> {
        let range = self.lexer.value()?;
        Ok(JsonText::from_range(self.buffer, range.start, range.end))
    }

    /// Reads an array, calling `item` with the cursor at each item.
    pub(crate) fn array(&mut self, mut item: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.expect(Kind::Array)?;
        self.lexer.take(b'[');
        if self.lexer.take(b']') {
            return Ok(());
        }
        for index in 0.. {
            self.path.index(index);
            item(self)?;
            self.path.leave();
            if !self.lexer.take(b',') {
                break;
            }
        }
        Ok(self.lexer.expect(b']', "a comma or a closing bracket")?)
    }

    /// Reads an object, calling `member` with the cursor at each value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &Key<'b>) -> Read<()>,
    ) -> Read<()> {
        self.expect(Kind::Object)?;
        self.lexer.take(b'{');
        if self.lexer.take(b'}') {
            return Ok(());
        }
        loop {
            let key = self.key()?;
            member(self, &key)?;
            if !self.lexer.take(b',') {
                return Ok(self.lexer.expect(b'}', "a comma or a closing brace")?);
            }
        }
    }

    fn key(&mut self) -> Read<Key<'b>> {
        let token = self.lexer.string()?;
        self.lexer.expect(b':', "a colon")?;
        let raw = &self.lexer.text()[token.range.clone()];
        let name = if token.escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
        Ok(Key { name, start: token.range.start, end: token.range.end })
    }

    // Members

    /// Notes that a modelled member was met.
    #[inline]
    pub(crate) fn once(&mut self, name: &'static str, seen: &mut u32, bit: u32) -> Read<()> {
        if *seen & bit != 0 {
            return Err(self.at(name, |r| r.duplicate()));
        }
        *seen |= bit;
        Ok(())
    }

    /// Does `step` inside the member `name`.
    #[inline]
    pub(crate) fn at<R>(&mut self, name: &'static str, step: impl FnOnce(&mut Self) -> R) -> R {
        self.path.member(name);
        let result = step(self);
        self.path.leave();
        result
    }

    /// Reads an optional member: a `null` is read as absent, and reported.
    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<Option<T>> {
        if self.kind()? == Kind::Null {
            self.lexer.value()?;
            self.repaired(None, "null read as absent");
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// Reads a member that the sender's revision does not define but the next one does, as that
    /// one would; what does not fit stays an extension.
    pub(crate) fn adopt<T>(
        &mut self,
        key: &Key<'b>,
        extensions: &mut Extensions,
        read: impl FnOnce(&mut Self) -> Read<Option<T>>,
    ) -> Read<Option<T>> {
        let start = self.mark();
        self.path.named(key.name());
        match read(self) {
            Ok(value) => {
                let note = "not defined at the sender's revision, read as the receiver's";
                self.repaired(None, note);
                self.path.leave();
                Ok(value)
            }
            Err(error) if error.is_syntax() => Err(error),
            Err(_) => {
                self.retreat(start);
                self.extension(key, extensions)?;
                Ok(None)
            }
        }
    }

    /// Keeps a member as it came.
    pub(crate) fn extension(&mut self, key: &Key<'b>, extensions: &mut Extensions) -> Read<()> {
        let value = self.json()?;
        let escaped = matches!(key.name, Cow::Owned(_));
        extensions.push(Text::from_token(self.buffer, key.start, key.end, escaped), value);
        Ok(())
    }

    /// Reads an item of a list; one that is no such item is kept as it came, and reported.
    pub(crate) fn item<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
        unknown: impl FnOnce(Unknown) -> T,
    ) -> Read<T> {
        let start = self.mark();
        let error = match read(self) {
            Err(error) if !error.is_syntax() => error,
            done => return done,
        };
        self.retreat(start);
        let json = self.json()?;
        self.repaired(Some(Feature::UnknownContent), format!("carried as unknown: {error}"));
        Ok(unknown(Unknown { json, origin: Some(self.revision.version) }))
    }

    /// Does `read` from the cursor on, and puts the cursor back: a look ahead.
    pub(crate) fn ahead<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let start = self.mark();
        let result = read(self);
        self.retreat(start);
        result
    }

    /// Does `read` at an offset passed before, and puts the cursor back.
    pub(crate) fn back<T>(
        &mut self,
        pos: usize,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        let here = self.pos();
        self.lexer.rewind(pos);
        let result = read(self);
        self.lexer.rewind(here);
        result
    }

    pub(crate) fn mark(&self) -> Mark {
        let (depth, entries) = (self.path.depth(), self.report.len());
        Mark { pos: self.pos(), depth, entries }
    }

    /// Goes back to a mark, forgetting what was reported since.
    pub(crate) fn retreat(&mut self, mark: Mark) {
        self.lexer.rewind(mark.pos);
        self.path.truncate(mark.depth);
        self.report.entries.truncate(mark.entries);
    }

    /// The text of the member `name` of the object at the cursor, which stays where it is.
    pub(crate) fn tag(&mut self, name: &'static str) -> Read<Option<Text>> {
        self.ahead(|r| {
            let mut tag = None;
            // An early return would need the object's end; a tag nearly always comes first.
            r.expect(Kind::Object)?;
            r.lexer.take(b'{');
            if r.lexer.take(b'}') {
                return Ok(None);
            }
            loop {
                let key = r.key()?;
                if key.name() == name {
                    tag = Some(r.at(name, Self::text)?);
                    break;
                }
                r.lexer.value()?;
                if !r.lexer.take(b',') {
                    break;
                }
            }
            Ok(tag)
        })
    }

    // Reports and errors

    pub(crate) fn repaired(&mut self, feature: Option<Feature>, note: impl Into<String>) {
        self.report.entries.push(Entry::new(self.path.pointer(), feature, Action::Repaired, note));
    }

    /// The error of finding something else than `expected` at the cursor.
    pub(crate) fn unexpected(&mut self, expected: impl Into<String>) -> Box<DecodeError> {
        match self.lexer.peek() {
            Ok(kind) => self.mismatch(expected, kind.name()),
            Err(error) => error.into(),
        }
    }

    pub(crate) fn mismatch(
        &self,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Box<DecodeError> {
        let path = self.path.to_string();
        Box::new(DecodeError::Unexpected { path, expected: expected.into(), found: found.into() })
    }

    /// The error of the member here being there a second time.
    pub(crate) fn duplicate(&self) -> Box<DecodeError> {
        Box::new(DecodeError::Duplicate { path: self.path.to_string() })
    }

    pub(crate) fn missing(&mut self, name: &'static str) -> Box<DecodeError> {
        self.at(name, |r| Box::new(DecodeError::Missing { path: r.path.to_string() }))
    }
}
