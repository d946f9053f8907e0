//! Tests of the Qwen Code transcript reader: sample recordings (JSON lines), and snapshots of the messages they give.

use std::path::Path;

use expect_test::{Expect, expect};

use super::build_projection;
use crate::transcript::projection_snapshot::render_projection;

fn check(path: &str, lines: &str, expected: &Expect) {
    expected.assert_eq(&render_projection(build_projection(Path::new(path)).as_mut(), lines));
}

const CHAT: &str = ".qwen/projects/-home-user-app/chats/s-1.jsonl";

#[test]
fn prompts_answers_and_results_are_messages() {
    check(
        CHAT,
        r#"{"uuid":"q1","parentUuid":null,"sessionId":"s-1","timestamp":"2026-11-16T10:00:00.000Z","type":"user","provenance":"real_user","cwd":"/home/user/app","version":"0.24.4","gitBranch":"main","message":{"role":"user","parts":[{"text":"what is in a.rs?"}]}}
{"uuid":"e1","parentUuid":"q1","sessionId":"s-1","type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{}}}
{"uuid":"a1","parentUuid":"e1","sessionId":"s-1","timestamp":"2026-11-16T10:00:02.000Z","type":"assistant","provenance":"assistant_output","model":"m","message":{"role":"model","parts":[{"text":"I look","thought":true},{"text":"Let me read it."},{"functionCall":{"id":"c1","name":"read_file","args":{"path": "a.rs"}}}]},"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":10,"totalTokenCount":110}}
{"uuid":"r1","parentUuid":"a1","sessionId":"s-1","type":"tool_result","provenance":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"read_file","response":{"output":"fn a() {}"}}}]},"toolCallResult":{"callId":"c1","status":"success"}}
{"uuid":"a2","parentUuid":"r1","sessionId":"s-1","type":"assistant","message":{"role":"model","parts":[{"text":"One function."}]}}
{"uuid":"q2","parentUuid":"a2","sessionId":"s-1","type":"user","subtype":"mid_turn_user_message","message":{"role":"user","parts":[{"text":"and b.rs"}]},"systemPayload":{"displayText":"and b.rs"}}
{"uuid":"t1","parentUuid":"q2","sessionId":"s-1","type":"system","subtype":"custom_title","systemPayload":{"customTitle":"What is here","titleSource":"auto"}}
{"uuid":"q2","parentUuid":"a2","sessionId":"s-1","type":"user","subtype":"mid_turn_user_message","message":{"role":"user","parts":[{"text":"and b.rs"}]},"systemPayload":{"displayText":"and b.rs"}}
"#,
        &expect![[r#"
            0 message
            1 event system ui_telemetry
            2 message
            3 message
            4 message
            5 message
            6 event system custom_title
            7 repeat of q2
            # q1 user [0]
                text "what is in a.rs?"
            # a1 assistant under q1 [2]
                reasoning "I look"
                text "Let me read it."
                tool id="c1" name="read_file" input={"path": "a.rs"}
                StepFinish { reason: None, cost_micros: None, tokens_in: Some(100), tokens_out: Some(10) }
            # r1 tool under a1 [3]
                tool id="c1" name="read_file" status="success" output="fn a() {}"
            # a2 assistant under r1 [4]
                text "One function."
            # q2 user under a2 [5]
                text "and b.rs"
            = qwen-code s-1 «What is here» in /home/user/app
        "#]],
    );
}

#[test]
fn what_the_host_puts_around_a_prompt_is_the_hosts_and_what_we_gave_is_nobodys() {
    check(
        CHAT,
        r#"{"uuid":"q1","sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"<system-reminder>\nThe date is today.\n</system-reminder>\n\nGo on."},{"text":"<qwen:user-prompt-submit-context>\n&lt;epitome&gt;\nnever push\n&lt;/epitome&gt;\n</qwen:user-prompt-submit-context>"}]},"systemPayload":{"displayText":"Go on.","hookContext":"&lt;epitome&gt;\nnever push\n&lt;/epitome&gt;"}}
{"uuid":"m1","parentUuid":"q1","sessionId":"s-1","type":"system","subtype":"at_command","systemPayload":{"filesRead":["a.rs"],"status":"success","userText":"read @a.rs"}}
{"uuid":"q2","parentUuid":"m1","sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"read @a.rs"},{"text":"--- a.rs"},{"text":"fn a() {}"}]}}
{"uuid":"n1","parentUuid":"q2","sessionId":"s-1","type":"user","subtype":"notification","provenance":"system","message":{"role":"user","parts":[{"text":"the task has ended"}]},"systemPayload":{"displayText":"ended"}}
{"uuid":"n2","parentUuid":"n1","sessionId":"s-1","type":"user","subtype":"came_after_us","provenance":"real_user","message":{"role":"user","parts":[{"text":"never deploy"}]}}
{"uuid":"n3","parentUuid":"n2","sessionId":"s-1","type":"system","subtype":"came_after_us","systemPayload":{}}
{"uuid":"n4","parentUuid":"n3","sessionId":"s-1","type":"telegram","message":{"role":"user","parts":[{"text":"stop"}]}}
{"uuid":"n5","parentUuid":"n4","sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"<qwen:user-prompt-submit-context>\n<epitome>\nx\n</epitome>\n</qwen:user-prompt-submit-context>"}]}}
"#,
        &expect![[r#"
            0 message
            1 event system at_command
            2 message
            3 message
            4 unknown user came_after_us
            5 unknown system came_after_us
            6 unknown telegram
            7 event user
            # q1 user [0]
                text "Go on."
            # q1:added user by program under q1 [0]
                text "<system-reminder>\nThe date is today.\n</system-reminder>"
            # q2 user under q1:added [2]
                text "read @a.rs"
            # q2:added user by program under q2 [2]
                text "--- a.rs"
                text "fn a() {}"
            # n1 user by program under q2:added [3]
                text "the task has ended"
            # n2 user by program under n1 [4]
                text "never deploy"
            # n4 system by program under n2 [6]
                text "stop"
            = qwen-code s-1 «-» in -
        "#]],
    );
}

#[test]
fn a_compaction_tells_its_summary_and_going_back_makes_a_branch() {
    check(
        CHAT,
        r#"{"uuid":"q1","sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"one"}]}}
{"uuid":"a1","parentUuid":"q1","sessionId":"s-1","type":"assistant","message":{"role":"model","parts":[{"text":"done"}]}}
{"uuid":"c1","parentUuid":"a1","sessionId":"s-1","type":"system","subtype":"chat_compression","systemPayload":{"info":{"compressionStatus":1,"triggerReason":"manual"},"compressedHistory":[{"role":"user","parts":[{"text":"<state_snapshot>one is done</state_snapshot>"}]},{"role":"model","parts":[{"text":"Got it."}]},{"role":"user","parts":[{"text":"one"}]}]}}
{"uuid":"q2","parentUuid":"c1","sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"two"}]}}
{"uuid":"w1","parentUuid":"a1","sessionId":"s-1","type":"system","subtype":"rewind","systemPayload":{"truncatedCount":1}}
{"uuid":"q3","parentUuid":"w1","sessionId":"s-1","forkedFrom":{"sessionId":"s-0","messageUuid":"q3"},"type":"user","message":{"role":"user","parts":[{"text":"three"}]}}
"#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 event system rewind
            5 message
            # q1 user [0]
                text "one"
            # a1 assistant under q1 [1]
                text "done"
            # c1 system by summary under a1 [2]
                Compaction { auto: false }
                text "<state_snapshot>one is done</state_snapshot>"
            # q2 user under c1 [3]
                text "two"
            # q3 user under a1 [5]
                text "three"
            = qwen-code s-1 «-» in - fork of s-0
        "#]],
    );
}

#[test]
fn a_sub_agent_has_a_file_of_its_own_and_no_person_speaks_in_it() {
    check(
        ".qwen/projects/-home-user-app/subagents/s-1/agent-explore-7.jsonl",
        r#"{"uuid":"b0","sessionId":"s-1","agentId":"explore-7","isSidechain":true,"type":"system","subtype":"agent_bootstrap","systemPayload":{"kind":"fork","history":[]}}
{"uuid":"q1","parentUuid":"b0","sessionId":"s-1","agentId":"explore-7","isSidechain":true,"type":"user","message":{"role":"user","parts":[{"text":"look around"}]}}
{"uuid":"a1","parentUuid":"q1","sessionId":"s-1","agentId":"explore-7","isSidechain":true,"type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ls","args":{}}}]}}
"#,
        &expect![[r#"
            0 event system agent_bootstrap
            1 message
            2 message
            # q1 user by program [1]
                text "look around"
            # a1 assistant under q1 [2]
                tool id="c1" name="ls" input={}
            = qwen-code s-1/agent-explore-7 «-» in - subagent of s-1
        "#]],
    );
}
