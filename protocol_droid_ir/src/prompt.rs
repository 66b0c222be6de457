//! Prompts and their lists.

use crate::content::{Content, Icon};
use crate::context::INPUT_MEMBERS;
use crate::json::{Extensions, JsonObject};
use crate::lower::{ResultHead, add_named, lower_list, lowering};
use crate::methods::result_fields;
use crate::page::cacheable_list;
use crate::text::Text;
use crate::unknown::{Item, add_items, lower_items};

/// A prompt that a server offers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The identifier, by which it is got. Never rewritten.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What it is for.
    pub description: Option<Text>,
    /// What fills it in.
    pub arguments: Option<Vec<PromptArgument>>,
    /// Pictures for it; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl Prompt {
    /// A prompt that takes nothing.
    pub fn new(name: impl Into<Text>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

lowering! {
    Prompt {
        "title": title => Title,
        "icons": icons => Icons,
    }
    features(this, set) {
        this.arguments.iter().flatten().for_each(|argument| argument.add_features(set));
    }
    lower(this, cx) {
        lower_list("arguments", this.arguments.as_deref_mut().unwrap_or_default(), cx)?;
    }
}

/// An argument that a prompt takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptArgument {
    /// The identifier. Never rewritten.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What it is.
    pub description: Option<Text>,
    /// Whether it must be given. Absent means no; an explicit `false` is kept as such.
    pub required: Option<bool>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    PromptArgument {
        "title": title => Title,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

cacheable_list! {
    /// A page of a server's prompts.
    ListPromptsResult {
        /// The prompts.
        "prompts": prompts => Prompt
    }
}

/// What `prompts/get` takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetPromptParams {
    /// The prompt.
    pub name: Text,
    /// Its arguments by name, in the order and the spelling in which they came.
    pub arguments: Option<Vec<(Text, Text)>>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    GetPromptParams {}
    features(this, set) {
        add_named(&this.extensions, INPUT_MEMBERS, set);
    }
    lower(this, cx) {
        cx.extensions(&mut this.extensions, INPUT_MEMBERS)?;
    }
}

/// A prompt, filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetPromptResult {
    /// What the prompt is for.
    pub description: Option<Text>,
    /// The conversation that it starts.
    pub messages: Vec<Item<PromptMessage>>,
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    GetPromptResult {
        "resultType": result_type => ToolResultType,
    }
    features(this, set) {
        add_items(&this.messages, set);
    }
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        lower_items("messages", &mut this.messages, cx)?;
    }
}

result_fields!(GetPromptResult: result_type);

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptMessage {
    /// Who says it: `user`, `assistant`, or what a later revision adds.
    pub role: Text,
    /// What is said: one block, of the types that a tool result may hold.
    pub content: Content,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl PromptMessage {
    /// A message of one block.
    pub fn new(role: impl Into<Text>, content: Content) -> Self {
        Self { role: role.into(), content, extensions: Extensions::new() }
    }
}

lowering! {
    PromptMessage {}
    features(this, set) {
        this.content.add_features(set);
    }
    lower(this, cx) {
        cx.member("content", |cx| this.content.lower(cx))?;
    }
}
