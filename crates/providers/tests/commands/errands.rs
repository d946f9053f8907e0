//! Integration tests of how the `claude` and `codex` commands are run: arguments, environment, input, error messages,
//! and that no process of theirs is left.

use std::path::Path;
use std::time::Duration;

use expect_test::{Expect, expect};
use providers::conformance::generator::{CANARY, request_with_schema, sample_request};
use providers::vendors::claude_cli::ClaudeCli;
use providers::{FailureCost, GenerateRequest, Generator, OWN_CALL, OWN_DIRECTORY, ProviderFailure};
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;

use crate::stage::{CLAUDE, CODEX, Dialect};

/// A place with a scene in it.
fn scene(play: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a directory");
    fs_err::write(place.path().join("scene"), play).expect("it can be written");
    place
}

async fn check(dialect: Dialect, answer: &str, expected: Expect) {
    let place = scene("");
    let play = format!(
        "{{ echo \"$arguments\"; echo \"${OWN_CALL} $CLAUDE_CODE_MAX_OUTPUT_TOKENS\"; ls -A; cat \"$schema\" 2>/dev/null; echo; \
         basename \"$(dirname \"$PWD\")\"; cat; }} >{place}/seen; echo '{answer}'",
        place = place.path().display()
    );
    fs_err::write(place.path().join("scene"), play).expect("it can be written");
    let generator = (dialect.generator)(&place.path().join("scene"));
    generator.generate(&request_with_schema()).await.expect("it answers");
    let seen = fs_err::read_to_string(place.path().join("seen")).expect("it was written");
    // The names of two temporary places change with every run.
    let directory = seen.split('\n').find(|line| line.starts_with(OWN_DIRECTORY)).expect("its directory has our name");
    let seen = seen.replace(&place.path().display().to_string(), "PLACE").replace(directory, "OWN");
    let parent = std::env::temp_dir().display().to_string();
    expected.assert_eq(&seen.replace(&format!("{}/", parent.trim_end_matches('/')), "TMP/"));
    let left = fs_err::read_dir(std::env::temp_dir()).expect("it can be read");
    let left = left.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy() == directory);
    assert!(!left, "{directory} is still there");
}

#[tokio::test]
async fn claude_is_asked_without_tools_settings_or_memory() {
    check(CLAUDE, r#"{"type":"result","structured_output":{"yes":true}}"#, expect![[r#"
        --print --output-format json --model PLACE/scene --system-prompt You answer. --tools  --setting-sources  --strict-mcp-config --no-session-persistence --json-schema {"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}
        1 100

        OWN
        User:
        One?

        Assistant:
        One.

        User:
        Two?"#]]).await;
}

#[tokio::test]
async fn codex_is_asked_without_shell_settings_or_memory() {
    let answer = r#"{"type":"item.completed","item":{"type":"agent_message","text":"{}"}}"#;
    check(CODEX, answer, expect![[r#"
        exec --json --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check --sandbox read-only --config approval_policy="never" --config features.shell_tool=false --config project_doc_max_bytes=0 --model PLACE/scene --output-schema TMP/OWN/file
        1 
        {"type":"object","properties":{"yes":{"type":"boolean"}},"required":["yes"],"additionalProperties":false}
        OWN
        You answer.

        User:
        One?

        Assistant:
        One.

        User:
        Two?"#]]).await;
}

#[tokio::test]
async fn what_a_command_started_ends_with_it() {
    for dialect in [CLAUDE, CODEX] {
        let place = scene("");
        let play = format!("sleep 600 & echo $! >{}/pid; wait", place.path().display());
        fs_err::write(place.path().join("scene"), play).expect("it can be written");
        let deadline = Duration::from_secs(2);
        let request = GenerateRequest { deadline, ..sample_request() };
        let outcome = (dialect.generator)(&place.path().join("scene")).generate(&request).await;
        assert_eq!(outcome.expect_err("it is silent").failure, ProviderFailure::TimedOut { after: deadline });
        let pid = fs_err::read_to_string(place.path().join("pid")).expect("it was written");
        let pid = Pid::from_raw(pid.trim().parse().expect("a number")).expect("not zero");
        assert!(is_gone(pid).await, "the child of the child lives");
    }
}

#[tokio::test]
async fn what_a_command_leaves_running_does_not_hold_its_answer_back() {
    let place = scene("sleep 600 & echo '{\"type\":\"result\",\"result\":\"Two.\"}'");
    let answer = (CLAUDE.generator)(&place.path().join("scene")).generate(&sample_request()).await;
    assert_eq!(answer.expect("it answers").text, "Two.");
}

/// Somebody has to notice that it ended: until then it is there as a name.
async fn is_gone(pid: Pid) -> bool {
    for _ in 0..500 {
        let state = fs_err::read_to_string(Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join("stat"));
        let is_dead =
            state.map_or(true, |state| state.rsplit(')').next().is_some_and(|rest| rest.trim().starts_with('Z')));
        if test_kill_process(pid).is_err() || is_dead {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_command_that_is_not_there_says_what_to_install() {
    let claude = ClaudeCli::new("m", "/nowhere/claude");
    for error in [claude.generate(&sample_request()).await.expect_err("none"), claude.probe().await.expect_err("none")]
    {
        assert_eq!(error.to_string(), "cannot use claude-cli: there is no command `/nowhere/claude`");
        assert_eq!(error.hint().as_deref(), Some("install `/nowhere/claude` and log in once"));
        assert_eq!(error.spent, FailureCost::Nothing);
    }
}

#[tokio::test]
async fn a_probe_starts_the_command_and_asks_nothing() {
    for dialect in [CLAUDE, CODEX] {
        (dialect.generator)(Path::new("/nowhere")).probe().await.expect("it starts");
    }
}

#[tokio::test]
async fn what_a_command_complains_about_is_sorted_and_not_repeated() {
    let complaints = [
        "Invalid API key · Please run /login",
        "Credit balance is too low",
        "Claude usage limit reached",
        "API Error: 529 overloaded",
        "prompt is too long",
        "The model canary does not exist",
        "something else",
    ];
    let mut told = String::new();
    for words in complaints {
        let claude =
            format!("echo '{{\"type\":\"result\",\"is_error\":true,\"result\":\"{words} {CANARY}\"}}'; exit 1");
        let codex =
            format!("echo '{{\"type\":\"turn.failed\",\"error\":{{\"message\":\"{words} {CANARY}\"}}}}'; exit 1");
        let plain = format!("echo '{words} {CANARY}' >&2; exit 1");
        let mut failures = Vec::new();
        for (dialect, play) in [(CLAUDE, &claude), (CODEX, &codex), (CLAUDE, &plain), (CODEX, &plain)] {
            let place = scene(play);
            let error =
                (dialect.generator)(&place.path().join("scene")).generate(&sample_request()).await.expect_err("none");
            assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
            assert_eq!(error.spent, FailureCost::Unknown);
            let is_model = matches!(error.failure, ProviderFailure::WrongModel { .. });
            failures.push(if is_model { "it has no such model".to_owned() } else { error.failure.to_string() });
        }
        failures.dedup();
        told += &format!("{words}: {}\n", failures.join(" | "));
    }
    let expected = expect![[r#"
        Invalid API key · Please run /login: it does not accept the key
        Credit balance is too low: the account has no credit left
        Claude usage limit reached: it asks for fewer requests
        API Error: 529 overloaded: it is overloaded or failing
        prompt is too long: the request is longer than the model takes
        The model canary does not exist: it has no such model
        something else: its answer cannot be used: it reports an error we do not know
    "#]];
    expected.assert_eq(&told);
}
