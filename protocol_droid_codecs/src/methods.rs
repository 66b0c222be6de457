//! Which methods a revision has, and what takes the place of those it has not.

use protocol_droid_ir::Message;

use crate::error::TranslateError;
use crate::generated::METHODS;
use crate::pending::Expect;
use crate::revision::Revision;
use crate::table;

/// A method of the protocol and the revisions that have it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MethodInfo {
    /// The method.
    pub name: &'static str,
    mask: u8,
}

impl MethodInfo {
    /// Whether `revision` has the method, in either direction.
    pub fn is_in(&self, revision: &Revision) -> bool {
        self.mask & revision.bit != 0
    }
}

/// Every method of every revision, by name.
pub fn methods() -> impl Iterator<Item = MethodInfo> {
    METHODS.iter().map(|method| MethodInfo { name: method.name, mask: method.defined() })
}

/// Refuses a message whose method some revision has, but not this one. Methods that no revision has
/// are a vendor's, and pass.
pub(crate) fn check(
    message: &Message,
    expect: Expect<'_>,
    to: &'static Revision,
) -> Result<(), TranslateError> {
    match message {
        Message::Request(request) => check_name(&request.method, to),
        Message::Notification(notification) => check_name(&notification.method, to),
        Message::Response(response) => match expect.method_of(&response.id) {
            Some(method) => check_name(method, to),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

pub(crate) fn check_name(method: &str, to: &'static Revision) -> Result<(), TranslateError> {
    match table::find_method(method) {
        Some(known) if known.defined() & to.bit == 0 => Err(TranslateError::Method {
            method: method.to_owned(),
            target: to.name,
            instead: instead(method, to),
        }),
        _ => Ok(()),
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
        "tasks/cancel"
        | "tasks/get"
        | "tasks/list"
        | "tasks/result"
        | "notifications/tasks/status"
            if modern =>
        {
            "tasks are an extension with messages of its own"
        }
        "server/discover" if !modern => "initialize asks for the server's capabilities",
        "subscriptions/listen" | "notifications/subscriptions/acknowledged" if !modern => {
            "resources/subscribe asks for updates, and list changes come unasked"
        }
        _ => return None,
    })
}
