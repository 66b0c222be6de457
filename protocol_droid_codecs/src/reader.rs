//! Reads IR values straight from JSON text, in one pass.

use std::borrow::Cow;

use protocol_droid_ir::lex::{Kind, Lexer, SyntaxError};
use protocol_droid_ir::{Buffer, Extensions, JsonText, Path, Text, TranslationReport, Unknown};

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
    pub(crate) lexer: Lexer<'b>,
    pub(crate) revision: &'static Revision,
    /// The bit of the revision that the message goes to next, or 0: members that only that one
    /// defines are read as it would read them.
    target: u8,
    pub(crate) path: Path,
    pub(crate) report: TranslationReport,
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
    token: &'b str,
    start: usize,
    /// The name, where the token spells it with escapes.
    escaped: Option<Box<str>>,
}

impl Key<'_> {
    #[inline]
    pub(crate) fn name(&self) -> &str {
        match &self.escaped {
            None => self.token,
            Some(name) => name,
        }
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

    /// Whether `mask` has the revision, or the one that comes next; the latter is reported.
    pub(crate) fn allows(&mut self, mask: u8) -> bool {
        if !self.defines(mask) && self.target_defines(mask) {
            self.adopted();
        }
        self.defines(mask) || self.target_defines(mask)
    }

    /// Whether `mask` has the revision that comes next.
    pub(crate) fn target_defines(&self, mask: u8) -> bool {
        mask & self.target != 0
    }

    /// Whether what the revision defines in `mask` is any use: it is not where another one comes next
    /// that lacks it.
    pub(crate) fn is_kept(&self, mask: u8) -> bool {
        self.target == 0 || self.target_defines(mask)
    }

    /// Whether a member of a type that the sender's revision lacks altogether is one of the
    /// receiver's: such a type is read as the receiver has it, or not at all.
    pub(crate) fn target_has(&self, of: u8, member: u8) -> bool {
        !self.defines(of) && self.target_defines(member)
    }

    /// What the next revision requires says what kind a message is: that is never taken from a
    /// sender whose revision does not know it.
    pub(crate) fn adopts(&self, member: &Member) -> bool {
        self.target_defines(member.defined) && !self.target_defines(member.required)
    }

    // Values

    #[inline]
    pub(crate) fn kind(&mut self) -> Read<Kind> {
        Ok(self.lexer.peek()?)
    }

    /// Checks what the next value is.
    pub(crate) fn expect(&mut self, kind: Kind) -> Read<()> {
        let found = self.kind()?;
        if found == kind { Ok(()) } else { Err(self.unexpected(kind.name())) }
    }

    /// Reads a text that can only be `expected`.
    pub(crate) fn expect_text(&mut self, expected: &'static str) -> Read<()> {
        let found = self.text()?;
        if found == expected {
            return Ok(());
        }
        let found: String = found.chars().take(64).collect();
        Err(self.mismatch(format!("{expected:?}"), format!("{found:?}")))
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Read<Text> {
        if self.kind()? != Kind::String {
            return Err(self.unexpected(Kind::String.name()));
        }
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
    #[inline]
    pub(crate) fn json(&mut self) -> Read<JsonText> {
        let range = self.lexer.value()?;
        Ok(JsonText::from_range(self.buffer, range.start, range.end))
    }

    /// Reads an array, calling `item` with the cursor at each item.
    #[inline]
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
    #[inline]
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &Key<'b>) -> Read<()>,
    ) -> Read<()> {
        self.open_object()?;
        let mut is_first = true;
        while self.has_member(std::mem::take(&mut is_first))? {
            let key = self.key()?;
            member(self, &key)?;
        }
        Ok(())
    }

    /// Steps into an object.
    pub(crate) fn open_object(&mut self) -> Read<()> {
        self.expect(Kind::Object)?;
        self.lexer.take(b'{');
        Ok(())
    }

    /// Steps to the next member of an object, or out of it.
    #[inline]
    pub(crate) fn has_member(&mut self, is_first: bool) -> Read<bool> {
        if is_first {
            return Ok(!self.lexer.take(b'}'));
        }
        if self.lexer.take(b',') {
            return Ok(true);
        }
        self.lexer.expect(b'}', "a comma or a closing brace")?;
        Ok(false)
    }

    #[inline]
    pub(crate) fn key(&mut self) -> Read<Key<'b>> {
        let token = self.lexer.string()?;
        self.lexer.expect(b':', "a colon")?;
        let escaped = match token.escaped {
            true => Some(token.text(self.lexer.text()).into()),
            false => None,
        };
        let start = token.range.start;
        Ok(Key { token: &self.lexer.text()[token.range], start, escaped })
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
    #[inline]
    pub(crate) fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<Option<T>> {
        if self.kind()? == Kind::Null {
            self.lexer.value()?;
            self.null_read_as_absent();
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// Reads a member of which `null` is a value.
    pub(crate) fn nullable<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<Option<T>> {
        if self.kind()? == Kind::Null {
            self.lexer.value()?;
            return Ok(None);
        }
        read(self).map(Some)
    }

    /// Keeps a member as it came.
    pub(crate) fn extension(&mut self, key: &Key<'b>, extensions: &mut Extensions) -> Read<()> {
        let value = self.json()?;
        extensions.push(self.name(key), value);
        Ok(())
    }

    /// The name of a member, to be kept.
    pub(crate) fn name(&self, key: &Key<'b>) -> Text {
        let (start, end) = (key.start, key.start + key.token.len());
        Text::from_token(self.buffer, start, end, key.escaped.is_some())
    }

    /// Reads an item of a list; one that is no such item is kept as it came, and reported.
    #[inline]
    pub(crate) fn item<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Read<T>,
        unknown: impl FnOnce(Unknown) -> T,
    ) -> Read<T> {
        let start = self.mark();
        match read(self) {
            Ok(item) => Ok(item),
            Err(error) if error.is_syntax() => Err(error),
            Err(error) => self.unknown(start, &error).map(unknown),
        }
    }

    /// Keeps the item that starts at `start` as it came.
    #[cold]
    fn unknown(&mut self, start: Mark, error: &DecodeError) -> Read<Unknown> {
        self.retreat(start);
        let json = self.json()?;
        self.unreadable(error);
        Ok(Unknown { json, origin: Some(self.revision.version) })
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
    pub(crate) fn tag(&mut self, name: &'static str) -> Read<Option<Cow<'b, str>>> {
        self.expect(Kind::Object)?;
        if let Some(tag) = self.first_member(name) {
            return Ok(Some(Cow::Borrowed(tag)));
        }
        let Some(mut ahead) = self.seek(name)? else { return Ok(None) };
        if ahead.peek()? != Kind::String {
            self.lexer = ahead;
            return self.at(name, |r| Err(r.unexpected(Kind::String.name())));
        }
        Ok(Some(ahead.string()?.text(ahead.text())))
    }

    /// Whether the object at the cursor, which stays where it is, has a member `name`.
    pub(crate) fn has(&mut self, name: &str) -> Read<bool> {
        self.expect(Kind::Object)?;
        Ok(self.seek(name)?.is_some())
    }

    /// A cursor at the value of the first member `name` of the object at the cursor.
    fn seek(&self, name: &str) -> Read<Option<Lexer<'b>>> {
        let mut ahead = self.lexer.clone();
        ahead.take(b'{');
        if ahead.take(b'}') {
            return Ok(None);
        }
        loop {
            let key = ahead.string()?;
            ahead.expect(b':', "a colon")?;
            if key.text(ahead.text()) == name {
                return Ok(Some(ahead));
            }
            ahead.value()?;
            if !ahead.take(b',') {
                return Ok(None);
            }
        }
    }

    /// The value of the first member of the object at the cursor, if it is the text `name` written
    /// in the usual way: where a tag nearly always stands. Whatever else is left to `tag`.
    fn first_member(&self, name: &str) -> Option<&'b str> {
        let object = self.lexer.text().get(self.pos()..)?;
        let rest = object.strip_prefix("{\"")?.strip_prefix(name)?.strip_prefix("\":\"")?;
        let end = rest.bytes().position(|b| !(b.is_ascii_lowercase() || b == b'_'))?;
        rest[end..].starts_with('"').then(|| &rest[..end])
    }
}
