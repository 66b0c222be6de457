//! Messages of one revision as messages of another: bytes to bytes, with a report.
//!
//! ```text
//! cargo run -p protocol_droid_codecs --example translate
//! ```

use std::borrow::Cow;
use std::error::Error;

use protocol_droid_codecs::{
    Codec, Expect, TranslateError, V2024_11_05, V2025_11_25, V2026_07_28, codec, translate,
    translate_as,
};
use protocol_droid_ir::{Feature, Policy};

fn main() -> Result<(), Box<dyn Error>> {
    response()?;
    unchanged()?;
    refused();
    by_name()
}

/// A response says nothing of the request it answers: the caller does.
fn response() -> Result<(), TranslateError> {
    let modern = br#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",
        "content":[],"structuredContent":[1.0, 2e3]}}"#;
    let answers = Expect::method("tools/call");
    let old = translate_as(modern, answers, &V2026_07_28, &V2024_11_05, &Policy::faithful())?;
    println!("{}", String::from_utf8_lossy(&old.bytes));
    for entry in &old.report {
        println!("{entry}");
    }
    Ok(())
}

/// Where nothing has to change, the bytes that come out are those that went in.
fn unchanged() -> Result<(), TranslateError> {
    let call = br#"{ "jsonrpc":"2.0", "id":1.0, "method":"tools/call",
        "params":{"name":"add","arguments":{"a":1E+2},"x-vendor":true} }"#;
    let passed = translate(call, &V2025_11_25, &V2024_11_05, &Policy::strict())?;
    assert!(matches!(passed.bytes, Cow::Borrowed(_)) && passed.report.is_lossless());
    println!("\nunchanged: {} bytes", passed.bytes.len());
    Ok(())
}

/// What would mislead the peer is refused, whatever the policy; a policy may refuse more.
fn refused() {
    let question =
        br#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s"}}"#;
    let link = br#"{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",
        "content":[{"type":"resource_link","uri":"file:///a.txt","name":"a"}]}}"#;
    let no_links = Policy::faithful().refuse(Feature::ResourceLink);
    for (message, policy) in [(&question[..], Policy::faithful()), (&link[..], no_links)] {
        let answers = Expect::method("tools/call");
        match translate_as(message, answers, &V2026_07_28, &V2024_11_05, &policy) {
            Ok(passed) => println!("passed: {}", String::from_utf8_lossy(&passed.bytes)),
            Err(error) => println!("refused: {error}"),
        }
    }
}

/// Revisions by the names that peers give: what a build knows is not yet what it offers.
fn by_name() -> Result<(), Box<dyn Error>> {
    let offered: [&dyn Codec; 2] = [&V2026_07_28, &V2024_11_05];
    for name in ["2026-07-28", "2025-11-25", "2027-01-01"] {
        match codec(name) {
            Ok(codec) if offered.iter().any(|offer| offer.name() == codec.name()) => {
                println!("{name}: spoken, {} features", codec.features().len());
            }
            Ok(_) => println!("{name}: compiled, not offered"),
            Err(error) => println!("{name}: {error}"),
        }
    }
    Ok(())
}
