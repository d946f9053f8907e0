//! Runs an agent's program and sends it prompts as its user does, turn by turn, without a keyboard. Most agents run one
//! process a turn and resume a session on request; one that stays open for many turns is nearer to how people use it,
//! so that is done where it can be.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::agents::{HostAgent, SessionManner};
use super::sandbox::HostSandbox;

/// A turn takes seconds; on a busy machine it may take many.
const LONGEST_TURN: Duration = Duration::from_mins(3);

/// Which conversation is talked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionTarget {
    New,
    /// The one with this id.
    On(String),
}

/// The result of a turn.
#[derive(Clone, Debug)]
pub(super) struct TurnOutput {
    pub(super) printed: String,
    pub(super) seconds: f64,
}

/// A conversation that is open.
pub(super) trait AgentSession {
    /// Says something and waits until the turn is over.
    fn send_prompt(&mut self, prompt: &str) -> Result<TurnOutput>;
    /// The agent's own id of the conversation, once it is known.
    fn session_id(&self) -> Option<&str>;
    /// Ends it as a user does.
    fn end_session(&mut self) -> Result<()>;
}

/// Opens a conversation in the manner of an agent.
pub(super) fn open_session<'s>(
    host: &HostAgent,
    stage: &'s HostSandbox,
    model: SocketAddr,
    going: SessionTarget,
) -> Result<Box<dyn AgentSession + 's>> {
    let variables = (host.variables)(model);
    Ok(match host.manner {
        SessionManner::Turns(arguments, id) => {
            Box::new(TurnProcesses { stage, command: host.command, variables, arguments, id, going })
        }
        SessionManner::Stream(arguments) => {
            let arguments = arguments(&going);
            let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut command = stage.agent_command(host.command, &words);
            command.envs(variables).stdin(Stdio::piped());
            Box::new(StreamProcess { open: AgentProcess::new(spawn_agent(&mut command, stage)?)?, session: None })
        }
    })
}

/// One process a turn.
struct TurnProcesses<'s> {
    stage: &'s HostSandbox,
    command: &'static str,
    variables: Vec<(&'static str, String)>,
    arguments: fn(&SessionTarget, &str) -> Vec<String>,
    /// Finds the id of the conversation in what was printed.
    id: fn(&str) -> Option<String>,
    going: SessionTarget,
}

impl AgentSession for TurnProcesses<'_> {
    fn send_prompt(&mut self, prompt: &str) -> Result<TurnOutput> {
        let begun = Instant::now();
        let arguments = (self.arguments)(&self.going, prompt);
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = self.stage.agent_command(self.command, &words);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let child = spawn_agent(command.stdin(Stdio::null()), self.stage)?;
        let mut open = AgentProcess::new(child)?;
        let printed = open.until_end()?;
        // The id is known only after the first turn; from then on the session is continued.
        if self.going == SessionTarget::New
            && let Some(id) = (self.id)(&printed)
        {
            self.going = SessionTarget::On(id);
        }
        Ok(TurnOutput { printed, seconds: begun.elapsed().as_secs_f64() })
    }

    fn session_id(&self) -> Option<&str> {
        match &self.going {
            SessionTarget::New => None,
            SessionTarget::On(id) => Some(id),
        }
    }

    fn end_session(&mut self) -> Result<()> {
        Ok(())
    }
}

/// One process for all turns, which speaks JSON lines: Claude Code's `stream-json`.
struct StreamProcess {
    open: AgentProcess,
    session: Option<String>,
}

impl AgentSession for StreamProcess {
    fn send_prompt(&mut self, prompt: &str) -> Result<TurnOutput> {
        let begun = Instant::now();
        let content = json!([{ "type": "text", "text": prompt }]);
        let line = json!({ "type": "user", "message": { "role": "user", "content": content } });
        let input = self.open.input.as_mut().context("the agent takes no input any more")?;
        writeln!(input, "{line}")?;
        input.flush()?;
        let mut printed = String::new();
        loop {
            let line =
                self.open.next_line(begun)?.with_context(|| format!("the agent ended within a turn: {printed}"))?;
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            printed += &line;
            printed.push('\n');
            // Some events come before the session has an id.
            if let Some(id) = event["session_id"].as_str() {
                self.session = Some(id.to_owned());
            }
            if event["type"] == "result" {
                ensure!(event["is_error"] != true, "the agent reports an error: {line}");
                return Ok(TurnOutput { printed, seconds: begun.elapsed().as_secs_f64() });
            }
        }
    }

    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn end_session(&mut self) -> Result<()> {
        drop(self.open.input.take());
        self.open.until_end().map(drop)
    }
}

fn spawn_agent(command: &mut Command, stage: &HostSandbox) -> Result<Child> {
    let talk = fs_err::OpenOptions::new().create(true).append(true).open(stage.talk_file())?;
    let child = command.stdout(Stdio::piped()).stderr(Stdio::from(talk.into_file())).spawn();
    child.with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))
}

/// A process whose lines are read while it runs. It is ended when it is dropped.
struct AgentProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl AgentProcess {
    fn new(mut child: Child) -> Result<Self> {
        let output = child.stdout.take().context("standard output is piped")?;
        let (send, lines) = mpsc::channel();
        // A thread reads, so that waiting for a line can be given a time limit.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { input: child.stdin.take(), child, lines })
    }

    /// The next line; none when the process has closed its output.
    fn next_line(&mut self, begun: Instant) -> Result<Option<String>> {
        match self.lines.recv_timeout(LONGEST_TURN.saturating_sub(begun.elapsed())) {
            Ok(line) => Ok(Some(line)),
            Err(mpsc::RecvTimeoutError::Disconnected) => Ok(None),
            Err(mpsc::RecvTimeoutError::Timeout) => bail!("the agent did not end its turn"),
        }
    }

    /// Everything up to a good end.
    fn until_end(&mut self) -> Result<String> {
        let begun = Instant::now();
        let mut printed = String::new();
        while let Some(line) = self.next_line(begun)? {
            printed += &line;
            printed.push('\n');
        }
        let status = self.child.wait()?;
        ensure!(status.success(), "the agent ended with {status}: {}", text_tail(&printed));
        Ok(printed)
    }
}

fn text_tail(text: &str) -> &str {
    let from = text.char_indices().rev().nth(1_500).map_or(0, |(at, _)| at);
    &text[from..]
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        // A process that is gone already is as good as ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
