//! Whether the names in a JSON text are unique, so that all who read it read the same.

use std::borrow::Cow;

use protocol_droid_ir::JsonObject;
use protocol_droid_ir::lex::{Lexer, StringToken};

/// A name that some object in `json` has twice, at whatever depth and in whatever spelling.
pub(crate) fn repeated_name(json: &JsonObject) -> Option<String> {
    let bytes = json.as_str().as_bytes();
    let mut lexer = Lexer::new(json.as_str());
    let mut open = Open::default();
    let mut pos = 0;
    // The text is known to be JSON: only strings and braces matter.
    while let Some(byte) = bytes.get(pos) {
        pos += 1;
        match byte {
            b'"' => {
                lexer.rewind(pos - 1);
                let token = lexer.string().ok()?;
                if lexer.take(b':') {
                    open.is_escaped |= token.escaped;
                    open.push(bytes.get(token.range));
                }
                pos = lexer.pos();
            }
            b'{' => open.push(None),
            b'}' => {
                if let Some(name) = open.end() {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}

/// The names so far of all objects that are open, each object's after a `None`. A few of them take
/// no allocation.
#[derive(Default)]
struct Open<'a> {
    few: [Option<&'a [u8]>; FEW],
    len: usize,
    many: Vec<Option<&'a [u8]>>,
    /// Whether a name was spelt with escapes.
    is_escaped: bool,
}

const FEW: usize = 16;

impl<'a> Open<'a> {
    fn push(&mut self, name: Option<&'a [u8]>) {
        match self.few.get_mut(self.len) {
            Some(place) => *place = name,
            None => self.spill(name),
        }
        self.len += 1;
    }

    #[cold]
    fn spill(&mut self, name: Option<&'a [u8]>) {
        if self.len == FEW {
            self.many.clear();
            self.many.extend_from_slice(&self.few);
        }
        self.many.push(name);
    }

    /// Closes the innermost object.
    fn end(&mut self) -> Option<String> {
        let all = if self.len > FEW { &self.many[..] } else { &self.few[..self.len] };
        let start = all.iter().rposition(Option::is_none)?;
        let names = &all[start + 1..];
        let may_repeat = self.is_escaped && names.len() > 1
            || names.len() > FEW
            || (1..names.len()).any(|at| names[..at].contains(&names[at]));
        let repeated = if may_repeat { repeated_of(names) } else { None };
        self.len = start;
        self.many.truncate(start);
        repeated
    }
}

/// The first name that is there twice, by what the names spell.
#[cold]
fn repeated_of(names: &[Option<&[u8]>]) -> Option<String> {
    let names = names.iter().flatten().map(|name| std::str::from_utf8(name).map(unescaped));
    let mut names: Vec<_> = names.collect::<Result<_, _>>().ok()?;
    names.sort_unstable();
    let twice = names.windows(2).find(|pair| pair[0] == pair[1])?;
    Some(twice[0].to_string())
}

fn unescaped(name: &str) -> Cow<'_, str> {
    let escaped = name.contains('\\');
    StringToken { range: 0..name.len(), escaped, lone_surrogate: false }.text(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(json: &str) -> Option<String> {
        repeated_name(&JsonObject::new(json).unwrap())
    }

    #[test]
    fn a_name_that_is_there_twice_is_found_wherever_it_is() {
        for json in [
            r#"{"n":1,"n":1}"#,
            r#"{ "n" : 1 , "m":2,"n" :3 }"#,
            r#"{"n":1,"\u006e":2}"#,
            r#"{"\u006e":1,"a":"\"n\":","n":2}"#,
            r#"{"a":{"n":1,"n":2}}"#,
            r#"{"a":[0,[{"x":"}"},{"n":{},"m":{"n":1},"n":2}]]}"#,
            r#"{"n":{"a":1},"b":{"n":1},"n":[]}"#,
        ] {
            assert_eq!(repeated(json).as_deref(), Some("n"), "{json}");
        }
        assert_eq!(repeated(r#"{"":1,"":2}"#).as_deref(), Some(""));
    }

    #[test]
    fn names_of_different_objects_and_values_are_none() {
        for json in [
            "{}",
            r#"{"n":{"n":{"n":1}},"m":[{"n":1},{"n":2}],"s":"n","t":["n","n"]}"#,
            r#"{"a":"n","b":"n\":1,\"n","N":1,"n":2,"n ":3}"#,
            r#"{"\u006e":1,"\\u006e":2,"m":{"n":1}}"#,
        ] {
            assert_eq!(repeated(json), None, "{json}");
        }
    }

    #[test]
    fn many_names_and_deep_objects_are_looked_through() {
        let members = |count: usize| {
            (0..count).map(|i| format!(r#""k{i}":{{"a":{i},"b":0}}"#)).collect::<Vec<_>>().join(",")
        };
        for count in [1, 14, 15, 16, 17, 18, 40, 5000] {
            let all = members(count);
            assert_eq!(repeated(&format!("{{{all}}}")), None, "{count}");
            assert_eq!(repeated(&format!(r#"{{{all},"k0":1}}"#)).as_deref(), Some("k0"), "{count}");
            let within = format!(r#"{{"o":{{{all}}},"p":{{{all},"k0":1}}}}"#);
            assert_eq!(repeated(&within).as_deref(), Some("k0"), "{count}");
        }
        let deep = |inner: &str| {
            format!("{}{inner}{}", r#"{"a":[{"b":"#.repeat(50_000), "}]}".repeat(50_000))
        };
        assert_eq!(repeated(&deep("1")), None);
        assert_eq!(repeated(&deep(r#"{"n":1,"n":2}"#)).as_deref(), Some("n"));
    }
}
