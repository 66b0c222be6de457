//! What a client is asked inside a result, and its roots.

use protocol_droid_ir::{
    EmptyParams, Extensions, Feature, InputParams, InputRequest, InputRequiredResult,
    InputResponse, JsonObject, ListRootsResult, Root,
};

use crate::reader::{Key, Read, Reader};
use crate::table::{self, Member};
use crate::wire::{Object, Wire, wire};
use crate::wire_value::map;
use crate::writer::{Writer, Written};

wire! {
    InputRequiredResult = "InputRequiredResult" if InputRequired tag "resultType" = "input_required" {
        opt input_requests: "inputRequests" via map,
        opt request_state: "requestState",
        bag meta: "_meta",
    }
}

wire! {
    ListRootsResult = "ListRootsResult" {
        req roots: "roots",
        bag meta: "_meta",
    }
}

wire! {
    Root = "Root" {
        req uri: "uri",
        opt name: "name",
        bag meta: "_meta",
    }
}

const METHOD: Member = table::member("ListRootsRequest", "method");
const PARAMS: Member = table::member("ListRootsRequest", "params");
const META: Member = table::member("ListRootsRequestParams", "_meta");

/// A question is told by its `method`.
impl Wire for InputRequest {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let Some(method) = r.tag(METHOD.name)? else { return Err(r.missing(METHOD.name)) };
        if !matches!(&*method, "elicitation/create" | "roots/list" | "sampling/createMessage") {
            return Err(r.unknown_kind(METHOD.name, "question", &method));
        }
        let (mut params, mut meta, mut extensions) = (None, None, Extensions::new());
        let mut seen = 0;
        r.object(|r, key| match key.name() {
            "method" => {
                r.once(METHOD.name, &mut seen, 1)?;
                r.json().map(drop)
            }
            "params" => {
                r.once(PARAMS.name, &mut seen, 2)?;
                params =
                    r.at(PARAMS.name, |r| r.optional(|r| read_params(r, &method, &mut meta)))?;
                Ok(())
            }
            _ => r.extension(key, &mut extensions),
        })?;
        let params = match params {
            Some(params) => params,
            None if method == "roots/list" => InputParams::ListRoots(None),
            None => return Err(r.missing(PARAMS.name)),
        };
        Ok(Self { params, meta, extensions })
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        let also = |w: &mut Writer<'_>| match &self.meta {
            Some(meta) => w.member(META.name, |w| meta.write(w)),
            None => Ok(()),
        };
        w.object(|w| {
            w.member(METHOD.name, |w| {
                w.out().extend_from_slice(format!("\"{}\"", self.params.method()).as_bytes());
                Ok(())
            })?;
            match &self.params {
                InputParams::CreateMessage(params) => {
                    w.member(PARAMS.name, |w| params.write_with(w, &also))?;
                }
                InputParams::Elicit(params) => {
                    w.member(PARAMS.name, |w| params.write_with(w, &also))?;
                }
                InputParams::ListRoots(None) if self.meta.is_none() => {}
                InputParams::ListRoots(params) => w.member(PARAMS.name, |w| match params {
                    Some(params) => params.write_with(w, &also),
                    None => w.object(also),
                })?,
                _ => return Err(w.inexpressible(Feature::UnknownContent)),
            }
            w.extensions(&self.extensions, &[METHOD, PARAMS])
        })
    }
}

fn read_params(
    r: &mut Reader<'_>,
    method: &str,
    meta: &mut Option<JsonObject>,
) -> Read<InputParams> {
    let mut seen = 0;
    let also = &mut |r: &mut Reader<'_>, key: &Key<'_>| {
        if key.name() != META.name {
            return Ok(false);
        }
        r.once(META.name, &mut seen, 1)?;
        *meta = r.at(META.name, |r| r.optional(Wire::read))?;
        Ok(true)
    };
    match method {
        "elicitation/create" => Object::read_with(r, also).map(InputParams::Elicit),
        "roots/list" => {
            EmptyParams::read_with(r, also).map(|params| InputParams::ListRoots(Some(params)))
        }
        _ => Object::read_with(r, also).map(InputParams::CreateMessage),
    }
}

/// An answer is only ever read by what it answers.
impl Wire for InputResponse {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.json().map(Self::Other)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::CreateMessage(result) => result.write(w),
            Self::Elicit(result) => result.write(w),
            Self::ListRoots(result) => result.write(w),
            Self::Other(json) => json.write(w),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}
