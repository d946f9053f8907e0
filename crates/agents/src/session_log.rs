//! Finds and reads the session log of agents whose hook events name neither a transcript nor a tool call (Copilot CLI).
//! The file follows from the id of the session, and only its messages count: its other lines are copies of hook events,
//! written before the call was made.

use std::path::{Component, Path, PathBuf};

use model::ProjectedMessage;

use crate::{Agent, AgentEnvironment, TranscriptFormat};

/// The file in which an agent writes down a session, once it has begun to: its folder is there before the first hook.
pub fn session_log(surroundings: &AgentEnvironment<'_>, agent: &str, session: &str) -> Option<PathBuf> {
    let (format, log_file) = find_log(agent)?;
    let mut parts = Path::new(session).components();
    // The session id comes from a hook's input and becomes part of a path: `../` must not lead out of the agent's
    // folder.
    let is_name = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    let folders = (format.places)(surroundings).into_iter().filter(|_| is_name);
    let mut files = folders.map(|folder| log_file(&folder, session));
    // The folder exists before the first hook, the file only after the first message.
    files.find(|file| file.parent().is_some_and(Path::is_dir))
}

/// The messages in lines of such a file; none for other agents.
pub fn logged_messages(agent: &str, path: &Path, lines: &[u8]) -> Option<Vec<ProjectedMessage>> {
    let (format, _) = find_log(agent)?;
    let mut projection = format.build_projection(path);
    let lines = lines.split(|byte| *byte == b'\n');
    let mut messages: Vec<ProjectedMessage> = lines.flat_map(|line| projection.feed_line(line).messages).collect();
    messages.extend(projection.pause());
    Some(messages)
}

/// The file of a session in the folder of all of them.
type LogFile = fn(&Path, &str) -> PathBuf;

fn find_log(agent: &str) -> Option<(&'static TranscriptFormat, LogFile)> {
    let agent = Agent::from_name(agent)?;
    agent.transcripts.zip(agent.hooks.session_log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_session_follows_from_its_id() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let begun = home.path().join(".copilot/session-state/s-1");
        fs_err::create_dir_all(&begun).expect("a folder");
        let variable = |_: &str| None;
        let around = AgentEnvironment { home: home.path(), variable: &variable };
        let check = |agent: &str, session: &str, expected: Option<PathBuf>| {
            assert_eq!(session_log(&around, agent, session), expected, "{agent} {session}");
        };
        check("copilot-cli", "s-1", Some(begun.join("events.jsonl")));
        check("copilot-cli", "s-2", None);
        check("copilot-cli", "../session-state", None);
        check("copilot-cli", "", None);
        check("claude-code", "s-1", None);
    }

    #[test]
    fn what_hooks_were_told_is_no_message() {
        let lines = br#"{"type":"hook.start","id":"e1","timestamp":"2026-08-21T10:00:01.000Z","parentId":null,"data":{"hookType":"userPromptSubmitted","input":{"prompt":"go on"}}}
{"type":"user.message","id":"e2","timestamp":"2026-08-21T10:00:01.200Z","parentId":"e1","data":{"content":"go on"}}
"#;
        let hook = lines.split_inclusive(|byte| *byte == b'\n').next().expect("a line");
        let messages = |lines: &[u8]| logged_messages("copilot-cli", Path::new("s-1/events.jsonl"), lines);
        assert_eq!(messages(hook), Some(Vec::new()));
        let said: Vec<String> = messages(lines).expect("messages").iter().map(|said| said.message.content()).collect();
        assert_eq!(said, ["go on"]);
        assert_eq!(logged_messages("claude-code", Path::new("s.jsonl"), lines), None);
    }
}
