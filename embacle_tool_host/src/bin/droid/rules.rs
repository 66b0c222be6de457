//! Which messages a side may send at a revision, going by what kind of message it is.

use protocol_droid_codecs::{MessageKind, MethodInfo, Revision, Sender, method, sends_requests};
use protocol_droid_ir::Text;

use crate::finding::Finding;

/// What is wrong with such a message; a vendor's methods are nobody's fault.
pub(crate) fn check(
    kind: &MessageKind,
    sender: Option<Sender>,
    revision: &Revision,
) -> Option<Finding> {
    let name = revision.name;
    match (kind, sender) {
        (MessageKind::Request { method, .. }, Some(sender))
            if !sends_requests(sender, revision) =>
        {
            let expected = format!("no request of a {sender} at {name}");
            let instead = known(method).and_then(|known| known.instead(revision));
            Some(remark(Finding::fault("", expected, method.as_str()), instead))
        }
        (MessageKind::Request { method, .. } | MessageKind::Notification { method }, _) => {
            check_method(known(method)?, sender, revision)
        }
        (MessageKind::Response { .. } | MessageKind::Error { .. }, Some(sender))
            if !sends_requests(sender.peer(), revision) =>
        {
            let expected = format!("no response of a {sender} at {name}");
            let note = format!("a {} sends no requests there", sender.peer());
            Some(Finding::fault("", expected, "one").remark(note))
        }
        _ => None,
    }
}

/// What is wrong with a message that is the `index`th of a batch which starts with `first`.
pub(crate) fn check_in_batch(
    kind: &MessageKind,
    index: usize,
    first: &MessageKind,
) -> Option<Finding> {
    if let MessageKind::Request { method, .. } = kind
        && method == "initialize"
    {
        return Some(Finding::fault("/method", "initialize on its own", "it in a batch"));
    }
    let asks = |kind: &MessageKind| {
        matches!(kind, MessageKind::Request { .. } | MessageKind::Notification { .. })
    };
    let mixed = index > 0 && asks(kind) != asks(first);
    let [asked, answered] = ["a request or a notification", "a response"];
    let [expected, found] = if asks(first) { [asked, answered] } else { [answered, asked] };
    mixed.then(|| Finding::fault("", format!("{expected}, as the batch began"), found))
}

fn check_method(
    method: MethodInfo,
    sender: Option<Sender>,
    revision: &Revision,
) -> Option<Finding> {
    let (name, revision_name) = (method.name, revision.name);
    if !method.is_in(revision) {
        let fault = Finding::fault("/method", format!("a method of {revision_name}"), name);
        return Some(remark(fault, method.instead(revision)));
    }
    // That a request lacks its id, or a notification has one, is a fault that the codec finds.
    let sender = sender?;
    if method.is_request(sender, revision) || method.is_notification(sender, revision) {
        return None;
    }
    let expected = format!("a method that a {sender} may send at {revision_name}");
    let note = format!("only a {} may", sender.peer());
    Some(Finding::fault("/method", expected, name).remark(note))
}

fn known(name: &Text) -> Option<MethodInfo> {
    method(name.as_str())
}

fn remark(finding: Finding, note: Option<&'static str>) -> Finding {
    match note {
        Some(note) => finding.remark(note),
        None => finding,
    }
}
