//! What holds for every question to a client and every answer, whichever way they are carried: as
//! requests of the server until 2025-11-25, inside results and repeated requests since.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use proptest::test_runner::TestCaseResult;
use protocol_droid_codecs::{Codec, Expect, compiled, typed_responses, untyped_responses};
use protocol_droid_ir::{
    Feature, FeatureSet, InputParams, InputRequest, InputRequiredResult, InputResponse, Item,
    JsonText, Message, Params, Policy, Request, RequestContext, Response, ResultBody,
};
use protocol_droid_tests::generate::{Able, config, id, text};
use protocol_droid_tests::generate_clientside::input_request;
use protocol_droid_tests::generate_methods::{has, kinds};
use protocol_droid_tests::laws::{check, shown};
use protocol_droid_tests::refused::refusals;
use protocol_droid_tests::whole::whole_faults;

/// What a client can be asked.
const ASKED: [&str; 3] = ["elicitation/create", "roots/list", "sampling/createMessage"];

fn eras() -> (Vec<&'static dyn Codec>, Vec<&'static dyn Codec>) {
    compiled().iter().partition(|codec| codec.version().is_modern())
}

/// The text of a message that its revision allows.
fn written(codec: &dyn Codec, method: &str, message: &Message) -> Result<String, TestCaseError> {
    let mut out = Vec::new();
    let encoded = codec.encode(message, &mut out);
    prop_assert!(encoded.is_ok(), "{codec:?}: {encoded:?}");
    let text = shown(&out);
    let faults = whole_faults(codec.name(), Some(method), &text);
    prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {text}");
    Ok(text)
}

/// A question, now and then with members that a request has and it has not.
fn question(able: Able) -> BoxedStrategy<InputRequest> {
    let names = select(&["error", "id", "jsonrpc", "result"][..]);
    let odd: JsonText = "7.0".parse().expect("JSON");
    (input_request(able), option::weighted(0.2, names))
        .prop_map(move |(question, name)| {
            let Item::Known(mut question) = question else { unreachable!("none is odd") };
            if let Some(name) = name {
                question.extensions.push(name, odd.clone());
            }
            question
        })
        .boxed()
}

fn needs(params: &InputParams, target: FeatureSet) -> FeatureSet {
    match params {
        InputParams::CreateMessage(params) => refusals(&**params, target),
        InputParams::Elicit(params) => refusals(&**params, target),
        _ => FeatureSet::empty(),
    }
}

#[test]
fn a_question_inside_a_result_can_be_asked_by_a_request_or_is_refused_as_the_design_says() {
    let (modern, legacy) = eras();
    let able = Able::of(modern[0]);
    check(config(), (question(able), id(), text()), |(question, id, made_up)| {
        let method = question.params.method();
        for to in &legacy {
            // The id that 2025-11-25 demands is made up.
            let refused = needs(&question.params, to.features()).without(Feature::ElicitationId);
            let (id, made_up) = (id.clone(), Some(made_up.clone()));
            let asked =
                question.clone().into_request(id, made_up, to.features(), &Policy::faithful());
            match asked {
                Ok((request, _)) => {
                    prop_assert!(refused.is_empty(), "{to:?}: {refused:?}");
                    written(*to, method, &Message::Request(request))?;
                }
                Err(error) => {
                    prop_assert!(refused.contains(error.feature), "{to:?}: {error}: {refused:?}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_request_that_asks_a_client_becomes_a_question_inside_a_result() {
    let (modern, legacy) = eras();
    for from in &legacy {
        for (name, samples) in kinds(Able::of(*from)) {
            if !ASKED.contains(&name.as_str()) {
                continue;
            }
            check(config(), samples, |sample| {
                let Message::Request(request) = sample.message else { unreachable!("{name}") };
                let asked = InputRequest::from_request(request, &Policy::faithful());
                let (question, _) =
                    asked.map_err(|error| TestCaseError::fail(error.to_string()))?;
                let requests = vec![("q".into(), Item::Known(question))];
                let result =
                    InputRequiredResult { input_requests: Some(requests), ..Default::default() };
                let result = ResultBody::InputRequired(result);
                let response = Response { id: 1.into(), result, extensions: Default::default() };
                for to in &modern {
                    written(*to, "tools/call", &Message::Response(response.clone()))?;
                }
                Ok(())
            });
        }
    }
}

#[test]
fn the_answer_to_a_request_answers_a_question_and_comes_back() {
    let (modern, legacy) = eras();
    for from in &legacy {
        let kinds = kinds(Able::of(*from)).into_iter();
        let answers = kinds.filter(|(name, _)| ASKED.iter().any(|m| *name == format!("{m} 0")));
        let answers = Union::new(answers.map(|(_, samples)| samples));
        check(config(), answers, |sample| {
            let Message::Response(response) = sample.message else { unreachable!("a response") };
            let given = InputResponse::from_result(response.result, &Policy::faithful());
            let (answer, _) = given.map_err(|error| TestCaseError::fail(error.to_string()))?;
            modern.iter().try_for_each(|to| answers_there_and_here(&answer, *to, &legacy))
        });
    }
}

fn answers_there_and_here(
    answer: &InputResponse,
    modern: &dyn Codec,
    legacy: &[&'static dyn Codec],
) -> TestCaseResult {
    let responses = untyped_responses(modern, &[("q".into(), answer.clone())]);
    let responses = responses.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let question = match answer {
        InputResponse::CreateMessage(_) => InputParams::CreateMessage(Default::default()),
        InputResponse::Elicit(_) => {
            let form = protocol_droid_ir::ElicitParams::Form(Default::default());
            InputParams::Elicit(Box::new(form))
        }
        _ => InputParams::ListRoots(None),
    };
    let method = question.method();
    let typed =
        typed_responses(modern, &responses, &vec![("q".into(), Item::Known(question.into()))]);
    prop_assert_eq!(typed.given.len(), 1, "{:?}", typed);
    prop_assert_eq!(&typed.given[0].1.value, answer);

    let context = RequestContext {
        protocol_version: Some("2026-07-28".into()),
        client_capabilities: Some(Default::default()),
        input_responses: Some(responses),
        ..RequestContext::default()
    };
    let call = Request { context, ..Request::new(1, Params::CallTool(Default::default())) };
    let text = written(modern, "tools/call", &Message::Request(call.clone()))?;
    let read = modern.decode(text.as_bytes(), Expect::default());
    let Ok(Message::Request(read)) = read.map(|read| read.value) else { panic!("{text}") };
    prop_assert_eq!(read.context.input_responses, call.context.input_responses);

    for to in legacy.iter().filter(|codec| has(**codec, method)) {
        let refused = match answer {
            InputResponse::CreateMessage(result) => refusals(&**result, to.features()),
            InputResponse::Elicit(result) => refusals(result, to.features()),
            _ => FeatureSet::empty(),
        };
        match answer.clone().into_result(to.features(), &Policy::faithful()) {
            Ok(result) => {
                prop_assert!(refused.is_empty(), "{to:?}: {refused:?}");
                let (result, _) = result.expect("a typed answer");
                let response = Response { id: 1.into(), result, extensions: Default::default() };
                written(*to, method, &Message::Response(response))?;
            }
            Err(error) => prop_assert!(refused.contains(error.feature), "{to:?}: {error}"),
        }
    }
    Ok(())
}
