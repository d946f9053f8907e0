//! Collects what tools did in one turn and tells it in a line: files changed, how the checks ended, commits, what failed
//! last. A call without a result did nothing that is known, and a result without its call belongs to nothing.

use super::statement::cut_text;
use crate::memory::fact::{
    FileAccess, ToolAction, ToolExit, command_key, is_check_command, is_read_only, parse_action,
};
use crate::memory::fact::{find_touches, parse_outcome, was_declined};
use model::MessagePart;
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Files of one kind that are named; of more only the number is told.
const MAX_NAMED_FILES: usize = 4;
const MAX_NAMED_COMMITS: usize = 3;
/// Most tokens of a command and of an error line.
const MAX_COMMAND_TOKENS: u32 = 14;
const MAX_ERROR_TOKENS: u32 = 24;

/// The deeds of a turn.
#[derive(Default)]
pub(super) struct TurnActions {
    waiting: HashMap<String, ToolAction>,
    touched: Vec<(String, FileAccess)>,
    /// By command, the last run of each.
    checks: Vec<CheckRun>,
    commits: Vec<String>,
    published: Vec<String>,
    delegated: Vec<String>,
    /// The last command of another kind, where it failed.
    failed: Option<String>,
}

struct CheckRun {
    command: String,
    outcome: String,
    is_good: bool,
    failed_before: bool,
}

impl TurnActions {
    /// Takes the next part of a message.
    pub(super) fn add_part(&mut self, part: &MessagePart) {
        if let MessagePart::Tool { call_id, name, status, input, output, error, .. } = part {
            let mut call = None;
            if let (Some(name), Some(input)) = (name, input) {
                let action = parse_action(name, input);
                if action == ToolAction::Other {
                    self.add_delegation(name, input);
                }
                match call_id {
                    Some(id) => drop(self.waiting.insert(id.clone(), action)),
                    None => call = Some(action),
                }
            }
            if output.is_some() || error.is_some() {
                call = call.or_else(|| self.waiting.remove(call_id.as_ref()?));
                let failed = status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("error"));
                if let Some(action) = call
                    // A call that the user declined did nothing, whatever its input says.
                    && !was_declined(output.as_deref(), error.as_deref())
                {
                    self.end_action(&action, output.as_deref().unwrap_or_default(), error.as_deref(), failed);
                }
            }
        } else if let MessagePart::Patch { files, .. } = part {
            for path in files {
                self.touch_file(path, FileAccess::Edit);
            }
        } else if let Some(task) = delegated_task(part) {
            self.delegated.push(task.to_owned());
        }
    }

    fn add_delegation(&mut self, name: &str, input: &str) {
        if !matches!(name.to_ascii_lowercase().as_str(), "task" | "agent" | "subagent" | "spawn_agent") {
            return;
        }
        // Input that is no JSON has no description; the call is then told by what it did.
        let arguments: serde_json::Value = serde_json::from_str(input).unwrap_or_default();
        if let Some(description) = arguments["description"].as_str() {
            self.delegated.push(description.trim().to_owned());
        }
    }

    fn end_action(&mut self, action: &ToolAction, output: &str, error: Option<&str>, failed: bool) {
        match action {
            ToolAction::Shell { command } => self.end_command(command, output, error, failed),
            // An edit that failed left the file as it was, so only one that went well counts.
            ToolAction::Files(touches) if !failed && error.is_none() => {
                for touch in touches {
                    self.touch_file(&touch.path, touch.how);
                }
            }
            ToolAction::Files(_)
            | ToolAction::Todos(_)
            | ToolAction::Task { .. }
            | ToolAction::TaskState { .. }
            | ToolAction::Ask { .. }
            | ToolAction::Other => {}
        }
    }

    fn end_command(&mut self, command: &str, output: &str, error: Option<&str>, failed: bool) {
        let command = &inner_command(command);
        let outcome = parse_outcome(output, error, failed);
        let is_good = !matches!(outcome.ended, ToolExit::Badly { .. });
        if is_good {
            for touch in find_touches(command) {
                self.touch_file(&touch.path, touch.how);
            }
            self.add_git(command, output);
        }
        // Checks stand behind others on one line (`cargo fmt && cargo test`). What follows the first line is often a
        // script, whose words are not commands of their own.
        let pieces = command.lines().next().unwrap_or_default().split("&&").flat_map(|piece| piece.split(';'));
        let checks: Vec<String> = pieces.map(command_key).filter(|piece| is_check_command(piece)).collect();
        let counts = test_counts(output);
        // What counts tests is the one that ran them.
        let runs_tests = |piece: &&String| counts.is_some() && piece.contains("test");
        let check = checks.iter().find(runs_tests).or(checks.first());
        let why = || match (&outcome.errors[..], outcome.ended) {
            ([first, ..], _) => format!(" ({})", cut_text(first, MAX_ERROR_TOKENS)),
            ([], ToolExit::Badly { exit_code: Some(code) }) => format!(" (exit {code})"),
            _ => String::new(),
        };
        if let Some(key) = check {
            // Some runners end with 0 although tests failed, so the counts they print have the last word; and behind a
            // pipe every command ends well, so that what it printed tells more.
            let broken = BROKEN.find(output).map(|line| line.as_str().trim());
            let has_failed = !is_good
                || counts.as_ref().is_some_and(|counts| counts.contains(','))
                || (counts.is_none() && broken.is_some());
            let outcome = match (counts, broken) {
                (Some(counts), _) => counts,
                (None, None) if is_good => "passed".to_owned(),
                (None, Some(line)) if is_good => format!("failed ({})", cut_text(line, MAX_ERROR_TOKENS)),
                (None, _) => format!("failed{}", why()),
            };
            self.add_check(key, outcome, !has_failed);
            // A check that ran afterwards says better how the work stands than a command that failed before it.
            self.failed = None;
        // A search that found nothing fails, too, and says nothing about the work.
        } else if !is_read_only(command) {
            let key = cut_text(&command_key(command.lines().next().unwrap_or_default()), MAX_COMMAND_TOKENS);
            self.failed = (!is_good).then(|| format!("`{key}` failed{}", why()));
        }
    }

    fn add_check(&mut self, key: &str, outcome: String, is_good: bool) {
        let command = cut_text(key, MAX_COMMAND_TOKENS);
        // The newest run takes the place of those before it and moves to the end: the last checks are the ones that are
        // told.
        let before = self.checks.iter().position(|run| run.command == command).map(|at| self.checks.remove(at));
        let failed_before = before.is_some_and(|run| !run.is_good || run.failed_before);
        self.checks.push(CheckRun { command, outcome, is_good, failed_before });
    }

    fn add_git(&mut self, command: &str, output: &str) {
        if command.contains("git commit") || command.contains("commit -") {
            // What git printed has the hash. A commit that printed nothing is told by the message it was given.
            let told = COMMITTED.captures(output).map(|found| format!("{} \"{}\"", &found[1], found[2].trim()));
            let subject = || MESSAGE.captures(command).map(|found| format!("\"{}\"", found[1].trim()));
            if let Some(commit) = told.or_else(subject).filter(|_| command.contains("git")) {
                self.commits.push(cut_text(&commit, MAX_ERROR_TOKENS));
            }
        }
        let mut publish = |what: String| {
            if !self.published.contains(&what) {
                self.published.push(what);
            }
        };
        // A push that was rejected can end with 0 behind a pipe, so its output is looked at.
        if command.contains("git push") && !output.contains("[rejected]") {
            publish("pushed".to_owned());
        }
        if command.contains("gh pr create")
            && let Some(found) = PULL_REQUEST.captures(output)
        {
            publish(format!("opened pull request #{}", &found[1]));
        }
        if command.contains("gh pr merge") {
            publish("merged the pull request".to_owned());
        }
    }

    fn touch_file(&mut self, path: &str, how: FileAccess) {
        match self.touched.iter_mut().find(|(known, _)| known == path) {
            // A file that was written and edited is new; one that was read and edited is changed.
            Some((_, FileAccess::Write)) if how != FileAccess::Delete => {}
            Some((_, before)) if how != FileAccess::Read => *before = how,
            Some(_) => {}
            None => self.touched.push((path.to_owned(), how)),
        }
    }

    /// What was done, in one line; empty where nothing is known.
    pub(super) fn render(&self) -> String {
        let mut told: Vec<String> = Vec::new();
        told.extend(self.name_files("edited", FileAccess::Edit));
        told.extend(self.name_files("wrote", FileAccess::Write));
        told.extend(self.name_files("deleted", FileAccess::Delete));
        // Reading is told only where nothing else was done: it is on the way to everything.
        if told.is_empty() {
            told.extend(self.name_files("read", FileAccess::Read));
        }
        if let Some(last) = self.delegated.last() {
            let more = self.delegated.len() - 1;
            let others = if more > 0 { format!(" and {more} more") } else { String::new() };
            told.push(format!("delegated \"{}\"{others}", cut_text(last, MAX_COMMAND_TOKENS)));
        }
        // The last run of each check; how the first ones went is in the messages.
        for run in self.checks.iter().rev().take(2).rev() {
            let then = if run.failed_before && run.is_good { "failed, then " } else { "" };
            told.push(format!("`{}`: {then}{}", run.command, run.outcome));
        }
        told.extend(self.failed.clone());
        if !self.commits.is_empty() {
            let first = self.commits.len().saturating_sub(MAX_NAMED_COMMITS);
            let more = if first > 0 { format!("{first} commits and ") } else { String::new() };
            told.push(format!("committed {more}{}", self.commits[first..].join(", ")));
        }
        told.extend(self.published.iter().cloned());
        told.join("; ")
    }

    fn name_files(&self, verb: &str, how: FileAccess) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        for (path, _) in self.touched.iter().filter(|(_, done)| *done == how) {
            // A range of lines behind the path is no other file.
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path).split(':').next().unwrap_or(path);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names.as_slice() {
            [] => None,
            names if names.len() <= MAX_NAMED_FILES => Some(format!("{verb} {}", names.join(", "))),
            names => Some(format!("{verb} {} and {} more", names[..3].join(", "), names.len() - 3)),
        }
    }
}

/// What a part hands to another agent.
pub(super) fn delegated_task(part: &MessagePart) -> Option<&str> {
    if let MessagePart::Subtask { description, .. } = part { description.as_deref() } else { None }
}

/// The command inside of a script that only calls a shell with it.
fn inner_command(command: &str) -> String {
    let inner = SCRIPTED.captures(command).map(|found| found[1].replace("\\\"", "\""));
    inner.unwrap_or_else(|| command.to_owned())
}

/// `12 passed, 1 failed`, as the output says it last; what did not even run counts as an error there.
fn test_counts(output: &str) -> Option<String> {
    let end = output.floor_char_boundary(output.len().saturating_sub(4_000));
    let passed = COUNT.captures_iter(&output[end..]).filter(|found| found[2].eq_ignore_ascii_case("passed")).last()?;
    let failed = COUNT.captures_iter(&output[end..]).filter(|found| found[2].eq_ignore_ascii_case("failed")).last();
    let failed = failed.filter(|found| &found[1] != "0").map(|found| format!(", {} failed", &found[1]));
    let line = output[end + passed.get(0).map_or(0, |found| found.end())..].lines().next().unwrap_or_default();
    let errors = ERRORS.captures(line).map(|found| format!(", {} errors", &found[1]));
    Some(format!("{} passed{}{}", &passed[1], failed.unwrap_or_default(), errors.unwrap_or_default()))
}

static SCRIPTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^\s*(?:const|let|var|await|return)\b[^\n]*?"?cmd"?\s*:\s*"((?:[^"\\]|\\.)+)""#)
        .expect("the pattern is ours")
});
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(\d{1,6})\s+(passed|failed)\b").expect("the pattern is ours"));
/// A line with which compilers and build tools end badly.
static BROKEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?m)^.*\berror TS\d+:.*$|^npm (?:ERR!|error) .*$|^error(?:\[\w+\])?: .*$|^make(?:\[\d+\])?: \*\*\* .*$",
    )
    .expect("the pattern is ours")
});
static ERRORS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b([1-9]\d{0,5})\s+errors?\b").expect("the pattern is ours"));
static COMMITTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\[[^\]\n]* ([0-9a-f]{7,12})\] (.+)$").expect("the pattern is ours"));
static MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"commit\b[^\n]*?(?:-a?m\s+|<<-?\s*['"]?\w+['"]?\n)(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n)?["']?([^"'\n]+)"#,
    )
    .expect("the pattern is ours")
});
static PULL_REQUEST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"/pull/(\d+)").expect("the pattern is ours"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::conversation_builder::ConversationBuilder;

    fn told(talk: &ConversationBuilder) -> String {
        let mut actions = TurnActions::default();
        talk.messages.iter().flat_map(|message| &message.body.parts).for_each(|part| actions.add_part(part));
        actions.render()
    }

    #[test]
    fn a_turn_tells_its_files_its_checks_and_its_commits() {
        let talk = ConversationBuilder::new()
            .tool_round("Read", r#"{"file_path":"/w/src/a.rs"}"#, "x")
            .edit_file("/w/src/a.rs")
            .tool_round("Write", r#"{"file_path":"/w/src/new.rs","content":""}"#, "ok")
            .failed_bash("cd /w && cargo test 2>&1 | tail", "Exit code 101\nerror[E0308]: mismatched types")
            .edit_file("/w/src/b.rs")
            .bash("cargo test", "test result: ok. 12 passed; 0 failed")
            .bash("git commit -m \"Add the cache\"", "[main 1a2b3c4] Add the cache\n 2 files changed")
            .bash("git push origin main", "1a2b3c4..2b3c4d5 main -> main");
        assert_eq!(
            told(&talk),
            "edited a.rs, b.rs; wrote new.rs; `cargo test`: failed, then 12 passed; committed 1a2b3c4 \"Add the cache\"; pushed"
        );
    }

    #[test]
    fn tests_that_did_not_run_are_counted() {
        let talk =
            ConversationBuilder::new().bash("pytest -q", "ERROR tests/a.py::b\n74 passed, 1 warning, 9 errors in 1.2s");
        assert_eq!(told(&talk), "`pytest -q`: 74 passed, 9 errors");
        let talk =
            ConversationBuilder::new().bash("ruff check src && pytest -q | tail -3", "All checks passed!\n7 passed");
        assert_eq!(told(&talk), "`pytest -q`: 7 passed");
    }

    #[test]
    fn behind_a_pipe_the_output_says_how_a_check_ended() {
        let output = "> tsc -p .\nsrc/a.ts(5,15): error TS2305: no exported member\nnpm error code 1";
        let talk = ConversationBuilder::new().bash("npm run build 2>&1 | head -30", output);
        assert_eq!(told(&talk), "`npm run build`: failed (src/a.ts(5,15): error TS2305: no exported member)");
    }

    #[test]
    fn what_has_no_result_or_no_call_is_not_told() {
        let (talk, _) = ConversationBuilder::new().tool_call("Edit", r#"{"file_path":"a.rs"}"#);
        assert_eq!(told(&talk.tool_result("another", "The file was updated.", None)), "");
        let looked = ConversationBuilder::new().tool_round("Read", r#"{"file_path":"a.rs"}"#, "x");
        assert_eq!(told(&looked), "read a.rs");
    }

    #[test]
    fn the_last_command_that_failed_is_told_with_its_reason() {
        let talk = ConversationBuilder::new().failed_bash("./deploy.sh", "Exit code 3\nerror: no such host");
        assert_eq!(told(&talk), "`./deploy.sh` failed (error: no such host)");
        assert_eq!(told(&talk.bash("./deploy.sh --again", "ok")), "");
    }
}
