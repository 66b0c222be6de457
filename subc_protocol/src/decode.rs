//! Taking frames out of a stream of bytes.

use crate::{
    body::{Body, MAX_BODY_LEN},
    decode_error::DecodeError,
    frame::{Address, Admission, Flags, Frame, FrameType, HEADER_LEN, VERSION},
};

/// How many bytes of header keep place and meaning in every version.
const PREFIX_LEN: usize = 5;

/// How much memory an idle decoder keeps, in bytes.
const IDLE_LEN: usize = 64 << 10;

/// Takes frames out of bytes that come in pieces of any size.
///
/// Pieces go in by [`push`](Self::push) and frames come out of [`next_frame`](Self::next_frame),
/// which is called until it gives `None`. How the bytes were cut makes no difference.
///
/// Memory is taken only for bytes that came: the buffer never grows beyond one header and one body of
/// [`MAX_BODY_LEN`], or the bytes pushed and not yet taken out, whichever is more.
///
/// A length is checked before anything is allocated for it. After an error the stream cannot be
/// resynchronised, so the decoder stays failed: it ignores further bytes and repeats the error.
///
/// ```
/// use subc_protocol::{Address, Frame, FrameDecoder};
///
/// let ping = Frame::ping(Address::Control, 1).build();
/// let mut decoder = FrameDecoder::new();
/// for byte in ping.encode() {
///     assert_eq!(decoder.next_frame()?, None);
///     decoder.push(&[byte]);
/// }
/// assert_eq!(decoder.next_frame()?, Some(ping));
/// decoder.finish()?;
/// # Ok::<(), subc_protocol::DecodeError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrameDecoder {
    buffer: Vec<u8>,
    /// How much of the buffer was taken out.
    taken: usize,
    /// Where in the stream the next frame begins.
    offset: u64,
    failure: Option<DecodeError>,
}

impl FrameDecoder {
    /// A decoder at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        if self.buffer.len() + bytes.len() > self.buffer.capacity() {
            self.make_room(bytes.len());
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Takes out the next frame; `None` when more bytes are needed for it.
    ///
    /// # Errors
    ///
    /// What comes next is not a frame; which fault is told if there are several, [`DecodeError`]
    /// says. The same error comes again from then on.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, DecodeError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        match self.take() {
            Ok(frame) => Ok(frame),
            Err(failure) => {
                self.buffer = Vec::new();
                self.taken = 0;
                self.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }

    /// How many bytes were pushed and not yet taken out.
    pub fn buffered(&self) -> usize {
        self.buffer.len() - self.taken
    }

    /// Says whether the stream may end here. Frames that were not taken out stay.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Truncated`] when this is inside a frame, or the error before that.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let (mut rest, mut at) = (&self.buffer[self.taken..], self.offset);
        while let Some((_, body)) = split_frame(rest, at)? {
            let len = HEADER_LEN + body.len();
            (rest, at) = (&rest[len..], at + len as u64);
        }
        if rest.is_empty() {
            return Ok(());
        }
        let body_len = match rest.first_chunk::<PREFIX_LEN>() {
            Some(&[l0, l1, l2, l3, _]) => u32::from_le_bytes([l0, l1, l2, l3]),
            None => 0,
        };
        Err(DecodeError::Truncated {
            at,
            expected: HEADER_LEN as u64 + u64::from(body_len),
            found: rest.len() as u64,
        })
    }

    fn take(&mut self) -> Result<Option<Frame>, DecodeError> {
        let Some((header, body)) = split_frame(&self.buffer[self.taken..], self.offset)? else {
            return Ok(None);
        };
        let len = HEADER_LEN + body.len();
        let frame = header.with_body(body);
        self.taken += len;
        self.offset += len as u64;
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(IDLE_LEN);
            self.taken = 0;
        }
        Ok(Some(frame))
    }

    /// Makes room for `more` bytes: a buffer that stays more than half full doubles, but beyond the
    /// largest frame it takes no more than it must.
    fn make_room(&mut self, more: usize) {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        let (len, capacity) = (self.buffer.len(), self.buffer.capacity());
        let doubled = match len + more > capacity / 2 {
            true => (2 * capacity).min(HEADER_LEN + MAX_BODY_LEN),
            false => 0,
        };
        self.buffer.reserve_exact((len + more).max(doubled) - len);
    }
}

/// What a header says besides the length and the version.
struct Header {
    frame_type: FrameType,
    flags: Flags,
    address: Address,
    corr: u64,
}

impl Header {
    /// `body` has a length that was checked.
    fn with_body(self, body: &[u8]) -> Frame {
        Frame {
            frame_type: self.frame_type,
            flags: self.flags,
            address: self.address,
            corr: self.corr,
            body: Body::checked(body.to_vec()),
        }
    }
}

/// The frame at the beginning of `bytes`, if all of it is there; `at` is its place in the stream.
fn split_frame(bytes: &[u8], at: u64) -> Result<Option<(Header, &[u8])>, DecodeError> {
    // Checked before the rest came, so that the fault told does not depend on how much came.
    let Some(&[l0, l1, l2, l3, version]) = bytes.first_chunk::<PREFIX_LEN>() else {
        return Ok(None);
    };
    let len = u32::from_le_bytes([l0, l1, l2, l3]);
    if version != VERSION {
        return Err(DecodeError::Version { at: at + 4, found: version });
    }
    if len as usize > MAX_BODY_LEN {
        return Err(DecodeError::BodyTooLong { at, found: len });
    }
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER_LEN>() else {
        return Ok(None);
    };
    let header = read_header(header, len, at)?;
    Ok(rest.get(..len as usize).map(|body| (header, body)))
}

/// Reads what follows the prefix, for a body of `len` bytes.
fn read_header(header: &[u8; HEADER_LEN], len: u32, at: u64) -> Result<Header, DecodeError> {
    let &[_, _, _, _, _, frame_type, flags, c0, c1, e0, e1, e2, e3, corr @ ..] = header;
    let epoch = u32::from_le_bytes([e0, e1, e2, e3]);
    let frame_type = FrameType::from_byte(frame_type)
        .ok_or(DecodeError::UnknownType { at: at + 5, found: frame_type })?;
    let (priority, admission, read) = Flags::read(flags);
    let (at_flags, found) = (at + 6, flags);
    if priority.is_none() {
        return Err(DecodeError::RefusedPriority { at: at_flags, found });
    }
    if admission.is_none() {
        return Err(DecodeError::RefusedAdmission { at: at_flags, found });
    }
    if read.admission == Admission::Sheddable && !frame_type.may_shed() {
        return Err(DecodeError::MustKeep { at: at_flags, frame_type });
    }
    let address = Address::new(u16::from_le_bytes([c0, c1]), epoch);
    let address = address.ok_or(DecodeError::ControlEpoch { at: at + 9, found: epoch })?;
    if len != 0 && !frame_type.has_body() {
        return Err(DecodeError::UnexpectedBody { at, frame_type, found: len });
    }
    Ok(Header { frame_type, flags: read, address, corr: u64::from_le_bytes(corr) })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn header(len: u32) -> Vec<u8> {
        let mut bytes = Frame::request(Address::Control, 1, Body::default()).build().encode();
        bytes[..4].copy_from_slice(&len.to_le_bytes());
        bytes
    }

    #[test]
    fn a_length_is_refused_before_the_rest_comes() {
        let mut decoder = FrameDecoder::new();
        decoder.push(&header(MAX_BODY_LEN as u32 + 1)[..PREFIX_LEN]);
        let refused = decoder.next_frame();
        assert!(matches!(refused, Err(DecodeError::BodyTooLong { at: 0, .. })));
        decoder.push(&header(0));
        assert_eq!((decoder.next_frame(), decoder.buffered()), (refused.clone(), 0));
        assert_eq!(decoder.finish().map(|()| None), refused);
    }

    #[test]
    fn memory_follows_what_came_up_to_the_largest_frame() {
        let mut decoder = FrameDecoder::new();
        decoder.push(&header(MAX_BODY_LEN as u32));
        assert!(decoder.buffer.capacity() < 64, "the claim alone takes none");
        let mut left = MAX_BODY_LEN;
        while left > 0 {
            assert_eq!(decoder.next_frame(), Ok(None));
            let piece = left.min(1_000_003);
            decoder.push(&vec![0; piece]);
            left -= piece;
            assert!(decoder.buffer.capacity() <= HEADER_LEN + MAX_BODY_LEN);
        }
        let frame = decoder.next_frame().expect("a frame").expect("whole");
        assert_eq!(frame.body().len(), MAX_BODY_LEN);
        assert!(decoder.buffer.capacity() <= IDLE_LEN);
    }

    #[test]
    fn what_is_taken_out_makes_room() {
        let mut frame = header(100);
        frame.resize(HEADER_LEN + 100, 0);
        let mut decoder = FrameDecoder::new();
        decoder.push(&frame[..50]);
        for _ in 0..1_000 {
            decoder.push(&frame[50..]);
            decoder.push(&frame[..50]);
            assert!(matches!(decoder.next_frame(), Ok(Some(_))));
            assert_eq!(decoder.buffered(), 50);
        }
        assert!(decoder.buffer.capacity() < 1_000);
    }

    #[test]
    fn the_end_is_told_without_taking_frames() {
        let mut bytes = header(0);
        bytes.extend_from_slice(&header(9));
        let ends = |len: usize| {
            let mut decoder = FrameDecoder::new();
            decoder.push(&bytes[..len]);
            (decoder.finish(), decoder.buffered() == len)
        };
        let truncated = |at, expected, found| DecodeError::Truncated { at, expected, found };
        assert_eq!(ends(0), (Ok(()), true));
        assert_eq!(ends(2), (Err(truncated(0, 21, 2)), true));
        assert_eq!(ends(21), (Ok(()), true));
        assert_eq!(ends(24), (Err(truncated(21, 21, 3)), true));
        assert_eq!(ends(42), (Err(truncated(21, 30, 21)), true));
    }
}
