//! What a provider may refuse in a request that decodes.

/// The most bytes a valid `tool_call_id` has.
pub const MAX_ID_LEN: usize = 256;

/// Why a request that decodes is not valid; the text names the member.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValidateError {
    /// The tool's name is empty.
    #[error("`name` is empty")]
    NameEmpty,
    /// The arguments are not an object.
    #[error("`arguments` is {found}, expected an object")]
    ArgumentsNotObject {
        /// The JSON type found, with its article.
        found: &'static str,
    },
    /// The id is present and empty.
    #[error("`tool_call_id` is empty")]
    IdEmpty,
    /// The id has more than [`MAX_ID_LEN`] bytes.
    #[error("`tool_call_id` has {found} bytes, expected at most {MAX_ID_LEN}")]
    IdTooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// The id has a byte that is not visible ASCII.
    #[error("`tool_call_id` has byte {found:#04x} at {at}, expected 0x21 to 0x7e")]
    IdByte {
        /// Where in the id, in bytes from 0.
        at: usize,
        /// The first such byte.
        found: u8,
    },
}

impl ValidateError {
    /// The member at fault.
    pub fn field(&self) -> &'static str {
        match self {
            Self::NameEmpty => "name",
            Self::ArgumentsNotObject { .. } => "arguments",
            Self::IdEmpty | Self::IdTooLong { .. } | Self::IdByte { .. } => "tool_call_id",
        }
    }
}

/// `arguments` is the JSON type of the arguments, with its article.
pub(crate) fn validate(
    name: &str,
    arguments: &'static str,
    id: Option<&str>,
) -> Result<(), ValidateError> {
    if name.is_empty() {
        return Err(ValidateError::NameEmpty);
    }
    if arguments != "an object" {
        return Err(ValidateError::ArgumentsNotObject { found: arguments });
    }
    let Some(id) = id else { return Ok(()) };
    if id.is_empty() {
        return Err(ValidateError::IdEmpty);
    }
    if id.len() > MAX_ID_LEN {
        return Err(ValidateError::IdTooLong { found: id.len() });
    }
    match id.bytes().position(|byte| !(0x21..=0x7e).contains(&byte)) {
        Some(at) => Err(ValidateError::IdByte { at, found: id.as_bytes()[at] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_id_is_checked_at_its_edges() {
        let check = |id: &str| validate("t", "an object", Some(id));
        assert_eq!(check(&"a".repeat(256)), Ok(()));
        assert_eq!(check(&"a".repeat(257)), Err(ValidateError::IdTooLong { found: 257 }));
        assert_eq!(check("!~"), Ok(()));
        for (id, at, found) in [("a b", 1, 0x20), ("ab\x7f", 2, 0x7f), ("é", 0, 0xc3)] {
            assert_eq!(check(id), Err(ValidateError::IdByte { at, found }));
        }
        assert_eq!(check(""), Err(ValidateError::IdEmpty));
        assert_eq!(validate("t", "an object", None), Ok(()));
    }

    #[test]
    fn every_error_names_its_member() {
        for error in [
            validate("", "an object", None),
            validate("t", "null", None),
            validate("t", "an object", Some("")),
            validate("t", "an object", Some("\n")),
        ] {
            let error = error.expect_err("every one of them is at fault");
            assert!(error.to_string().contains(error.field()), "{error}");
        }
    }
}
