//! Whole messages of any revision around the part that a test is about.

use protocol_droid_codecs::{Codec, compiled};

use crate::closed::is_modern;

/// Every ordered pair of two revisions.
pub fn pairs() -> impl Iterator<Item = (&'static dyn Codec, &'static dyn Codec)> {
    let all = compiled().iter().copied();
    all.clone()
        .flat_map(move |from| all.clone().map(move |to| (from, to)))
        .filter(|(from, to)| from.name() != to.name())
}

/// A result of `tools/call` with these content blocks and further members.
pub fn tool_result(revision: &str, content: &str, rest: &[&str]) -> String {
    let content = format!(r#""content":[{content}]"#);
    plain_result(revision, &[&[content.as_str()], rest].concat())
}

/// A result of `tools/list` with these tools and further members.
pub fn list_result(revision: &str, tools: &str, rest: &[&str]) -> String {
    let tools = format!(r#""tools":[{tools}]"#);
    cacheable_result(revision, &[&[tools.as_str()], rest].concat())
}

/// A result with these members, and with its kind where the revision requires that.
pub fn plain_result(revision: &str, members: &[&str]) -> String {
    object(&[members, kind(revision)].concat())
}

/// A result with these members, and with its kind and the most cautious caching hints where the
/// revision requires them.
pub fn cacheable_result(revision: &str, members: &[&str]) -> String {
    let hints: &[&str] =
        if is_modern(revision) { &[r#""ttlMs":0"#, r#""cacheScope":"private""#] } else { &[] };
    object(&[members, kind(revision), hints].concat())
}

fn kind(revision: &str) -> &'static [&'static str] {
    if is_modern(revision) { &[r#""resultType":"complete""#] } else { &[] }
}

/// The members of `_meta` that the revision requires of a request.
fn metadata(revision: &str) -> &'static [&'static str] {
    if is_modern(revision) {
        &[
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#,
            r#""io.modelcontextprotocol/clientCapabilities":{}"#,
        ]
    } else {
        &[]
    }
}

/// A request with these members of its parameters and of its `_meta`.
pub fn request(revision: &str, id: &str, method: &str, params: &[&str], meta: &[&str]) -> String {
    let meta = [metadata(revision), meta].concat();
    let meta = format!(r#""_meta":{}"#, object(&meta));
    let params = object(&[params, &[meta.as_str()]].concat());
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// A notification with parameters; `method` is what follows `notifications/`.
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#)
}

/// A response with a result.
pub fn response(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// A response with an error of these members.
pub fn error(id: &str, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{{error}}}}}"#)
}

/// The object of `members`.
pub fn object(members: &[&str]) -> String {
    format!("{{{}}}", members.join(","))
}
