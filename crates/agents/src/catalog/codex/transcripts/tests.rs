//! Tests of the Codex transcript reader: sample rollouts (JSON lines), and snapshots of the messages they give.

use std::path::Path;

use expect_test::{Expect, expect};

use super::build_projection;
use crate::transcript::projection_snapshot::render_projection;

const FILE: &str = "sessions/2026/08/01/rollout-2026-08-01T10-00-00-019c0000-1111-7222-8333-000000000001.jsonl";

fn check(lines: &str, expected: &Expect) {
    expected.assert_eq(&render_projection(build_projection(Path::new(FILE)).as_mut(), lines));
}

const A_TURN: &str = r#"{"timestamp":"2026-08-01T10:00:00.000Z","type":"session_meta","payload":{"id":"019c-main","timestamp":"2026-08-01T10:00:00.000Z","cwd":"/home/user/app","originator":"codex_cli","cli_version":"0.99.0","source":"cli","base_instructions":{"text":"You are …"},"git":{"commit_hash":"abc","branch":"main"}}}
{"timestamp":"t","type":"turn_context","payload":{"cwd":"/home/user/app","model":"gpt"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/home/user/app</cwd>"}]}}
{"timestamp":"2026-08-01T10:00:02.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"fix it","images":[]}}
{"timestamp":"t","type":"response_item","payload":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"**Looking**"}],"content":null,"encrypted_content":"gAAA"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","id":"fc_1","name":"shell","arguments":"{\"command\": [\"ls\"]}","call_id":"call_1"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":100,"cached_input_tokens":50,"output_tokens":20,"reasoning_output_tokens":5,"total_tokens":120},"last_token_usage":{"input_tokens":100,"cached_input_tokens":50,"output_tokens":20,"reasoning_output_tokens":5,"total_tokens":120},"model_context_window":272000},"rate_limits":null}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":120},"last_token_usage":{"input_tokens":100,"output_tokens":20,"total_tokens":120}},"rate_limits":{"primary":null}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"a.rs\\n\",\"metadata\":{\"exit_code\":0}}"}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call","status":"completed","call_id":"call_2","name":"apply_patch","input":"*** Begin Patch\n*** End Patch"}}
{"timestamp":"t","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"call_2","output":[{"type":"input_text","text":"Success"},{"type":"input_image","image_url":"data:image/png;base64,BBBB"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"local_shell_call","call_id":"call_3","status":"completed","action":{"type":"exec","command":["pwd"]}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"call_3","output":{"content":"denied","success":false}}}
"#;

#[test]
fn items_of_a_turn_are_messages_and_its_tokens_end_the_answer() {
    check(
        A_TURN,
        &expect![[r#"
        0 event session_meta
        1 event turn_context
        2 message
        3 message
        4 message
        5 event event_msg user_message
        6 message
        7 message
        8 message
        9 event event_msg token_count
        10 message
        11 message
        12 message
        13 message
        14 message
        # at-2-c3dd504eb8c35e0e system by program [2]
            text "<permissions instructions>"
        # at-3-602d7c5c6d75e310 user by program under at-2-c3dd504eb8c35e0e [3]
            text "<environment_context>\n  <cwd>/home/user/app</cwd>"
        # at-4-7330981d17b02740 user under at-3-602d7c5c6d75e310 [4]
            text "fix it"
            file mime="image/png" url="data:image/png;base64,AAAA"
        # rs_1 assistant under at-4-7330981d17b02740 [6]
            reasoning "**Looking**"
        # fc_1 assistant under rs_1 [7, 8]
            tool id="call_1" name="shell" input={"command": ["ls"]}
            StepFinish { reason: None, cost_micros: None, tokens_in: Some(100), tokens_out: Some(20) }
        # call_1:output tool under fc_1 [10]
            tool id="call_1" output="{\"output\":\"a.rs\\n\",\"metadata\":{\"exit_code\":0}}"
        # call_2 assistant under call_1:output [11]
            tool id="call_2" name="apply_patch" status="completed" input=*** Begin Patch
        *** End Patch
        # call_2:output tool under call_2 [12]
            tool id="call_2" output="Success"
            file mime="image/png" url="data:image/png;base64,BBBB"
        # call_3 assistant under call_2:output [13]
            tool id="call_3" name="local_shell" status="completed" input={"type":"exec","command":["pwd"]}
        # call_3:output tool under call_3 [14]
            tool id="call_3" error="denied"
        = codex 019c-main «-» in /home/user/app
    "#]],
    );
}

const OTHER_KINDS: &str = r#"{"timestamp":"t","type":"response_item","payload":{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"rust"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_call","call_id":"call_4","status":"completed","execution":"client","arguments":{"query":"x"}}}
{"timestamp":"t","type":"response_item","payload":{"type":"tool_search_output","call_id":"call_4","status":"completed","execution":"client","tools":[{"name":"grep"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"a cat","result":"CCCC"}}
{"timestamp":"t","type":"response_item","payload":{"type":"agent_message","author":"reviewer","recipient":"main","content":[{"type":"input_text","text":"looks good"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","id":"msg_9","content":[{"type":"output_text","text":"Done."}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"Done."}}
{"timestamp":"t","type":"compacted","payload":{"message":"Summary so far","replacement_history":[{"type":"message","role":"user","content":[]}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"ghost_snapshot","ghost_commit":{"id":"deadbeef","parent":null}}}
{"timestamp":"t","type":"response_item","payload":{"type":"context_compaction","encrypted_content":"x"}}
{"timestamp":"t","type":"world_state","payload":{}}
{"timestamp":"t","type":"security_risk_score","payload":{"score":1}}
{"timestamp":"t","type":"inter_agent_communication","payload":{"author":"scout","content":"found it"}}
{"timestamp":"t","type":"response_item","payload":{"type":"dream","of":"sheep"}}
{"timestamp":"t","type":"telepathy","payload":{}}
"#;

#[test]
fn every_kind_of_line_is_told_apart() {
    check(
        OTHER_KINDS,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 message
            5 message
            6 event event_msg agent_message
            7 message
            8 message
            9 message
            10 event world_state
            11 event security_risk_score
            12 message
            13 unknown response_item dream
            14 unknown telepathy
            # ws_1 assistant [0]
                tool id="ws_1" name="web_search" status="completed" input={"type":"search","query":"rust"}
            # call_4 assistant under ws_1 [1]
                tool id="call_4" name="tool_search" status="completed" input={"query":"x"}
            # call_4:output tool under call_4 [2]
                tool id="call_4" status="completed" output="{\"name\":\"grep\"}"
            # ig_1 assistant under call_4:output [3]
                tool id="ig_1" name="image_generation" status="completed" input=a cat
                file mime="image/png" url="data:image/png;base64,CCCC"
            # at-4-eaad797b4b6264aa user by program under ig_1 [4]
                Agent { name: Some("reviewer") }
                text "looks good"
            # msg_9 assistant under at-4-eaad797b4b6264aa [5]
                text "Done."
            # at-7-a3c8e95395a196df system by summary under msg_9 [7]
                Compaction { auto: true }
                text "Summary so far"
            # at-8-6a01e9a315b3a1b2 system by program under at-7-a3c8e95395a196df [8]
                Snapshot { hash: Some("deadbeef") }
            # at-9-0a02d13d7673fdd1 system by program under at-8-6a01e9a315b3a1b2 [9]
                Compaction { auto: true }
            # at-12-e4a139d4fa882055 user by program under at-9-0a02d13d7673fdd1 [12]
                Agent { name: Some("scout") }
                text "found it"
            # at-13-f2a017e2a1c7beb7 assistant by program under at-12-e4a139d4fa882055 [13]
                text "{\"type\":\"dream\",\"of\":\"sheep\"}"
            = codex 019c0000-1111-7222-8333-000000000001 «-» in -
        "#]],
    );
}

#[test]
fn going_back_makes_a_branch_and_a_fork_says_of_what() {
    check(
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"fork","forked_from_id":"origin","cwd":"/a"}}
{"timestamp":"t","type":"session_meta","payload":{"id":"origin","cwd":"/b"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","id":"u1","content":[{"type":"input_text","text":"one"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","id":"a1","content":[{"type":"output_text","text":"1"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","id":"u2","content":[{"type":"input_text","text":"two"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","id":"a2","content":[{"type":"output_text","text":"2"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","id":"u3","content":[{"type":"input_text","text":"three"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","id":"u3","content":[{"type":"input_text","text":"three"}]}}
{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"total_tokens":9},"last_token_usage":{"input_tokens":7,"output_tokens":2}}}}
"#,
        &expect![[r#"
            0 event session_meta
            1 event session_meta
            2 message
            3 message
            4 message
            5 message
            6 event event_msg thread_rolled_back
            7 message
            8 repeat of u3
            9 message
            # u1 user [2]
                text "one"
            # a1 assistant under u1 [3]
                text "1"
            # u2 user under a1 [4]
                text "two"
            # a2 assistant under u2 [5]
                text "2"
            # u3 user under a1 [7]
                text "three"
            # at-9-5f16629a4d2a748c assistant under u3 [9]
                StepFinish { reason: None, cost_micros: None, tokens_in: Some(7), tokens_out: Some(2) }
            = codex fork «-» in /a fork of origin
        "#]],
    );
}

#[test]
fn the_first_versions_wrote_bare_items() {
    check(
        r#"{"id":"old-1","timestamp":"2025-05-01T10:00:00Z","instructions":null,"git":{}}
{"record_type":"state"}
{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hi"}]}
{"type":"reasoning","id":"rs_1","summary":[]}
{"note":1}
"#,
        &expect![[r#"
            0 event session_meta
            1 event state
            2 message
            3 event response_item reasoning
            4 unknown a line without type
            # at-2-00264d062f0ffc0b user [2]
                text "hi"
            = codex old-1 «-» in -
        "#]],
    );
}

#[test]
fn what_we_told_the_agent_is_no_message_and_its_own_summary_is_nobodys_words() {
    check(
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"<epitome>\n- the user requires: never push\n</epitome>"}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Another language model started to solve this problem and produced a summary of its thinking process. Use this to build on the work."}]}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}}
"#,
        &expect![[r#"
            0 event response_item message
            1 message
            2 message
            # at-1-df4af66fc5dc9a3d user by summary [1]
                text "Another language model started to solve this problem and produced a summary of its thinking process. Use this to build on the work."
            # at-2-d3acce160b8b6ef7 user under at-1-df4af66fc5dc9a3d [2]
                text "Go on."
            = codex 019c0000-1111-7222-8333-000000000001 «-» in -
        "#]],
    );
}

/// What a command printed, and what the model saw of it, as version 0.166.0 writes both.
const CUT_OUTPUTS: &str = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"019c-main","cwd":"/home/user/app"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","id":"fc_1","name":"exec_command","arguments":"{}","call_id":"call_1"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"CommandExecution","id":"call_1","status":"completed","aggregated_output":"row 1 of the table that is much too long\nrow 2 of the table that is much too long\nrow 3 of the table that is much too long\nrow 4 of the table that is much too long\n","exit_code":0}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"Chunk ID: f68f68\nProcess exited with code 0\nOutput:\nWarning: truncated output (original token count: 5173)\nTotal output lines: 4\n\nrow 1…20 tokens truncated…row 4\n"}}
{"timestamp":"t","type":"event_msg","payload":{"type":"item_completed","turn_id":"t1","item":{"type":"CommandExecution","id":"call_2","status":"completed","aggregated_output":"short\n","exit_code":0}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"call_2","output":"Chunk ID: f68f69\nProcess exited with code 0\nOutput:\nshort\n"}}
"#;

#[test]
fn an_output_that_was_cut_for_the_model_is_told_whole_and_once() {
    check(
        CUT_OUTPUTS,
        &expect![[r#"
        0 event session_meta
        1 message
        2 event event_msg item_completed
        3 message
        4 event event_msg item_completed
        5 message
        # fc_1 assistant [1]
            tool id="call_1" name="exec_command" input={}
        # call_1:output tool under fc_1 [2, 3]
            tool id="call_1" output="Chunk ID: f68f68\nProcess exited with code 0\nOutput:\nrow 1 of the table that is much too long\nrow 2 of the table that is much too long\nrow 3 of the table that is much too long\nrow 4 of the table that is much too long\n"
        # call_2:output tool under call_1:output [5]
            tool id="call_2" output="Chunk ID: f68f69\nProcess exited with code 0\nOutput:\nshort\n"
        = codex 019c-main «-» in /home/user/app
    "#]],
    );
}
