//! The list of tools: checked, looked up by name, and encoded once a change.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use protocol_droid_codecs::{Codec, compiled};
use protocol_droid_ir::{Item, ListToolsResult, ResultBody, Tool};

use crate::engine::headers::{MirroredParam, mirrored_params};
use crate::engine::reply;
use crate::surface::ToolSurface;

/// A tool surface, and its list as far as it stays the same.
pub(crate) struct Tools {
    pub(crate) surface: Arc<dyn ToolSurface>,
    cache: RwLock<Option<(u64, Arc<ToolList>)>>,
    #[cfg(feature = "validation")]
    pub(crate) validators: crate::validation::Validators,
}

impl Tools {
    pub(crate) fn new(surface: Arc<dyn ToolSurface>) -> Self {
        Self {
            surface,
            cache: RwLock::new(None),
            #[cfg(feature = "validation")]
            validators: Default::default(),
        }
    }

    /// The list as it is now.
    pub(crate) async fn list(&self) -> Arc<ToolList> {
        // The number is asked for before the list: a change in between makes the list too new for
        // its number, and the next look takes it anew.
        let version = self.surface.list_version();
        if let Some(list) = self.cached(version) {
            return list;
        }
        let list = Arc::new(ToolList::new(self.surface.list_tools().await));
        if let Some(version) = version {
            let mut cache = self.cache.write().unwrap_or_else(PoisonError::into_inner);
            *cache = Some((version, list.clone()));
        }
        list
    }

    /// Whether the tool is listed now, with the least that answers it.
    pub(crate) async fn has(&self, name: &str) -> bool {
        match self.surface.list_version() {
            Some(_) => self.list().await.get(name).is_some(),
            None => name_fault(name).is_none() && self.surface.has_tool(name).await,
        }
    }

    /// A list with the tool in it, if it is listed now: the whole list where that is kept, else one
    /// of this tool alone.
    pub(crate) async fn list_with(&self, name: &str) -> Option<Arc<ToolList>> {
        let list = match self.surface.list_version() {
            Some(_) => self.list().await,
            None if name_fault(name).is_some() => return None,
            None => Arc::new(ToolList::new(self.surface.find_tool(name).await)),
        };
        list.get(name).is_some().then_some(list)
    }

    fn cached(&self, version: Option<u64>) -> Option<Arc<ToolList>> {
        let cache = self.cache.read().unwrap_or_else(PoisonError::into_inner);
        let (known, list) = cache.as_ref()?;
        (Some(*known) == version).then(|| list.clone())
    }
}

/// A list without what clients could not use.
#[derive(Debug)]
pub(crate) struct ToolList {
    tools: Vec<Tool>,
    by_name: HashMap<String, Listed>,
    encoded: Vec<OnceLock<Option<Arc<[u8]>>>>,
}

/// What is kept ready of a tool.
#[derive(Debug)]
pub(crate) struct Listed {
    #[cfg(feature = "validation")]
    index: usize,
    pub(crate) mirrored: Vec<MirroredParam>,
    /// Whether revisions before 2026-07-28 have the output schema wrapped, and results with it.
    pub(crate) is_wrapped: bool,
    #[cfg(feature = "validation")]
    pub(crate) validator: OnceLock<Option<Arc<crate::validation::Validator>>>,
}

impl ToolList {
    pub(crate) fn new(tools: impl IntoIterator<Item = Tool>) -> Self {
        let tools = tools.into_iter();
        let count = tools.size_hint().0;
        let mut list = Self {
            tools: Vec::with_capacity(count),
            by_name: HashMap::with_capacity(count),
            encoded: compiled().iter().map(|_| OnceLock::new()).collect(),
        };
        for tool in tools {
            match fault(&tool).or_else(|| list.taken(&tool)) {
                None => list.push(tool),
                Some(fault) => tracing::warn!(tool = %tool.name, fault, "tool left out"),
            }
        }
        list
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Listed> {
        self.by_name.get(name)
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    #[cfg(feature = "validation")]
    pub(crate) fn tool(&self, listed: &Listed) -> &Tool {
        &self.tools[listed.index]
    }

    /// The whole list as a result in the client's revision.
    pub(crate) fn encoded(&self, codec: &dyn Codec) -> Option<Arc<[u8]>> {
        let index = compiled().iter().position(|known| known.name() == codec.name())?;
        let write = || {
            let tools = self.tools.iter().cloned().map(Item::Known).collect();
            let result = ListToolsResult { tools, ..ListToolsResult::default() };
            reply::result(ResultBody::ListTools(result), codec).map(Arc::from)
        };
        self.encoded.get(index)?.get_or_init(write).clone()
    }

    fn taken(&self, tool: &Tool) -> Option<&'static str> {
        self.by_name.contains_key(tool.name.as_str()).then_some("another tool bears the name")
    }

    fn push(&mut self, tool: Tool) {
        let listed = Listed {
            #[cfg(feature = "validation")]
            index: self.tools.len(),
            mirrored: mirrored_params(&tool.input_schema),
            is_wrapped: tool.output_schema.as_ref().is_some_and(|s| !s.has_object_root()),
            #[cfg(feature = "validation")]
            validator: OnceLock::new(),
        };
        self.by_name.insert(tool.name.to_string(), listed);
        self.tools.push(tool);
    }
}

/// What is wrong with a tool, if anything is.
pub(crate) fn fault(tool: &Tool) -> Option<&'static str> {
    let schema = || {
        let is_fit = tool.input_schema.has_object_root();
        (!is_fit).then_some("the input schema is not one of objects")
    };
    name_fault(tool.name.as_str()).or_else(schema)
}

fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Some("a name has 1 to 128 bytes");
    }
    if name.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Some("a name has neither spaces nor control characters");
    }
    None
}

const MAX_NAME: usize = 128;
