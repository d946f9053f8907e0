//! Tests of the Claude Code transcript reader: sample JSON lines of every kind, and snapshots of the messages they
//! give.

use std::path::Path;

use expect_test::{Expect, expect};
use model::MessagePart;

use super::build_projection;
use crate::transcript::projection_snapshot::render_projection;

const SESSION: &str = "0b7c1a52-1111-4222-8333-000000000001";

fn check(lines: &str, expected: &Expect) {
    check_at(&format!("projects/-home-user-app/{SESSION}.jsonl"), lines, expected);
}

fn check_at(path: &str, lines: &str, expected: &Expect) {
    let lines: String = lines
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty())
        .fold(String::new(), |all, line| all + &line.replace("SESSION", SESSION) + "\n");
    expected.assert_eq(&render_projection(build_projection(Path::new(path)).as_mut(), &lines));
}

#[test]
fn an_answer_over_several_lines_is_one_message_and_its_usage_counts_once() {
    check(
        r#"
        {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"SESSION","timestamp":"2026-08-01T10:00:00.000Z","cwd":"/home/user/app","version":"2.1.144","message":{"role":"user","content":"Why does it fail?"}}
        {"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"SESSION","requestId":"req_1","message":{"id":"msg_1","model":"claude","role":"assistant","type":"message","content":[{"type":"thinking","thinking":"Let me look.","signature":"c2ln"}],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}
        {"type":"assistant","uuid":"a2","parentUuid":"a1","sessionId":"SESSION","requestId":"req_1","message":{"id":"msg_1","model":"claude","role":"assistant","type":"message","content":[{"type":"text","text":"I run the tests:\n"}],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}
        {"type":"assistant","uuid":"a3","parentUuid":"a2","sessionId":"SESSION","requestId":"req_1","message":{"id":"msg_1","model":"claude","role":"assistant","type":"message","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command": "cargo test",  "timeout":1e3}}],"stop_reason":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":1}}}
        {"type":"user","uuid":"r1","parentUuid":"a3","sessionId":"SESSION","sourceToolAssistantUUID":"a3","toolUseResult":{"stdout":"ok","stderr":""},"message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"ok","is_error":false}]}}
        {"type":"assistant","uuid":"a4","parentUuid":"a3","sessionId":"SESSION","requestId":"req_1","message":{"id":"msg_1","model":"claude","role":"assistant","type":"message","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"src/lib.rs"}}],"stop_reason":"tool_use","usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":77}}}
        {"type":"user","uuid":"r2","parentUuid":"a4","sessionId":"SESSION","message":{"role":"user","content":[{"tool_use_id":"t2","type":"tool_result","content":[{"type":"text","text":"fn a()"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0="}},{"type":"tool_reference","tool_name":"Grep"}],"is_error":true}]}}
        {"type":"assistant","uuid":"a5","parentUuid":"r2","sessionId":"SESSION","requestId":"req_2","message":{"id":"msg_2","model":"claude","role":"assistant","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}}
        "#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 message
            5 message
            6 message
            7 message
            # u1 user [0]
                text "Why does it fail?"
            # msg_1 assistant under u1 [1, 2, 3, 5]
                reasoning "Let me look."
                text "I run the tests:\n"
                tool id="t1" name="Bash" input={"command": "cargo test",  "timeout":1e3}
                tool id="t2" name="Read" input={"file_path":"src/lib.rs"}
                StepFinish { reason: Some("tool_use"), cost_micros: None, tokens_in: Some(1104), tokens_out: Some(77) }
            # r1 tool under msg_1 [4]
                tool id="t1" output="ok"
            # r2 tool under msg_1 [6]
                tool id="t2" status="error" error="fn a()\n{\"type\":\"tool_reference\",\"tool_name\":\"Grep\"}"
                file mime="image/png" url="data:image/png;base64,iVBORw0="
            # msg_2 assistant under r2 [7]
                text "Done."
                StepFinish { reason: Some("end_turn"), cost_micros: None, tokens_in: Some(9), tokens_out: Some(2) }
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in /home/user/app
        "#]],
    );
}

const EVERY_KIND: &str = r#"
{"type":"summary","summary":"Other work","leafUuid":"elsewhere"}
{"type":"file-history-snapshot","messageId":"m","snapshot":{"messageId":"m","trackedFileBackups":{},"timestamp":"2026-08-01T10:00:00Z"},"isSnapshotUpdate":false}
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-08-01T10:00:00Z","sessionId":"SESSION","content":"next"}
{"type":"permission-mode","permissionMode":"plan","sessionId":"SESSION"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"SESSION","isMeta":true,"message":{"role":"user","content":"Caveat: the messages below were made by commands."}}
{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"SESSION","message":{"role":"user","content":"<local-command-stdout>cleared</local-command-stdout>"}}
{"type":"system","subtype":"local_command","uuid":"s1","parentUuid":"u2","sessionId":"SESSION","content":"<command-name>/model</command-name>","level":"info"}
{"type":"system","subtype":"turn_duration","uuid":"s2","parentUuid":"s1","sessionId":"SESSION","durationMs":12}
{"type":"system","subtype":"api_error","uuid":"s3","parentUuid":"s2","sessionId":"SESSION","level":"error","error":{"status":529,"message":"overloaded"},"retryAttempt":1,"maxRetries":10}
{"type":"system","subtype":"stop_hook_summary","uuid":"s4","parentUuid":"s3","sessionId":"SESSION","hookCount":1,"hookInfos":[]}
{"type":"system","subtype":"away_summary","uuid":"s5","parentUuid":"s4","sessionId":"SESSION","content":"While you were away: nothing."}
{"type":"progress","uuid":"p1","parentUuid":"s5","sessionId":"SESSION","data":{"type":"bash_progress","output":"…"}}
{"type":"attachment","uuid":"at1","parentUuid":"p1","sessionId":"SESSION","attachment":{"type":"file","filename":"/home/user/app/a.rs","content":{"type":"text","file":{"filePath":"/home/user/app/a.rs","content":"fn a() {}\n"}}}}
{"type":"attachment","uuid":"at2","parentUuid":"at1","sessionId":"SESSION","attachment":{"type":"hook_additional_context","content":["one","two"],"hookName":"SessionStart"}}
{"type":"attachment","uuid":"at3","parentUuid":"at2","sessionId":"SESSION","attachment":{"type":"queued_command","prompt":"also fix the docs","commandMode":"prompt"}}
{"type":"attachment","uuid":"at4","parentUuid":"at3","sessionId":"SESSION","attachment":{"type":"todo_reminder","content":[],"itemCount":0}}
{"type":"attachment","uuid":"at5","parentUuid":"at4","sessionId":"SESSION","attachment":{"type":"edited_text_file","filename":"b.rs","snippet":"1 fn b() {}"}}
{"type":"assistant","uuid":"e1","parentUuid":"at5","sessionId":"SESSION","isApiErrorMessage":true,"message":{"id":"err_1","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 500"}],"usage":{"input_tokens":0,"output_tokens":0}}}
{"type":"last-prompt","lastPrompt":"go","sessionId":"SESSION"}
{"type":"custom-title","customTitle":"The failing test","sessionId":"SESSION"}
{"type":"agent-name","agentName":"fixer","sessionId":"SESSION"}
{"type":"agent-setting","agentSetting":"x","sessionId":"SESSION"}
{"type":"pr-link","prNumber":1,"prUrl":"https://example.com/1","sessionId":"SESSION"}
{"type":"bridge-session","sessionId":"SESSION"}
{"type":"worktree-state","sessionId":"SESSION"}
{"type":"ai-title","aiTitle":"A test that failed","sessionId":"SESSION"}
{"type":"hologram","uuid":"h1","sessionId":"SESSION","shape":"cube"}
{"type":"whisper","uuid":"w1","parentUuid":"at5","sessionId":"SESSION","message":{"role":"user","content":"psst"}}
{"sessionId":"SESSION"}
"#;

#[test]
fn every_kind_of_line_is_told_apart() {
    check(
        EVERY_KIND,
        &expect![[r#"
            0 event summary
            1 event file-history-snapshot
            2 event queue-operation
            3 event permission-mode
            4 message
            5 message
            6 message
            7 event system turn_duration
            8 message
            9 event system stop_hook_summary
            10 message
            11 event progress
            12 message
            13 message
            14 message
            15 event attachment todo_reminder
            16 message
            17 message
            18 event last-prompt
            19 event custom-title
            20 event agent-name
            21 event agent-setting
            22 event pr-link
            23 event bridge-session
            24 event worktree-state
            25 event ai-title
            26 unknown hologram
            27 unknown whisper
            28 unknown a line without type
            # u1 user by program [4]
                text "Caveat: the messages below were made by commands."
            # u2 user by program under u1 [5]
                text "<local-command-stdout>cleared</local-command-stdout>"
            # s1 system by program under u2 [6]
                text "<command-name>/model</command-name>"
            # s3 system by program under s1 [8]
                Retry { error: Some("overloaded") }
            # s5 system by program under s3 [10]
                text "While you were away: nothing."
            # at1 system by program under s5 [12]
                file name="/home/user/app/a.rs"
                text "fn a() {}\n"
            # at2 system by program under at1 [13]
                text "one\ntwo"
            # at3 user under at2 [14]
                text "also fix the docs"
            # at5 system by program under at3 [16]
                file name="b.rs"
                text "1 fn b() {}"
            # err_1 assistant by program under at5 [17]
                text "API Error: 500"
            # w1 user by program under at5 [27]
                text "psst"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «The failing test» in -
        "#]],
    );
}

#[test]
fn what_the_program_says_of_itself_and_what_we_told_it_is_no_message() {
    check(
        r#"
        {"type":"attachment","uuid":"a1","sessionId":"SESSION","attachment":{"type":"hook_additional_context","content":["<epitome>\nnever push\n</epitome>"],"hookName":"SessionStart"}}
        {"type":"attachment","uuid":"a2","parentUuid":"a1","sessionId":"SESSION","attachment":{"type":"hook_additional_context","content":["<epitome>\nnever push\n</epitome>","of another hook"],"hookName":"SessionStart"}}
        {"type":"user","uuid":"u1","parentUuid":"a2","sessionId":"SESSION","message":{"role":"user","content":[{"type":"text","text":"<epitome>\nnever push\n</epitome>"},{"type":"text","text":"Go on."}]}}
        {"type":"attachment","uuid":"a3","parentUuid":"u1","sessionId":"SESSION","attachment":{"type":"skill_listing","content":"- charts: Do NOT invoke for one-off tasks."}}
        {"type":"attachment","uuid":"a4","parentUuid":"a3","sessionId":"SESSION","attachment":{"type":"model","text":"You are powered by a model."}}
        {"type":"api-request-blob","sessionId":"SESSION","message":{"role":"user","content":"<system-reminder>never push</system-reminder>"}}
        {"type":"api-request","id":"1","sessionId":"SESSION"}
        {"type":"tools-used","tools":["Read"],"sessionId":"SESSION"}
        {"type":"assistant","uuid":"m1","parentUuid":"a4","sessionId":"SESSION","message":{"id":"msg_1","role":"assistant","content":[{"type":"text","text":"You see <epitome>\\nx\\n</epitome> there."}]}}
        "#,
        &expect![[r#"
            0 event attachment hook_additional_context
            1 message
            2 message
            3 event attachment skill_listing
            4 event attachment model
            5 event api-request-blob
            6 event api-request
            7 event tools-used
            8 message
            # a2 system by program [1]
                text "of another hook"
            # u1 user under a2 [2]
                text "Go on."
            # msg_1 assistant under u1 [8]
                text "You see <epitome>\\nx\\n</epitome> there."
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in -
        "#]],
    );
}

#[test]
fn blocks_of_every_kind_become_parts() {
    check(
        r#"
        {"type":"user","uuid":"u1","sessionId":"SESSION","message":{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/4A=="}},{"type":"document","title":"spec.pdf","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain words"}},{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},{"type":"hum","pitch":440},"bare"]}}
        {"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"SESSION","message":{"id":"msg_1","role":"assistant","content":[{"type":"redacted_thinking","data":"AAAA"},{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{"query":"x"}},{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"type":"web_search_result","url":"https://example.com","title":"X"}]},{"type":"advisor_tool_result","tool_use_id":"adv_1","content":"advice"}]}}
        {"type":"user","uuid":"r1","parentUuid":"a1","sessionId":"SESSION","toolUseResult":{"filePath":"/home/user/app/src/a.rs","oldString":"a","newString":"b","originalFile":"a","structuredPatch":[]},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t9","content":"The file was updated."}]}}
        {"type":"user","uuid":"u2","parentUuid":"r1","sessionId":"SESSION","message":{"role":"user","content":[]}}
        {"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"SESSION","message":{"role":"user","content":"cut \ud83d off"}}
        "#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 event user empty
            4 message
            # u1 user [0]
                text "look"
                file mime="image/jpeg" url="data:image/jpeg;base64,/9j/4A=="
                file mime="application/pdf" name="spec.pdf" url="data:application/pdf;base64,JVBERi0="
                file mime="text/plain"
                text "plain words"
                file url="https://example.com/a.png"
                text "{\"type\":\"hum\",\"pitch\":440}"
                text "bare"
            # msg_1 assistant under u1 [1]
                reasoning ""
                tool id="srv_1" name="web_search" input={"query":"x"}
                tool id="srv_1" output="{\"type\":\"web_search_result\",\"url\":\"https://example.com\",\"title\":\"X\"}"
                tool id="adv_1" output="advice"
            # r1 tool under msg_1 [2]
                tool id="t9" output="The file was updated."
                Patch { hash: None, files: ["/home/user/app/src/a.rs"] }
            # u3 user under r1 [4]
                text "cut ��� off"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in -
        "#]],
    );
}

#[test]
fn a_compaction_and_its_summary_follow_what_they_fold() {
    check(
        r#"
        {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"SESSION","message":{"role":"user","content":"begin"}}
        {"type":"system","subtype":"compact_boundary","uuid":"c1","parentUuid":null,"logicalParentUuid":"u1","sessionId":"SESSION","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":155000}}
        {"type":"user","uuid":"u2","parentUuid":"c1","sessionId":"SESSION","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":"This session is continued: …"}}
        {"type":"system","subtype":"microcompact_boundary","uuid":"c2","parentUuid":"u2","sessionId":"SESSION","content":"Context microcompacted","microcompactMetadata":{"trigger":"manual","preTokens":1,"tokensSaved":1}}
        {"type":"summary","summary":"How it began","leafUuid":"u2"}
        "#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 event summary
            # u1 user [0]
                text "begin"
            # c1 system by program under u1 [1]
                Compaction { auto: true }
                text "Conversation compacted"
            # u2 user by summary under c1 [2]
                text "This session is continued: …"
            # c2 system by program under u2 [3]
                Compaction { auto: false }
                text "Context microcompacted"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «How it began» in -
        "#]],
    );
}

#[test]
fn rewinds_are_siblings_copies_are_told_and_circles_end() {
    check(
        r#"
        {"type":"user","uuid":"u1","parentUuid":null,"sessionId":"SESSION","message":{"role":"user","content":"one"}}
        {"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"SESSION","message":{"id":"msg_1","role":"assistant","content":"first"}}
        {"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"SESSION","message":{"role":"user","content":"left"}}
        {"type":"user","uuid":"u3","parentUuid":"a1","sessionId":"SESSION","message":{"role":"user","content":"right"}}
        {"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"SESSION","message":{"role":"user","content":"left"}}
        {"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"SESSION","message":{"role":"user","content":"left, but other words"}}
        {"type":"user","uuid":"u2","parentUuid":"a1","sessionId":"SESSION","message":{"role":"user","content":"left, but other words"}}
        {"type":"user","uuid":"x1","parentUuid":"x2","sessionId":"SESSION","message":{"role":"user","content":"circle"}}
        {"type":"user","uuid":"x2","parentUuid":"x1","sessionId":"SESSION","message":{"role":"user","content":"closed"}}
        {"type":"user","uuid":"x3","parentUuid":"x3","sessionId":"SESSION","message":{"role":"user","content":"itself"}}
        {"type":"user","sessionId":"SESSION","message":{"role":"user","content":"nameless"}}
        "#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 repeat of u2
            5 message
            6 repeat of u2~d901375cb51bfa18
            7 message
            8 message
            9 message
            10 message
            # u1 user [0]
                text "one"
            # msg_1 assistant under u1 [1]
                text "first"
            # u2 user under msg_1 [2]
                text "left"
            # u3 user under msg_1 [3]
                text "right"
            # u2~d901375cb51bfa18 user under msg_1 [5]
                text "left, but other words"
            # x1 user [7]
                text "circle"
            # x2 user under x1 [8]
                text "closed"
            # x3 user [9]
                text "itself"
            # at-10-3e240156ffe5fa6a user [10]
                text "nameless"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in -
        "#]],
    );
}

#[test]
fn threads_in_one_file_keep_their_answers_apart() {
    check(
        r#"
        {"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"SESSION","message":{"role":"user","content":"delegate"}}
        {"type":"user","uuid":"k1","parentUuid":null,"isSidechain":true,"sessionId":"SESSION","message":{"role":"user","content":"sub task"}}
        {"type":"user","uuid":"l1","parentUuid":null,"isSidechain":true,"agentId":"b2","sessionId":"SESSION","message":{"role":"user","content":"other sub task"}}
        {"type":"assistant","uuid":"k2","parentUuid":"k1","isSidechain":true,"sessionId":"SESSION","message":{"id":"msg_k","role":"assistant","content":[{"type":"text","text":"k, "}]}}
        {"type":"assistant","uuid":"l2","parentUuid":"l1","isSidechain":true,"agentId":"b2","sessionId":"SESSION","message":{"id":"msg_l","role":"assistant","content":[{"type":"text","text":"l"}]}}
        {"type":"assistant","uuid":"k3","parentUuid":"k2","isSidechain":true,"sessionId":"SESSION","message":{"id":"msg_k","role":"assistant","content":[{"type":"text","text":"done"}]}}
        "#,
        &expect![[r#"
            0 message
            1 message
            2 message
            3 message
            4 message
            5 message
            # u1 user [0]
                text "delegate"
            # k1 user by program thread k1 [1]
                text "sub task"
            # l1 user by program thread b2 [2]
                text "other sub task"
            # msg_k assistant under k1 thread k1 [3, 5]
                text "k, "
                text "done"
            # msg_l assistant under l1 thread b2 [4]
                text "l"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in -
        "#]],
    );
}

#[test]
fn a_file_says_whose_it_is() {
    let line = r#"{"type":"user","uuid":"u1","isSidechain":true,"agentId":"a1b2c3","sessionId":"SESSION","message":{"role":"user","content":"sub"}}"#;
    check_at(
        &format!("projects/-app/{SESSION}/subagents/agent-a1b2c3.jsonl"),
        line,
        &expect![[r#"
            0 message
            # u1 user by program [0]
                text "sub"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001/agent-a1b2c3 «-» in - subagent of 0b7c1a52-1111-4222-8333-000000000001
        "#]],
    );
    check_at(
        "projects/-app/agent-a1b2c3.jsonl",
        line,
        &expect![[r#"
            0 message
            # u1 user by program [0]
                text "sub"
            = claude-code 0b7c1a52-1111-4222-8333-000000000001/agent-a1b2c3 «-» in - subagent of 0b7c1a52-1111-4222-8333-000000000001
        "#]],
    );
    check_at(
        "Downloads/session.jsonl",
        &line.replace("\"isSidechain\":true,", ""),
        &expect![[r#"
        0 message
        # u1 user [0]
            text "sub"
        = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in -
    "#]],
    );
    let other = "0b7c1a52-1111-4222-8333-00000000ffff";
    check_at(
        &format!("projects/-app/{other}.jsonl"),
        r#"{"type":"mode","sessionId":"SESSION"}"#,
        &expect![[r#"
        0 event mode
        = claude-code 0b7c1a52-1111-4222-8333-00000000ffff «-» in - fork of 0b7c1a52-1111-4222-8333-000000000001
    "#]],
    );
    let fork = r#"{"type":"user","uuid":"u1","sessionId":"SESSION","forkedFrom":{"sessionId":"origin","messageUuid":"u1"},"message":{"role":"user","content":"again"}}"#;
    check(
        fork,
        &expect![[r#"
        0 message
        # u1 user [0]
            text "again"
        = claude-code 0b7c1a52-1111-4222-8333-000000000001 «-» in - fork of origin
    "#]],
    );
}

#[test]
fn what_was_given_out_too_early_goes_on_and_counts_only_what_is_more() {
    let line = |uuid: &str, text: &str, written: u32| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"s","message":{{"id":"msg_1","role":"assistant","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":50,"output_tokens":{written}}}}}}}"#
        )
    };
    let mut projection = build_projection(Path::new("a.jsonl"));
    projection.feed_line(line("a1", "one", 1).as_bytes());
    let first = projection.pause();
    projection.feed_line(line("a2", "two", 1).as_bytes());
    projection.feed_line(line("a3", "three", 30).as_bytes());
    let second = projection.pause();
    let all: Vec<_> = first.iter().chain(&second).collect();
    let named: Vec<_> = all
        .iter()
        .map(|given| (given.message.external_id.as_deref(), given.continues.as_deref(), &given.lines[..]))
        .collect();
    assert_eq!(named, [(Some("msg_1"), None, &[0][..]), (Some("a2"), Some("msg_1"), &[1, 2][..])]);
    let tokens = |part: &MessagePart| {
        let MessagePart::StepFinish { tokens_in, tokens_out, .. } = part else { return None };
        Some((tokens_in.unwrap_or(0), tokens_out.unwrap_or(0)))
    };
    let counted: Vec<_> = all.iter().flat_map(|given| given.message.parts.iter().filter_map(tokens)).collect();
    assert_eq!(counted, [(50, 1), (0, 29)]);
}

#[test]
fn a_projection_is_brought_back_by_its_lines_and_its_last_pause() {
    let line = |uuid: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"{uuid}","sessionId":"s","message":{{"id":"msg_1","role":"assistant","content":"x","usage":{{"output_tokens":9}}}}}}"#
        )
    };
    let (mut first, mut again) = (build_projection(Path::new("a.jsonl")), build_projection(Path::new("a.jsonl")));
    for uuid in ["a1", "a2"] {
        first.feed_line(line(uuid).as_bytes());
        first.pause();
        again.feed_line(line(uuid).as_bytes());
    }
    again.pause();
    assert_eq!(first.feed_line(line("a3").as_bytes()), again.feed_line(line("a3").as_bytes()));
    assert_eq!(first.pause(), again.pause());
}
