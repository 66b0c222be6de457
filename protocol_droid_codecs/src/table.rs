//! The shape of the generated tables, and look-ups that run at compile time.

use crate::generated::{METHODS, TYPES, UNIONS};
use crate::task_extension;

/// An object type of the schemas.
pub(crate) struct Type {
    pub(crate) name: &'static str,
    pub(crate) members: &'static [Member],
}

/// A member of an object type: which revisions define it, and which require it.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) defined: u8,
    pub(crate) required: u8,
}

/// A method: which revisions have it, by who sends it and whether it asks for a response.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    pub(crate) client_request: u8,
    pub(crate) server_request: u8,
    pub(crate) client_notification: u8,
    pub(crate) server_notification: u8,
    pub(crate) params: &'static str,
    pub(crate) result: &'static str,
}

impl Method {
    /// The revisions that have the method in either direction.
    pub(crate) fn defined(&self) -> u8 {
        self.client_request
            | self.server_request
            | self.client_notification
            | self.server_notification
    }
}

/// A union of types.
pub(crate) struct Union {
    pub(crate) name: &'static str,
    pub(crate) arms: &'static [Arm],
}

/// A type of a union: which revisions allow it there.
pub(crate) struct Arm {
    pub(crate) name: &'static str,
    pub(crate) defined: u8,
}

/// A closed set of texts.
pub(crate) struct Enum {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [Value],
}

/// A text of a closed set: which revisions allow it.
pub(crate) struct Value {
    pub(crate) name: &'static str,
    pub(crate) defined: u8,
}

/// The method named `name`: few have names as long.
pub(crate) fn find_method(name: impl AsRef<[u8]>) -> Option<&'static Method> {
    let name = name.as_ref();
    METHODS.iter().find(|method| method.name.len() == name.len() && method.name.as_bytes() == name)
}

/// The type named `name`.
pub(crate) const fn find_type(name: &str) -> Option<&'static Type> {
    match find_in(TYPES, name) {
        None => find_in(task_extension::TYPES, name),
        found => found,
    }
}

const fn find_in(types: &'static [Type], name: &str) -> Option<&'static Type> {
    let mut at = 0;
    while at < types.len() {
        if same(types[at].name, name) {
            return Some(&types[at]);
        }
        at += 1;
    }
    None
}

/// The type named `name`, or the first type of the union with that name.
pub(crate) fn find_type_or_arm(name: &str) -> Option<&'static Type> {
    let union = UNIONS.iter().find(|union| union.name == name);
    union.map_or_else(|| find_type(name), |union| find_type(union.arms.first()?.name))
}

impl Type {
    /// The member named `name`.
    pub(crate) const fn member(&self, name: &str) -> Option<Member> {
        let mut at = 0;
        while at < self.members.len() {
            if same(self.members[at].name, name) {
                return Some(self.members[at]);
            }
            at += 1;
        }
        None
    }

    /// The revisions that have the type.
    pub(crate) const fn defined(&self) -> u8 {
        let (mut at, mut mask) = (0, 0);
        while at < self.members.len() {
            mask |= self.members[at].defined;
            at += 1;
        }
        mask
    }
}

/// The revisions that have the type named `name`: one inside another, such as
/// `ClientCapabilities.roots`, is had with its member, even where nothing is defined of it.
pub(crate) const fn defined(name: &str) -> u8 {
    let own = match find_type(name) {
        Some(found) => found.defined(),
        None => panic!("a wire table names a type that no schema has"),
    };
    let mut dot = name.len();
    while dot > 0 {
        dot -= 1;
        if name.as_bytes()[dot] == b'.' {
            let (of, rest) = name.split_at(dot);
            let of_items = rest.as_bytes()[rest.len() - 1] == b']';
            let end = if of_items { rest.len() - "[]".len() } else { rest.len() };
            return own | member(of, rest.split_at(end).0.split_at(1).1).defined;
        }
    }
    own
}

/// The member `name` of the type `of`; a build failure where the schemas have none.
pub(crate) const fn member(of: &str, name: &str) -> Member {
    match find_type(of) {
        Some(found) => match found.member(name) {
            Some(member) => member,
            None => panic!("a wire table names a member that no schema has"),
        },
        None => panic!("a wire table names a type that no schema has"),
    }
}

/// The revisions that allow `arm` in the union `of`; a build failure where none does.
pub(crate) const fn arm(of: &str, name: &str) -> u8 {
    let mut at = 0;
    while at < UNIONS.len() {
        if same(UNIONS[at].name, of) {
            let mut arm = 0;
            while arm < UNIONS[at].arms.len() {
                if same(UNIONS[at].arms[arm].name, name) {
                    return UNIONS[at].arms[arm].defined;
                }
                arm += 1;
            }
        }
        at += 1;
    }
    panic!("a wire table names a union or an arm that no schema has")
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
