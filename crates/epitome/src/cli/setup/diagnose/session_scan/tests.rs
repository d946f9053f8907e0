//! Tests of the scan of a session: which lines of a transcript tell that something went wrong with Epitome.

use super::super::problem::SessionProblemKind;
use super::*;
use agents::TranscriptFormat;
use serde_json::json;
use std::path::Path;

fn scan_session(lines: &[Value], is_wanted: &dyn Fn(Option<&str>) -> bool) -> ScanOutcome {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let format = TranscriptFormat::from_name("claude-code").expect("it is known");
    let projection = format.build_projection(Path::new("/talk/session.jsonl"));
    scan_lines(Box::new(io::Cursor::new(text.into_bytes())), projection, is_wanted).expect("reads")
}

fn check(lines: &[Value], wanted: &[(u64, SessionProblemKind, &str)]) {
    let ScanOutcome::Scanned(found) = scan_session(lines, &|_| true) else { panic!("it is wanted") };
    let found: Vec<_> = found.iter().map(|(line, problem)| (*line, problem.kind, problem.what.as_str())).collect();
    assert_eq!(found, wanted);
}

#[test]
fn what_a_host_notes_about_us_is_found() {
    check(
        &[
            json!({"type":"attachment","attachment":{"type":"hook_non_blocking_error","command":"epitome hook","stderr":"boom\n\u{1b}[31m","hookEvent":"Stop"}}),
            json!({"type":"system","level":"error","content":"MCP server \"epitome\" disconnected"}),
            json!({"type":"system","content":"/bin/sh: epitome: command not found"}),
            json!({"type":"system","content":"Stop hook `epitome hook` timed out after 60 s"}),
        ],
        &[
            (1, SessionProblemKind::Hook, "boom [31m"),
            (2, SessionProblemKind::Server, "MCP server \"epitome\" disconnected"),
            (3, SessionProblemKind::Program, "/bin/sh: epitome: command not found"),
            (4, SessionProblemKind::Late, "Stop hook `epitome hook` timed out after 60 s"),
        ],
    );
}

fn call(uuid: &str, id: &str, name: &str, input: &Value) -> Value {
    json!({"type":"assistant","uuid":uuid,"sessionId":"s","cwd":"/home/user/shop","timestamp":"2026-01-01T00:00:00Z",
           "message":{"role":"assistant","id":uuid,"content":[{"type":"tool_use","id":id,"name":name,"input":input}]}})
}

fn result(uuid: &str, id: &str, is_error: bool, text: &str) -> Value {
    json!({"type":"user","uuid":uuid,"sessionId":"s","cwd":"/home/user/shop","timestamp":"2026-01-01T00:00:01Z",
           "message":{"role":"user","content":[{"type":"tool_result","tool_use_id":id,"is_error":is_error,"content":text}]}})
}

#[test]
fn a_call_that_was_refused_is_found_by_its_result() {
    check(
        &[
            call("1", "toolu_a", "mcp__epitome__recall", &json!({"q": 1})),
            result("2", "toolu_a", true, "unknown parameter `q`"),
            call("3", "toolu_b", "mcp__plugin_epitome_epitome__read", &json!({"path": "a"})),
            result("4", "toolu_b", false, "fine"),
            call("5", "toolu_c", "mcp__epitome__read", &json!({"path": "b"})),
            result("6", "toolu_c", true, "MCP error -32000: Connection closed"),
            call("7", "toolu_d", "Bash", &json!({"command": "epitome status"})),
            result("8", "toolu_d", true, "epitome failed"),
            call("9", "toolu_e", "mcp__epitome__context", &json!({"query": "b"})),
            result("10", "toolu_e", true, "MCP error -32001: Request timed out"),
        ],
        &[
            (2, SessionProblemKind::Call, "unknown parameter `q`"),
            (6, SessionProblemKind::Server, "MCP error -32000: Connection closed"),
            (10, SessionProblemKind::Late, "MCP error -32001: Request timed out"),
        ],
    );
}

#[test]
fn the_same_call_again_and_again_is_found_once() {
    let ask = |uuid: &str, query: &str| {
        call(uuid, &format!("toolu_{uuid}"), "mcp__epitome__recall", &json!({"query": query}))
    };
    // Twice is no repetition, and another call in between begins anew.
    check(&[ask("1", "why"), ask("2", "why"), ask("3", "how"), ask("4", "why")], &[]);
    check(
        &[ask("1", "why"), ask("2", "why"), ask("3", "why"), ask("4", "why"), ask("5", "how")],
        &[(4, SessionProblemKind::Repeated, "mcp__epitome__recall 4 times in a row with {\"query\":\"why\"}")],
    );
}

#[test]
fn a_hook_that_runs_twice_for_one_event_is_found() {
    let ran = |call: &str| json!({"type":"attachment","attachment":{"type":"hook_success","command":"epitome hook claude-code","hookEvent":"PostToolUse","toolUseID":call}});
    check(
        &[ran("a"), ran("b"), ran("a")],
        &[(3, SessionProblemKind::Twice, "PostToolUse ran twice for a: epitome hook claude-code")],
    );
}

#[test]
fn a_status_behind_our_command_is_that_of_our_command() {
    let ran = json!({"type":"progress","command":"epitome hook claude-code","hookEvent":"Stop"});
    let ended = json!({"type":"system","exitCode":2});
    let other = json!({"type":"system","content":"compacted"});
    let failed = "epitome hook claude-code failed";
    check(&[ran.clone(), other, ended.clone(), ended.clone()], &[(3, SessionProblemKind::Hook, failed)]);
    let far: Vec<Value> = [vec![ran], vec![json!({"type":"user"}); 6], vec![ended]].concat();
    check(&far, &[]);
}

#[test]
fn a_program_that_is_gone_is_told_once() {
    let ran = |call: &str| json!({"type":"attachment","attachment":{"type":"hook_success","command":"/nowhere/at/all/epitome hook claude-code","hookEvent":"Stop","toolUseID":call}});
    let what = "hooks of this session ran /nowhere/at/all/epitome, which is not there any more";
    check(&[ran("a"), ran("b")], &[(1, SessionProblemKind::Program, what)]);
}

#[test]
fn a_session_about_another_directory_is_left_alone() {
    let lines = [call("1", "toolu_a", "mcp__epitome__recall", &json!({})), result("2", "toolu_a", true, "refused")];
    let other = scan_session(&lines, &|directory| directory == Some("/home/user/other"));
    assert!(matches!(other, ScanOutcome::Elsewhere));
    let own = scan_session(&lines, &|directory| directory == Some("/home/user/shop"));
    assert!(matches!(own, ScanOutcome::Scanned(found) if found.len() == 1));
}

#[test]
fn what_people_say_about_hooks_is_no_problem() {
    check(
        &[
            json!({"type":"user","message":{"content":"why does `epitome hook` exit with hook error: command not found?"}}),
            json!({"type":"assistant","message":{"content":[{"type":"text","text":"MCP server epitome disconnected, I think"}]}}),
            json!({"type":"attachment","attachment":{"type":"hook_success","command":"epitome hook","hookEvent":"Stop"}}),
            json!("epitome hook error"),
        ],
        &[],
    );
}
