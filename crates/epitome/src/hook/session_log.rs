//! Adds the path of the transcript to hook events whose agent does not name it; the path follows from the session id.

use crate::config::Environment;
use agents::{AgentEnvironment, HookEvent};
use std::path::Path;

/// Names the transcript of an event that does not, where its agent's log of the session is known.
pub(super) fn name_transcript(event: &mut HookEvent, environment: &Environment) {
    let (None, Some(session), Some(home)) =
        (event.transcript_path(), event.session_id(), environment.nonempty_variable("HOME"))
    else {
        return;
    };
    let variable = |name: &str| Some(environment.nonempty_variable(name)?.to_string_lossy().into_owned());
    let surroundings = AgentEnvironment { home: Path::new(home), variable: &variable };
    let log = agents::session_log(&surroundings, &event.envelope.agent, session);
    if let Some(path) = log.as_deref().and_then(Path::to_str) {
        event.set_transcript(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agents::EventEnvelope;
    use serde_json::{Value, json};

    #[test]
    fn only_an_event_without_a_transcript_is_given_one() {
        let home = tempfile::tempdir().expect("a temporary directory");
        let folder = home.path().join(".copilot/session-state/s");
        fs_err::create_dir_all(&folder).expect("a folder");
        let environment = Environment::from_iter([("HOME", home.path())]);
        let check = |body: &Value, expected: Option<&Path>| {
            let [id, agent, event] = ["e1", "copilot-cli", "sessionEnd"].map(str::to_owned);
            let envelope = EventEnvelope { id, at: 1_000, agent, event, transcript_bytes: 0 };
            let mut event = HookEvent::new(envelope, body.to_string().into_bytes());
            name_transcript(&mut event, &environment);
            let again = HookEvent::new(event.envelope.clone(), event.bytes.clone());
            assert_eq!(event.transcript_path().map(Path::new), expected);
            assert_eq!(again.transcript_path(), event.transcript_path(), "its bytes say the same");
        };
        check(&json!({ "sessionId": "s" }), Some(&folder.join("events.jsonl")));
        check(&json!({ "sessionId": "s", "transcriptPath": "/t.jsonl" }), Some(Path::new("/t.jsonl")));
        check(&json!({ "sessionId": "t" }), None);
        check(&json!({}), None);
    }
}
