//! A session from the inside: what every transport serves.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use protocol_droid_codecs::Codec;
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::{
    Buffer, ErrorObject, Message, Notification, NotificationParams, Request, RequestId, Text,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::announce::{Announcer, Change};
use crate::calls::CallLog;
use crate::config::{HostConfig, Limits};
use crate::context::lock;
use crate::engine::about::{About, Offer};
use crate::engine::read::{Unreadable, read};
use crate::http::stored::Stored;
use crate::list::Tools;
use crate::questions::Questions;
use crate::service::Service;
use crate::surface::{Completer, PromptSurface, ResourceSurface};

/// What a session serves, and what it counts.
pub(crate) struct Served {
    pub(crate) about: About,
    pub(crate) tools: Tools,
    pub(crate) resources: Option<Arc<dyn ResourceSurface>>,
    pub(crate) prompts: Option<Arc<dyn PromptSurface>>,
    pub(crate) completer: Option<Arc<dyn Completer>>,
    pub(crate) config: Arc<HostConfig>,
    /// Whoever holds the bearer, as a digest; sealed things are bound to it.
    pub(crate) principal: [u8; 32],
    pub(crate) announcer: Announcer,
    pub(crate) calls: CallLog,
    /// Cancelled when the session ends: nothing is answered any more.
    pub(crate) revoked: CancellationToken,
    /// Cancelled when the session takes no more calls.
    pub(crate) closing: CancellationToken,
    /// The calls at work.
    pub(crate) tracker: TaskTracker,
    /// What legacy clients may come back for.
    pub(crate) stored: Arc<Stored>,
    running: Arc<Semaphore>,
    queued: Arc<AtomicUsize>,
    rate: Mutex<Rate>,
}

impl Served {
    pub(crate) fn new(service: Service, principal: [u8; 32], config: Arc<HostConfig>) -> Self {
        let Service { server, instructions, tools, resources, prompts, completer, announcer } =
            service;
        let offer = Offer {
            resources: resources.is_some(),
            prompts: prompts.is_some(),
            completion: completer.is_some(),
        };
        let limits = config.limits;
        Self {
            about: About::new(server, instructions, offer, config.versions.clone()),
            tools: Tools::new(tools),
            resources,
            prompts,
            completer,
            principal,
            announcer,
            calls: CallLog::new(limits.records),
            revoked: CancellationToken::new(),
            closing: CancellationToken::new(),
            tracker: TaskTracker::new(),
            stored: Arc::new(Stored::new(&limits)),
            running: Arc::new(Semaphore::new(limits.running_calls)),
            queued: Arc::default(),
            rate: Mutex::new(Rate::new(&limits)),
            config,
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.config.limits
    }

    /// Counts one more request.
    ///
    /// # Errors
    /// For the client, if it is beyond the rate.
    pub(crate) fn count(&self) -> Result<(), ErrorObject> {
        match self.limits().requests_per_second {
            Some(rate) if !lock(&self.rate).take(rate) => {
                Err(ErrorObject::new(BUSY, "too many requests"))
            }
            _ => Ok(()),
        }
    }

    /// A place among the requests at work: now, or once others have ended and unless `cancel` is.
    ///
    /// # Errors
    /// For the client, if too many wait for one.
    pub(crate) fn turn(&self, cancel: &CancellationToken) -> Result<Turn, ErrorObject> {
        if let Ok(place) = self.running.clone().try_acquire_owned() {
            return Ok(Turn::Now(place));
        }
        let busy = || ErrorObject::new(BUSY, "too many calls wait: come back later");
        let queued = Queued::new(&self.queued, self.limits().queued_calls).ok_or_else(busy)?;
        let (running, cancel) = (self.running.clone(), cancel.clone());
        Ok(Turn::Later(Box::pin(async move {
            let _queued = queued;
            cancel.run_until_cancelled(running.acquire_owned()).await?.ok()
        })))
    }

    /// The calls at work now.
    pub(crate) fn calls_at_work(&self) -> usize {
        self.limits().running_calls - self.running.available_permits()
    }
}

/// The code of an error that goes away by itself: a server's own, since MCP has none.
pub(crate) const BUSY: i64 = -32000;

/// A place among the requests at work; `None` instead if the request is cancelled before.
pub(crate) enum Turn {
    Now(OwnedSemaphorePermit),
    Later(Pin<Box<dyn Future<Output = Option<OwnedSemaphorePermit>> + Send>>),
}

struct Queued(Arc<AtomicUsize>);

impl Queued {
    fn new(count: &Arc<AtomicUsize>, limit: usize) -> Option<Self> {
        if count.fetch_add(1, Ordering::Relaxed) >= limit {
            count.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Self(count.clone()))
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A bucket that holds a second's worth of requests.
#[derive(Debug)]
struct Rate {
    tokens: f64,
    filled: Instant,
}

impl Rate {
    fn new(limits: &Limits) -> Self {
        let tokens = limits.requests_per_second.map_or(0.0, f64::from);
        Self { tokens, filled: Instant::now() }
    }

    fn take(&mut self, rate: u32) -> bool {
        let now = Instant::now();
        let rate = f64::from(rate);
        let earned = now.duration_since(self.filled).as_secs_f64() * rate;
        self.tokens = (self.tokens + earned).min(rate.max(1.0));
        self.filled = now;
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }
}

/// What is remembered of a legacy client while its session lasts.
#[derive(Default)]
pub(crate) struct Remembered {
    /// From which level on it wants log messages.
    pub(crate) level: Arc<Mutex<Option<Text>>>,
    /// The resources it watches.
    pub(crate) watched: Mutex<BTreeSet<String>>,
    /// Its requests at work, to be cancelled by their ids.
    pub(crate) running: Running,
    /// What it is asked and has not answered yet.
    pub(crate) questions: Questions,
}

impl Remembered {
    /// Reads a message: a request is returned, anything else is dealt with.
    pub(crate) fn read(
        &self,
        codec: &dyn Codec,
        input: &Buffer,
    ) -> Result<Option<Request>, Box<Unreadable>> {
        match read(codec, input, |id| self.questions.method_of(id))? {
            Message::Request(request) => return Ok(Some(request)),
            Message::Notification(Notification {
                params: Some(NotificationParams::Cancelled(params)),
                ..
            }) => {
                if let Some(id) = &params.request_id {
                    self.running.cancel(id);
                }
            }
            Message::Response(response) => self.questions.answer(&response.id, Ok(response.result)),
            Message::Error(error) => {
                if let Some(id) = error.id {
                    self.questions.answer(&id, Err(error.error));
                }
            }
            _ => {}
        }
        Ok(None)
    }

    /// The notification of a change, if this client is to be told of it.
    pub(crate) fn told(
        &self,
        change: &Change,
        offer: &Offer,
        codec: &dyn Codec,
    ) -> Option<Vec<u8>> {
        let is_wanted = match change {
            Change::Tools => true,
            Change::Resources => offer.resources,
            Change::Prompts => offer.prompts,
            Change::Updated(uri) => lock(&self.watched).contains(uri),
        };
        if is_wanted { change.message(codec, None) } else { None }
    }

    /// Whether a request of its, or a question to it, is under way.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.running.is_empty() || !self.questions.is_empty()
    }
}

/// Requests at work by their ids.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<Mutex<BTreeMap<Key, CancellationToken>>>);

/// What two spellings of one id have in common.
#[derive(Clone, Eq, Ord, PartialEq, PartialOrd)]
enum Key {
    Whole(i64),
    Number(Text),
    Text(Text),
}

impl Key {
    fn new(id: &RequestId) -> Self {
        match id {
            RequestId::Number(number) => match number.as_i64() {
                Some(value) => Self::Whole(value),
                None => Self::Number(number.as_str().into()),
            },
            RequestId::Text(text) => Self::Text(text.clone()),
        }
    }
}

impl Running {
    /// Notes a request.
    ///
    /// # Errors
    /// For the client, if one with the same id is at work.
    pub(crate) fn start(
        &self,
        id: &RequestId,
        token: &CancellationToken,
    ) -> Result<Started, ErrorObject> {
        let key = Key::new(id);
        match lock(&self.0).entry(key.clone()) {
            Entry::Occupied(_) => {
                Err(ErrorObject::new(INVALID_REQUEST, "a request with this id is at work"))
            }
            Entry::Vacant(entry) => {
                entry.insert(token.clone());
                Ok(Started { running: self.clone(), key })
            }
        }
    }

    /// Cancels a request. One that is not at work is passed over.
    pub(crate) fn cancel(&self, id: &RequestId) {
        if let Some(token) = lock(&self.0).get(&Key::new(id)) {
            token.cancel();
        }
    }

    fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }
}

/// A request at work, forgotten when this is dropped.
pub(crate) struct Started {
    running: Running,
    key: Key,
}

impl Drop for Started {
    fn drop(&mut self) {
        lock(&self.running.0).remove(&self.key);
    }
}
