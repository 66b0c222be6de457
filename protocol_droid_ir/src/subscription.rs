//! What a client wants to be told unasked: one stream with a filter since 2026-07-28, and before
//! that a subscription a resource and list changes in any case.

use crate::capability::ServerCapabilities;
use crate::feature::Feature;
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lower::{ResultHead, lowering, lowering_whole};
use crate::message::{RequestId, SUBSCRIPTION_ID};
use crate::methods::result_fields;
use crate::text::Text;

/// Which notifications are wanted; since 2026-07-28. What is absent is not wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubscriptionFilter {
    /// Changes of the list of tools.
    pub tools_list_changed: Option<bool>,
    /// Changes of the list of prompts.
    pub prompts_list_changed: Option<bool>,
    /// Changes of the list of resources.
    pub resources_list_changed: Option<bool>,
    /// Changes of these resources, by their URIs.
    pub resource_subscriptions: Option<Vec<Text>>,
    /// Members that no revision defines, such as those of protocol extensions.
    pub extensions: Extensions,
}

lowering_whole!(SubscriptionFilter, Subscriptions);

impl SubscriptionFilter {
    /// The filter that gets a client of an older revision what its session gets it: every list
    /// change that the server tells of, and the resources subscribed to.
    pub fn of_session(
        capabilities: &ServerCapabilities,
        resources: impl IntoIterator<Item = Text>,
    ) -> Self {
        let everything = Self {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            resource_subscriptions: Some(resources.into_iter().collect()),
            extensions: Extensions::new(),
        };
        let mut filter = everything.granted(capabilities);
        filter.resource_subscriptions.take_if(|resources| resources.is_empty());
        filter
    }

    /// What a server with these capabilities can honour of this filter: what it acknowledges. The
    /// members of extensions are not among it.
    #[must_use]
    pub fn granted(&self, capabilities: &ServerCapabilities) -> Self {
        let of = |wanted: Option<bool>, offered: Option<bool>| {
            (wanted == Some(true) && offered == Some(true)).then_some(true)
        };
        let tools = capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
        let prompts = capabilities.prompts.as_ref().and_then(|prompts| prompts.list_changed);
        let resources = capabilities.resources.as_ref();
        let subscribe = resources.and_then(|resources| resources.subscribe) == Some(true);
        Self {
            tools_list_changed: of(self.tools_list_changed, tools),
            prompts_list_changed: of(self.prompts_list_changed, prompts),
            resources_list_changed: of(
                self.resources_list_changed,
                resources.and_then(|resources| resources.list_changed),
            ),
            resource_subscriptions: self.resource_subscriptions.clone().filter(|_| subscribe),
            extensions: Extensions::new(),
        }
    }

    /// Whether a notification of `method` is wanted; `uri` is that of `notifications/resources/updated`.
    /// What is neither a list change nor an update never goes by a subscription.
    pub fn wants(&self, method: &str, uri: Option<&str>) -> bool {
        match method {
            "notifications/tools/list_changed" => self.tools_list_changed == Some(true),
            "notifications/prompts/list_changed" => self.prompts_list_changed == Some(true),
            "notifications/resources/list_changed" => self.resources_list_changed == Some(true),
            "notifications/resources/updated" => {
                let mut wanted = self.resource_subscriptions.iter().flatten();
                uri.is_some_and(|uri| wanted.any(|one| one == uri))
            }
            _ => false,
        }
    }
}

/// What a server with sessions is asked for when the filters in force change.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SubscriptionChanges {
    /// The URIs for `resources/subscribe`.
    pub subscribe: Vec<Text>,
    /// The URIs for `resources/unsubscribe`.
    pub unsubscribe: Vec<Text>,
}

impl SubscriptionChanges {
    /// From the filters in force before to those after. A resource that several filters want is
    /// subscribed to once, and until none of them wants it.
    pub fn between<'a>(
        before: impl IntoIterator<Item = &'a SubscriptionFilter>,
        after: impl IntoIterator<Item = &'a SubscriptionFilter>,
    ) -> Self {
        let (before, after) = (wanted(before), wanted(after));
        let without = |all: &[&'a Text], others: &[&'a Text]| {
            all.iter().filter(|uri| !others.contains(uri)).map(|uri| (*uri).clone()).collect()
        };
        Self { subscribe: without(&after, &before), unsubscribe: without(&before, &after) }
    }
}

/// The resources that any of the filters wants, each once.
fn wanted<'a>(filters: impl IntoIterator<Item = &'a SubscriptionFilter>) -> Vec<&'a Text> {
    let mut wanted = Vec::new();
    for uri in filters.into_iter().filter_map(|f| f.resource_subscriptions.as_ref()).flatten() {
        if !wanted.contains(&uri) {
            wanted.push(uri);
        }
    }
    wanted
}

/// What `subscriptions/listen` takes; since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubscriptionsListenParams {
    /// Which notifications are wanted.
    pub notifications: SubscriptionFilter,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(SubscriptionsListenParams, Subscriptions);

/// The result of `subscriptions/listen`, by which a server ends the stream; since 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
pub struct SubscriptionsListenResult {
    /// The kind of the result: `complete`.
    pub result_type: Option<Text>,
    /// `_meta`, which bears the subscription's id.
    pub meta: JsonObject,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl SubscriptionsListenResult {
    /// The end of the subscription that the request `id` opened.
    pub fn new(id: &RequestId) -> Self {
        let meta = with_subscription(None, id);
        Self { result_type: None, meta, extensions: Extensions::new() }
    }

    /// The id of the request that opened the subscription.
    pub fn subscription_id(&self) -> Option<RequestId> {
        subscription_id(Some(&self.meta))
    }
}

lowering! {
    SubscriptionsListenResult {}
    features(_this, set) {
        *set = set.with(Feature::Subscriptions);
    }
    lower(this, cx) {
        cx.demand(Feature::Subscriptions)?;
        let mut meta = Some(std::mem::take(&mut this.meta));
        ResultHead { result_type: &mut this.result_type, meta: &mut meta }.lower(cx)?;
        this.meta = meta.unwrap_or_default();
    }
}

result_fields!(SubscriptionsListenResult: result_type);

/// What `notifications/subscriptions/acknowledged` says, before all else on a stream; since
/// 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubscriptionsAcknowledgedParams {
    /// What the server honours of the filter.
    pub notifications: SubscriptionFilter,
    /// `_meta`, which bears the subscription's id.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(SubscriptionsAcknowledgedParams, Subscriptions);

/// The id of the subscription by which a notification came, from its `_meta`.
pub fn subscription_id(meta: Option<&JsonObject>) -> Option<RequestId> {
    meta?.get(SUBSCRIPTION_ID).and_then(RequestId::from_json)
}

/// The `_meta` of a notification that goes by the subscription `id`: the same text and number as
/// the request that opened it had.
pub fn with_subscription(meta: Option<JsonObject>, id: &RequestId) -> JsonObject {
    let mut json = Vec::new();
    id.write_json(&mut json);
    let json = String::from_utf8(json).expect("an id is text");
    meta.unwrap_or_default().with_member(SUBSCRIPTION_ID, &JsonText::trusted(json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::{PromptsCapability, ResourcesCapability, ToolsCapability};

    fn capabilities(tools: bool, prompts: bool, resources: [bool; 2]) -> ServerCapabilities {
        ServerCapabilities {
            tools: Some(ToolsCapability { list_changed: Some(tools), ..Default::default() }),
            prompts: prompts
                .then(|| PromptsCapability { list_changed: Some(true), ..Default::default() }),
            resources: Some(ResourcesCapability {
                list_changed: Some(resources[0]),
                subscribe: Some(resources[1]),
                ..Default::default()
            }),
            ..ServerCapabilities::default()
        }
    }

    fn of_resources(uris: &[&str]) -> SubscriptionFilter {
        SubscriptionFilter {
            resource_subscriptions: Some(uris.iter().map(|uri| Text::from(*uri)).collect()),
            ..SubscriptionFilter::default()
        }
    }

    #[test]
    fn what_is_granted_is_wanted_and_offered() {
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(false),
            ..of_resources(&["a:b"])
        };
        let all = wanted.granted(&capabilities(true, true, [true, true]));
        assert_eq!(all, SubscriptionFilter { resources_list_changed: None, ..wanted.clone() });
        let some = wanted.granted(&capabilities(false, true, [true, false]));
        let prompts = Some(true);
        let expected =
            SubscriptionFilter { prompts_list_changed: prompts, ..SubscriptionFilter::default() };
        assert_eq!(some, expected);
        assert_eq!(wanted.granted(&ServerCapabilities::default()), SubscriptionFilter::default());
    }

    #[test]
    fn a_session_gets_what_the_server_tells_and_it_subscribed_to() {
        let filter = SubscriptionFilter::of_session(
            &capabilities(true, false, [false, true]),
            [Text::from("a:b")],
        );
        let expected =
            SubscriptionFilter { tools_list_changed: Some(true), ..of_resources(&["a:b"]) };
        assert_eq!(filter, expected);
        let filter = SubscriptionFilter::of_session(&capabilities(true, true, [true; 2]), []);
        assert_eq!(filter.resource_subscriptions, None);
        assert!(filter.wants("notifications/prompts/list_changed", None));
        assert!(!filter.wants("notifications/resources/updated", Some("a:b")));
        assert!(!filter.wants("notifications/progress", None));
        assert!(of_resources(&["a:b"]).wants("notifications/resources/updated", Some("a:b")));
        assert!(!of_resources(&["a:b"]).wants("notifications/resources/updated", Some("a:c")));
    }

    #[test]
    fn a_resource_is_subscribed_to_while_any_filter_wants_it() {
        type Filters = &'static [&'static [&'static str]];
        let rows: [(Filters, Filters, &[&str], &[&str]); 5] = [
            (&[], &[&["a", "b", "a"]], &["a", "b"], &[]),
            (&[&["a"]], &[&["a"], &["a", "c"]], &["c"], &[]),
            (&[&["a"], &["a", "c"]], &[&["a"]], &[], &["c"]),
            (&[&["a"]], &[], &[], &["a"]),
            (&[&["a"]], &[&["b"]], &["b"], &["a"]),
        ];
        for (before, after, subscribe, unsubscribe) in rows {
            let filters =
                |all: &[&[&str]]| -> Vec<_> { all.iter().map(|uris| of_resources(uris)).collect() };
            let found = SubscriptionChanges::between(&filters(before), &filters(after));
            assert_eq!(found.subscribe, subscribe, "{before:?} {after:?}");
            assert_eq!(found.unsubscribe, unsubscribe, "{before:?} {after:?}");
        }
    }

    #[test]
    fn an_id_stays_text_or_number() {
        for id in [RequestId::from(1), RequestId::from("1")] {
            let meta = JsonObject::new(r#"{"a":1.0}"#).unwrap();
            let meta = with_subscription(Some(meta), &id);
            assert_eq!(subscription_id(Some(&meta)), Some(id.clone()));
            assert_eq!(meta.get("a").unwrap().as_str(), "1.0");
            assert_eq!(SubscriptionsListenResult::new(&id).subscription_id(), Some(id));
        }
        assert_eq!(subscription_id(None), None);
    }
}
