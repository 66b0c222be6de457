//! The way from a call to its client, before the answer.

use std::sync::{Arc, Mutex, OnceLock};

use tokio::sync::mpsc;

use crate::context::lock;
use crate::questions::Questions;

/// What comes out of a call before its answer.
#[derive(Debug)]
pub(crate) enum Event {
    /// A message for the client.
    Message(Vec<u8>),
    /// The handler lets the stream go; the client is to come back for the rest.
    Release,
}

/// Where what a call says goes to.
#[derive(Clone)]
pub(crate) struct Outlet {
    way: Way,
    /// Set where a question is a request of its own.
    pub(crate) questions: Option<Questions>,
}

#[derive(Clone)]
enum Way {
    /// That of everything else on the connection.
    Shared(mpsc::Sender<Event>),
    /// One of the call's own, made when something is said: most calls say nothing.
    Own(Lane),
}

type Lane = Arc<OnceLock<Ends>>;

enum Ends {
    Open(mpsc::Sender<Event>, Mutex<Option<mpsc::Receiver<Event>>>),
    /// Whoever listened has gone.
    Closed,
}

impl Ends {
    fn open() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        Self::Open(sender, Mutex::new(Some(receiver)))
    }
}

/// Events of a call that wait for the client to read; the call waits with them.
const WAITING: usize = 16;

impl Outlet {
    /// Into what others say on the connection.
    pub(crate) fn shared(sender: mpsc::Sender<Event>, questions: Option<Questions>) -> Self {
        Self { way: Way::Shared(sender), questions }
    }

    fn sender(&self) -> Option<&mpsc::Sender<Event>> {
        match &self.way {
            Way::Shared(sender) => Some(sender),
            Way::Own(lane) => match lane.get_or_init(Ends::open) {
                Ends::Open(sender, _) => Some(sender),
                Ends::Closed => None,
            },
        }
    }

    /// Whether somebody listens still, and so gets it.
    pub(crate) async fn send(&self, event: Event) -> bool {
        match self.sender() {
            Some(sender) => sender.send(event).await.is_ok(),
            None => false,
        }
    }

    /// Waits until nobody listens any more.
    pub(crate) async fn closed(&self) {
        if let Some(sender) = self.sender() {
            sender.closed().await;
        }
    }

    /// Sends if there is room.
    pub(crate) fn try_send(&self, event: Event) {
        if let Some(sender) = self.sender() {
            let _ = sender.try_send(event);
        }
    }
}

/// The other end of a call's own way.
#[derive(Default)]
pub(crate) struct Ear {
    lane: Lane,
    receiver: Option<mpsc::Receiver<Event>>,
}

impl Ear {
    /// A way that ends here; there may be many to it.
    pub(crate) fn outlet(&self, questions: Option<Questions>) -> Outlet {
        Outlet { way: Way::Own(self.lane.clone()), questions }
    }

    fn receiver(&mut self) -> Option<&mut mpsc::Receiver<Event>> {
        if self.receiver.is_none()
            && let Ends::Open(_, receiver) = self.lane.get_or_init(Ends::open)
        {
            self.receiver = lock(receiver).take();
        }
        self.receiver.as_mut()
    }

    /// The next event; waits for as long as there is none.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        self.receiver()?.recv().await
    }

    /// What has been said and not been heard yet.
    pub(crate) fn rest(&mut self) -> Vec<Event> {
        if self.lane.get().is_none() {
            return Vec::new();
        }
        let receiver = self.receiver();
        receiver.map_or_else(Vec::new, |r| std::iter::from_fn(|| r.try_recv().ok()).collect())
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        if let Err(Ends::Closed) = self.lane.set(Ends::Closed)
            && let Some(Ends::Open(_, receiver)) = self.lane.get()
        {
            lock(receiver).take();
        }
    }
}
