//! Items of a list that could not be read.

use crate::feature::{Feature, FeatureSet};
use crate::json::JsonText;
use crate::lex::{Kind, Lexer};
use crate::lower::{Lower, LowerError, Lowering};
use crate::text::{Buffer, Text};
use crate::version::ProtocolVersion;

/// The longest unknown block, in bytes of JSON, that another revision gets as text.
const MAX_TEXT: usize = 4096;

/// An item of a list as it was received, because its revision does not define it or it breaks the
/// rules of its type. It may go back to the revision it came from, and to no other.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The item.
    pub json: JsonText,
    /// The revision it came in.
    pub origin: Option<ProtocolVersion>,
}

impl Unknown {
    /// An item that came in no particular revision.
    pub fn new(json: JsonText) -> Self {
        Self { json, origin: None }
    }

    /// The item's `type` member, if it is an object with one that is text.
    pub fn kind(&self) -> Option<Text> {
        if self.json.kind() != Kind::Object {
            return None;
        }
        let object = crate::JsonObject::try_from(self.json.clone()).ok()?;
        let kind = object.get("type")?;
        let mut lexer = Lexer::new(kind.as_str());
        let token = lexer.string().ok().filter(|token| !token.lone_surrogate)?;
        let buffer = Buffer::from(kind.as_str());
        Some(Text::from_token(&buffer, token.range.start, token.range.end, token.escaped))
    }

    /// The text that stands for the item at another revision: its JSON when short, else a
    /// placeholder that names its type and size.
    pub(crate) fn lowered(&self, cx: &mut Lowering<'_>) -> Result<Text, LowerError> {
        let size = self.json.as_str().len();
        if size <= MAX_TEXT && !cx.policy().drops(Feature::UnknownContent) {
            cx.fallback(Feature::UnknownContent, "unknown block carried as the text of its JSON")?;
            return Ok(Text::from(self.json.clone()));
        }
        let kind = self.kind();
        let kind = kind.as_ref().map_or("unnamed", Text::as_str);
        let short: String = kind.chars().take(64).collect();
        cx.dropped(Feature::UnknownContent, format!("unknown block of {size} bytes left out"))?;
        Ok(Text::from(format!("[content of type {short:?} left out: {size} bytes]")))
    }
}

/// An item of a list: read, or carried as it came.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<T> {
    /// An item of the list's type.
    Known(T),
    /// An item that could not be read.
    Unknown(Unknown),
}

impl<T> Item<T> {
    /// The item, if it could be read.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(item) => Some(item),
            Self::Unknown(_) => None,
        }
    }
}

impl<T> From<T> for Item<T> {
    fn from(item: T) -> Self {
        Self::Known(item)
    }
}

/// Adds the features of every item.
pub(crate) fn add_items<T: Lower>(items: &[Item<T>], set: &mut FeatureSet) {
    for item in items {
        match item {
            Item::Known(item) => item.add_features(set),
            Item::Unknown(_) => *set = set.with(Feature::UnknownContent),
        }
    }
}

/// Lowers every item on its own; unknown ones are dropped.
pub(crate) fn lower_items<T: Lower>(
    name: &'static str,
    items: &mut Vec<Item<T>>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    cx.member(name, |cx| {
        for (index, item) in items.iter_mut().enumerate() {
            cx.index(index, |cx| match item {
                Item::Known(item) => item.lower(cx),
                Item::Unknown(_) => cx.dropped(
                    Feature::UnknownContent,
                    "an item that its own revision cannot read has no form in another",
                ),
            })?;
        }
        Ok(())
    })?;
    items.retain(|item| matches!(item, Item::Known(_)));
    Ok(())
}
