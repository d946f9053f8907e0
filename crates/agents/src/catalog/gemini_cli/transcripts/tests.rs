//! Tests of the Gemini CLI transcript reader: sample recordings, and snapshots of the messages they give.

use std::path::Path;

use expect_test::{Expect, expect};
use model::Projection;

use super::build_projection;
use crate::transcript::projection_snapshot::render_projection;

fn gemini() -> Box<dyn Projection> {
    build_projection(Path::new("tmp/app/chats/session-2026-08-01T10-00-aaaaaaaa.jsonl"))
}

fn check(lines: &str, expected: &Expect) {
    expected.assert_eq(&render_projection(gemini().as_mut(), lines));
}

#[test]
fn a_message_that_is_written_again_is_told_once_as_last_written() {
    check(
        r#"{"sessionId":"s-1","projectHash":"h","startTime":"2026-08-01T10:00:00Z","lastUpdated":"2026-08-01T10:00:00Z","kind":"main","directories":["/home/user/app"]}
{"id":"u1","timestamp":"2026-08-01T10:00:01Z","type":"user","content":[{"text":"what is here?"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}
{"$set":{"lastUpdated":"2026-08-01T10:00:01Z"}}
{"id":"g1","timestamp":"2026-08-01T10:00:02Z","type":"gemini","content":"","thoughts":[{"subject":"Looking","description":"at files","timestamp":"t"}],"toolCalls":[{"id":"c1","name":"list_directory","args":{"path": "."},"status":"executing","displayName":"ReadFolder"}],"model":"gemini"}
{"id":"g1","timestamp":"2026-08-01T10:00:02Z","type":"gemini","content":"","thoughts":[{"subject":"Looking","description":"at files","timestamp":"t"}],"toolCalls":[{"id":"c1","name":"list_directory","args":{"path": "."},"status":"success","displayName":"ReadFolder","result":[{"functionResponse":{"id":"c1","name":"list_directory","response":{"output":"a.rs"}}}]}],"tokens":{"input":100,"output":10,"cached":0,"thoughts":5,"tool":0,"total":115},"model":"gemini"}
{"id":"g2","type":"gemini","content":[{"text":"One file."},{"fileData":{"fileUri":"gs://x","mimeType":"text/plain"}},{"executableCode":{"code":"1"}}]}
{"id":"i1","type":"info","content":"Update available"}
{"id":"e1","type":"error","content":[{"text":"quota"}]}
{"$set":{"summary":"What is here"}}
{"id":"x1","type":"gemini","content":""}
{"strange":1}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 event $set
            3 message
            4 message
            5 message
            6 message
            7 message
            8 event $set
            9 event gemini without content
            10 unknown a line without type
            # u1 user [1]
                text "what is here?"
                file mime="image/png" url="data:image/png;base64,AAAA"
            # g1 assistant under u1 [3, 4]
                reasoning "Looking\nat files"
                tool id="c1" name="list_directory" status="success" title="ReadFolder" output="a.rs" input={"path": "."}
                StepFinish { reason: None, cost_micros: None, tokens_in: Some(100), tokens_out: Some(15) }
            # g2 assistant under g1 [5]
                text "One file."
                file mime="text/plain" url="gs://x"
                text "{\"executableCode\":{\"code\":\"1\"}}"
            # i1 system by program under g2 [6]
                text "Update available"
            # e1 system by program under i1 [7]
                text "quota"
            = gemini-cli s-1 «What is here» in /home/user/app
        "#]],
    );
}

#[test]
fn going_back_makes_a_branch_and_a_list_that_replaces_all_adds_what_is_new() {
    check(
        r#"{"sessionId":"s-1","projectHash":"h"}
{"id":"a","type":"user","content":"first"}
{"id":"b","type":"gemini","content":"reply"}
{"id":"c","type":"user","content":"second"}
{"$rewindTo":"c"}
{"id":"d","type":"user","content":"other second"}
{"$set":{"messages":[{"id":"s","type":"user","content":[{"text":"folded: …"}]},{"id":"s2","type":"gemini","content":"Got it."},{"id":"d","type":"user","content":"other sec…"}]}}
{"id":"a","type":"user","content":"first"}
{"id":"a","type":"user","content":"first, changed"}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 message
            3 message
            4 event $rewindTo
            5 message
            6 message
            7 repeat of a
            8 message
            # a user [1]
                text "first"
            # b assistant under a [2]
                text "reply"
            # c user under b [3]
                text "second"
            # d user under b [5]
                text "other second"
            # s user by summary under d [6]
                Compaction { auto: true }
                text "folded: …"
            # s2 assistant by program under s [6]
                text "Got it."
            # a~b6bf5afd40d94b25 user under a continues a [8]
                text "first, changed"
            = gemini-cli s-1 «-» in -
        "#]],
    );
}

#[test]
fn the_first_versions_wrote_one_document() {
    check(
        "{ \"sessionId\": \"s-1\", \"projectHash\": \"h\", \"messages\": [ {\"id\":\"a\",\"type\":\"user\",\"content\":\"first\"}, {\"id\":\"b\",\"type\":\"gemini\",\"content\":\"reply\"}, 7 ] }",
        &expect![[r#"
            0 unknown a message that is no object
            # a user [0]
                text "first"
            # b assistant under a [0]
                text "reply"
            = gemini-cli s-1 «-» in -
        "#]],
    );
}

#[test]
fn after_a_pause_only_what_is_new_is_told() {
    let mut projection = gemini();
    projection.feed_line(
        br#"{"id":"g1","type":"gemini","content":"Let me look.","toolCalls":[{"id":"c1","name":"ls","args":{}}]}"#,
    );
    let first = projection.pause();
    assert_eq!(first.len(), 1);
    let again = r#"{"id":"g1","type":"gemini","content":"Let me look.","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"success","result":"a"}]}
{"id":"g1","type":"gemini","content":"Let me look.","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"success","result":"a"}],"tokens":{"input":1,"output":1}}
"#;
    expect![[r#"
        0 message
        1 message
        # g1~4ffa0f6fd7bf1a8d assistant under g1 continues g1 [1, 2]
            tool id="c1" name="ls" status="success" output="a" input={}
            StepFinish { reason: None, cost_micros: None, tokens_in: Some(1), tokens_out: Some(1) }
        = gemini-cli session-2026-08-01T10-00-aaaaaaaa «-» in -
    "#]]
    .assert_eq(&render_projection(projection.as_mut(), again));
}

#[test]
fn a_prompt_is_what_the_person_wrote_without_what_hooks_put_before_it() {
    check(
        r#"{"sessionId":"s-1","kind":"main","directories":["/home/user/app"]}
{"id":"u0","type":"user","content":[{"text":"<session_context>\nThis is the Gemini CLI."}]}
{"id":"u1","type":"user","content":[{"text":"<hook_context>&lt;epitome&gt;\nnever push\n&lt;/epitome&gt;</hook_context>\n\nGo on."}]}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 message
            # u0 user by program [1]
                text "<session_context>\nThis is the Gemini CLI."
            # u1 user under u0 [2]
                text "Go on."
            = gemini-cli s-1 «-» in /home/user/app
        "#]],
    );
}

#[test]
fn a_result_is_told_once_with_its_call() {
    check(
        r#"{"sessionId":"s-1","projectHash":"h"}
{"id":"u1","type":"user","content":[{"text":"what is here?"}]}
{"id":"g1","type":"gemini","content":"I look.","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"success","result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.rs"}}}]}]}
{"id":"r1","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.rs"}}}]}
{"id":"g2","type":"gemini","content":"One file."}
{"id":"r2","type":"user","content":[{"functionResponse":{"id":"c2","name":"cat","response":{"output":"fn a() {}"}}}]}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 message
            3 repeat of g1
            4 message
            5 message
            # u1 user [1]
                text "what is here?"
            # g1 assistant under u1 [2]
                text "I look."
                tool id="c1" name="ls" status="success" output="a.rs" input={}
            # g2 assistant under g1 [4]
                text "One file."
            # r2 tool under g2 [5]
                tool id="c2" name="cat" output="fn a() {}"
            = gemini-cli s-1 «-» in -
        "#]],
    );
}

#[test]
fn a_list_after_a_fold_tells_its_summary_and_nothing_that_was_said_under_another_id() {
    check(
        r#"{"sessionId":"s-1","projectHash":"h"}
{"$set":{"messages":[{"id":"env","type":"user","content":[{"text":"<session_context>\nToday.\n</session_context>"}]}]}}
{"id":"u1","type":"user","content":[{"text":"what is here?"}]}
{"id":"g1","type":"gemini","content":"I look.","toolCalls":[{"id":"c1","name":"ls","args":{},"status":"success","result":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.rs"}}}]}]}
{"id":"r1","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"a.rs"}}}]}
{"id":"g2","type":"gemini","content":"One file."}
{"$set":{"messages":[{"id":"env","type":"user","content":[{"text":"<session_context>\nToday.\n</session_context>"}]},{"id":"n1","type":"user","content":[{"text":"<state_snapshot>one file</state_snapshot>"}]},{"id":"n2","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]},{"id":"n3","type":"gemini","content":[{"text":"I look."},{"functionCall":{"id":"c1","name":"ls","args":{}}}]},{"id":"n4","type":"user","content":[{"functionResponse":{"id":"c1","name":"ls","response":{"output":"[masked]"}}}]},{"id":"n5","type":"gemini","content":[{"text":"One file."}]}]}}
{"id":"u2","type":"user","content":[{"text":"go on"}]}
{"$set":{"messages":[{"id":"m1","type":"user","content":[{"text":"<state_snapshot>going on</state_snapshot>"}]},{"id":"m2","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]},{"id":"m3","type":"user","content":[{"text":"go on"}]}]}}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 message
            3 message
            4 repeat of g1
            5 message
            6 message
            7 message
            8 message
            # env user by program [1]
                text "<session_context>\nToday.\n</session_context>"
            # u1 user under env [2]
                text "what is here?"
            # g1 assistant under u1 [3]
                text "I look."
                tool id="c1" name="ls" status="success" output="a.rs" input={}
            # g2 assistant under g1 [5]
                text "One file."
            # n1 user by summary under g2 [6]
                Compaction { auto: true }
                text "<state_snapshot>one file</state_snapshot>"
            # n2 assistant by program under n1 [6]
                text "Got it. Thanks for the additional context!"
            # u2 user under n2 [7]
                text "go on"
            # m1 user by summary under u2 [8]
                Compaction { auto: true }
                text "<state_snapshot>going on</state_snapshot>"
            = gemini-cli s-1 «-» in -
        "#]],
    );
}

#[test]
fn files_that_were_written_out_in_a_prompt_are_not_the_persons_words() {
    check(
        r#"{"sessionId":"s-1","projectHash":"h"}
{"id":"u1","type":"user","content":[{"text":"read @a.rs"},{"text":"\n--- Content from referenced files ---"},{"text":"fn a() {}"},{"text":"<hook_context>other &lt;b&gt;</hook_context>"}],"displayContent":[{"text":"read @a.rs"}]}
{"id":"u2","type":"user","content":[{"text":"Here is the user's editor context as a JSON object. Never mind."}]}
{"id":"u3","type":"user","content":[{"text":"<hook_context>&lt;epitome&gt;\nnever push\n&lt;/epitome&gt;</hook_context>"}]}
{"id":"u4","type":"telegram","content":[{"text":"never push"}]}
"#,
        &expect![[r#"
            0 event session
            1 message
            2 message
            3 event user without content
            4 message
            # u1 user [1]
                text "read @a.rs"
            # u1:added user by program under u1 [1]
                text "<hook_context>other &lt;b&gt;</hook_context>"
                text "\n--- Content from referenced files ---"
                text "fn a() {}"
            # u2 user by program under u1:added [2]
                text "Here is the user's editor context as a JSON object. Never mind."
            # u4 system by program under u2 [4]
                text "never push"
            = gemini-cli s-1 «-» in -
        "#]],
    );
}
