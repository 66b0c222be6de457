//! Values of the model to test with: everything that a message may hold, in odd forms.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use protocol_droid_codecs::Codec;
use protocol_droid_ir::{
    Extensions, Feature, FeatureSet, JsonObject, JsonText, Number, RequestId, Schema, Text,
};

/// How many cases a law is tested with, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 96;

/// The settings of the property tests.
pub fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        // The quickest by far without optimization.
        rng_algorithm: RngAlgorithm::XorShift,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    config
}

/// The same for laws that are tested with each of many kinds of values.
pub fn few() -> ProptestConfig {
    let config = config();
    ProptestConfig { cases: config.cases.div_ceil(8), max_shrink_iters: 2_000, ..config }
}

/// Makes the same values in every run.
pub fn deterministic() -> TestRunner {
    let config = config();
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    TestRunner::new_with_rng(config, rng)
}

/// What the values may need of a revision.
#[derive(Clone, Copy, Debug)]
pub struct Able {
    /// Only members of these features are set.
    pub features: FeatureSet,
    /// Whether what the newest revision requires is always set, if it may be at all.
    pub complete: bool,
    /// Whether lists may hold items that no revision can read.
    pub odd: bool,
    /// The revision whose methods may be used; any where it is none.
    pub revision: Option<&'static str>,
}

impl Able {
    /// Whatever any revision can say.
    pub fn anything() -> Self {
        let features = Feature::ALL.iter().copied().collect();
        Self { features, complete: false, odd: true, revision: None }
    }

    /// What can be said at the revision of `codec`, and is by peers that keep to it.
    pub fn of(codec: &dyn Codec) -> Self {
        let (features, revision) = (codec.features(), Some(codec.name()));
        Self { features, complete: true, odd: false, revision }
    }

    /// Whether `feature` may be needed.
    pub fn has(self, feature: Feature) -> bool {
        self.features.contains(feature)
    }

    /// A member that only `feature` allows.
    pub fn gated<S>(self, feature: Feature, member: S) -> BoxedStrategy<Option<S::Value>>
    where
        S: Strategy + 'static,
        S::Value: Clone + 'static,
    {
        if self.has(feature) { option::of(member).boxed() } else { Just(None).boxed() }
    }

    /// A member that whoever has `feature` must set.
    pub fn demanded<S>(self, feature: Feature, member: S) -> BoxedStrategy<Option<S::Value>>
    where
        S: Strategy + 'static,
        S::Value: Clone + 'static,
    {
        if self.complete && self.has(feature) {
            member.prop_map(Some).boxed()
        } else {
            self.gated(feature, member)
        }
    }
}

/// Text of all sorts.
pub fn text() -> BoxedStrategy<Text> {
    prop_oneof![
        4 => "[a-z]{1,12}",
        2 => vec(any::<char>(), 0..24).prop_map(String::from_iter),
        2 => select(&[
            "", " ", "\0", "\u{1f}\t\r\n", "\"quoted\" \\ / \\u0041", "\u{202e}right to left\u{202c}",
            "\u{2028}\u{2029}", "👩\u{200d}👩\u{200d}👧 \u{10ffff}", "e\u{301} is not é", "null", "{}",
            "\u{feff}mark", "</script>",
        ][..])
        .prop_map(str::to_owned),
        1 => (any::<char>(), 1_000..3_000usize).prop_map(|(c, times)| String::from_iter(vec![c; times])),
    ]
    .prop_map(Text::from)
    .boxed()
}

/// Text in the form of a URI.
pub fn uri() -> BoxedStrategy<Text> {
    let schemes = select(&["https://example.com", "file://", "urn:x:", "data:,", "x-vendor:"][..]);
    (schemes, "[a-z0-9/._~%20-]{0,30}")
        .prop_map(|(s, rest)| Text::from(s.to_owned() + &rest))
        .boxed()
}

/// Text in the form of Base64.
pub fn base64() -> BoxedStrategy<Text> {
    "([A-Za-z0-9+/]{4}){0,20}".prop_map(Text::from).boxed()
}

/// Text in the form of a MIME type.
pub fn mime_type() -> BoxedStrategy<Text> {
    "[a-z]{3,8}/[a-z0-9.+-]{1,12}(; charset=utf-8)?".prop_map(Text::from).boxed()
}

/// One of a few texts.
pub fn one_of(texts: &'static [&'static str]) -> BoxedStrategy<Text> {
    select(texts).prop_map(Text::from).boxed()
}

/// The tokens of JSON numbers that careless readers change.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1.10",
    "1e2",
    "1E+2",
    "5e-324",
    "1e400",
    "-1E-400",
    "9007199254740993",
    "18446744073709551616",
    "0.1000000000000000055511151231257827",
    "123456789012345678901234567890123456789",
];

/// The tokens of JSON strings, quotes included, that careless readers change.
const STRINGS: &[&str] = &[
    r#""""#,
    r#""a""#,
    r#""\u0000""#,
    r#""\/""#,
    r#""\u00e9\ud83d\ude00""#,
    r#""é😀""#,
    r#""\ud800""#,
    r#""\"\\\b\f\n\r\t""#,
    "\"\u{202e}abc\"",
    "\"\u{2028}\"",
];

/// The text of some JSON value, white space and duplicate names inside it included.
pub fn json() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        select(NUMBERS).prop_map(str::to_owned),
        select(STRINGS).prop_map(str::to_owned),
        select(&["null", "true", "false", "[]", "{}", "{ }", "[\n]"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(" ,"))),
            members(inner).prop_map(|text| format!("{{{text}}}")),
        ]
    })
    .boxed()
}

fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec((select(STRINGS), value), 1..4).prop_map(|members| {
        let members: Vec<_> = members.iter().map(|(k, v)| format!("{k}: {v}")).collect();
        members.join(",\t")
    })
}

/// Any JSON, to be carried as it is.
pub fn json_text() -> BoxedStrategy<JsonText> {
    json().prop_map(|text| JsonText::new(text).expect("generated JSON")).boxed()
}

/// Any JSON object, to be carried as it is.
pub fn json_object() -> BoxedStrategy<JsonObject> {
    prop_oneof![Just(String::new()), members(json())]
        .prop_map(|text| JsonObject::new(format!("{{{text}}}")).expect("a generated object"))
        .boxed()
}

/// Members that no revision defines.
pub fn extensions() -> BoxedStrategy<Extensions> {
    let name = prop_oneof!["x-vendor-[a-z]{1,4}", "x-vendor[ \"\\\\/~é😀]{0,3}"];
    let members = vec((name, json_text()), 0..3).prop_map(|members| {
        let mut extensions = Extensions::new();
        for (name, value) in members {
            if extensions.get(&name).is_none() {
                extensions.push(name, value);
            }
        }
        extensions
    });
    prop_oneof![3 => Just(Extensions::new()), 1 => members].boxed()
}

/// `_meta` without any reserved name.
pub fn meta() -> BoxedStrategy<Option<JsonObject>> {
    let meta = (select(&["traceparent", "com.example/a", "x", "progressToken"][..]), json())
        .prop_map(|(name, value)| format!(r#"{{"{name}":{value}}}"#));
    option::weighted(0.3, prop_oneof![Just("{}".to_owned()), meta])
        .prop_map(|text| text.map(|text| JsonObject::new(text).expect("a generated object")))
        .boxed()
}

/// A number from 0 to 1.
pub fn priority() -> BoxedStrategy<Number> {
    const TOKENS: &[&str] =
        &["0", "-0", "1", "1.0", "0.5", "5e-1", "0.1e1", "0.30000000000000004", "1e-400"];
    select(TOKENS).prop_map(number).boxed()
}

fn number(token: &str) -> Number {
    JsonText::new(token).ok().and_then(Number::from_json).expect("a number")
}

/// The id of a request, or a progress token.
pub fn id() -> BoxedStrategy<RequestId> {
    const TOKENS: &[&str] = &[
        "0",
        "1",
        "-1",
        "1.0",
        "1e2",
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
        "123456789012345678901234567890",
    ];
    prop_oneof![
        select(TOKENS).prop_map(|token| RequestId::Number(number(token))),
        text().prop_map(RequestId::Text),
        one_of(&["0", "1", ""]).prop_map(RequestId::Text),
    ]
    .boxed()
}

/// The schema of a tool's arguments, or of its output where `root` allows other than objects.
pub fn schema(able: Able, any_root: bool) -> BoxedStrategy<Schema> {
    const OBJECT: &[&str] = &[r#""type":"object""#, r#" "type" : "object" "#];
    const OTHER: &[&str] = &[
        "",
        r##""type":"array","items":{"$ref":"#/$defs/a"}"##,
        r#""type":["object","null"]"#,
        r##""oneOf":[{"type":"object"},{"$ref":"#"}]"##,
    ];
    const MEMBERS: &[&str] = &[
        r##""$defs":{"a":{"type":"string","default":"#/$defs/a"}}"##,
        r#""properties":{"a":{},"b":{"properties":{"c":true}}},"required":["a"]"#,
        r#""additionalProperties":false"#,
        r#""x-vendor":1e400"#,
        r#""$schema":"https://json-schema.org/draft/2020-12/schema""#,
    ];
    const BOOLEANS: &[&str] = &[r#""properties":{"a":true,"b":{"not":{}},"c" : false}"#];
    let pick = |from: &'static [&'static str]| select(from).prop_map(str::to_owned);
    let root = if any_root && able.has(Feature::AnyOutputSchema) {
        prop_oneof![pick(OBJECT), pick(OTHER)].boxed()
    } else {
        pick(OBJECT).boxed()
    };
    let member = if able.has(Feature::BooleanSchemas) {
        prop_oneof![4 => pick(MEMBERS), 1 => pick(BOOLEANS)].boxed()
    } else {
        pick(MEMBERS).boxed()
    };
    (root, option::of(member))
        .prop_map(|(root, member)| {
            let members: Vec<_> = [Some(root), member].into_iter().flatten().collect();
            let members: Vec<_> = members.into_iter().filter(|m| !m.is_empty()).collect();
            Schema::new(format!("{{{}}}", members.join(","))).expect("a generated schema")
        })
        .boxed()
}
