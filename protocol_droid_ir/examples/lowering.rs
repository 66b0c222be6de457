//! One tool result, as peers on older and older revisions can take it.
//!
//! ```text
//! cargo run -p protocol_droid_ir --example lowering
//! ```

use std::error::Error;

use protocol_droid_ir::{
    AudioContent, Content, Feature, JsonObject, LowerError, Policy, ProtocolVersion,
    ResourceLinkContent, ToolResult, lower,
};

fn main() -> Result<(), Box<dyn Error>> {
    one_peer()?;
    every_peer()?;
    by_policy()
}

/// What a peer lacks is kept in another form, and reported.
fn one_peer() -> Result<(), Box<dyn Error>> {
    let rows = JsonObject::new(r#"{"rows": [1.0, 2e3]}"#)?;
    let mut result = ToolResult::text("two rows").with_structured(rows);
    assert!(result.required_features().contains(Feature::StructuredContent));

    let peer = ProtocolVersion::V2025_03_26.features();
    let report = lower(&mut result, peer, &Policy::faithful())?;
    for entry in &report {
        println!("{entry}");
    }
    let Content::Text(added) = &result.content[1] else { return Err("a text block".into()) };
    assert_eq!(added.text, r#"{"rows": [1.0, 2e3]}"#);
    Ok(())
}

/// The older the peer, the longer the report; the original is left as it is.
fn every_peer() -> Result<(), LowerError> {
    let recording = recording();
    println!("\nneeds {:?}", recording.required_features());
    for version in ProtocolVersion::ALL.into_iter().rev() {
        let mut lowered = recording.clone();
        let report = lower(&mut lowered, version.features(), &Policy::faithful())?;
        let kinds: Vec<_> = lowered.content.iter().filter_map(Content::kind).collect();
        println!("\n{version}: {kinds:?}");
        report.iter().for_each(|entry| println!("  {entry}"));
    }
    Ok(())
}

/// A policy may drop what has another form, or refuse what needs one.
fn by_policy() -> Result<(), Box<dyn Error>> {
    let peer = ProtocolVersion::V2024_11_05.features();
    let mut silent = recording();
    let report = lower(&mut silent, peer, &Policy::faithful().drop(Feature::StructuredContent))?;
    println!("\n{} blocks, and {} changes", silent.content.len(), report.len());

    match lower(&mut recording(), peer, &Policy::strict()) {
        Ok(report) => println!("strict: {} changes", report.len()),
        Err(error) => println!("strict: {error}"),
    }
    Ok(())
}

fn recording() -> ToolResult {
    let mut result = ToolResult::new(vec![
        Content::Audio(AudioContent::new("UklGRg==", "audio/wav")),
        Content::ResourceLink(ResourceLinkContent::new("file:///take-1.wav", "take-1")),
    ]);
    // Any JSON, as the newest revision allows.
    result.structured_content = "[440.0, 8.8e2]".parse().ok();
    result
}
