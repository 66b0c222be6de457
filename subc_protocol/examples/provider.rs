//! A provider from bytes to bytes, with a consumer that sends one call twice.
//!
//! ```text
//! cargo run -p subc_protocol --example provider
//! ```

use std::error::Error;

use subc_protocol::{
    Address, Body, BodyError, ErrorBody, Fence, Frame, FrameDecoder, FrameType, RawToolCallRequest,
    Ticket, ToolCallRequest, Verdict,
    serde_json::{Value, json},
};

fn main() -> Result<(), Box<dyn Error>> {
    let route = Address::new(3, 1).ok_or("an epoch on the control channel")?;
    let mut add = ToolCallRequest::new("add", json!({"a": 1, "b": 2}));
    add.tool_call_id = Some("call_1".into());
    let nameless = ToolCallRequest::new("", json!({}));

    let mut input = Vec::new();
    for frame in [
        Frame::ping(Address::Control, 1).build(),
        Frame::request(route, 2, Body::json(&add)?).build(),
        Frame::request(route, 3, Body::json(&add)?).build(),
        Frame::request(route, 4, Body::json(&nameless)?).build(),
        Frame::goodbye(Address::Control, 5).build(),
    ] {
        frame.encode_into(&mut input);
    }

    let mut provider = Provider::new();
    let mut output = Vec::new();
    // As from a socket: in pieces that know nothing of frames.
    for piece in input.chunks(16) {
        provider.receive(piece, &mut output)?;
    }
    provider.decoder.finish()?;

    let mut answers = FrameDecoder::new();
    answers.push(&output);
    while let Some(frame) = answers.next_frame()? {
        let body = String::from_utf8_lossy(frame.body().as_bytes());
        println!("{} {}: {body}", frame.corr(), frame.frame_type());
    }
    println!("runs: {}, ids made up: {:?}", provider.runs, provider.made_up);
    Ok(())
}

struct Provider {
    decoder: FrameDecoder,
    /// One consumer, so ids are keys enough.
    fence: Fence<Answer>,
    made_up: Vec<String>,
    runs: usize,
}

type Answer = Result<Body, ErrorBody>;

impl Provider {
    fn new() -> Self {
        let weigh = |answer: &Answer| answer.as_ref().map_or(256, |body| body.len() as u64);
        Self {
            decoder: FrameDecoder::new(),
            fence: Fence::with_weight_limit(1024, 16 << 20, weigh),
            made_up: Vec::new(),
            runs: 0,
        }
    }

    fn receive(&mut self, piece: &[u8], output: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
        self.decoder.push(piece);
        while let Some(frame) = self.decoder.next_frame()? {
            let (address, corr) = (frame.address(), frame.corr());
            match frame.frame_type() {
                FrameType::Ping => Frame::pong(address, corr).build().encode_into(output),
                FrameType::Request => {
                    let builder = match self.answer(&frame) {
                        Ok(body) => Frame::response(address, corr, body),
                        Err(error) => Frame::error(address, corr, Body::json(&error)?),
                    };
                    builder.last(true).build().encode_into(output);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn answer(&mut self, frame: &Frame) -> Answer {
        let request: RawToolCallRequest = frame.body().parse().map_err(refuse("bad_request"))?;
        request.validate().map_err(refuse("bad_request"))?;
        let id = request.call_id(
            || format!("{:?}/{}", frame.address(), frame.corr()),
            &mut |tool: &str, id: &str| self.made_up.push(format!("{tool}: {id}")),
        );
        match self.fence.begin(id).map_err(refuse("busy"))? {
            Verdict::First(ticket) => self.run(ticket, request),
            Verdict::Done(answer) => answer.clone(),
            Verdict::InFlight => Err(ErrorBody::new("in_flight", "the call is running")),
            Verdict::Spent => Err(ErrorBody::new("spent", "the answer is no longer held")),
        }
    }

    fn run(&mut self, ticket: Ticket, request: RawToolCallRequest) -> Answer {
        self.runs += 1;
        let answer = call(request);
        self.fence.complete(ticket, answer.clone()).map_err(refuse("internal"))?;
        answer
    }
}

/// The tools.
fn call(request: RawToolCallRequest) -> Answer {
    let request = ToolCallRequest::try_from(request).map_err(refuse("bad_request"))?;
    let sum = match request.name.as_str() {
        "add" => ["a", "b"].map(|key| request.arguments[key].as_i64()),
        _ => return Err(ErrorBody::new("unknown_tool", "no such tool")),
    };
    let [Some(a), Some(b)] = sum else {
        return Err(ErrorBody::new("bad_arguments", "`a` and `b` are integers"));
    };
    let sum = a.checked_add(b).map_or(Value::Null, Value::from);
    Body::json(&json!({ "sum": sum })).map_err(refuse::<BodyError>("internal"))
}

fn refuse<E: Error>(code: &str) -> impl FnOnce(E) -> ErrorBody {
    move |error| ErrorBody::new(code, error.to_string())
}
