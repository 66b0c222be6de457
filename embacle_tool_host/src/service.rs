//! What is served: a tool surface, and what goes with it.

use std::sync::Arc;

use protocol_droid_ir::{Implementation, Text};

use crate::announce::Announcer;
use crate::surface::{Completer, PromptSurface, ResourceSurface, ToolSurface};

/// A tool surface with a name, and whatever else a session serves beside tools. A surface alone
/// becomes one by [`From`].
#[derive(Clone)]
pub struct Service {
    pub(crate) server: Implementation,
    pub(crate) instructions: Option<Text>,
    pub(crate) tools: Arc<dyn ToolSurface>,
    pub(crate) resources: Option<Arc<dyn ResourceSurface>>,
    pub(crate) prompts: Option<Arc<dyn PromptSurface>>,
    pub(crate) completer: Option<Arc<dyn Completer>>,
    pub(crate) announcer: Announcer,
}

impl Service {
    /// Serves the tools under `name`, in version 0.
    pub fn new(name: impl Into<Text>, tools: impl ToolSurface + 'static) -> Self {
        Self {
            server: Implementation::new(name, "0"),
            instructions: None,
            tools: Arc::new(tools),
            resources: None,
            prompts: None,
            completer: None,
            announcer: Announcer::new(),
        }
    }

    /// What tells the clients of changes, wherever this is served.
    pub fn announcer(&self) -> Announcer {
        self.announcer.clone()
    }

    /// Tells the clients of changes by this.
    #[must_use]
    pub fn announced_by(mut self, announcer: Announcer) -> Self {
        self.announcer = announcer;
        self
    }

    /// Names the server with all that clients are told of it.
    #[must_use]
    pub fn server(mut self, server: Implementation) -> Self {
        self.server = server;
        self
    }

    /// Tells models how to use the tools.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Text>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Serves resources too.
    #[must_use]
    pub fn resources(mut self, resources: impl ResourceSurface + 'static) -> Self {
        self.resources = Some(Arc::new(resources));
        self
    }

    /// Serves prompts too.
    #[must_use]
    pub fn prompts(mut self, prompts: impl PromptSurface + 'static) -> Self {
        self.prompts = Some(Arc::new(prompts));
        self
    }

    /// Completes arguments too.
    #[must_use]
    pub fn completer(mut self, completer: impl Completer + 'static) -> Self {
        self.completer = Some(Arc::new(completer));
        self
    }
}

impl<S: ToolSurface + 'static> From<S> for Service {
    fn from(tools: S) -> Self {
        Self::new("tools", tools)
    }
}
