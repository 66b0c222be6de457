//! Results, by the method of their request and, where the revision has it, by their `resultType`.

use std::borrow::Cow;

use protocol_droid_ir::{
    EmptyResult, Feature, OtherResult, Reason, ResultBody, ResultFields, requests,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table::{self, Member};
use crate::task_extension::{self, Standing};
use crate::wire::{Wire, wire};
use crate::writer::{Writer, Written};

wire! {
    EmptyResult = "EmptyResult" {
        new result_type: "resultType" if ToolResultType,
        bag meta: "_meta",
    }
}

const OF: &str = "CacheableResult";
const RESULT_TYPE: Member = table::member(OF, "resultType");
const TTL_MS: Member = table::member(OF, "ttlMs");
const CACHE_SCOPE: Member = table::member(OF, "cacheScope");
const META: Member = Member { required: 0, defined: u8::MAX, ..table::member(OF, "_meta") };

const _: () = assert!(RESULT_TYPE.defined == feature_mask(Feature::ToolResultType));
const _: () = assert!(TTL_MS.defined == feature_mask(Feature::CacheHints));

/// Reads the result of `method`.
///
/// `resultType` decides before all else, but it often comes last: so a result is read as a complete
/// one first, and again as what it says it is when it turns out to be another, or fails to be one.
pub(crate) fn read_result(r: &mut Reader<'_>, method: &str) -> Read<ResultBody> {
    let start = r.mark();
    let mut complete = read_complete(r, method);
    if !r.defines(RESULT_TYPE.required) {
        return complete;
    }
    let kind = match &mut complete {
        Ok(body) => {
            repair(r, body);
            body.result_type().cloned().flatten().map(|kind| Cow::Owned(kind.into()))
        }
        Err(error) if error.is_syntax() => return complete,
        Err(_) => {
            r.retreat(start);
            r.tag(RESULT_TYPE.name).unwrap_or_default()
        }
    };
    match kind.as_deref() {
        None | Some("complete") => complete,
        Some(kind) => {
            r.retreat(start);
            if kind == "input_required" && asks_for_input(method) {
                return Wire::read(r).map(ResultBody::InputRequired);
            }
            if kind == "task" && method == "tools/call" {
                match Wire::read(r) {
                    Err(error) if !error.is_syntax() => r.retreat(start),
                    task => return task.map(ResultBody::ExtensionTask),
                }
            }
            read_other(r, method).map(ResultBody::Other)
        }
    }
}

/// Gives a result what the specification tells a reader to take for absent members: `complete` for
/// the type, and on what is cacheable the most cautious hints.
fn repair(r: &mut Reader<'_>, body: &mut ResultBody) {
    // Hints made up for a peer that takes none would be reported as dropped.
    let kept = r.is_kept(TTL_MS.defined);
    let mut absent = |name, feature, note| {
        r.at(name, |r| r.repaired(Some(feature), Reason::Missing, note));
    };
    let Some(kind) = body.result_type() else { return };
    if kind.is_none() {
        absent(RESULT_TYPE.name, Feature::ToolResultType, "absent, read as complete");
        *kind = Some("complete".into());
    }
    if kind.as_ref().is_none_or(|kind| kind != "complete") {
        return;
    }
    let Some((ttl_ms, scope)) = body.cache_hints() else { return };
    if ttl_ms.is_none() {
        absent(TTL_MS.name, Feature::CacheHints, "absent, read as 0");
        *ttl_ms = kept.then_some(0);
    }
    if scope.is_none() {
        absent(CACHE_SCOPE.name, Feature::CacheHints, "absent, read as private");
        *scope = kept.then(|| "private".into());
    }
}

/// Makes the reader and the writer of results from the list of typed requests.
macro_rules! results_by_method {
    ($( $method:literal => $variant:ident: $params:ty => $result:ty, )*) => {
        fn read_typed(r: &mut Reader<'_>, method: &str) -> Read<ResultBody> {
            match method {
                $( $method => Wire::read(r).map(ResultBody::$variant), )*
                _ => read_other(r, method).map(ResultBody::Other),
            }
        }

        pub(crate) fn write_result(body: &ResultBody, w: &mut Writer<'_>) -> Written {
            match body {
                $( ResultBody::$variant(result) => result.write(w), )*
                ResultBody::CreateTask(result) => result.write(w),
                ResultBody::ExtensionTask(result) if result.result_type.is_none() => {
                    Err(w.missing(RESULT_TYPE.name))
                }
                ResultBody::ExtensionTask(result) => result.write(w),
                ResultBody::InputRequired(result) => result.write(w),
                ResultBody::Other(result) => write_other(result, w),
                _ => Err(w.inexpressible(Feature::UnknownContent)),
            }
        }
    };
}

requests!(results_by_method);

fn read_complete(r: &mut Reader<'_>, method: &str) -> Read<ResultBody> {
    match task_extension::standing(method, r) {
        Standing::Core => read_or_task(r, method),
        Standing::Extension if method == "tasks/get" => {
            Wire::read(r).map(ResultBody::ExtensionTask)
        }
        Standing::Extension if method == "tasks/update" => read_typed(r, method),
        _ => read_other(r, method).map(ResultBody::Other),
    }
}

/// Reads what a method returns, or the task of 2025-11-25 that stands for it: that has no tag, and
/// is told by its member where what else the result must have is not there.
fn read_or_task(r: &mut Reader<'_>, method: &str) -> Read<ResultBody> {
    let (start, at) = (r.mark(), r.pos());
    let body = read_typed(r, method);
    let odd = match &body {
        Ok(ResultBody::CallTool(result)) => result.content.is_empty(),
        Ok(_) => false,
        Err(error) => !error.is_syntax(),
    };
    let may_be_task = odd && r.defines(TASKS) && makes_tasks(method);
    if may_be_task && r.back(at, |r| Ok(r.has("task")? && !r.has("content")?))? {
        r.retreat(start);
        return Wire::read(r).map(ResultBody::CreateTask);
    }
    body
}

const TASKS: u8 = feature_mask(Feature::TaskAugmentation);

/// The methods that 2025-11-25 may make a task of.
fn makes_tasks(method: &str) -> bool {
    matches!(method, "elicitation/create" | "sampling/createMessage" | "tools/call")
}

/// The methods whose results may ask for input (2026-07-28, multi round-trip requests).
fn asks_for_input(method: &str) -> bool {
    matches!(method, "prompts/get" | "resources/read" | "tools/call")
}

/// Reads a result whose body is carried as text.
fn read_other(r: &mut Reader<'_>, method: &str) -> Read<OtherResult> {
    let mut result = OtherResult { method: method.into(), ..OtherResult::default() };
    let cacheable = is_cacheable(method);
    let mut seen = 0;
    r.object(|r, key| {
        let (member, bit) = match key.name() {
            "resultType" => (RESULT_TYPE, 1),
            "ttlMs" if cacheable => (TTL_MS, 2),
            "cacheScope" if cacheable => (CACHE_SCOPE, 4),
            "_meta" => (META, 8),
            _ => return r.extension(key, &mut result.extensions),
        };
        if !r.defines(member.defined) {
            return r.extension(key, &mut result.extensions);
        }
        r.once(member.name, &mut seen, bit)?;
        r.at(member.name, |r| {
            match bit {
                1 => result.result_type = r.optional(Wire::read)?,
                2 => result.ttl_ms = r.optional(Wire::read)?,
                4 => result.cache_scope = r.optional(Wire::read)?,
                _ => result.meta = r.optional(Wire::read)?,
            }
            Ok(())
        })
    })?;
    Ok(result)
}

/// Whether the result of `method` has caching hints at some revision.
fn is_cacheable(method: &str) -> bool {
    let result = table::find_method(method).and_then(|method| table::find_type(method.result));
    result.is_some_and(|result| result.member(TTL_MS.name).is_some())
}

fn write_other(result: &OtherResult, w: &mut Writer<'_>) -> Written {
    // Only complete results are demanded to have caching hints.
    let cached = is_cacheable(&result.method)
        && result.result_type.as_ref().is_none_or(|kind| kind == "complete");
    let hint = |member: Member| match cached {
        true => member,
        false => Member { required: 0, ..member },
    };
    w.object(|w| {
        let OtherResult { result_type, ttl_ms, cache_scope, .. } = result;
        w.optional(&RESULT_TYPE, Feature::ToolResultType, result_type.as_ref(), |w, v| v.write(w))?;
        w.optional(&hint(TTL_MS), Feature::CacheHints, ttl_ms.as_ref(), |w, v| v.write(w))?;
        w.optional(&hint(CACHE_SCOPE), Feature::CacheHints, cache_scope.as_ref(), |w, v| {
            v.write(w)
        })?;
        if let Some(meta) = &result.meta {
            w.member("_meta", |w| meta.write(w))?;
        }
        let names = [RESULT_TYPE, META, TTL_MS, CACHE_SCOPE];
        w.extensions(&result.extensions, if cached { &names } else { &names[..2] })
    })
}
