//! What the suites put through the codecs: each type by its name in the schemas, and how it is
//! read, written, and carried from one revision to another.

use std::fmt::Debug;
use std::marker::PhantomData;

use protocol_droid_codecs::{
    Codec, DecodeError, EncodeError, Expect, TranslateError, Wire, decode_value, encode_value,
    translate_as, translate_result,
};
use protocol_droid_ir::{
    Annotations, AudioContent, Content, EmbeddedResource, Feature, Icon, ImageContent,
    Implementation, Lower, LowerError, Policy, ResourceLinkContent, TextContent, Tool,
    ToolAnnotations, ToolResultContent, ToolUseContent, TranslationReport, lower,
};

/// A type of the schemas, and the way of its values.
pub trait Kind: Debug + Sync {
    /// The name in the newest schema.
    fn name(&self) -> &'static str;

    /// The name that what [`carry`](Self::carry) makes has at the target.
    fn carried_name(&self) -> &'static str {
        self.name()
    }

    /// Whether the value can become what an older revision can say.
    fn is_lowered(&self) -> bool {
        true
    }

    /// Reads the value and writes it again at the same revision.
    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop>;

    /// Brings the value to another revision.
    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop>;
}

/// What came out, and what was reported on the way.
pub type Rewritten = (Vec<u8>, TranslationReport);

/// Why nothing came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// There is no form without this feature.
    Refused(Feature),
    /// The input is no such value.
    Unreadable(DecodeError),
    /// The target does not have the method.
    Lacking,
    /// Any other error: a fault of the library, or of the test.
    Failed(String),
}

impl From<DecodeError> for Stop {
    fn from(error: DecodeError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<EncodeError> for Stop {
    fn from(error: EncodeError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<LowerError> for Stop {
    fn from(error: LowerError) -> Self {
        Self::Refused(error.feature)
    }
}

impl From<TranslateError> for Stop {
    fn from(error: TranslateError) -> Self {
        match error {
            TranslateError::Decode(error) => error.into(),
            TranslateError::Lower(error) => error.into(),
            TranslateError::Method { .. } => Self::Lacking,
            error => Self::Failed(error.to_string()),
        }
    }
}

/// The kinds that the fixtures cover.
pub const FIXTURES: &[&dyn Kind] = &[
    &Whole("CallToolRequest", None),
    &Whole("ListToolsRequest", None),
    &Body("CallToolResult", "tools/call"),
    &Body("ListToolsResult", "tools/list"),
    &Body("InputRequiredResult", "tools/call"),
    &Whole("JSONRPCErrorResponse", None),
    &Lowered::<Tool>::new("Tool"),
    &Lowered::<Annotations>::new("Annotations"),
    &Lowered::<Implementation>::new("Implementation"),
    &Block::<TextContent>::new("TextContent"),
    &Block::<ImageContent>::new("ImageContent"),
    &Block::<AudioContent>::new("AudioContent"),
    &Block::<ResourceLinkContent>::new("ResourceLink"),
    &Block::<EmbeddedResource>::new("EmbeddedResource"),
    &Bare::<ToolAnnotations>::new("ToolAnnotations"),
    &Bare::<ToolUseContent>::new("ToolUseContent"),
    &Bare::<ToolResultContent>::new("ToolResultContent"),
    &Bare::<Icon>::new("Icon"),
];

/// A whole message; a response answers the method that is given.
#[derive(Debug)]
pub struct Whole(pub &'static str, pub Option<&'static str>);

impl Whole {
    fn expect(&self) -> Expect<'static> {
        Expect { method: self.1, ..Expect::default() }
    }
}

impl Kind for Whole {
    fn name(&self) -> &'static str {
        self.0
    }

    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
        let decoded = codec.decode(input, self.expect())?;
        let mut out = Vec::new();
        codec.encode(&decoded.value, &mut out)?;
        Ok((out, decoded.report))
    }

    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop> {
        let done = translate_as(input, self.expect(), from, to, &Policy::faithful())?;
        Ok((done.bytes.into_owned(), done.report))
    }
}

/// A bare result of a method.
#[derive(Debug)]
pub struct Body(pub &'static str, pub &'static str);

impl Kind for Body {
    fn name(&self) -> &'static str {
        self.0
    }

    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
        let decoded = codec.decode_result(input, self.1)?;
        let mut out = Vec::new();
        codec.encode_result(&decoded.value, &mut out)?;
        Ok((out, decoded.report))
    }

    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop> {
        let done = translate_result(input, self.1, from, to, &Policy::faithful())?;
        Ok((done.bytes.into_owned(), done.report))
    }
}

macro_rules! value_kind {
    ($(#[$doc:meta])* $kind:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $kind<T>(&'static str, PhantomData<fn() -> T>);

        impl<T> $kind<T> {
            /// The kind of the values that the schemas call `name`.
            pub const fn new(name: &'static str) -> Self {
                Self(name, PhantomData)
            }
        }
    };
}

value_kind! {
    /// A value that can be lowered by itself.
    Lowered
}

impl<T: Debug + Lower + Wire> Kind for Lowered<T> {
    fn name(&self) -> &'static str {
        self.0
    }

    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
        rewrite::<T>(codec, input)
    }

    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop> {
        carry::<T>(input, from, to)
    }
}

value_kind! {
    /// A content block, which may become one of another type.
    Block
}

impl<T: Debug + Wire> Kind for Block<T> {
    fn name(&self) -> &'static str {
        self.0
    }

    fn carried_name(&self) -> &'static str {
        "ContentBlock"
    }

    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
        let own = rewrite::<T>(codec, input)?;
        if rewrite::<Content>(codec, input)? != own {
            return Err(Stop::Failed("differs as a block and as itself".to_owned()));
        }
        Ok(own)
    }

    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop> {
        carry::<Content>(input, from, to)
    }
}

value_kind! {
    /// A value that is lowered with what it is part of, and by itself goes where it can be said.
    Bare
}

impl<T: Debug + Wire> Kind for Bare<T> {
    fn name(&self) -> &'static str {
        self.0
    }

    fn is_lowered(&self) -> bool {
        false
    }

    fn rewrite(&self, codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
        rewrite::<T>(codec, input)
    }

    fn carry(&self, input: &[u8], from: &dyn Codec, to: &dyn Codec) -> Result<Rewritten, Stop> {
        let value: T = decode_value(from, input)?.value;
        let mut out = Vec::new();
        match encode_value(to, &value, &mut out) {
            Ok(()) => Ok((out, TranslationReport::new())),
            Err(EncodeError::Inexpressible { feature, .. }) => Err(Stop::Refused(feature)),
            Err(error) => Err(error.into()),
        }
    }
}

fn rewrite<T: Wire>(codec: &dyn Codec, input: &[u8]) -> Result<Rewritten, Stop> {
    let decoded = decode_value::<T>(codec, input)?;
    let mut out = Vec::new();
    encode_value(codec, &decoded.value, &mut out)?;
    Ok((out, decoded.report))
}

fn carry<T: Lower + Wire>(
    input: &[u8],
    from: &dyn Codec,
    to: &dyn Codec,
) -> Result<Rewritten, Stop> {
    let mut value: T = decode_value(from, input)?.value;
    let report = lower(&mut value, to.features(), &Policy::faithful())?;
    let mut out = Vec::new();
    encode_value(to, &value, &mut out)?;
    Ok((out, report))
}
