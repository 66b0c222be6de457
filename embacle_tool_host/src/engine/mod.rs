//! What is answered to what, without any IO: bytes and headers in, decisions and bytes out.

pub(crate) mod about;
pub(crate) mod headers;
pub(crate) mod legacy;
pub(crate) mod modern;
pub(crate) mod read;
pub(crate) mod reply;
pub(crate) mod state;
pub(crate) mod unique;
pub(crate) mod written;
