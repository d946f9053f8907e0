//! Runs a command-line program (`claude`, `codex`) as a model vendor: started in an empty directory, fed on standard
//! input, ended with everything it started.
//!
//! The programs are coding agents with hooks, and their hooks may be ours. `OWN_CALL` in the environment of a child
//! says that what happens there is no conversation of the user's; a hook that captures conversations must skip it.
//! Where a transcript is written all the same, the directory's name tells it from the user's.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

use crate::{FailureCost, KeyOrigin, ProviderError, ProviderFailure, Result, Vendor};

/// The variable that is set in the environment of every program we ask.
pub const OWN_CALL: &str = "EPITOME_OWN_CALL";
/// How the name of the directory begins that it is started in.
pub const OWN_DIRECTORY: &str = "epitome-call-";

/// A program to ask.
#[derive(Debug)]
pub(crate) struct ChildProgram {
    pub(crate) vendor: Vendor,
    pub(crate) program: PathBuf,
}

/// One call of the program.
pub(crate) struct ChildCall<'a> {
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(&'static str, String)>,
    /// A file outside of its directory, handed over with the option that names it.
    pub(crate) file: Option<(&'static str, String)>,
    pub(crate) input: &'a str,
    pub(crate) deadline: Duration,
}

/// What it said.
pub(crate) struct ChildOutput {
    pub(crate) output: String,
    /// Its standard error; used to classify failures, and never shown or stored.
    pub(crate) complaint: String,
    pub(crate) succeeded: bool,
}

const LONGEST_OUTPUT: usize = 8 << 20;
const LONGEST_COMPLAINT: usize = 64 << 10;

impl ChildProgram {
    pub(crate) async fn run(&self, errand: ChildCall<'_>) -> Result<ChildOutput> {
        let no_room = |_| {
            self.build_error(
                ProviderFailure::Unreachable { reason: "no temporary directory for it" },
                FailureCost::Nothing,
            )
        };
        // A directory of its own: a coding agent reads the files around it, and those of the user's project are none of
        // its business here.
        let place = tempfile::Builder::new().prefix(OWN_DIRECTORY).tempdir().map_err(no_room)?;
        let empty = place.path().join("empty");
        fs_err::create_dir(&empty).map_err(no_room)?;
        let mut command = Command::new(&self.program);
        // Our hooks run inside of these programs too, and must not take this call for a conversation of the user.
        command.args(&errand.arguments).envs(errand.environment).env(OWN_CALL, "1").current_dir(&empty);
        if let Some((option, content)) = errand.file {
            let path = place.path().join("file");
            fs_err::write(&path, content).map_err(no_room)?;
            command.arg(option).arg(path);
        }
        // A group of its own, so that everything it starts can be ended with it.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| {
            let failure = if error.kind() == std::io::ErrorKind::NotFound {
                ProviderFailure::NotInstalled { command: self.program.display().to_string() }
            } else {
                ProviderFailure::Unreachable { reason: "the command cannot be started" }
            };
            self.build_error(failure, FailureCost::Nothing)
        })?;
        let mut group = ProcessGroup::new(child.id());
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        let feed = async {
            if let Some(mut stdin) = stdin {
                // A program that answers without reading its input is judged by its answer.
                let _ = stdin.write_all(errand.input.as_bytes()).await;
            }
            Ok(())
        };
        let wait = async move {
            let status = child.wait().await;
            // A process that it left behind would keep the output open, and the read would never end.
            group.kill_group();
            Ok(status.is_ok_and(|status| status.success()))
        };
        // All at once: a program that writes more than a pipe holds would otherwise wait for us while we wait for it.
        let all = async {
            tokio::try_join!(feed, read_stream(stdout, LONGEST_OUTPUT), read_stream(stderr, LONGEST_COMPLAINT), wait)
        };
        match tokio::time::timeout(errand.deadline, all).await {
            // The request may have reached the vendor before the time was up.
            Err(_) => Err(self.build_error(ProviderFailure::TimedOut { after: errand.deadline }, FailureCost::Unknown)),
            Ok(Err(TooLong)) => Err(self.malformed_error("it is longer than any answer")),
            Ok(Ok(((), output, complaint, succeeded))) => Ok(ChildOutput { output, complaint, succeeded }),
        }
    }

    /// Whether there is such a program, and it starts.
    pub(crate) async fn check_startup(&self) -> Result<()> {
        let errand = ChildCall {
            arguments: vec!["--version".to_owned()],
            environment: Vec::new(),
            file: None,
            input: "",
            deadline: Duration::from_secs(10),
        };
        // Asking for a version costs nothing, whatever becomes of it.
        let said = self.run(errand).await.map_err(|error| ProviderError { spent: FailureCost::Nothing, ..error })?;
        if said.succeeded {
            return Ok(());
        }
        Err(self
            .build_error(ProviderFailure::Unreachable { reason: "the command does not start" }, FailureCost::Nothing))
    }

    pub(crate) fn build_error(&self, failure: ProviderFailure, spent: FailureCost) -> ProviderError {
        ProviderError { vendor: self.vendor, failure, spent }
    }

    pub(crate) fn malformed_error(&self, reason: &str) -> ProviderError {
        self.build_error(ProviderFailure::Malformed { reason: reason.to_owned() }, FailureCost::Unknown)
    }

    /// What the program means by what it tells people.
    pub(crate) fn classify_error(&self, words: &str, model: &str, spent: FailureCost) -> ProviderError {
        let words = words.to_lowercase();
        let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
        let failure = match () {
            // The program tells people and not programs what is wrong, so only its words can be sorted.
            () if says(&["/login", "not logged in", "api key", "unauthorized", "authenticat", " 401"]) => {
                ProviderFailure::Unauthorised { key: KeyOrigin::Login }
            }
            () if says(&["credit balance"]) => ProviderFailure::OutOfCredit,
            () if says(&["usage limit", "rate limit", "hit your limit", " 429"]) => {
                ProviderFailure::RateLimited { retry_after: None }
            }
            () if says(&["prompt is too long", "context window", "context length"]) => ProviderFailure::TooLarge,
            () if says(&["model"]) && says(&["not found", "not exist", "not supported", " 404"]) => {
                ProviderFailure::WrongModel { model: model.to_owned() }
            }
            () if says(&["overloaded", " 529", " 500", " 502", " 503", "stream disconnected"]) => {
                ProviderFailure::Overloaded { retry_after: None }
            }
            () => ProviderFailure::Malformed { reason: "it reports an error we do not know".to_owned() },
        };
        self.build_error(failure, spent)
    }
}

/// A process group that does not outlive its errand, however that ends. Ended once: its number may be another's later.
struct ProcessGroup(Option<Pid>);

impl ProcessGroup {
    fn new(leader: Option<u32>) -> Self {
        Self(leader.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    fn kill_group(&mut self) {
        if let Some(leader) = self.0.take() {
            // An error is the usual case: no process of the group is left to end.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill_group();
    }
}

struct TooLong;

/// All of a stream, as text. Bytes that are not UTF-8 are replaced: output that must be exact is JSON, and the parser
/// refuses it.
async fn read_stream(stream: Option<impl AsyncRead + Unpin>, longest: usize) -> Result<String, TooLong> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // One byte more than allowed tells a longer stream from one that just fits.
        let _ = stream.take(longest as u64 + 1).read_to_end(&mut bytes).await;
    }
    if bytes.len() > longest { Err(TooLong) } else { Ok(String::from_utf8_lossy(&bytes).into_owned()) }
}
