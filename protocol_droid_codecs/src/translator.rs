//! Translation of a whole connection: what one message needs to know of those before it.

use std::borrow::Cow;
use std::collections::HashSet;

use protocol_droid_ir::logging::LEVELS;
use protocol_droid_ir::{
    Feature, Lower, LowerError, Lowering, Message, Notification, NotificationParams, Params,
    Policy, Request, RequestContext, RequestId, Response, ResultBody, Text,
};

use crate::codec::{Codec, buffer};
use crate::error::TranslateError;
use crate::methods::{self, Sender};
use crate::pending::{Call, Expect, Pending};
use crate::translate::{Hop, MessageKind, Translation};
use crate::wire_message::{read_message, write_message};

/// Translates the messages of one connection, in both directions.
///
/// It types responses by the requests they answer, says on a legacy client's behalf what a modern
/// server wants told with every request (its name, its capabilities, its log level), and wraps
/// structured content to match the schemas that it wrapped. It holds no socket and no clock, and at
/// most as much as its capacities allow.
///
/// What only an answer could settle is not its business: `initialize` towards a modern server is
/// refused like any method that the target lacks, but remembered.
#[derive(Debug)]
pub struct Translator {
    client: Side,
    server: Side,
    policy: Policy,
    capacity: usize,
    /// Tools whose output schema the client got wrapped.
    wrapped: HashSet<Text>,
    /// Tools whose output schema the client got as it was, or that have none.
    unwrapped: HashSet<Text>,
    /// What a legacy client said once and for all.
    session: RequestContext,
    map_ids: bool,
}

#[derive(Debug)]
struct Side {
    codec: &'static dyn Codec,
    /// Requests of this side that the other has not answered, by the id that the other knows.
    pending: Pending,
    /// The last id made up for a request of this side.
    last_id: u64,
}

/// How many unanswered requests of each side, and how many tools, are remembered unless told.
const CAPACITY: usize = 4096;

impl Translator {
    /// A translator between a client and a server.
    pub fn new(client: &'static dyn Codec, server: &'static dyn Codec) -> Self {
        let side = |codec| Side { codec, pending: Pending::new(CAPACITY), last_id: 0 };
        Self {
            client: side(client),
            server: side(server),
            policy: Policy::faithful(),
            capacity: CAPACITY,
            wrapped: HashSet::new(),
            unwrapped: HashSet::new(),
            session: RequestContext::default(),
            map_ids: false,
        }
    }

    /// Decides by `policy`.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Remembers at most `capacity` unanswered requests of each side, and as many tools.
    #[must_use]
    pub fn with_capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self.client.pending = Pending::new(capacity);
        self.server.pending = Pending::new(capacity);
        self
    }

    /// Gives every request an id of the translator's own, counted from 1 a side, and its progress
    /// token the same; answers, progress and cancellations are mapped back. For connections that
    /// several others share.
    #[must_use]
    pub fn with_own_ids(mut self) -> Self {
        self.map_ids = true;
        self
    }

    /// What the client is known to have said of itself.
    pub fn session(&self) -> &RequestContext {
        &self.session
    }

    /// How many requests of a side await an answer.
    pub fn pending(&self, sender: Sender) -> usize {
        self.side(sender).pending.len()
    }

    /// Translates one message of `sender`.
    ///
    /// # Errors
    /// As for [`translate`](crate::translate); nothing is written then, and the connection goes on.
    pub fn translate<'a>(
        &mut self,
        sender: Sender,
        input: &'a [u8],
    ) -> Result<Translation<'a>, TranslateError> {
        let (from, to) = (self.side(sender).codec, self.side(sender.peer()).codec);
        let text = buffer(input)?;
        let policy = self.policy;
        let hop = Hop { from, to, policy: &policy };
        let expect = Expect::pending(&self.side(sender.peer()).pending);
        let decoded = hop.read(&text, |r| read_message(r, expect))?;
        let refusal = methods::check(&decoded.value, expect, from.revision(), to.revision())
            .and_then(|()| methods::check_sender(&decoded.value, sender, to.revision()));
        self.remember(sender, &decoded.value);
        if let Err(error) = refusal {
            self.settle(sender, &decoded.value);
            return Err(error);
        }
        let mut kind = MessageKind::from(&decoded.value);
        let prepare = |message: &mut Message, cx: &mut Lowering<'_>| {
            self.prepare(sender, message, cx)?;
            kind = MessageKind::from(&*message);
            Ok(())
        };
        let carried = hop.carry(decoded, &text, prepare, write_message);
        let (written, report) = carried?;
        Ok(Translation { bytes: written.map_or(Cow::Borrowed(input), Cow::Owned), report, kind })
    }

    fn side(&self, sender: Sender) -> &Side {
        match sender {
            Sender::Client => &self.client,
            Sender::Server => &self.server,
        }
    }

    fn side_mut(&mut self, sender: Sender) -> &mut Side {
        match sender {
            Sender::Client => &mut self.client,
            Sender::Server => &mut self.server,
        }
    }

    /// Notes what a legacy client says once and for all.
    fn remember(&mut self, sender: Sender, message: &Message) {
        let Message::Request(Request { params: Some(params), .. }) = message else { return };
        match params {
            Params::Initialize(params) if sender == Sender::Client => {
                self.session.client_info = Some(Box::new(params.client_info.clone()));
                self.session.client_capabilities = Some(Box::new(params.capabilities.clone()));
            }
            // A level that no revision has would spoil every later request.
            Params::SetLevel(params)
                if sender == Sender::Client && LEVELS.contains(&params.level.as_str()) =>
            {
                self.session.log_level = Some(params.level.clone());
            }
            _ => {}
        }
    }

    /// Forgets the request that a message answers, though the answer goes nowhere.
    fn settle(&mut self, sender: Sender, message: &Message) {
        self.side_mut(sender.peer()).pending.observe(&match message {
            Message::Response(response) => MessageKind::Response { id: response.id.clone() },
            Message::Error(error) => MessageKind::Error { id: error.id.clone() },
            _ => return,
        });
    }

    /// Gives a message what it needs to know of those before it.
    fn prepare(
        &mut self,
        sender: Sender,
        message: &mut Message,
        cx: &mut Lowering<'_>,
    ) -> Result<(), LowerError> {
        match message {
            Message::Request(request) => self.prepare_request(sender, request, cx),
            Message::Notification(notification) => {
                self.prepare_notification(sender, notification, cx)
            }
            Message::Response(response) => self.prepare_response(sender, response, cx),
            Message::Error(error) => {
                if let Some(id) = &mut error.id {
                    self.answered(sender, id, cx);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn prepare_request(
        &mut self,
        sender: Sender,
        request: &mut Request,
        cx: &mut Lowering<'_>,
    ) -> Result<(), LowerError> {
        let untold = request.context.protocol_version.is_none();
        if sender == Sender::Client && untold && cx.has(Feature::RequestMetadata) {
            self.tell(&mut request.context, cx)?;
        }
        let mut call = Call::default();
        if let Some(Params::CallTool(params)) = &request.params {
            call.tool = Some(Text::from(params.name.as_str()));
        }
        if self.map_ids {
            let side = self.side_mut(sender);
            side.last_id += 1;
            let own = RequestId::from(side.last_id);
            call.id = Some(std::mem::replace(&mut request.id, own.clone()).detached());
            if let Some(token) = &mut request.context.progress_token {
                call.token = Some(std::mem::replace(token, own).detached());
            }
            cx.changed();
        }
        self.side_mut(sender).pending.note(&request.id, &request.method, call);
        Ok(())
    }

    /// Tells a modern server what a legacy client said when the session began.
    fn tell(&self, context: &mut RequestContext, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        let session = &self.session;
        context.client_info = context.client_info.take().or_else(|| session.client_info.clone());
        context.log_level = context.log_level.take().or_else(|| session.log_level.clone());
        if context.client_capabilities.is_none()
            && let Some(capabilities) = &session.client_capabilities
        {
            // Lowered here and not with the request, since it is no member that the client sent.
            let mut capabilities = capabilities.clone();
            capabilities.lower(&mut Lowering::new(cx.target(), &Policy::faithful()))?;
            context.client_capabilities = Some(capabilities);
        }
        cx.changed();
        Ok(())
    }

    fn prepare_notification(
        &mut self,
        sender: Sender,
        notification: &mut Notification,
        cx: &mut Lowering<'_>,
    ) -> Result<(), LowerError> {
        if !self.map_ids {
            return Ok(());
        }
        let mapped = match &mut notification.params {
            Some(NotificationParams::Progress(params)) => {
                let pending = &self.side(sender.peer()).pending;
                let token =
                    pending.call(&params.progress_token).and_then(|call| call.token.clone());
                token.map(|token| params.progress_token = token)
            }
            Some(NotificationParams::Cancelled(params)) => {
                params.request_id.as_mut().and_then(|id| {
                    let own = self.side(sender).pending.own_id(id)?.clone();
                    *id = own;
                    Some(())
                })
            }
            _ => None,
        };
        if mapped.is_some() {
            cx.changed();
        }
        Ok(())
    }

    fn prepare_response(
        &mut self,
        sender: Sender,
        response: &mut Response,
        cx: &mut Lowering<'_>,
    ) -> Result<(), LowerError> {
        let call = self.answered(sender, &mut response.id, cx);
        match &mut response.result {
            ResultBody::ListTools(list) if sender == Sender::Server => {
                let lowered = cx.has(Feature::OutputSchema) && !cx.has(Feature::AnyOutputSchema);
                for tool in list.tools.iter().filter_map(|item| item.known()) {
                    let schema = tool.output_schema.as_ref();
                    let wrapped = lowered && schema.is_some_and(|s| !s.has_object_root());
                    self.note_tool(&tool.name, wrapped);
                }
                Ok(())
            }
            ResultBody::CallTool(result) => match call.tool {
                Some(tool) if self.wrapped.contains(&tool) => {
                    cx.member("result", |cx| result.match_schema(true, cx))
                }
                Some(tool) if self.unwrapped.contains(&tool) => {
                    cx.member("result", |cx| result.match_schema(false, cx))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn note_tool(&mut self, name: &Text, wrapped: bool) {
        let name = Text::from(name.as_str());
        let (into, out_of) = match wrapped {
            true => (&mut self.wrapped, &mut self.unwrapped),
            false => (&mut self.unwrapped, &mut self.wrapped),
        };
        out_of.remove(&name);
        if into.len() < self.capacity {
            into.insert(name);
        }
    }

    /// Settles the request that `id` answers: restores the sender's own id, and forgets it.
    fn answered(&mut self, sender: Sender, id: &mut RequestId, cx: &mut Lowering<'_>) -> Call {
        let call = self.side_mut(sender.peer()).pending.take(id).unwrap_or_default();
        if let Some(own) = &call.id {
            *id = own.clone();
            cx.changed();
        }
        call
    }
}
