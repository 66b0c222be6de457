//! `droid diff`.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use protocol_droid_codecs::{Delta, Diff, MemberRef, MethodUse, TypeParts, diff};
use protocol_droid_ir::Feature;
use serde_json::{Value, json};

use crate::DiffArgs;

/// Runs the command.
pub(crate) fn run(args: &DiffArgs) -> ExitCode {
    let diff = diff(args.from.revision(), args.to.revision());
    let text = match (args.json, args.markdown) {
        (true, _) => as_json(&diff),
        (_, true) => as_text(&diff, &MARKDOWN),
        _ => as_text(&diff, &PLAIN),
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: the output cannot be written: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// How a text is set.
struct Style {
    title: &'static str,
    heading: &'static str,
    item: &'static str,
    /// What stands around names.
    quote: &'static str,
    /// What stands between a heading and its list.
    gap: &'static str,
}

const PLAIN: Style = Style { title: "", heading: "", item: "  ", quote: "", gap: "" };
const MARKDOWN: Style = Style { title: "# ", heading: "## ", item: "- ", quote: "`", gap: "\n" };

fn as_text(diff: &Diff, style: &Style) -> String {
    let Diff { from, to, .. } = diff;
    if diff.is_empty() {
        return format!("There is no difference between {from} and {to}.\n");
    }
    let quote = |name: &str| format!("{0}{name}{0}", style.quote);
    let method = |without: &str, method: &MethodUse| {
        let kind = if method.is_request { "request" } else { "notification" };
        let instead = method.instead.map(|instead| format!("; at {without} {instead}"));
        let instead = instead.unwrap_or_default();
        format!("{}, a {kind} of the {}{instead}", quote(method.name), method.sender)
    };
    let feature = |feature: &Feature| format!("{}: {}", feature.name(), feature.about());
    let member = |member: &MemberRef| {
        let required = if member.required { ", required" } else { "" };
        quote(&format!("{}.{}", member.of, member.name)) + required
    };
    let requirement = |member: &MemberRef| quote(&format!("{}.{}", member.of, member.name));
    let type_parts = |of: &TypeParts| {
        let members = of.members.iter().map(|member| {
            quote(&format!("{}{}", member.name, if member.required { "" } else { "?" }))
        });
        format!("{}: {}", quote(of.name), members.collect::<Vec<_>>().join(", "))
    };
    let part = |(of, name): &(&str, &str)| format!("{} in {}", quote(name), quote(of));

    let mut out = format!("{}From {from} to {to}\n", style.title);
    let mut list = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\n{}{heading}\n{}", style.heading, style.gap);
            for line in lines {
                let _ = writeln!(out, "{}{line}", style.item);
            }
        }
    };
    list(&format!("Lost from {from} to {to}"), lines(&diff.features.removed, feature));
    list(&format!("Lost from {to} to {from}"), lines(&diff.features.added, feature));
    list("Methods added", lines(&diff.methods.added, |m| method(from, m)));
    list("Methods removed", lines(&diff.methods.removed, |m| method(to, m)));
    list("Members added", lines(&diff.members.added, member));
    list("Members removed", lines(&diff.members.removed, member));
    list("Members now required", lines(&diff.required.added, requirement));
    list("Members no longer required", lines(&diff.required.removed, requirement));
    list("Types added", lines(&diff.types.added, type_parts));
    list("Types removed", lines(&diff.types.removed, type_parts));
    list("Types added to unions", lines(&diff.arms.added, part));
    list("Types removed from unions", lines(&diff.arms.removed, part));
    list("Values added", lines(&diff.values.added, part));
    list("Values removed", lines(&diff.values.removed, part));
    out
}

fn lines<T>(items: &[T], line: impl Fn(&T) -> String) -> Vec<String> {
    items.iter().map(line).collect()
}

/// One JSON object on a line.
fn as_json(diff: &Diff) -> String {
    let Diff { from, to, .. } = diff;
    let method = |method: &MethodUse| {
        let MethodUse { name, is_request, instead, .. } = method;
        json!({"name": name, "sender": method.sender.name(), "request": is_request, "instead": instead})
    };
    let feature = |feature: &Feature| json!({"name": feature.name(), "about": feature.about()});
    let member = |member: &MemberRef| json!({"type": member.of, "name": member.name, "required": member.required});
    let requirement = |member: &MemberRef| json!({"type": member.of, "name": member.name});
    let type_parts = |of: &TypeParts| {
        let part = |m: &MemberRef| json!({"name": m.name, "required": m.required});
        json!({"name": of.name, "members": array(&of.members, part)})
    };
    let arm = |(of, name): &(&str, &str)| json!({"union": of, "type": name});
    let value = |(of, name): &(&str, &str)| json!({"enum": of, "value": name});
    let parts = [
        ("features", delta(&diff.features, feature)),
        ("methods", delta(&diff.methods, method)),
        ("members", delta(&diff.members, member)),
        ("required", delta(&diff.required, requirement)),
        ("types", delta(&diff.types, type_parts)),
        ("unions", delta(&diff.arms, arm)),
        ("enums", delta(&diff.values, value)),
    ];
    let parts = parts.map(|(name, delta)| format!(r#""{name}":{delta}"#)).join(",");
    format!("{{\"from\":\"{from}\",\"to\":\"{to}\",\"same\":{},{parts}}}\n", diff.is_empty())
}

fn delta<T>(delta: &Delta<T>, item: impl Fn(&T) -> Value) -> String {
    let [added, removed] = [&delta.added, &delta.removed].map(|items| array(items, &item));
    format!(r#"{{"added":{added},"removed":{removed}}}"#)
}

fn array<T>(items: &[T], item: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(item).collect())
}
