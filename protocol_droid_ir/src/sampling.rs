//! Sampling: a server asks the client's model for a message.

use crate::content::{Content, TextContent};
use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject};
use crate::lower::{Lower, LowerError, Lowering, lowering, lowering_whole};
use crate::methods::ResultFields;
use crate::number::Number;
use crate::task::TaskMetadata;
use crate::text::Text;
use crate::tool::Tool;
use crate::unknown::{Item, add_items, lower_items};

/// What `sampling/createMessage` takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<Item<SamplingMessage>>,
    /// Which model to take.
    pub model_preferences: Option<ModelPreferences>,
    /// What to tell the model before the conversation.
    pub system_prompt: Option<Text>,
    /// Whose context to add: `none`, `thisServer`, `allServers`, or what a later revision adds.
    pub include_context: Option<Text>,
    /// How varied the answer may be.
    pub temperature: Option<Number>,
    /// The longest answer wanted, in tokens.
    pub max_tokens: u64,
    /// Texts at which the model stops.
    pub stop_sequences: Option<Vec<Text>>,
    /// What the model's provider shall get, to the byte.
    pub metadata: Option<JsonObject>,
    /// Tools that the model may call; since 2025-11-25.
    pub tools: Option<Vec<Item<Tool>>>,
    /// How the model may call them; since 2025-11-25.
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task instead of a result; 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl CreateMessageParams {
    /// A model that knows nothing of the tools would answer another question.
    fn lower_tools(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        if !cx.has(Feature::SamplingTools) && !cx.policy().drops(Feature::SamplingTools) {
            for (name, set) in
                [("tools", self.tools.is_some()), ("toolChoice", self.tool_choice.is_some())]
            {
                if set {
                    return cx.member(name, |cx| cx.demand(Feature::SamplingTools));
                }
            }
        }
        match &mut self.tools {
            Some(tools) if cx.has(Feature::SamplingTools) => lower_items("tools", tools, cx),
            _ => Ok(()),
        }
    }

    fn lower_messages(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        lower_items("messages", &mut self.messages, cx)?;
        if cx.has(Feature::SamplingContentList) {
            return Ok(());
        }
        let messages = std::mem::take(&mut self.messages);
        self.messages = messages
            .into_iter()
            .flat_map(|message| match message {
                Item::Known(message) => message.split(),
                unknown => vec![unknown],
            })
            .collect();
        Ok(())
    }
}

lowering! {
    CreateMessageParams {
        "tools": tools => SamplingTools,
        "toolChoice": tool_choice => SamplingTools,
        "task": task => TaskAugmentation,
    }
    features(this, set) {
        add_items(&this.messages, set);
        if let Some(tools) = &this.tools {
            add_items(tools, set);
        }
        if let Some(preferences) = &this.model_preferences {
            preferences.add_features(set);
        }
    }
    lower(this, cx) {
        this.lower_tools(cx)?;
        this.lower_messages(cx)?;
        if let Some(preferences) = &mut this.model_preferences {
            cx.member("modelPreferences", |cx| preferences.lower(cx))?;
        }
    }
}

/// A message of a conversation with a model.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingMessage {
    /// `user`, `assistant`, or what a later revision adds.
    pub role: Text,
    /// What was said.
    pub content: SamplingContent,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl SamplingMessage {
    /// A message of one block or several.
    pub fn new(role: impl Into<Text>, content: impl Into<SamplingContent>) -> Self {
        let (meta, extensions) = (None, Extensions::new());
        Self { role: role.into(), content: content.into(), meta, extensions }
    }

    /// One message a block, of the same role; the first keeps what else the message had.
    fn split(self) -> Vec<Item<Self>> {
        let Self { role, content, meta, extensions } = self;
        let mut rest = Some((meta, extensions));
        let blocks = match content {
            SamplingContent::Single(block) => vec![block],
            SamplingContent::List(blocks) => blocks,
        };
        let message = |block| {
            let (meta, extensions) = rest.take().unwrap_or_default();
            let content = SamplingContent::Single(block);
            Item::Known(Self { role: role.clone(), content, meta, extensions })
        };
        blocks.into_iter().map(message).collect()
    }
}

lowering! {
    SamplingMessage {}
    features(this, set) {
        this.content.add_features(set);
    }
    lower(this, cx) {
        this.content.lower_blocks(cx)?;
        if let SamplingContent::List(blocks) = &this.content
            && !cx.has(Feature::SamplingContentList)
        {
            if blocks.is_empty() {
                let note = "a message of no blocks has no form, and is left out";
                cx.dropped(Feature::SamplingContentList, note)?;
            }
            // Whoever holds the messages makes one of each block.
            cx.changed();
        }
    }
}

/// The content of a message to or from a model: text, images, audio, tool uses and tool results.
///
/// One block by itself and a list of one mean the same; which it was is kept.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub enum SamplingContent {
    /// One block.
    Single(Content),
    /// A list of blocks; since 2025-11-25.
    List(Vec<Content>),
}

impl SamplingContent {
    /// The blocks.
    pub fn blocks(&self) -> &[Content] {
        match self {
            Self::Single(block) => std::slice::from_ref(block),
            Self::List(blocks) => blocks,
        }
    }

    fn add_features(&self, set: &mut FeatureSet) {
        if matches!(self, Self::List(_)) {
            *set = set.with(Feature::SamplingContentList);
        }
        for block in self.blocks() {
            add_block(block, set);
        }
    }

    /// Lowers every block on its own.
    fn lower_blocks(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        cx.member("content", |cx| match self {
            Self::Single(block) => lower_block(block, cx),
            Self::List(blocks) => {
                let mut blocks = blocks.iter_mut().enumerate();
                blocks.try_for_each(|(index, block)| cx.index(index, |cx| lower_block(block, cx)))
            }
        })
    }

    /// Makes one block of the list where the target has no lists.
    fn lower_list(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        let Self::List(blocks) = self else { return Ok(()) };
        if cx.has(Feature::SamplingContentList) {
            return Ok(());
        }
        if blocks.len() == 1 {
            *self = Self::Single(blocks.remove(0));
            cx.changed();
            return Ok(());
        }
        let text = joined(blocks);
        cx.member("content", |cx| {
            let Some(text) = text else {
                let reason = "the older peer takes one block, and these are not all text";
                return Err(cx.refused(Feature::SamplingContentList, reason));
            };
            let note = "the texts joined as one block, which keeps what else the first one had";
            cx.fallback(Feature::SamplingContentList, note)?;
            *self = Self::Single(Content::Text(text));
            Ok(())
        })
    }
}

impl From<Content> for SamplingContent {
    fn from(block: Content) -> Self {
        Self::Single(block)
    }
}

impl From<Vec<Content>> for SamplingContent {
    fn from(blocks: Vec<Content>) -> Self {
        Self::List(blocks)
    }
}

/// All the text of the blocks, if they are all text.
fn joined(blocks: &[Content]) -> Option<TextContent> {
    let mut text = String::new();
    for block in blocks {
        let Content::Text(block) = block else { return None };
        text.push_str(&block.text);
    }
    let first = match blocks.first() {
        Some(Content::Text(first)) => first.clone(),
        _ => TextContent::default(),
    };
    Some(TextContent { text: text.into(), ..first })
}

/// Adds what a block needs in sampling: what is right there is misplaced in a tool result, and the
/// other way round.
fn add_block(block: &Content, set: &mut FeatureSet) {
    match block {
        Content::ToolUse(block) => block.add_features(set),
        Content::ToolResult(block) => block.add_features(set),
        Content::Resource(_) | Content::ResourceLink(_) => {
            *set = set.with(Feature::MisplacedContent);
        }
        block => block.add_features(set),
    }
}

fn lower_block(block: &mut Content, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
    match block {
        Content::ToolUse(block) => block.lower(cx),
        Content::ToolResult(block) => block.lower(cx),
        // A model that hears nothing would answer another question.
        Content::Audio(_) if !cx.drops(Feature::AudioContent) => {
            cx.demand(Feature::AudioContent)?;
            block.lower(cx)
        }
        Content::Resource(_) | Content::ResourceLink(_) => {
            Err(cx.refused(Feature::MisplacedContent, "no sampling message holds such a block"))
        }
        block => block.lower(cx),
    }
}

/// Which model a server would like best.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPreferences {
    /// Names to look for, the best first.
    pub hints: Option<Vec<Item<ModelHint>>>,
    /// How much cost matters, from 0 to 1.
    pub cost_priority: Option<Number>,
    /// How much speed matters, from 0 to 1.
    pub speed_priority: Option<Number>,
    /// How much capability matters, from 0 to 1.
    pub intelligence_priority: Option<Number>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ModelPreferences {}
    features(this, set) {
        if let Some(hints) = &this.hints {
            add_items(hints, set);
        }
    }
    lower(this, cx) {
        if let Some(hints) = &mut this.hints {
            lower_items("hints", hints, cx)?;
        }
    }
}

/// What a model may be called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelHint {
    /// Part of the model's name.
    pub name: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ModelHint {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// How a model may call tools; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolChoice {
    /// `auto`, `required`, `none`, or what a later revision adds.
    pub mode: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(ToolChoice, SamplingTools);

/// What the client's model said.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateMessageResult {
    /// `user`, `assistant`, or what a later revision adds.
    pub role: Text,
    /// What was said.
    pub content: SamplingContent,
    /// The model that said it.
    pub model: Text,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, since 2025-11-25 `toolUse`, or
    /// whatever else.
    pub stop_reason: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CreateMessageResult {}
    features(this, set) {
        this.content.add_features(set);
    }
    lower(this, cx) {
        this.content.lower_blocks(cx)?;
        this.content.lower_list(cx)?;
    }
}

impl ResultFields for CreateMessageResult {}
