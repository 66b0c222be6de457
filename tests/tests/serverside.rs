//! Resources and prompts, from bytes to bytes.

use protocol_droid_codecs::{codec, translate_result};
use protocol_droid_ir::{Action, Feature, Policy};
use protocol_droid_tests::closed::{assert_closed, is_modern};
use protocol_droid_tests::frames::{
    cacheable_result, notification, plain_result, request, response,
};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{
    A, B, C, Change, D, E, assert_becomes, assert_no_method, translated,
};

use Action::{Dropped, Fallback};

const ALL: [&str; 5] = [A, B, C, D, E];
const LISTS: [(&str, &str, &str); 3] = [
    ("resources/list", "resources", "ListResourcesResult"),
    ("resources/templates/list", "resourceTemplates", "ListResourceTemplatesResult"),
    ("prompts/list", "prompts", "ListPromptsResult"),
];
const HINTS: [Change; 2] = [
    ("/result/cacheScope", Feature::CacheHints, Dropped),
    ("/result/ttlMs", Feature::CacheHints, Dropped),
];

/// Fails unless a result of this member becomes one of that.
#[track_caller]
fn list_becomes(
    (method, schema): (&str, &str),
    pair: (&str, &str),
    [member, new]: [&str; 2],
    changes: &[Change],
) {
    let hints = if is_modern(pair.0) && !is_modern(pair.1) { &HINTS[..] } else { &[] };
    let output = cacheable_result(pair.1, &[new]);
    assert_closed(pair.1, schema, output.as_bytes());
    let (input, output) =
        (response("1", &cacheable_result(pair.0, &[member])), response("1", &output));
    assert_becomes(&input, Some(method), pair, &output, &[changes, hints].concat());
}

#[track_caller]
fn message_becomes(content: [&str; 2], pair: (&str, &str), changes: &[Change]) {
    let messages =
        content.map(|content| format!(r#""messages":[{{"role":"user","content":{content}}}]"#));
    let messages = [messages[0].as_str(), messages[1].as_str()];
    let [input, output] =
        [plain_result(pair.0, &[messages[0]]), plain_result(pair.1, &[messages[1]])];
    assert_closed(pair.1, "GetPromptResult", output.as_bytes());
    let [input, output] = [response("1", &input), response("1", &output)];
    assert_becomes(&input, Some("prompts/get"), pair, &output, changes);
}

#[test]
fn titles_and_icons_of_lists_are_dropped_where_there_are_none() {
    const TITLE: Feature = Feature::Title;
    let icons = r#""icons":[{"src":"https://a.example/i"}]"#;
    for (method, name, schema) in LISTS {
        let own = match name {
            "resources" => r#""uri":"file:///a","name":"a""#,
            "resourceTemplates" => r#""uriTemplate":"file:///{a}","name":"a""#,
            _ => r#""name":"a","arguments":[{"name":"x"}]"#,
        };
        let list = |rest: &str| format!(r#""{name}":[{{{own}{rest}}}]"#);
        let (full, titled, plain) =
            (list(&format!(r#","title":"A",{icons}"#)), list(r#","title":"A""#), list(""));
        let at: [&'static str; 2] = match name {
            "resources" => ["/result/resources/0/title", "/result/resources/0/icons"],
            "resourceTemplates" => {
                ["/result/resourceTemplates/0/title", "/result/resourceTemplates/0/icons"]
            }
            _ => ["/result/prompts/0/title", "/result/prompts/0/icons"],
        };
        let changes = [(at[0], TITLE, Dropped), (at[1], Feature::Icons, Dropped)];
        for (from, to) in [(D, A), (D, B), (E, A), (E, B)] {
            list_becomes((method, schema), (from, to), [&full, &plain], &changes);
        }
        for from in [D, E] {
            list_becomes((method, schema), (from, C), [&full, &titled], &changes[1..]);
        }
        for pair in [(D, E), (E, D)] {
            list_becomes((method, schema), pair, [&full, &full], &[]);
        }
        for (from, to) in [(C, D), (C, E)] {
            list_becomes((method, schema), (from, to), [&titled, &titled], &[]);
        }
        list_becomes((method, schema), (C, B), [&titled, &plain], &changes[..1]);
    }
}

#[test]
fn a_prompt_s_argument_loses_its_title_before_2025_06_18() {
    let prompt = |title: &str| {
        format!(
            r#""prompts":[{{"name":"a","arguments":[{{"name":"x"{title},"required":false}}]}}]"#
        )
    };
    let (titled, plain) = (prompt(r#","title":"X""#), prompt(""));
    let at = "/result/prompts/0/arguments/0/title";
    for to in [A, B] {
        let change = [(at, Feature::Title, Dropped)];
        let (method, _, schema) = LISTS[2];
        list_becomes((method, schema), (C, to), [&titled, &plain], &change);
    }
}

#[test]
fn annotations_of_a_resource_lose_the_time_of_the_last_change() {
    let list = |rest: &str| {
        format!(
            r#""resources":[{{"uri":"file:///a","name":"a","size":3,"annotations":{{"audience":["user"],"priority":0.50{rest}}}}}]"#
        )
    };
    let (dated, plain) = (list(r#","lastModified":"2025-01-12T15:00:58Z""#), list(""));
    let at = "/result/resources/0/annotations/lastModified";
    for to in [A, B] {
        let (method, _, schema) = LISTS[0];
        let change = [(at, Feature::LastModified, Dropped)];
        list_becomes((method, schema), (D, to), [&dated, &plain], &change);
        list_becomes((method, schema), (to, D), [&plain, &plain], &[]);
    }
}

#[test]
fn an_odd_item_of_a_list_costs_only_itself() {
    for (method, name, _) in LISTS {
        let good = match name {
            "resourceTemplates" => r#"{"uriTemplate":"file:///{a}","name":"a"}"#,
            _ => r#"{"uri":"file:///a","name":"a"}"#,
        };
        for odd in [r#"{"name":1}"#, "null", "[1.0]", r#""a""#] {
            let list = |items: &str| format!(r#""{name}":[{items}]"#);
            let input = response("1", &cacheable_result(D, &[&list(&[good, odd, good].join(","))]));
            let output = response("1", &cacheable_result(C, &[&list(&[good, good].join(","))]));
            let (found, made) = translated(&input, Some(method), (D, C));
            assert_eq!(found, Json::read(&output));
            let dropped: Vec<_> = made.iter().filter(|(.., action)| *action == Dropped).collect();
            let at = format!("/result/{name}/1");
            assert_eq!(dropped, [&(at, Some(Feature::UnknownContent), Dropped)]);
            let (same, _) = translated(&input, Some(method), (D, D));
            assert_eq!(same, Json::read(&input), "it stays as it came where it came from");
        }
    }
}

#[test]
fn contents_are_told_by_text_and_blob_and_an_odd_one_costs_only_itself() {
    let text = r#"{"uri":"file:///a","mimeType":"text/plain","text":"\u0061","x":1.0}"#;
    let blob = r#"{"uri":"file:///b","blob":""}"#;
    let both = r#"{"uri":"file:///c","text":"","blob":""}"#;
    let neither = r#"{"uri":"file:///d"}"#;
    let contents = |items: &[&str]| format!(r#""contents":[{}]"#, items.join(","));
    for from in ALL {
        for to in ALL.into_iter().filter(|to| *to != from) {
            let method = "resources/read";
            let input =
                response("1", &cacheable_result(from, &[&contents(&[both, text, neither, blob])]));
            let output = response("1", &cacheable_result(to, &[&contents(&[text, blob])]));
            let (found, made) = translated(&input, Some(method), (from, to));
            assert_eq!(found, Json::read(&output), "{from} to {to}");
            let odd = made.iter().filter(|(.., f, action)| {
                *f == Some(Feature::UnknownContent) && *action == Dropped
            });
            let places: Vec<_> = odd.map(|(at, ..)| at.as_str()).collect();
            assert_eq!(places, ["/result/contents/0", "/result/contents/2"]);
        }
    }
}

#[test]
fn hints_on_lists_and_reads_are_dropped_or_the_most_cautious() {
    let lists = LISTS.map(|(method, name, _)| (method, name));
    for (method, name) in lists.into_iter().chain([("resources/read", "contents")]) {
        let body = format!(r#""{name}":[]"#);
        let hinted =
            format!(r#"{{"resultType":"complete",{body},"ttlMs":60000,"cacheScope":"public"}}"#);
        let cautious =
            format!(r#"{{{body},"resultType":"complete","ttlMs":0,"cacheScope":"private"}}"#);
        let plain = format!("{{{body}}}");
        for legacy in [A, B, C, D] {
            assert_becomes(
                &response("1", &hinted),
                Some(method),
                (E, legacy),
                &response("1", &plain),
                &HINTS,
            );
            let (from, to) = (codec(legacy).unwrap(), codec(E).unwrap());
            let policy = Policy::faithful();
            let done = translate_result(plain.as_bytes(), method, from, to, &policy).unwrap();
            assert_eq!(Json::read(&done.bytes), Json::read(&cautious), "{method} from {legacy}");
            assert!(done.report.is_empty());
        }
    }
    let prompt = r#"{"resultType":"complete","messages":[]}"#;
    assert_becomes(
        &response("1", r#"{"messages":[]}"#),
        Some("prompts/get"),
        (D, E),
        &response("1", prompt),
        &[],
    );
}

#[test]
fn audio_in_a_prompt_is_embedded_for_2024_11_05() {
    let audio = r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#;
    let embedded = r#"{"type":"resource","resource":{"uri":"urn:protocol-droid:audio:0","mimeType":"audio/wav","blob":"AAAA"}}"#;
    let change = [("/result/messages/0/content", Feature::AudioContent, Fallback)];
    for from in [B, C, D, E] {
        message_becomes([audio, embedded], (from, A), &change);
        message_becomes([embedded, embedded], (A, from), &[]);
    }
    for pair in [(B, C), (E, B), (C, E)] {
        message_becomes([audio, audio], pair, &[]);
    }
}

#[test]
fn a_link_in_a_prompt_is_named_before_2025_06_18() {
    let at = "/result/messages/0/content";
    let link = |rest: &str| {
        format!(r#"{{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"x/y"{rest}}}"#)
    };
    let icons = r#","icons":[{"src":"https://a.example/i"}]"#;
    let text = |name: &str| format!(r#"{{"type":"text","text":"{name}: file:///a (x/y)"}}"#);
    let change = [(at, Feature::ResourceLink, Fallback)];
    for from in [C, D, E] {
        for to in [A, B] {
            message_becomes([&link(""), &text("a")], (from, to), &change);
            message_becomes([&link(r#","title":"T""#), &text("T")], (from, to), &change);
        }
    }
    let iconic = [("/result/messages/0/content/icons", Feature::Icons, Dropped)];
    for from in [D, E] {
        message_becomes([&link(icons), &link("")], (from, C), &iconic);
    }
}

#[test]
fn an_odd_message_or_block_of_a_prompt_costs_only_itself() {
    let good = r#"{"role":"user","content":{"type":"text","text":"a"}}"#;
    let odd = r#"{"role":1,"content":{"type":"text","text":"a"}}"#;
    let hologram = r#"{"role":"user","content":{"type":"hologram"}}"#;
    let read = r#"{"role":"user","content":{"type":"text","text":"{\"type\":\"hologram\"}"}}"#;
    let messages = |items: &[&str]| format!(r#""messages":[{}]"#, items.join(","));
    let input = response("1", &plain_result(D, &[&messages(&[odd, good, hologram])]));
    let output = response("1", &plain_result(C, &[&messages(&[good, read])]));
    let (found, made) = translated(&input, Some("prompts/get"), (D, C));
    assert_eq!(found, Json::read(&output));
    let unknown = Some(Feature::UnknownContent);
    let changed: Vec<_> = made.iter().filter(|(.., a)| *a != Action::Repaired).collect();
    let at = ["/result/messages/0", "/result/messages/2/content"].map(str::to_owned);
    let [first, second] = at;
    assert_eq!(changed, [&(first, unknown, Dropped), &(second, unknown, Fallback)]);
}

#[test]
fn subscriptions_to_resources_exist_until_2025_11_25() {
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let asked = request(D, "1", method, &[r#""uri":"file:///a""#], &[]);
        assert_becomes(&asked, None, (D, A), &asked, &[]);
        assert_no_method(&asked, None, (D, E));
    }
    let updated =
        |meta: &str| notification("resources/updated", &format!(r#"{{"uri":"file:///a"{meta}}}"#));
    let subscribed = updated(r#","_meta":{"io.modelcontextprotocol/subscriptionId":"1"}"#);
    for to in [A, B, C, D] {
        assert_becomes(&subscribed, None, (E, to), &updated(""), &[]);
    }
}
