//! Request and reply types of the daemon's socket protocol: one line of JSON each way. The two sides may be of
//! different versions: each line carries its version, which is read before anything else, so that an older daemon exits
//! for a newer program without understanding what it asks.

use agents::EventEnvelope;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where the daemon of a state directory listens.
pub(crate) fn socket_path(state: &Path) -> PathBuf {
    state.join("daemon.sock")
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DaemonRequest {
    pub(crate) version: String,
    #[serde(flatten)]
    pub(crate) ask: DaemonCommand,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub(crate) enum DaemonCommand {
    /// The answer to an event that is in the spool.
    Answer(Box<AnswerRequest>),
    /// Take in what waits in the spool; the client does not read the reply.
    Drain,
    /// Who are you?
    State,
    /// Leave.
    Stop,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnswerRequest {
    pub(crate) envelope: EventEnvelope,
    /// Without secrets.
    pub(crate) body: String,
    /// The variables that settings are read from, as the hook sees them.
    pub(crate) environment: Vec<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DaemonReply {
    pub(crate) version: String,
    pub(crate) process: u32,
    /// For how long it runs; a daemon of an earlier version does not say.
    #[serde(default)]
    pub(crate) uptime_s: Option<u64>,
    #[serde(flatten)]
    pub(crate) outcome: DaemonOutcome,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub(crate) enum DaemonOutcome {
    /// The text for the agent, if any.
    Told {
        text: Option<String>,
    },
    /// It could not be worked out.
    Failed {
        reason: String,
    },
    /// The hook must work out the answer itself: this daemon cannot, or leaves.
    Declined,
    Done,
}

/// What a line asks.
#[derive(Debug)]
pub(crate) enum ParsedRequest {
    Question(DaemonRequest),
    /// A newer program than this one.
    Newer,
    Nonsense,
}

impl ParsedRequest {
    pub(crate) fn parse_line(line: &str, own: &str) -> Self {
        // Any local process can connect, so a line of nonsense must not end the daemon.
        let Ok(value) = serde_json::from_str::<Value>(line) else { return Self::Nonsense };
        let Some(version) = value["version"].as_str() else { return Self::Nonsense };
        // Decided before the request is parsed: a newer one may have fields that this version does not know.
        if version_numbers(version) > version_numbers(own) {
            return Self::Newer;
        }
        serde_json::from_value(value).map_or(Self::Nonsense, Self::Question)
    }
}

/// A version to compare by; what is no number counts as 0.
fn version_numbers(version: &str) -> Vec<u64> {
    let plain = version.split(['-', '+']).next().unwrap_or_default();
    plain.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_program_is_known_before_its_question_is_understood() {
        let check = |line: &str, expected: &str| {
            let heard = format!("{:?}", ParsedRequest::parse_line(line, "0.9.2"));
            assert!(heard.starts_with(expected), "{line}: {heard}");
        };
        check(r#"{"version":"0.10.0","ask":"something new"}"#, "Newer");
        check(r#"{"version":"0.9.2","ask":"drain"}"#, "Question");
        check(r#"{"version":"0.9.1","ask":"state"}"#, "Question");
        check(r#"{"version":"0.9.2-beta+5","ask":"stop"}"#, "Question");
        check(r#"{"version":"0.9.2","ask":"something new"}"#, "Nonsense");
        check(r#"{"ask":"drain"}"#, "Nonsense");
        check("no JSON", "Nonsense");
    }
}
