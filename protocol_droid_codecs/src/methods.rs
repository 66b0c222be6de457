//! Which methods a revision has, and what takes the place of those it has not.

use std::fmt;

use protocol_droid_ir::Message;

use crate::error::TranslateError;
use crate::generated::METHODS;
use crate::pending::Expect;
use crate::revision::Revision;
use crate::table::{self, Method};
use crate::task_extension;

/// Which side of a connection sent a message.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Sender {
    /// The side that calls tools.
    Client,
    /// The side that offers them.
    Server,
}

impl Sender {
    /// The other side.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    /// The side in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A method of the protocol and the revisions that have it.
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// The method.
    pub name: &'static str,
    method: &'static Method,
}

impl MethodInfo {
    /// Whether `revision` has the method, in either direction.
    pub fn is_in(&self, revision: &Revision) -> bool {
        self.method.defined() & revision.bit != 0
    }

    /// Whether `sender` may send the method as a request at `revision`.
    pub fn is_request(&self, sender: Sender, revision: &Revision) -> bool {
        let mask = match sender {
            Sender::Client => self.method.client_request,
            Sender::Server => self.method.server_request,
        };
        mask & revision.bit != 0
    }

    /// Whether `sender` may send the method as a notification at `revision`.
    pub fn is_notification(&self, sender: Sender, revision: &Revision) -> bool {
        let mask = match sender {
            Sender::Client => self.method.client_notification,
            Sender::Server => self.method.server_notification,
        };
        mask & revision.bit != 0
    }

    /// What takes the method's place at a revision that does not have it, in words; `None` if
    /// nothing does.
    pub fn instead(&self, revision: &Revision) -> Option<&'static str> {
        if self.is_in(revision) { None } else { instead(self.name, revision) }
    }
}

/// Every method of every revision, by name.
pub fn methods() -> impl Iterator<Item = MethodInfo> {
    METHODS.iter().map(|method| MethodInfo { name: method.name, method })
}

/// The method named `name`; `None` where no revision has it, so that it is a vendor's.
pub fn method(name: &str) -> Option<MethodInfo> {
    table::find_method(name).map(|method| MethodInfo { name: method.name, method })
}

/// Whether `sender` may send requests at `revision` at all.
pub fn sends_requests(sender: Sender, revision: &Revision) -> bool {
    methods().any(|method| method.is_request(sender, revision))
}

/// Refuses a message whose method some revision has, but not this one. Methods that no revision has
/// are a vendor's, and pass.
pub(crate) fn check(
    message: &Message,
    expect: Expect<'_>,
    from: &'static Revision,
    to: &'static Revision,
) -> Result<(), TranslateError> {
    match message {
        Message::Request(request) => check_name(&request.method, from, to),
        Message::Notification(notification) => check_name(&notification.method, from, to),
        Message::Response(response) => match expect.method_of(&response.id) {
            Some(method) => check_name(method, from, to),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Refuses a request or notification that `to` has, but not from this sender, such as a client's
/// progress at 2026-07-28.
pub(crate) fn check_sender(
    message: &Message,
    sender: Sender,
    to: &'static Revision,
) -> Result<(), TranslateError> {
    let (name, is_request) = match message {
        Message::Request(request) => (&request.method, true),
        Message::Notification(notification) => (&notification.method, false),
        _ => return Ok(()),
    };
    let Some(known) = method(name).filter(|known| known.is_in(to)) else { return Ok(()) };
    let may = match is_request {
        true => known.is_request(sender, to),
        false => known.is_notification(sender, to),
    };
    match may {
        true => Ok(()),
        false => Err(TranslateError::Method {
            method: name.to_string(),
            target: to.name,
            instead: instead(name, to),
        }),
    }
}

/// Refuses a method that some revision has, but `from` or `to` does not: no peer of `from` can have
/// meant it.
///
/// The methods of the tasks extension pass between revisions that may have it, and nowhere else:
/// where 2025-11-25 has a method of the same name, that takes or returns something else.
pub(crate) fn check_name(
    method: &str,
    from: &'static Revision,
    to: &'static Revision,
) -> Result<(), TranslateError> {
    let extends = |revision: &Revision| task_extension::REVISIONS & revision.bit != 0;
    let of_extension = extends(from) && task_extension::METHODS.contains(&method);
    let has = |revision: &Revision| match of_extension {
        true => extends(revision),
        false => table::find_method(method).is_none_or(|m| m.defined() & revision.bit != 0),
    };
    match [from, to].into_iter().find(|revision| !has(revision)) {
        None => Ok(()),
        Some(lacking) => Err(TranslateError::Method {
            method: method.to_owned(),
            target: lacking.name,
            instead: instead(method, lacking),
        }),
    }
}

/// What takes the place of a method that `to` does not have.
fn instead(method: &str, to: &Revision) -> Option<&'static str> {
    let modern = to.version.is_modern();
    Some(match method {
        "initialize" | "notifications/initialized" if modern => {
            "every request says its version and capabilities, and server/discover asks for the server's"
        }
        "ping" if modern => "answer it on the spot: any request shows that a peer is alive",
        "logging/setLevel" if modern => "each request says its own level in _meta",
        "resources/subscribe" | "resources/unsubscribe" if modern => {
            "open subscriptions/listen with the resources wanted"
        }
        "elicitation/create" | "roots/list" | "sampling/createMessage" if modern => {
            "the server asks by a result of type input_required"
        }
        "notifications/elicitation/complete" if modern => "the client retries when it is ready",
        "notifications/progress" | "notifications/roots/list_changed" if modern => {
            "a modern server is told nothing between requests"
        }
        "tasks/list" if modern => "the tasks extension lists none",
        "tasks/result" if modern => "the tasks extension returns results by tasks/get",
        "tasks/cancel" | "tasks/get" | "notifications/tasks/status" if modern => {
            "the tasks extension has messages of its own, which only a bridge with state can map"
        }
        "tasks/cancel" | "tasks/get" | "tasks/update" | "notifications/tasks" => {
            "tasks of 2025-11-25 have messages of their own, which only a bridge with state can map"
        }
        "server/discover" if !modern => "initialize asks for the server's capabilities",
        "subscriptions/listen" | "notifications/subscriptions/acknowledged" if !modern => {
            "resources/subscribe asks for updates, and list changes come unasked"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::codec;

    #[test]
    fn who_may_send_what_is_known_per_revision() {
        let [legacy, modern] = ["2025-11-25", "2026-07-28"].map(|name| codec(name).unwrap());
        let sampling = method("sampling/createMessage").unwrap();
        assert!(sampling.is_request(Sender::Server, legacy.revision()));
        assert!(!sampling.is_request(Sender::Client, legacy.revision()));
        assert!(!sampling.is_request(Sender::Server, modern.revision()));
        let progress = method("notifications/progress").unwrap();
        assert!(progress.is_notification(Sender::Client, legacy.revision()));
        assert!(!progress.is_notification(Sender::Client, modern.revision()));
        assert!(progress.is_notification(Sender::Server, modern.revision()));
        for (sender, codec, expected) in [
            (Sender::Client, legacy, true),
            (Sender::Server, legacy, true),
            (Sender::Client, modern, true),
            (Sender::Server, modern, false),
        ] {
            assert_eq!(sends_requests(sender, codec.revision()), expected);
        }
        assert!(method("acme/anything").is_none());
    }

    #[test]
    fn a_method_has_a_substitute_only_where_it_is_not() {
        let [legacy, modern] = ["2025-11-25", "2026-07-28"].map(|name| codec(name).unwrap());
        let ping = method("ping").unwrap();
        assert_eq!(ping.instead(legacy.revision()), None);
        assert!(ping.instead(modern.revision()).is_some());
    }
}
