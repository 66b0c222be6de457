//! What a person must know to move from one revision to another, read off the tables.

use protocol_droid_ir::Feature;

use crate::generated::{ENUMS, TYPES, UNIONS};
use crate::methods::{Sender, methods};
use crate::revision::Revision;
use crate::table::{self, Member, Type};

/// How one revision differs from another.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use = "it is what sets the two revisions apart"]
#[non_exhaustive]
pub struct Diff {
    /// The name of the revision to come from.
    pub from: &'static str,
    /// The name of the revision to go to.
    pub to: &'static str,
    /// Who may send which method.
    pub methods: Delta<MethodUse>,
    /// Features that only one of the two has: `removed` is lost on the way there, `added` on the
    /// way back.
    pub features: Delta<Feature>,
    /// Types of the schemas that only one of the two has.
    pub types: Delta<TypeParts>,
    /// Members of types that both have.
    pub members: Delta<MemberRef>,
    /// Members that both have and only one requires.
    pub required: Delta<MemberRef>,
    /// Arms of unions, as the union and the type.
    pub arms: Delta<(&'static str, &'static str)>,
    /// Texts of closed sets, as the set and the text.
    pub values: Delta<(&'static str, &'static str)>,
}

impl Diff {
    /// Whether the revisions are the same in all of it.
    pub fn is_empty(&self) -> bool {
        let Self { methods, features, types, members, required, arms, values, .. } = self;
        methods.is_empty()
            && features.is_empty()
            && types.is_empty()
            && members.is_empty()
            && required.is_empty()
            && arms.is_empty()
            && values.is_empty()
    }
}

/// What came and what went.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Delta<T> {
    /// What only the revision to go to has, or requires.
    pub added: Vec<T>,
    /// What only the revision to come from has, or requires.
    pub removed: Vec<T>,
}

impl<T> Delta<T> {
    /// Whether nothing came and nothing went.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    fn push(&mut self, change: Change, item: T) {
        match change {
            Change::Added => self.added.push(item),
            Change::Removed => self.removed.push(item),
        }
    }
}

impl<T> Default for Delta<T> {
    fn default() -> Self {
        Self { added: Vec::new(), removed: Vec::new() }
    }
}

/// A method in one direction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct MethodUse {
    /// The method.
    pub name: &'static str,
    /// Who sends it.
    pub sender: Sender,
    /// Whether it asks for a response, and is no notification.
    pub is_request: bool,
    /// What takes its place at the revision that does not have it in either direction.
    pub instead: Option<&'static str>,
}

/// A type that only one revision has.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct TypeParts {
    /// The type's name in the schema.
    pub name: &'static str,
    /// Its members.
    pub members: Vec<MemberRef>,
}

/// A member of a type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct MemberRef {
    /// The type's name in the schema.
    pub of: &'static str,
    /// The member.
    pub name: &'static str,
    /// Whether the revision that has the member requires it; where both have it, the revision to go to.
    pub required: bool,
}

/// How `to` differs from `from`.
///
/// Where a schema came to spell out the envelope of a message, nothing changed on the wire: that is
/// left out.
pub fn diff(from: &Revision, to: &Revision) -> Diff {
    let mut diff = Diff {
        from: from.name,
        to: to.name,
        methods: Delta::default(),
        features: Delta {
            added: to.features().difference(from.features()).iter().collect(),
            removed: from.features().difference(to.features()).iter().collect(),
        },
        types: Delta::default(),
        members: Delta::default(),
        required: Delta::default(),
        arms: Delta::default(),
        values: Delta::default(),
    };
    diff.compare_methods(from, to);
    for of in TYPES {
        diff.compare_type(of, from, to);
    }
    for union in UNIONS.iter().filter(|union| !METHOD_UNIONS.contains(&union.name)) {
        for arm in union.arms {
            if let Some(change) = change(arm.defined, from, to) {
                diff.arms.push(change, (union.name, arm.name));
            }
        }
    }
    for set in ENUMS {
        for value in set.values {
            if let Some(change) = change(value.defined, from, to) {
                diff.values.push(change, (set.name, value.name));
            }
        }
    }
    diff
}

impl Diff {
    fn compare_methods(&mut self, from: &Revision, to: &Revision) {
        for method in methods() {
            for (sender, is_request) in [
                (Sender::Client, true),
                (Sender::Server, true),
                (Sender::Client, false),
                (Sender::Server, false),
            ] {
                let has = |revision| match is_request {
                    true => method.is_request(sender, revision),
                    false => method.is_notification(sender, revision),
                };
                let (change, without) = match (has(from), has(to)) {
                    (false, true) => (Change::Added, from),
                    (true, false) => (Change::Removed, to),
                    _ => continue,
                };
                let instead = method.instead(without);
                let name = method.name;
                self.methods.push(change, MethodUse { name, sender, is_request, instead });
            }
        }
    }

    fn compare_type(&mut self, of: &'static Type, from: &Revision, to: &Revision) {
        let part = |member: &Member, revision: &Revision| MemberRef {
            of: of.name,
            name: member.name,
            required: member.required & revision.bit != 0,
        };
        if let Some(change) = change(of.defined(), from, to)
            && !is_inside_both(of, from, to)
        {
            let revision = change.revision(from, to);
            let members = of.members.iter().filter(|member| member.defined & revision.bit != 0);
            let members = members.map(|member| part(member, revision)).collect();
            return self.types.push(change, TypeParts { name: of.name, members });
        }
        let is_message = of.member("method").is_some();
        for member in of.members {
            if is_message && ENVELOPE.contains(&member.name) {
                continue;
            }
            if let Some(change) = change(member.defined, from, to) {
                self.members.push(change, part(member, change.revision(from, to)));
            } else if let Some(change) = change(member.required, from, to) {
                self.required.push(change, part(member, to));
            }
        }
    }
}

/// Whether `to` has something more than `from`, or less.
#[derive(Clone, Copy)]
enum Change {
    Added,
    Removed,
}

impl Change {
    /// The revision that has it.
    fn revision<'a>(self, from: &'a Revision, to: &'a Revision) -> &'a Revision {
        match self {
            Self::Added => to,
            Self::Removed => from,
        }
    }
}

/// Whether the type is that of a member which both revisions have, and has no name of its own: then
/// one of them has nothing to say of its members.
fn is_inside_both(of: &Type, from: &Revision, to: &Revision) -> bool {
    let parent = of.name.rsplit_once('.').and_then(|(parent, name)| {
        let parent = table::find_type(parent)?;
        parent.member(name)
    });
    parent.is_some_and(|member| member.defined & from.bit != 0 && member.defined & to.bit != 0)
}

fn change(mask: u8, from: &Revision, to: &Revision) -> Option<Change> {
    match (mask & from.bit != 0, mask & to.bit != 0) {
        (false, true) => Some(Change::Added),
        (true, false) => Some(Change::Removed),
        _ => None,
    }
}

/// Members of every request, whether or not the schema repeats them at each.
const ENVELOPE: &[&str] = &["id", "jsonrpc"];

/// Unions that only repeat which methods there are.
const METHOD_UNIONS: &[&str] = &[
    "ClientNotification",
    "ClientRequest",
    "ClientResult",
    "ServerNotification",
    "ServerRequest",
    "ServerResult",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{codec, compiled};

    fn between(from: &str, to: &str) -> Diff {
        diff(codec(from).unwrap().revision(), codec(to).unwrap().revision())
    }

    fn members(list: &[MemberRef], of: &str) -> Vec<(&'static str, bool)> {
        let list = list.iter().filter(|member| member.of == of);
        list.map(|member| (member.name, member.required)).collect()
    }

    #[test]
    fn the_way_back_is_the_way_there_reversed() {
        for from in compiled() {
            for to in compiled() {
                let there = diff(from.revision(), to.revision());
                let back = diff(to.revision(), from.revision());
                let same = from.features() == to.features();
                assert_eq!(there.is_empty(), same, "{} {}", from.name(), to.name());
                assert_eq!(there.methods.added, back.methods.removed);
                assert_eq!(there.features.added, back.features.removed);
                assert_eq!(there.types.added, back.types.removed);
                assert_eq!(there.members.added, back.members.removed);
                assert_eq!(there.required.added.len(), back.required.removed.len());
                assert_eq!(there.arms.added, back.arms.removed);
                assert_eq!(there.values.added, back.values.removed);
            }
        }
    }

    #[test]
    fn what_a_revision_brought_is_named_where_it_belongs() {
        let diff = between("2025-03-26", "2025-06-18");
        assert_eq!(members(&diff.members.added, "CallToolResult"), [("structuredContent", false)]);
        assert_eq!(
            members(&diff.members.added, "Tool"),
            [("_meta", false), ("outputSchema", false), ("title", false)]
        );
        assert!(diff.types.added.iter().any(|of| of.name == "ResourceLink"));
        assert!(diff.arms.added.contains(&("CallToolResult.content[]", "ResourceLink")));
        assert!(diff.values.added.contains(&("ElicitResult.action", "decline")));
        assert_eq!(diff.features.removed, [Feature::Batch]);
        let [elicit] = diff.methods.added[..] else { panic!("{:?}", diff.methods) };
        assert_eq!(
            (elicit.name, elicit.sender, elicit.is_request),
            ("elicitation/create", Sender::Server, true)
        );
    }

    #[test]
    fn a_method_may_go_in_one_direction_alone() {
        let diff = between("2025-11-25", "2026-07-28");
        let progress = |list: &[MethodUse]| {
            let list = list.iter().filter(|method| method.name == "notifications/progress");
            list.map(|method| method.sender).collect::<Vec<_>>()
        };
        assert_eq!(progress(&diff.methods.removed), [Sender::Client]);
        assert_eq!(progress(&diff.methods.added), []);
        let ping = diff.methods.removed.iter().find(|method| method.name == "ping").unwrap();
        assert!(ping.instead.is_some());
        let required = members(&diff.members.added, "ListToolsResult");
        assert_eq!(required, [("cacheScope", true), ("resultType", true), ("ttlMs", true)]);
        assert_eq!(members(&diff.required.added, "CallToolRequestParams"), [("_meta", true)]);
    }

    #[test]
    fn what_is_inside_a_member_that_stays_is_a_member() {
        let diff = between("2025-11-25", "2026-07-28");
        let roots = "ClientCapabilities.roots";
        assert_eq!(members(&diff.members.removed, roots), [("listChanged", false)]);
        assert!(diff.types.removed.iter().all(|of| of.name != roots));
    }

    #[test]
    fn an_envelope_spelled_out_is_no_change() {
        let diff = between("2025-06-18", "2025-11-25");
        assert_eq!(members(&diff.members.added, "CallToolRequest"), []);
    }
}
