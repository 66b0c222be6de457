//! How the first bytes of an input pick what is done with the rest.

use protocol_droid_codecs::{Codec, compiled};
use protocol_droid_tests::json::Json;

/// What responses may answer: nothing known, methods of either side, and one that no revision has.
const METHODS: [Option<&str>; 16] = [
    None,
    Some("tools/list"),
    Some("tools/call"),
    Some("resources/read"),
    Some("prompts/get"),
    Some("sampling/createMessage"),
    Some("elicitation/create"),
    Some("roots/list"),
    Some("initialize"),
    Some("server/discover"),
    Some("resources/list"),
    Some("prompts/list"),
    Some("completion/complete"),
    Some("ping"),
    Some("tasks/get"),
    Some("vendor/run"),
];

/// The choices that a byte makes, the first from its smallest part.
pub struct Choices(pub u8);

impl Choices {
    /// One of `options`.
    pub fn pick<T: Copy>(&mut self, options: &[T]) -> T {
        let at = usize::from(self.0) % options.len();
        self.0 /= options.len() as u8;
        options[at]
    }

    pub fn codec(&mut self) -> &'static dyn Codec {
        self.pick(compiled())
    }

    pub fn method(&mut self) -> Option<&'static str> {
        self.pick(&METHODS)
    }
}

/// The text as a tree, unless it nests too deep for the tree's recursion.
pub fn tree(text: &[u8]) -> Option<Json> {
    let mut depth = 0i32;
    for byte in text {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth > 100 {
            return None;
        }
    }
    Some(Json::read(text))
}

pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
