//! What the codecs carry, by the names of the schemas.

use std::collections::{BTreeMap, BTreeSet};

use protocol_droid_codecs::carried;

use crate::tables::Tables;

/// What wire tables carry.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// The name of the Rust type of each member, by type and member.
    types: BTreeMap<String, BTreeMap<&'static str, &'static str>>,
    /// The methods with typed parameters and results.
    methods: BTreeSet<&'static str>,
}

impl Carried {
    /// The wire tables of the codecs: those of the types that they are named after, of what
    /// `tables` says that methods take and return, of envelopes, and of what is the `same` as
    /// another.
    pub(crate) fn new(tables: &Tables, same: &[(&str, &str)]) -> Self {
        let mut carried = Self::default();
        for table in carried::TABLES.iter().chain(&carried::ENVELOPES).chain([&carried::METADATA]) {
            carried.add(table.of, table);
        }
        for (name, of) in carried::methods() {
            carried.methods.insert(name);
            let Some(method) = tables.methods.get(name) else { continue };
            for (name, table) in [&method.params, &method.result].into_iter().zip(&of) {
                if tables.types.contains_key(name) {
                    carried.add(name, table);
                }
            }
            if !method.result.is_empty() {
                carried.add_context(&method.params, tables);
            }
        }
        for (name, members) in &tables.types {
            if let Some(table) = envelope(|member| members.contains_key(member)) {
                carried.add(name, table);
            }
        }
        for (name, of) in same {
            if let Some(members) = carried.types.get(*of).cloned() {
                carried.types.entry((*name).to_owned()).or_insert(members);
            }
        }
        carried
    }

    /// Adds what the context of a request holds to its parameters, or to all that they may be.
    fn add_context(&mut self, params: &str, tables: &Tables) {
        let arms = tables.unions.get(params).into_iter().flat_map(BTreeMap::keys);
        for name in arms.map(String::as_str).chain([params]) {
            if let Some(members) = self.types.get_mut(name) {
                let context = carried::CONTEXT.members.iter();
                members.extend(context.map(|(member, holder)| (*member, holder())));
            }
        }
    }

    /// Adds a table under a name, unless there is one already.
    fn add(&mut self, name: &str, table: &carried::Table) {
        self.types.entry(name.to_owned()).or_insert_with(|| {
            table.members.iter().map(|(member, holder)| (*member, holder())).collect()
        });
    }

    /// Whether the type has a table.
    pub(crate) fn has_type(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The name of the Rust type of a member that is in a table.
    pub(crate) fn member(&self, of: &str, name: &str) -> Option<&'static str> {
        self.types.get(of)?.get(name).copied()
    }

    /// Whether the method is typed.
    pub(crate) fn has_method(&self, name: &str) -> bool {
        self.methods.contains(name)
    }
}

/// The table of an envelope, by the members that it has.
fn envelope(has: impl Fn(&str) -> bool) -> Option<&'static carried::Table> {
    let mut tables = carried::ENVELOPES.iter();
    // The request comes before the notification, which has no more than it.
    tables.find(|table| table.members.iter().all(|(name, _)| has(name)))
}

#[cfg(test)]
impl Carried {
    /// Tables of one member each: its type, its name and the name of its Rust type.
    pub(crate) fn of(
        members: &[(&str, &'static str, &'static str)],
        methods: &[&'static str],
    ) -> Self {
        let mut carried = Self { methods: methods.iter().copied().collect(), ..Self::default() };
        for (of, name, holder) in members {
            carried.types.entry((*of).to_owned()).or_default().insert(name, holder);
        }
        carried
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        reviewed::SAME,
        workspace::{Workspace, models},
    };

    #[test]
    fn every_type_that_shares_a_table_has_to() {
        let schemas = Workspace::here().read_schemas().unwrap();
        let tables = Tables::new(&models(&schemas).unwrap()).unwrap();
        let carried = Carried::new(&tables, &[]);
        for (name, of) in SAME {
            assert!(tables.types.contains_key(*name), "{name} is no type");
            assert!(!carried.has_type(name), "{name} has a table");
            assert!(carried.has_type(of), "{of} has no table");
        }
    }

    #[test]
    fn tells_envelopes_apart() {
        let of = |members: &[&str]| envelope(|name| members.contains(&name)).map(|table| table.of);
        assert_eq!(of(&["jsonrpc", "id", "method", "params"]), Some("JSONRPCRequest"));
        assert_eq!(of(&["jsonrpc", "method", "params"]), Some("JSONRPCNotification"));
        assert_eq!(of(&["jsonrpc", "id", "result"]), Some("JSONRPCResultResponse"));
        assert_eq!(of(&["jsonrpc", "id", "error"]), Some("JSONRPCErrorResponse"));
        assert_eq!(of(&["id", "method", "params"]), None);
    }
}
