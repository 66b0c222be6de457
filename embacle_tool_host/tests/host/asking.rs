//! Questions to the client: of every kind, several at once, and over several rounds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use embacle_tool_host::ir::{Content, ElicitValue, Item, JsonText, Text};
use embacle_tool_host::{
    Answer, CallContext, HostConfig, Question, StaticSurface, ToolHost, ToolOutcome, ToolSession,
    Value, form_of_json, roots, sample, tool, url,
};
use serde_json::json;

use crate::lines::Peer;
use crate::support::{Client, NAME, call, request};

/// What `rounds` did, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// `all` asks four things at once, `rounds` one after the other with something kept in between,
/// `same` two things by one key, `changing` another thing by the same key in each round, and
/// `model`, `dirs`, `page` each their one thing.
fn surface(log: &Log) -> StaticSurface {
    let any = |name: &str| tool(name, "Asks.", r#"{"type":"object"}"#).unwrap();
    let mut surface = StaticSurface::new();
    for (name, question) in
        [("model", sample("Hi", 10)), ("dirs", roots()), ("page", url("See", "https://a.example/"))]
    {
        surface = surface
            .with(any(name), move |_, context| ask(context, vec![("one".into(), question.clone())]))
            .unwrap();
    }
    let rounds = log.clone();
    let form = || form_of_json("Who?", NAME).unwrap();
    surface
        .with(any("all"), move |_, context| {
            ask(
                context,
                vec![
                    ("form".into(), form()),
                    ("model".into(), sample("Hi", 10)),
                    ("dirs".into(), roots()),
                    ("page".into(), url("See", "https://a.example/")),
                ],
            )
        })
        .unwrap()
        .with(any("same"), move |_, context| {
            ask(context, vec![("one".into(), form()), ("one".into(), roots())])
        })
        .unwrap()
        .with(any("changing"), {
            let round = Arc::new(AtomicUsize::new(0));
            move |_, context| {
                let question = match round.fetch_add(1, Ordering::SeqCst) {
                    0 | 1 => form(),
                    _ => sample("Hi", 10),
                };
                let second = ("two".into(), roots());
                let asked = vec![("one".into(), question)];
                async move {
                    match ask(context.clone(), asked).await {
                        ToolOutcome::Succeeded(_) => ask(context, vec![second]).await,
                        other => other,
                    }
                }
            }
        })
        .unwrap()
        .with(any("rounds"), move |_, context| {
            let log = rounds.clone();
            async move {
                log.add("start");
                let number = match context.kept("number") {
                    Some(number) => number,
                    None => {
                        log.add("dear");
                        JsonText::new("1.50").unwrap()
                    }
                };
                context.keep("number", number.clone());
                let a = context.ask("a", form_of_json("A?", NAME).unwrap()).await;
                log.add(said(&a.unwrap()));
                context.keep("after a", JsonText::from(&Text::from("yes")));
                let b = context.ask("b", form_of_json("B?", NAME).unwrap()).await;
                log.add(said(&b.unwrap()));
                let c = context.ask("c", form_of_json("C?", NAME).unwrap()).await;
                log.add(said(&c.unwrap()));
                let kept = context.kept("after a").map(|kept| kept.as_str().to_owned());
                ToolOutcome::text(format!("{number} {}", kept.unwrap_or_default()))
            }
        })
        .unwrap()
}

async fn ask(context: CallContext, questions: Vec<(Text, Question)>) -> ToolOutcome {
    match context.ask_all(questions).await {
        Ok(answers) => ToolOutcome::text(answers.iter().map(said).collect::<Vec<_>>().join(", ")),
        Err(error) => ToolOutcome::declined(error.to_string()),
    }
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Elicit(result) => {
            let name = result.content.iter().flatten().find_map(|(_, value)| match value {
                Item::Known(ElicitValue::Text(text)) => Some(text.to_string()),
                _ => None,
            });
            format!("{} {}", result.action, name.unwrap_or_default())
        }
        Answer::CreateMessage(result) => match &result.content.blocks()[0] {
            Content::Text(block) => block.text.to_string(),
            _ => String::new(),
        },
        Answer::ListRoots(result) => result
            .roots
            .iter()
            .filter_map(|root| Some(root.known()?.uri.as_str()))
            .collect::<Vec<_>>()
            .join(" "),
        _ => String::new(),
    }
}

fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

fn spoken(text: &str) -> Value {
    json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"})
}

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// What a client answers to a question, by its method and whether it is one by URL.
fn answer_to(question: &Value) -> Value {
    match question["method"].as_str().unwrap() {
        "sampling/createMessage" => spoken("hello"),
        "roots/list" => json!({"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}),
        "elicitation/create" if question["params"]["mode"] == "url" => json!({"action": "decline"}),
        _ => named("Ada"),
    }
}

const ALL: &str = "accept Ada, hello, file:///a file:///b, decline ";

async fn hosted(log: &Log) -> (ToolHost, ToolSession, Client) {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface(log)).unwrap();
    let client = Client::of(&session);
    (host, session, client)
}

/// A round of a call of 2026-07-28.
async fn round(client: &Client, name: &str, state: &Value, answers: Value) -> Value {
    let mut params = json!({"name": name, "inputResponses": answers});
    if !state.is_null() {
        params["requestState"] = state.clone();
    }
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = everything();
    client.modern("tools/call", params).await.json()["result"].clone()
}

/// The keys of the questions, sorted: whether a map keeps its order is for other crates to say.
fn asked(result: &Value) -> Vec<&str> {
    let requests = result["inputRequests"].as_object().unwrap_or_else(|| panic!("{result}"));
    let mut keys: Vec<_> = requests.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

#[tokio::test]
async fn several_questions_are_one_round_and_their_answers_may_come_in_parts() {
    let (_host, _session, client) = hosted(&Log::default()).await;
    let first = round(&client, "all", &Value::Null, json!({})).await;
    let questions = &first["inputRequests"];
    assert_eq!(asked(&first), ["dirs", "form", "model", "page"]);
    assert_eq!(questions["form"]["method"], "elicitation/create");
    assert_eq!(questions["model"]["method"], "sampling/createMessage");
    assert_eq!(questions["model"]["params"]["maxTokens"], 10);
    assert_eq!(questions["dirs"]["method"], "roots/list");
    assert_eq!(questions["page"]["params"]["url"], "https://a.example/");
    let answers: serde_json::Map<_, _> = questions
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, question)| (key.clone(), answer_to(question)))
        .collect();
    let state = &first["requestState"];
    assert_eq!(text(&round(&client, "all", state, json!(answers)).await), ALL);

    let some = json!({"page": answers["page"], "form": answers["form"], "model": {"role": 5}});
    let second = round(&client, "all", state, some).await;
    assert_eq!(asked(&second), ["dirs", "model"], "what is answered is not asked again");
    let rest = json!({"dirs": answers["dirs"], "model": answers["model"]});
    assert_eq!(text(&round(&client, "all", &second["requestState"], rest).await), ALL);
}

#[tokio::test]
async fn several_questions_are_as_many_requests_on_a_legacy_revision() {
    let mut peer = Peer::of(surface(&Log::default()), HostConfig::default());
    peer.initialize_with("2025-11-25", everything()).await;
    peer.say(call(1, "all").to_string()).await;
    let mut questions = Vec::new();
    for _ in 0..4 {
        questions.push(peer.hear().await);
    }
    // The answers may come in any order.
    for question in questions.iter().rev() {
        let answer = answer_to(question);
        peer.say(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string())
            .await;
    }
    assert_eq!(text(&peer.hear().await["result"]), ALL);
    for (tool, answer) in
        [("model", "hello"), ("dirs", "file:///a file:///b"), ("page", "decline ")]
    {
        let question = peer.ask(&call(2, tool)).await;
        let answered =
            json!({"jsonrpc": "2.0", "id": question["id"], "result": answer_to(&question)});
        assert_eq!(text(&peer.ask(&answered).await["result"]), answer);
    }
    let question = peer.ask(&call(3, "model")).await;
    let refusal = json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no model today"}});
    let refused = peer.ask(&refusal).await["result"].clone();
    assert_eq!(
        (&refused["isError"], text(&refused).contains("no model today")),
        (&json!(true), true)
    );
}

#[tokio::test]
async fn who_cannot_be_asked_is_told_what_it_lacks() {
    let (_host, _session, client) = hosted(&Log::default()).await;
    let forms = json!({"elicitation": {}});
    for (tool, declared, required) in [
        ("model", forms.clone(), json!({"sampling": {}})),
        ("dirs", forms.clone(), json!({"roots": {}})),
        ("page", forms.clone(), json!({"elicitation": {"url": {}}})),
        ("all", json!({"sampling": {}, "roots": {}}), json!({"elicitation": {}})),
    ] {
        let mut params = json!({"name": tool});
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declared.clone();
        let response = client.modern("tools/call", params).await;
        assert_eq!((response.status, response.code()), (400, -32021), "{tool}");
        assert_eq!(response.json()["error"]["data"]["requiredCapabilities"], required, "{tool}");
        let mut peer = Peer::of(surface(&Log::default()), HostConfig::default());
        peer.initialize_with("2025-11-25", declared).await;
        let declined = peer.ask(&call(1, tool)).await;
        assert_eq!(declined["result"]["isError"], true, "{tool} {declined}");
    }
    let mut peer = Peer::of(surface(&Log::default()), HostConfig::default());
    peer.initialize_with("2025-06-18", json!({"elicitation": {}})).await;
    let page = peer.ask(&call(1, "page")).await;
    assert_eq!(page["result"]["isError"], true, "this revision has no pages: {page}");
    for (version, params) in [("2026-07-28", json!({"name": "same"})), ("2025-11-25", Value::Null)]
    {
        let result = match version {
            "2026-07-28" => round(&client, "same", &params["state"], json!({})).await,
            _ => {
                peer.ask(&request(2, "tools/call", json!({"name": "same"}))).await["result"].clone()
            }
        };
        assert!(text(&result).contains("two questions bear the key"), "{result}");
    }
}

#[tokio::test]
async fn rounds_add_up_and_what_was_answered_stays() {
    let log = Log::default();
    let (_host, _session, client) = hosted(&log).await;
    let first = round(&client, "rounds", &Value::Null, json!({})).await;
    assert_eq!((asked(&first), log.take()), (vec!["a"], vec!["start".into(), "dear".into()]));
    let second = round(&client, "rounds", &first["requestState"], json!({"a": named("Ada")})).await;
    assert_eq!(
        (asked(&second), log.take()),
        (vec!["b"], vec!["start".into(), "accept Ada".into()])
    );
    let state = &second["requestState"];
    // Neither another answer under the key of an earlier round, nor one that is none.
    for other in [named("Mallory"), json!({"action": "cancel"}), json!(5), Value::Null] {
        let answers = json!({"a": other, "b": named("Bob")});
        let third = round(&client, "rounds", state, answers).await;
        assert_eq!(asked(&third), ["c"], "{other}");
        assert_eq!(log.take(), ["start", "accept Ada", "accept Bob"], "{other}");
        let answers = json!({"b": other, "c": named("Cy"), "a": other});
        let done = round(&client, "rounds", &third["requestState"], answers).await;
        assert_eq!(text(&done), "1.50 \"yes\"");
        assert_eq!(log.take(), ["start", "accept Ada", "accept Bob", "accept Cy"], "{other}");
    }
    for hidden in ["Ada", "1.50", "yes", "QWRh"] {
        assert!(!state.as_str().unwrap().contains(hidden), "the client cannot read it");
    }
}

#[tokio::test]
async fn a_state_may_be_used_again_within_its_time() {
    let log = Log::default();
    let (_host, _session, client) = hosted(&log).await;
    let first = round(&client, "rounds", &Value::Null, json!({})).await;
    let second = round(&client, "rounds", &first["requestState"], json!({"a": named("Ada")})).await;
    log.take();
    let answers = || json!({"b": named("Bob"), "c": named("Cy")});
    let results = [
        round(&client, "rounds", &second["requestState"], answers()).await,
        round(&client, "rounds", &second["requestState"], answers()).await,
    ];
    assert_eq!(results[0], results[1], "who lost the answer gets it again");
    assert_eq!(log.take().iter().filter(|what| *what == "start").count(), 2, "the tool runs again");
    // Whoever goes back to an earlier state is at that round again, with another answer if it likes.
    let other = round(&client, "rounds", &first["requestState"], json!({"a": named("Eve")})).await;
    assert_eq!((asked(&other), log.take()), (vec!["b"], vec!["start".into(), "accept Eve".into()]));
}

#[tokio::test]
async fn an_answer_that_no_longer_fits_gives_way_to_the_next() {
    let (_host, _session, client) = hosted(&Log::default()).await;
    let first = round(&client, "changing", &Value::Null, json!({})).await;
    assert_eq!(first["inputRequests"]["one"]["method"], "elicitation/create");
    let second = round(&client, "changing", &first["requestState"], json!({"one": named("Ada")}));
    let second = second.await;
    assert_eq!(asked(&second), ["two"]);
    let third = round(&client, "changing", &second["requestState"], json!({})).await;
    assert_eq!(third["inputRequests"]["one"]["method"], "sampling/createMessage");
    let answers = json!({"one": spoken("hello"), "two": {"roots": [{"uri": "file:///a"}]}});
    let done = round(&client, "changing", &third["requestState"], answers).await;
    assert_eq!(text(&done), "file:///a");
}
