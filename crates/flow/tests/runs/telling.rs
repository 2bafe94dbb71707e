//! The events of a flow.

use serde_json::json;

use crate::play::{Stage, Staged, outline, script, sync, with};

#[tokio::test]
async fn a_flow_is_told_with_the_names_and_fields_of_flows() {
    let steps = [
        sync("fetch-user", "user_id >email >name"),
        sync("send-email", "email >message_id"),
        with(
            script("log", "email >logged", "lua", "return {logged = true}"),
            json!({"predicate": {"language": "lua", "source": "return false"}}),
        ),
    ];
    let services = Staged::answering(|call| {
        Ok(match call.step.as_str() {
            "fetch-user" => json!({"email": "ada@example.com"}),
            _ => json!({"message_id": 1}),
        })
    });
    let stage = Stage::new(&steps, services).await;
    let run = stage.start(&["send-email", "log"], json!({"user_id": "12345"})).await;
    stage.end(&run).await.unwrap();
    let events = stage.events(&run).await;
    let told = outline(&events);
    let expected = [
        "flow_started",
        "step_started fetch-user",
        "work_started fetch-user",
        "work_succeeded fetch-user",
        "step_completed fetch-user",
        "attribute_set email",
        "step_started send-email",
        "work_started send-email",
        "work_succeeded send-email",
        "step_completed send-email",
        "attribute_set message_id",
        "step_skipped log: predicate returned false",
        "flow_completed",
    ];
    let (mut sorted, mut wanted) = (told.clone(), expected.map(str::to_owned).to_vec());
    sorted.sort();
    wanted.sort();
    assert_eq!(sorted, wanted, "{told:#?}");
    assert_eq!(told.last().unwrap(), "flow_completed");
    let of = |kind: &str| events.iter().find(|event| event.kind == kind).unwrap().data.clone();
    let flow = json!(run.id().to_string());
    let token = stage.services.calls.lock()[0].token.to_string();
    let started = of("step_started");
    assert_eq!(started["inputs"], json!({"user_id": "12345"}));
    assert_eq!(started["work_items"], json!({ token.clone(): {"user_id": "12345"} }));
    assert_eq!(of("flow_started")["init"], json!({"user_id": "12345"}));
    assert_eq!(of("flow_started")["plan"]["goals"], json!(["send-email", "log"]));
    assert_eq!(
        of("work_succeeded"),
        json!({"flow_id": flow, "step_id": "fetch-user", "token": token, "outputs": {"email": "ada@example.com"}})
    );
    assert_eq!(
        of("attribute_set"),
        json!({"flow_id": flow, "name": "email", "value": "ada@example.com", "provider": "fetch-user"})
    );
    assert_eq!(
        of("step_completed"),
        json!({"flow_id": flow, "step_id": "fetch-user", "outputs": {"email": "ada@example.com"}, "duration": 0})
    );
    assert_eq!(of("flow_completed"), json!({"flow_id": flow, "duration": 0}));
    assert!(events.iter().all(|event| event.timestamp.starts_with("2026-01-01T")));
}

#[tokio::test]
async fn a_goal_that_the_initial_state_satisfies_completes_the_flow_at_once() {
    let stage = Stage::new(&[sync("fetch", ">email")], Staged::default()).await;
    let run = stage.start(&["fetch"], json!({"email": "there"})).await;
    stage.end(&run).await.unwrap();
    assert_eq!(outline(&stage.events(&run).await), ["flow_started", "flow_completed"]);
    assert_eq!(stage.services.n_calls("fetch"), 0);
}

#[tokio::test]
async fn steps_that_cannot_run_say_which_input_they_lack() {
    let steps = [sync("first", ">a"), sync("second", "a >b"), sync("third", "b >c")];
    let stage = Stage::new(&steps, Staged::default()).await;
    let run = stage.start(&["third"], json!({})).await;
    let error = stage.end(&run).await.unwrap_err();
    assert!(
        error.contains("required input `b` is no longer available: `second` failed"),
        "{error}"
    );
    let told = outline(&stage.events(&run).await);
    let why =
        "step_failed second: required input `a` is no longer available: `first` did not give it";
    assert!(told.contains(&why.to_owned()), "{told:#?}");
}
