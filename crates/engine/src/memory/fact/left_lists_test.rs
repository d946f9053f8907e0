#[test]
fn a_list_of_steps_that_was_left_for_another_request_is_not_told() {
    let plan = r#"{"todos":[{"content":"Run the checks","status":"pending"}]}"#;
    let planned = ConversationBuilder::new().user("Fix the parser.").tool_round("TodoWrite", plan, "ok");
    assert_eq!(told(&planned), ["Run the checks"]);
    // A question leaves the list as it is, and so does a word that lets the agent go on.
    assert_eq!(told(&planned.clone().user("How long does that take?").user("ok, continue")), ["Run the checks"]);
    let left = planned.user("Please write the release notes.").assistant("They are written.");
    assert_eq!(told(&left), Vec::<String>::new());
    // Listed again, it is open again.
    assert_eq!(told(&left.tool_round("TodoWrite", plan, "ok")), ["Run the checks"]);
}

