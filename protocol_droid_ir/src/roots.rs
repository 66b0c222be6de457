//! Roots: the places that a client lets a server look at.

use crate::json::{Extensions, JsonObject};
use crate::lower::lowering;
use crate::methods::ResultFields;
use crate::text::Text;
use crate::unknown::{Item, add_items, lower_items};

/// The client's roots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Item<Root>>,
    /// `_meta`; until 2025-11-25.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ListRootsResult {}
    features(this, set) {
        add_items(&this.roots, set);
    }
    lower(this, cx) {
        lower_items("roots", &mut this.roots, cx)?;
    }
}

impl ResultFields for ListRootsResult {}

/// A place that a server may look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Root {
    /// Where: a `file://` URI at every revision so far.
    pub uri: Text,
    /// The name to show.
    pub name: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    Root {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}
