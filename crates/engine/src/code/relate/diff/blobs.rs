//! Reads file contents (blobs) from the git repository through one `git cat-file --batch` process.

use super::{FileSide, diff_error};
use crate::base::Result;
use crate::code::git::git_command;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Larger files are not compared.
pub(super) const MOST_BYTES: u64 = 16 << 20;

/// A `git cat-file --batch` process, which returns the content of requested objects.
pub(super) struct BlobReader {
    child: Child,
    ask: ChildStdin,
    answer: BufReader<ChildStdout>,
}

impl BlobReader {
    pub(super) fn open(root: &Path) -> Result<Self> {
        let mut command = git_command(root);
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| diff_error(cannot_start(&error)))?;
        let ask = child.stdin.take();
        let answer = child.stdout.take();
        let (ask, answer) = ask.zip(answer).expect("both were asked for");
        Ok(Self { child, ask, answer: BufReader::new(answer) })
    }

    /// The content of one object; `Unread` for one that a partial clone does not have.
    pub(super) fn read_blob(&mut self, id: &str) -> Result<FileSide> {
        self.request_content(id).map_err(|error| diff_error(format!("fails: git does not return {id}: {error}")))
    }

    fn request_content(&mut self, id: &str) -> io::Result<FileSide> {
        writeln!(self.ask, "{id}")?;
        let mut head = String::new();
        self.answer.read_line(&mut head)?;
        let bytes: Option<u64> = head.split_whitespace().nth(2).and_then(|bytes| bytes.parse().ok());
        let Some(bytes) = bytes else {
            // `ID missing` is an answer; no line at all means that git has ended.
            return if head.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(FileSide::Unread) };
        };
        // A line end follows the content.
        let mut content = (&mut self.answer).take(bytes + 1);
        // Read to its end without keeping it: the next answer begins behind it.
        if bytes > MOST_BYTES {
            io::copy(&mut content, &mut io::sink())?;
            return Ok(FileSide::Unread);
        }
        let mut read = Vec::new();
        content.read_to_end(&mut read)?;
        read.pop();
        Ok(FileSide::Bytes(read))
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        // Git's input is still open here, so git is killed; waiting for it leaves no process behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn cannot_start(error: &io::Error) -> String {
    format!("needs git, which cannot be started: {error}")
}
