//! Sealing: what a client carries for the host, and can neither read nor change.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use sha2::{Digest, Sha256};

/// The keys that seal session ids and request states (XChaCha20-Poly1305, 256 bits).
///
/// Replicas behind one address share them, so that each serves what another has sealed.
#[derive(Clone)]
pub struct Keys {
    ciphers: Vec<XChaCha20Poly1305>,
}

impl Keys {
    /// Keys of this process alone.
    ///
    /// # Panics
    /// If the operating system has no random numbers.
    pub fn random() -> Self {
        Self::new(&random())
    }

    /// Seals with `key`.
    pub fn new(key: &[u8; 32]) -> Self {
        Self { ciphers: vec![XChaCha20Poly1305::new(key.into())] }
    }

    /// Opens what `key` has sealed, too: for the time after a change of keys.
    #[must_use]
    pub fn with_previous(mut self, key: &[u8; 32]) -> Self {
        self.ciphers.push(XChaCha20Poly1305::new(key.into()));
        self
    }

    /// Seals `plain` for one purpose; `bound` must be the same when it is opened.
    pub(crate) fn seal(&self, bound: &[u8], plain: &[u8]) -> String {
        let nonce: [u8; NONCE] = random();
        let payload = Payload { msg: plain, aad: bound };
        // Encryption fails only beyond 256 GiB, which no message reaches.
        let sealed = self.ciphers[0].encrypt(&nonce.into(), payload).unwrap_or_default();
        URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat())
    }

    /// Opens what was sealed; `None` if these keys have not sealed it, or not for this.
    pub(crate) fn open(&self, bound: &[u8], sealed: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let payload = || Payload { msg: sealed, aad: bound };
        self.ciphers.iter().find_map(|cipher| cipher.decrypt(nonce.into(), payload()).ok())
    }
}

const NONCE: usize = 24;

impl Default for Keys {
    fn default() -> Self {
        Self::random()
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("count", &self.ciphers.len()).finish_non_exhaustive()
    }
}

/// What tells the time of day; a value, so that tests and replays have their own.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl Clock {
    /// The system's.
    pub fn system() -> Self {
        Self::new(SystemTime::now)
    }

    /// One of your own.
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Since 1970.
    pub(crate) fn now(&self) -> Duration {
        (self.0)().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    bytes
}

/// A name of a few random letters and digits.
pub(crate) fn random_name() -> String {
    URL_SAFE_NO_PAD.encode(random::<9>())
}

/// SHA-256 of several texts, each with its length before it.
pub(crate) fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_with_the_same_keys_and_purpose_only() {
        let (old, new) = (Keys::new(&[1; 32]), Keys::new(&[2; 32]).with_previous(&[1; 32]));
        let sealed = old.seal(b"a", b"text");
        assert_eq!(new.open(b"a", &sealed).as_deref(), Some(&b"text"[..]));
        assert_eq!(new.open(b"b", &sealed), None);
        assert_eq!(old.open(b"a", &new.seal(b"a", b"text")), None);
        for index in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(new.open(b"a", &changed), None, "{index}");
            assert_eq!(new.open(b"a", &sealed[..index]), None, "{index}");
        }
    }
}
