//! Whether two JSON texts mean the same.

use crate::lex::{Kind, Lexer};
use crate::number::Decimal;
use crate::text::{Text, unescape};

/// How deep texts are compared; deeper ones count as different unless alike to the byte.
const MAX_DEPTH: usize = 128;

/// Whether two JSON texts name the same value: white space, escapes, the order of members and the
/// spelling of numbers aside, exact to the last digit. An object with a duplicate name equals
/// nothing but its own text.
///
/// Text that is not JSON equals nothing but itself.
pub fn same_json(a: &str, b: &str) -> bool {
    Known::new(a).is(b)
}

/// A text that all texts which [`same_json`] takes for each other have in common, and no other has:
/// to be compared or digested, not read. `None` for text that equals nothing but itself.
pub fn canonical_json(text: &str) -> Option<String> {
    let mut out = Vec::new();
    read(text)?.write(&mut out);
    String::from_utf8(out).ok()
}

/// A text that many others are compared with: it is read once, and only when one may equal it.
pub(crate) struct Known<'a> {
    text: &'a str,
    tree: Option<Option<Tree>>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, tree: None }
    }

    /// Like [`same_json`].
    pub(crate) fn is(&mut self, other: &str) -> bool {
        if other == self.text {
            return true;
        }
        if first_byte(other) != first_byte(self.text) {
            return false;
        }
        let Some(other) = read(other) else { return false };
        self.tree.get_or_insert_with(|| read(self.text)).as_ref() == Some(&other)
    }
}

/// Numbers may open with different bytes and yet be equal; all else is told apart by the first.
fn first_byte(text: &str) -> Option<u8> {
    let byte = text.bytes().find(|b| !b.is_ascii_whitespace())?;
    Some(if byte.is_ascii_digit() { b'0' } else { byte })
}

#[derive(PartialEq)]
pub(crate) enum Tree {
    Array(Vec<Tree>),
    Number(Decimal),
    Object(Vec<(String, Tree)>),
    String(String),
    Word(Kind),
}

impl Tree {
    /// Writes the tree, which is no deeper than [`MAX_DEPTH`].
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Array(items) => {
                out.push(b'[');
                for item in items {
                    item.write(out);
                    out.push(b',');
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (name, value) in members {
                    Text::from(name.as_str()).write_json(out);
                    out.push(b':');
                    value.write(out);
                    out.push(b',');
                }
                out.push(b'}');
            }
            Self::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Self::String(text) => Text::from(text.as_str()).write_json(out),
            Self::Word(Kind::True) => out.extend_from_slice(b"true"),
            Self::Word(Kind::False) => out.extend_from_slice(b"false"),
            Self::Word(_) => out.extend_from_slice(b"null"),
        }
    }
}

fn read(text: &str) -> Option<Tree> {
    let mut lexer = Lexer::new(text);
    let tree = tree(&mut lexer, MAX_DEPTH)?;
    lexer.end().ok()?;
    Some(tree)
}

fn tree(lexer: &mut Lexer<'_>, depth: usize) -> Option<Tree> {
    let depth = depth.checked_sub(1)?;
    Some(match lexer.peek().ok()? {
        Kind::Object => {
            lexer.take(b'{');
            let mut members = Vec::new();
            while !lexer.take(b'}') {
                if !members.is_empty() {
                    lexer.expect(b',', "a comma").ok()?;
                }
                let name = string(lexer)?;
                lexer.expect(b':', "a colon").ok()?;
                members.push((name, tree(lexer, depth)?));
            }
            members.sort_by(|(a, _), (b, _)| a.cmp(b));
            let unique = members.windows(2).all(|pair| pair[0].0 != pair[1].0);
            unique.then_some(Tree::Object(members))?
        }
        Kind::Array => {
            lexer.take(b'[');
            let mut items = Vec::new();
            while !lexer.take(b']') {
                if !items.is_empty() {
                    lexer.expect(b',', "a comma").ok()?;
                }
                items.push(tree(lexer, depth)?);
            }
            Tree::Array(items)
        }
        Kind::String => Tree::String(string(lexer)?),
        Kind::Number => Tree::Number(Decimal::new(&lexer.text()[lexer.value().ok()?])),
        word => {
            lexer.value().ok()?;
            Tree::Word(word)
        }
    })
}

fn string(lexer: &mut Lexer<'_>) -> Option<String> {
    let token = lexer.string().ok()?;
    // Half a surrogate pair has no text to compare.
    (!token.lone_surrogate).then(|| unescape(&lexer.text()[token.range]))
}

#[cfg(test)]
mod tests {
    use super::{canonical_json, same_json};

    #[test]
    fn spelling_does_not_matter() {
        for (a, b) in [
            (r#"{"a":1,"b":[1.0,"\u00e9"]}"#, "{ \"b\" : [ 1, \"é\" ], \"a\" : 1e0 }"),
            ("100", "1e2"),
            ("[true,null]", "[ true , null ]"),
        ] {
            assert!(same_json(a, b), "{a} {b}");
            assert_eq!(canonical_json(a), canonical_json(b), "{a} {b}");
        }
    }

    #[test]
    fn values_do() {
        for (a, b) in [
            ("9007199254740993", "9007199254740992"),
            ("[1,2]", "[2,1]"),
            ("1", "\"1\""),
            ("0", "-0"),
            (r#"{"a":1}"#, r#"{"a":1,"a":1}"#),
            ("{}", "{"),
            (r#""\ud800""#, r#""\ud801""#),
            ("true", "null"),
            ("true", "false"),
            ("[[1],2]", "[[1,2]]"),
            (r#"["a","b"]"#, r#"["a\",\"b"]"#),
            (r#"{"a":1,"b":2}"#, r#"{"a":{"b":2}}"#),
            ("10000000000000000000000001", "10000000000000000000000002"),
            ("1e9223372036854775808", "1e99999999999999999999999999999999999999"),
            ("12", "1.2"),
        ] {
            assert!(!same_json(a, b), "{a} {b}");
            let (a, b) = (canonical_json(a), canonical_json(b));
            assert!(a != b || a.is_none(), "{a:?}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(!same_json(&deep, &format!(" {deep}")));
        assert!(same_json(&deep, &deep));
    }
}
