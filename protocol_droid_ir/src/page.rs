//! Pages of lists.

use crate::json::Extensions;
use crate::lower::lowering;
use crate::text::Text;

/// What every request for a page of a list takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaginatedParams {
    /// Where the page starts: the `next_cursor` of the page before, which may be empty text.
    pub cursor: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    PaginatedParams {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// Declares a page of a list that 2026-07-28 lets clients keep for a while.
macro_rules! cacheable_list {
    ($(#[doc = $doc:literal])+ $type:ident { $(#[doc = $items:literal])+ $name:literal: $field:ident => $item:ty }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $type {
            $(#[doc = $items])+
            pub $field: Vec<$crate::unknown::Item<$item>>,
            /// Where the next page starts; absent on the last.
            pub next_cursor: Option<$crate::text::Text>,
            /// Milliseconds for which the list may be taken as current; since 2026-07-28.
            pub ttl_ms: Option<u64>,
            /// Who may share the list: `public` or `private`; since 2026-07-28.
            pub cache_scope: Option<$crate::text::Text>,
            /// The kind of the result; since 2026-07-28, where `complete` is the only kind of list.
            pub result_type: Option<$crate::text::Text>,
            /// `_meta`.
            pub meta: Option<$crate::json::JsonObject>,
            /// Members that no revision defines.
            pub extensions: $crate::json::Extensions,
        }

        $crate::lower::lowering! {
            $type {
                "ttlMs": ttl_ms => CacheHints,
                "cacheScope": cache_scope => CacheHints,
                "resultType": result_type => ToolResultType,
            }
            features(this, set) {
                $crate::unknown::add_items(&this.$field, set);
            }
            lower(this, cx) {
                let head = $crate::lower::ResultHead {
                    result_type: &mut this.result_type,
                    meta: &mut this.meta,
                };
                head.lower(cx)?;
                $crate::result::demand_cache_hints(&mut this.ttl_ms, &mut this.cache_scope, cx);
                $crate::unknown::lower_items($name, &mut this.$field, cx)?;
            }
        }

        $crate::methods::result_fields!($type: result_type, ttl_ms, cache_scope);
    };
}

pub(crate) use cacheable_list;
