//! Elicitation: what the user is asked and answers.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{
    ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, ElicitValue,
    ElicitationCompleteParams, Extensions, Feature, Number, OtherElicitParams,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table::{self, Member};
use crate::wire::{Also, AlsoWrite, Object, Wire, no_more, wire};
use crate::wire_value::map;
use crate::writer::{Writer, Written};

wire! {
    ElicitFormParams = "ElicitRequestFormParams" if Elicitation {
        opt mode: "mode" if FormDetails,
        req message: "message",
        req requested_schema: "requestedSchema",
        opt task: "task" if TaskAugmentation,
    }
}

wire! {
    ElicitUrlParams = "ElicitRequestURLParams" if UrlElicitation tag "mode" = "url" {
        req message: "message",
        req url: "url",
        new elicitation_id: "elicitationId" if ElicitationId,
        opt task: "task" if TaskAugmentation,
    }
}

wire! {
    ElicitResult = "ElicitResult" if Elicitation {
        req action: "action",
        opt content: "content" via map,
        bag meta: "_meta",
    }
}

wire! {
    ElicitationCompleteParams = "ElicitationCompleteNotificationParams" if ElicitationId {
        req elicitation_id: "elicitationId",
        bag meta: "_meta",
    }
}

const MODE: Member = table::member("ElicitRequestFormParams", "mode");
const ELICITATION_ID: Member = table::member("ElicitRequestURLParams", "elicitationId");
const URL: u8 = table::arm("ElicitRequestParams", "ElicitRequestURLParams");
const LIST: u8 = table::arm("ElicitResult.content{}", "string[]");
/// The names that are the context's.
const META: &[Member] = &[table::member("ElicitRequestFormParams", "_meta")];

const _: () = assert!(URL == feature_mask(Feature::UrlElicitation));
const _: () = assert!(MODE.defined == URL, "a revision with modes has both");
const _: () = assert!(LIST == feature_mask(Feature::MultiSelectEnum));

/// The parameters are told by `mode`; absent means a form, as do revisions that have no modes.
impl Object for ElicitParams {
    fn read_with<'b>(r: &mut Reader<'b>, also: Also<'_, 'b>) -> Read<Self> {
        let mode = match r.reads(&MODE) {
            true => r.tag(MODE.name)?,
            false => None,
        };
        match mode.as_deref() {
            None | Some("form") => Object::read_with(r, also).map(Self::Form),
            Some("url") if r.allows(URL) => {
                let params: ElicitUrlParams = Object::read_with(r, also)?;
                // Only the sender can name it, so there is nothing to read it as.
                if params.elicitation_id.is_none() && r.defines(ELICITATION_ID.required) {
                    return Err(r.missing(ELICITATION_ID.name));
                }
                Ok(Self::Url(params))
            }
            Some(_) => {
                let mut extensions = Extensions::new();
                r.object(|r, key| match also(r, key)? {
                    true => Ok(()),
                    false => r.extension(key, &mut extensions),
                })?;
                let origin = Some(r.revision().version);
                Ok(Self::Other(OtherElicitParams { extensions, origin }))
            }
        }
    }

    fn write_with(&self, w: &mut Writer<'_>, also: AlsoWrite<'_>) -> Written {
        match self {
            Self::Form(params) => params.write_with(w, also),
            Self::Url(params) => params.write_with(w, also),
            Self::Other(params) if params.origin == Some(w.revision().version) => w.object(|w| {
                also(w)?;
                w.extensions(&params.extensions, META)
            }),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}

impl Wire for ElicitParams {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        Self::read_with(r, &mut no_more)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        self.write_with(w, &|_| Ok(()))
    }
}

/// What was filled in is told by its kind of JSON.
impl Wire for ElicitValue {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        match r.kind()? {
            Kind::String => r.text().map(Self::Text),
            Kind::Number => Number::read(r).map(Self::Number),
            Kind::True | Kind::False => r.boolean().map(Self::Boolean),
            Kind::Array if r.allows(LIST) => Wire::read(r).map(Self::List),
            _ => Err(r.unexpected("a value that a form may have here")),
        }
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Text(value) => value.write(w),
            Self::Number(value) => value.write(w),
            Self::Boolean(value) => value.write(w),
            Self::List(values) if w.defines(LIST) => values.write(w),
            _ => Err(w.inexpressible(Feature::MultiSelectEnum)),
        }
    }
}
