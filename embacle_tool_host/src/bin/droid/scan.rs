//! Where a JSON value ends, found piece by piece, without a stack and without validating it.

/// Finds where a value ends: brackets are counted, strings passed over.
pub(crate) struct Scanner {
    pub(crate) state: State,
    /// How many brackets are open.
    depth: usize,
    /// The last byte outside of strings that was no white space.
    last: u8,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum State {
    /// The white space before a value.
    Between,
    /// A value that only white space ends.
    Scalar,
    /// Brackets that are open.
    Inside,
    /// A string.
    String,
    /// A string, right after a backslash.
    Escape,
    /// Whatever follows a value that is complete.
    Done,
}

/// Where in a chunk the grammar is broken, and what it allows there.
pub(crate) type Fault = (usize, &'static str);

impl Scanner {
    /// A scanner before the first value.
    pub(crate) const fn new() -> Self {
        Self { state: State::Between, depth: 0, last: 0 }
    }

    /// How many bytes of `chunk` belong to the value, which is complete if the state is then `Done`.
    pub(crate) fn scan(&mut self, chunk: &[u8]) -> Result<usize, Fault> {
        let mut at = 0;
        loop {
            if self.state == State::String {
                at += chunk[at..].iter().position(|b| is_special(*b)).unwrap_or(chunk.len() - at);
            }
            let Some(&byte) = chunk.get(at) else { return Ok(at) };
            self.state = match (self.state, byte) {
                (State::Done, _) => return Ok(at),
                (State::Between, b'{' | b'[') => self.open(byte),
                (State::Between, b'"') => State::String,
                (State::Between, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => State::Scalar,
                (State::Between, _) => return Err((at, "a JSON value")),
                (State::Scalar, _) if is_space(byte) => {
                    self.state = State::Done;
                    return Ok(at);
                }
                (State::Scalar, _) => State::Scalar,
                // Without this check a forgotten bracket would swallow all that follows.
                (State::Inside, b'{' | b'[' | b'"')
                    if !matches!(self.last, b'{' | b'[' | b':' | b',') =>
                {
                    return Err((at, "a comma, a colon or a closing bracket"));
                }
                (State::Inside, b'{' | b'[') => self.open(byte),
                (State::Inside, b'}' | b']') => self.close(byte),
                (State::Inside, b'"') => State::String,
                (State::Inside, _) => {
                    if !is_space(byte) {
                        self.last = byte;
                    }
                    State::Inside
                }
                (State::String, b'"') => self.unquote(),
                (State::String, b'\\') => State::Escape,
                (State::String | State::Escape, 0..0x20) => {
                    return Err((at, "a closing quote or an escaped character"));
                }
                (State::String | State::Escape, _) => State::String,
            };
            at += 1;
        }
    }

    fn open(&mut self, bracket: u8) -> State {
        self.depth += 1;
        self.last = bracket;
        State::Inside
    }

    fn close(&mut self, bracket: u8) -> State {
        self.depth -= 1;
        self.last = bracket;
        if self.depth == 0 { State::Done } else { State::Inside }
    }

    fn unquote(&mut self) -> State {
        self.last = b'"';
        if self.depth == 0 { State::Done } else { State::Inside }
    }
}

/// White space as JSON has it.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// What may end a run of plain characters in a string.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}
