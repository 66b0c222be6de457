//! Bytes to be sent, with long text left where it is.

use std::collections::VecDeque;

use bytes::Bytes;
use protocol_droid_codecs::Cut;

/// A message ready to be sent: `bytes`, and the long text that belongs between them.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    /// In order.
    pub(crate) cuts: Vec<Cut>,
}

impl From<Vec<u8>> for Written {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, cuts: Vec::new() }
    }
}

impl Written {
    /// All in one piece; a copy where there is long text.
    pub(crate) fn whole(self) -> Vec<u8> {
        match self.cuts.is_empty() {
            true => self.bytes,
            false => Vec::from(self.pieces()).concat(),
        }
    }

    /// One piece after another, without a copy.
    pub(crate) fn pieces(self) -> VecDeque<Bytes> {
        let mut pieces = VecDeque::with_capacity(2 * self.cuts.len() + 1);
        let mut rest = Bytes::from(self.bytes);
        let mut done = 0;
        for cut in self.cuts {
            pieces.push_back(rest.split_to(cut.at - done));
            done = cut.at;
            pieces.push_back(Bytes::from_owner(cut.text));
        }
        pieces.push_back(rest);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_in_order() {
        let cut = |at, text: &str| Cut { at, text: text.into() };
        let cuts = vec![cut(1, "one"), cut(1, "two"), cut(3, "three")];
        let written = || Written { bytes: b"abc".to_vec(), cuts: cuts.clone() };
        assert_eq!(written().pieces().len(), 7);
        assert_eq!(written().whole(), b"aonetwobcthree");
        assert_eq!(Written::from(b"abc".to_vec()).whole(), b"abc");
    }
}
