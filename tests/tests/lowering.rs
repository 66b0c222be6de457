//! Results of tools in the table of the design's section 5: what comes out, and the exact report.

use protocol_droid_codecs::TranslateError;
use protocol_droid_ir::Action::{Dropped, Fallback};
use protocol_droid_ir::{Feature, Policy};
use protocol_droid_tests::frames::{response, tool_result};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{
    A, B, C, Change, D, E, result_becomes, tool_becomes, translate, translated,
};

const STRUCTURED: Change = ("/result/structuredContent", Feature::StructuredContent, Fallback);

#[test]
fn structured_content_becomes_a_text_block_with_the_exact_bytes() {
    let structured = r#""structuredContent":{"b": 1.0,"a":[ 1e2 ]}"#;
    let text = r#"{"type":"text","text":"{\"b\": 1.0,\"a\":[ 1e2 ]}"}"#;
    let block = r#"{"type":"text","text":"two"}"#;
    for from in [C, D, E, "draft"] {
        for to in [A, B] {
            result_becomes(("", &[structured]), (from, to), (text, &[]), &[STRUCTURED]);
            let both = format!("{block},{text}");
            result_becomes((block, &[structured]), (from, to), (&both, &[]), &[STRUCTURED]);
        }
    }
}

#[test]
fn structured_content_that_a_text_block_holds_already_adds_none() {
    for held in [
        r#"{\"a\":[100],\"b\":1}"#,
        r#"{\"b\": 1.0,\"a\":[ 1e2 ]}"#,
        r#" { \"b\":1e0, \"a\":[1.00e2]}"#,
    ] {
        let block = format!(r#"{{"type":"text","text":"{held}"}}"#);
        let structured = r#""structuredContent":{"b": 1.0,"a":[ 1e2 ]}"#;
        for (from, to) in [(C, A), (D, B), (E, A)] {
            result_becomes((&block, &[structured]), (from, to), (&block, &[]), &[STRUCTURED]);
        }
    }
    // One digit off is something else.
    let block = r#"{"type":"text","text":"{\"n\":9007199254740992}"}"#;
    let added = r#"{"type":"text","text":"{\"n\":9007199254740993}"}"#;
    let both = format!("{block},{added}");
    let structured = r#""structuredContent":{"n":9007199254740993}"#;
    result_becomes((block, &[structured]), (D, A), (&both, &[]), &[STRUCTURED]);
}

#[test]
fn structured_content_that_is_no_object_is_wrapped_and_a_text_block_added() {
    for value in ["[1.0, 2]", "7", r#""seven""#, "null", "false"] {
        let structured = format!(r#""structuredContent":{value}"#);
        let wrapped = format!(r#""structuredContent":{{"result":{value}}}"#);
        let text = format!(r#"{{"type":"text","text":"{}"}}"#, value.replace('"', "\\\""));
        for (from, to) in [(E, C), (E, D), ("draft", D)] {
            let change = ("/result/structuredContent", Feature::AnyStructuredContent, Fallback);
            result_becomes(("", &[&structured]), (from, to), (&text, &[&wrapped]), &[change]);
        }
        for to in [A, B] {
            result_becomes(("", &[&structured]), (E, to), (&text, &[]), &[STRUCTURED]);
        }
    }
}

#[test]
fn last_modified_is_dropped_before_2025_06_18() {
    let block = r#"{"type":"text","text":"a","annotations":{"lastModified":"2025","priority":1}}"#;
    let without = r#"{"type":"text","text":"a","annotations":{"priority":1}}"#;
    let at = "/result/content/0/annotations/lastModified";
    for (from, to) in [(C, A), (C, B), (D, A), (E, B)] {
        let change = (at, Feature::LastModified, Dropped);
        result_becomes((block, &[]), (from, to), (without, &[]), &[change]);
    }
}

#[test]
fn audio_becomes_an_embedded_blob_with_its_mime_type() {
    let audio = r#"{"type":"audio","data":"UklG","mimeType":"audio/wav","annotations":{"priority":0.5},"_meta":{"a":1},"x-vendor":2}"#;
    for from in [B, C, D, E] {
        let input = response("1", &tool_result(from, audio, &[]));
        let (output, changes) = translated(&input, Some("tools/call"), (from, A));
        let change = ("/result/content/0".to_owned(), Some(Feature::AudioContent), Fallback);
        assert_eq!(changes, [change]);
        let block = output.at("/result/content/0").expect("a block");
        let resource = block.get("resource").expect("a resource");
        let uri = resource.get("uri").and_then(Json::as_str).expect("a URI");
        assert!(uri.contains(':') && !uri.contains(' '), "{uri}");
        let expected = r#"{"blob":"UklG","mimeType":"audio/wav"}"#;
        assert_eq!(resource.without("uri"), Json::read(expected));
        let rest =
            r#"{"type":"resource","annotations":{"priority":0.5},"_meta":{"a":1},"x-vendor":2}"#;
        assert_eq!(block.without("resource"), Json::read(rest));
    }
}

#[test]
fn two_audio_blocks_become_resources_of_different_uris() {
    let audio = r#"{"type":"audio","data":"UklG","mimeType":"audio/wav"}"#;
    let input = response("1", &tool_result(B, &format!("{audio},{audio}"), &[]));
    let (output, _) = translated(&input, Some("tools/call"), (B, A));
    let uri = |at: usize| output.at(&format!("/result/content/{at}/resource/uri"));
    assert!(uri(0).is_some() && uri(0) != uri(1), "{output}");
}

#[test]
fn a_resource_link_becomes_text_that_names_it() {
    let plain = r#"{"type":"resource_link","uri":"file:///a","name":"a.txt"}"#;
    let full = r#"{"type":"resource_link","uri":"file:///a","name":"a.txt","title":"The A","mimeType":"text/plain","description":"d","size":3,"annotations":{"audience":["user"]}}"#;
    for from in [C, D, E] {
        for to in [A, B] {
            for (link, words, absent) in [
                (plain, &["a.txt", "file:///a"][..], &[][..]),
                (full, &["The A", "file:///a", "text/plain"], &["a.txt"]),
            ] {
                let input = response("1", &tool_result(from, link, &[]));
                let (output, changes) = translated(&input, Some("tools/call"), (from, to));
                let change =
                    ("/result/content/0".to_owned(), Some(Feature::ResourceLink), Fallback);
                assert_eq!(changes, [change]);
                let block = output.at("/result/content/0").expect("a block");
                assert_eq!(block.get("type").and_then(Json::as_str), Some("text"));
                let text = block.get("text").and_then(Json::as_str).expect("text");
                assert!(words.iter().all(|word| text.contains(word)), "{text}");
                assert!(!absent.iter().any(|word| text.contains(word)), "{text}");
                assert!(!text.contains('\n'), "{text}");
                let annotations = Json::read(link).get("annotations").cloned();
                assert_eq!(block.get("annotations").cloned(), annotations);
            }
        }
    }
}

#[test]
fn the_vocabulary_of_2026_07_28_is_removed_for_older_peers() {
    let server = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
    let alone = format!(r#""_meta":{{{server}}}"#);
    let among = format!(r#""_meta":{{"a/b": 1.0,{server}}}"#);
    for to in [A, B, C, D] {
        result_becomes(("", &[]), (E, to), ("", &[]), &[]);
        result_becomes(("", &[&alone]), (E, to), ("", &[]), &[]);
        result_becomes(("", &[&among]), (E, to), ("", &[r#""_meta":{"a/b": 1.0}"#]), &[]);
        tool_becomes("", (E, to), "", &[]);
    }
}

#[test]
fn what_2026_07_28_requires_is_added_for_it() {
    for from in [A, B, C, D] {
        for to in [E, "draft"] {
            result_becomes(("", &[]), (from, to), ("", &[]), &[]);
            tool_becomes("", (from, to), "", &[]);
        }
    }
}

#[test]
fn policies_refuse_and_drop_what_they_are_told_to() {
    let call = Some("tools/call");
    let input = response("1", &tool_result(D, "", &[r#""structuredContent":{"a":1}"#]));
    let lossless = response("1", &tool_result(D, "", &[]));

    let refused = translate(&input, call, (D, A), &Policy::strict());
    let Err(TranslateError::Lower(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.feature, Feature::StructuredContent);
    assert_eq!(error.pointer, "/result/structuredContent");
    assert!(error.path.starts_with("result.structuredContent"), "{}", error.path);
    assert!(translate(&lossless, call, (D, E), &Policy::strict()).is_ok());
    assert!(translate(&input, call, (D, E), &Policy::strict()).is_ok());

    let refuse = Policy::faithful().refuse(Feature::StructuredContent);
    assert!(translate(&input, call, (D, A), &refuse).is_err());
    let drop = Policy::faithful().drop(Feature::StructuredContent);
    let (output, changes) = translate(&input, call, (D, A), &drop).expect("dropped");
    assert_eq!(output, Json::read(&lossless));
    let change =
        ("/result/structuredContent".to_owned(), Some(Feature::StructuredContent), Dropped);
    assert_eq!(changes, [change]);

    let broken = response("1", r#"{"isError":true}"#);
    let refused = translate(&broken, call, (D, A), &Policy::strict());
    assert!(
        matches!(refused, Err(TranslateError::Repaired { path, .. }) if path == "/result/content")
    );
}
