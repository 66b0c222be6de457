//! Changes a message as JSON: what bytes alone would break, and so never reach, is kept.

use std::sync::OnceLock;

use libfuzzer_sys::fuzzer_mutate;
use protocol_droid_ir::lex::{Kind, Lexer};

/// Changes the message that follows `head` bytes, now and then as mere bytes; returns its new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, head: usize) -> usize {
    let mut chance = Chance(seed | 1);
    let text = data.get(head..size).and_then(|text| std::str::from_utf8(text).ok());
    let Some(mut tree) = text.and_then(Tree::read).filter(|_| chance.below(4) != 0) else {
        return fuzzer_mutate(data, size, max_size);
    };
    for _ in 0..=chance.below(3) {
        tree.change(&mut chance);
    }
    if head != 0 && chance.below(8) == 0 {
        let at = chance.below(head);
        data[at] = chance.below(256) as u8;
    }
    let mut out = String::new();
    tree.write(&mut out);
    match data.get_mut(head..max_size).and_then(|place| place.get_mut(..out.len())) {
        Some(place) => {
            place.copy_from_slice(out.as_bytes());
            head + out.len()
        }
        None => size,
    }
}

struct Chance(u32);

impl Chance {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % bound
    }

    fn pick<'a, T>(&mut self, options: &'a [T]) -> Option<&'a T> {
        if options.is_empty() { None } else { options.get(self.below(options.len())) }
    }
}

/// JSON whose names and scalars are tokens.
#[derive(Clone)]
enum Tree {
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
    Token(String),
}

type Member = (String, Tree);

impl Tree {
    fn read(text: &str) -> Option<Self> {
        let mut lexer = Lexer::new(text);
        let tree = Self::next(&mut lexer, 64)?;
        lexer.end().ok().map(|()| tree)
    }

    fn next(lexer: &mut Lexer<'_>, depth: usize) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        match lexer.peek().ok()? {
            Kind::Array => {
                let mut items = Vec::new();
                lexer.take(b'[');
                while !lexer.take(b']') {
                    items.push(Self::next(lexer, depth)?);
                    lexer.take(b',');
                }
                Some(Self::Array(items))
            }
            Kind::Object => {
                let mut members = Vec::new();
                lexer.take(b'{');
                while !lexer.take(b'}') {
                    members.push(Self::member(lexer, depth)?);
                    lexer.take(b',');
                }
                Some(Self::Object(members))
            }
            _ => lexer.value().ok().map(|token| Self::Token(lexer.text()[token].to_owned())),
        }
    }

    fn member(lexer: &mut Lexer<'_>, depth: usize) -> Option<Member> {
        let name = lexer.text()[lexer.value().ok()?].to_owned();
        lexer.expect(b':', "a colon").ok()?;
        Some((name, Self::next(lexer, depth)?))
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Token(token) => out.push_str(token),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    fn count(&self) -> usize {
        1 + match self {
            Self::Token(_) => 0,
            Self::Array(items) => items.iter().map(Self::count).sum(),
            Self::Object(members) => members.iter().map(|(_, value)| value.count()).sum(),
        }
    }

    /// The value that `at` others come before.
    fn at(&mut self, at: &mut usize) -> Option<&mut Self> {
        if *at == 0 {
            return Some(self);
        }
        *at -= 1;
        match self {
            Self::Token(_) => None,
            Self::Array(items) => items.iter_mut().find_map(|item| item.at(at)),
            Self::Object(members) => members.iter_mut().find_map(|(_, value)| value.at(at)),
        }
    }

    fn any(&mut self, chance: &mut Chance) -> &mut Self {
        let mut at = chance.below(self.count());
        self.at(&mut at).expect("counted")
    }

    fn change(&mut self, chance: &mut Chance) {
        let words = Words::get();
        let other = self.any(chance).clone();
        let here = self.any(chance);
        match (chance.below(8), &mut *here) {
            (0, here) => *here = other,
            (1, here) => here.clone_from(chance.pick(&words.values).expect("values")),
            (2, here) => *here = Self::Array(vec![here.clone()]),
            (3, Self::Array(items)) if !items.is_empty() => {
                items.remove(chance.below(items.len()));
            }
            (3 | 4, Self::Object(members)) if !members.is_empty() => {
                members.remove(chance.below(members.len()));
            }
            (5, Self::Object(members)) if !members.is_empty() => {
                let at = chance.below(members.len());
                members[at].0.clone_from(chance.pick(&words.names).expect("names"));
            }
            (6, Self::Object(members)) if !members.is_empty() => {
                let (a, b) = (chance.below(members.len()), chance.below(members.len()));
                members.swap(a, b);
            }
            (_, Self::Object(members)) => {
                let at = chance.below(members.len() + 1);
                let member = match (chance.below(3), chance.pick(members)) {
                    (0, Some(member)) => member.clone(),
                    (1, _) => chance.pick(&words.members).expect("members").clone(),
                    _ => (chance.pick(&words.names).expect("names").clone(), other),
                };
                members.insert(at, member);
            }
            (_, Self::Array(items)) => items.insert(chance.below(items.len() + 1), other),
            (_, Self::Token(_)) => here.clone_from(chance.pick(&words.values).expect("values")),
        }
    }
}

/// The entries of the dictionary by what they are.
#[derive(Default)]
struct Words {
    names: Vec<String>,
    values: Vec<Tree>,
    members: Vec<Member>,
}

impl Words {
    fn get() -> &'static Self {
        static WORDS: OnceLock<Words> = OnceLock::new();
        WORDS.get_or_init(|| {
            let mut words = Self::default();
            for entry in include_str!("../mcp.dict").lines() {
                let Some(entry) = entry.strip_prefix('"').and_then(|e| e.strip_suffix('"')) else {
                    continue;
                };
                words.add(&entry.replace("\\\"", "\"").replace("\\\\", "\\"));
            }
            words
        })
    }

    fn add(&mut self, entry: &str) {
        if let Some(value) = Tree::read(entry) {
            self.values.push(value);
        } else if let Some(Tree::Object(members)) = Tree::read(&format!("{{{entry}}}")) {
            self.members.extend(members);
        } else if let Some(name) = entry.strip_suffix(':').filter(|name| name.len() > 2) {
            self.names.push(name.to_owned());
        }
    }
}
