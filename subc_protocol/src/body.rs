//! The bytes that a frame carries.

use std::fmt;

use serde::{Serialize, de::DeserializeOwned};

/// The most bytes a body has: 64 MiB.
pub const MAX_BODY_LEN: usize = 64 << 20;

/// The body of a frame: at most [`MAX_BODY_LEN`] bytes.
///
/// `Debug` shows the length only, as bodies are large and not for logs.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Body(Vec<u8>);

impl Body {
    /// A body of these bytes.
    ///
    /// # Errors
    ///
    /// [`BodyError::TooLong`].
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, BodyError> {
        let bytes = bytes.into();
        match bytes.len() {
            0..=MAX_BODY_LEN => Ok(Self(bytes)),
            found => Err(BodyError::TooLong { found }),
        }
    }

    /// A body of compact JSON.
    ///
    /// # Errors
    ///
    /// [`BodyError::Json`] when the value does not serialise, and [`BodyError::TooLong`].
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, BodyError> {
        Self::new(serde_json::to_vec(value)?)
    }

    /// Reads the body as JSON.
    ///
    /// # Errors
    ///
    /// The bytes are no JSON, or not that of a `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, without copying them.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `bytes` are at most [`MAX_BODY_LEN`].
    pub(crate) fn checked(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn wire_len(&self) -> u32 {
        const { assert!(MAX_BODY_LEN <= u32::MAX as usize) };
        self.0.len() as u32
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({} bytes)", self.len())
    }
}

/// Why a body could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// It has more than [`MAX_BODY_LEN`] bytes.
    #[error("the body has {found} bytes, expected at most {MAX_BODY_LEN}")]
    TooLong {
        /// Its length in bytes.
        found: usize,
    },
    /// The value does not serialise.
    #[error("the body does not serialise")]
    Json(#[from] serde_json::Error),
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn the_cap_is_inclusive() {
        let mut bytes = vec![0; MAX_BODY_LEN];
        assert_eq!(Body::new(bytes.clone()).expect("at the cap").len(), 64 << 20);
        bytes.push(0);
        let error = Body::new(bytes).expect_err("over the cap");
        assert!(matches!(error, BodyError::TooLong { found } if found == MAX_BODY_LEN + 1));
    }
}
