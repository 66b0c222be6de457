//! The headers that decide about a request, found in one look.

use http::{HeaderMap, HeaderValue};

use crate::engine::headers::{SESSION_HEADER, VERSION_HEADER};

/// A header that should be there once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Head<'h> {
    #[default]
    Absent,
    Once(&'h HeaderValue),
    /// There is more than one: something before the host may have read another than the host would.
    Twice,
}

impl<'h> Head<'h> {
    fn take(&mut self, value: &'h HeaderValue) {
        *self = match self {
            Self::Absent => Self::Once(value),
            _ => Self::Twice,
        };
    }

    pub(crate) fn is_absent(self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(crate) fn once(self) -> Option<&'h HeaderValue> {
        match self {
            Self::Once(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn bytes(self) -> Option<&'h [u8]> {
        self.once().map(HeaderValue::as_bytes)
    }

    pub(crate) fn text(self) -> Option<&'h str> {
        self.once()?.to_str().ok()
    }
}

/// The headers of a request, as far as the host looks at them.
#[derive(Debug)]
pub(crate) struct Heads<'h> {
    pub(crate) all: &'h HeaderMap,
    pub(crate) host: Head<'h>,
    pub(crate) origin: Head<'h>,
    pub(crate) authorization: Head<'h>,
    pub(crate) accepts: Accepts,
    pub(crate) session: Head<'h>,
    pub(crate) version: Head<'h>,
    pub(crate) method: Head<'h>,
    pub(crate) name: Head<'h>,
    pub(crate) last_event_id: Head<'h>,
    /// A header of the protocol that is there twice.
    pub(crate) twice: Option<&'h str>,
    /// Whether some repeat arguments of a tool.
    pub(crate) has_params: bool,
}

impl<'h> Heads<'h> {
    pub(crate) fn of(all: &'h HeaderMap) -> Self {
        let mut heads = Self {
            all,
            host: Head::Absent,
            origin: Head::Absent,
            authorization: Head::Absent,
            accepts: Accepts::default(),
            session: Head::Absent,
            version: Head::Absent,
            method: Head::Absent,
            name: Head::Absent,
            last_event_id: Head::Absent,
            twice: None,
            has_params: false,
        };
        let (mut accept, mut last) = (None::<Accepts>, "");
        for (name, value) in all {
            let name = name.as_str();
            match name {
                "host" => heads.host.take(value),
                "origin" => heads.origin.take(value),
                "authorization" => heads.authorization.take(value),
                "accept" => accept.get_or_insert(Accepts::NOTHING).take(value),
                "last-event-id" => heads.last_event_id.take(value),
                SESSION_HEADER => heads.session.take(value),
                VERSION_HEADER => heads.version.take(value),
                "mcp-method" => heads.method.take(value),
                "mcp-name" => heads.name.take(value),
                _ => heads.has_params |= name.starts_with("mcp-param-"),
            }
            // Values of one name come one after another.
            if last == name && name.starts_with("mcp-") {
                heads.twice = Some(name);
            }
            last = name;
        }
        heads.accepts = accept.unwrap_or_default();
        heads
    }
}

/// The forms of an answer that the client takes; all if it does not say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepts {
    pub(crate) json: bool,
    pub(crate) events: bool,
}

impl Default for Accepts {
    fn default() -> Self {
        Self { json: true, events: true }
    }
}

impl Accepts {
    const NOTHING: Self = Self { json: false, events: false };

    fn take(&mut self, value: &HeaderValue) {
        for range in value.to_str().unwrap_or_default().split(',') {
            let range = range.split_once(';').map_or(range, |(range, _)| range).trim();
            let is = |other: &str| range.eq_ignore_ascii_case(other);
            self.json |= is("application/json") || is("*/*") || is("application/*");
            self.events |= is("text/event-stream") || is("*/*") || is("text/*");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_is_found_and_a_second_one_of_the_protocol_is_told() {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            headers.append(name, value.parse().unwrap());
        };
        add("accept", "text/html;q=1, Application/JSON;q=0.5");
        add("host", "a");
        add("accept", "TEXT/*");
        add("mcp-method", "x");
        add("host", "b");
        add("mcp-param-a", "1");
        add("last-event-id", "7");
        add("mcp-method", "y");
        let heads = Heads::of(&headers);
        assert!(heads.accepts.json && heads.accepts.events && heads.has_params);
        assert!(matches!(heads.host, Head::Twice) && heads.origin.is_absent());
        assert_eq!(heads.last_event_id.text(), Some("7"));
        assert_eq!(heads.twice, Some("mcp-method"));
        headers.remove("mcp-method");
        assert_eq!(Heads::of(&headers).twice, None);
    }
}
