//! Reading: files, ranges and symbols, straight from the disk, so that what is shown is what is there.

mod target;

use crate::{Engine, Error, Project, Result};
use model::{LineRange, Tokens, count_tokens};
use std::borrow::Cow;
use target::Target;

/// How a text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Byte for byte.
    Raw,
    /// Signatures with their line ranges.
    Map,
}

impl Mode {
    /// The mode's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Map => "map",
        }
    }
}

/// Stands below a text of which some bytes could not be shown.
pub const LOSSY: &str = "[… some bytes are not UTF-8 and stand as \u{FFFD}]\n";

/// What to read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// `path`, `path:10-20` or a symbol id (`path#Container.name`), each relative to the project.
    pub targets: Vec<String>,
    /// How to show it.
    pub mode: Mode,
}

/// One text that was read.
#[derive(Clone, Debug)]
pub struct ReadItem {
    /// The target it answers.
    pub id: String,
    /// Project-relative path.
    pub path: String,
    /// The lines shown; empty files have none.
    pub lines: Option<LineRange>,
    /// The text.
    pub text: String,
    /// How it is shown.
    pub mode: Mode,
    /// Whether some bytes are not UTF-8 and stand as a replacement character in the text.
    pub lossy: bool,
    /// Bytes of the source shown.
    pub original_bytes: u64,
    /// Tokens of the text.
    pub tokens: Tokens,
}

pub(crate) async fn run(engine: &Engine, project: &Project, request: ReadRequest) -> Result<Vec<ReadItem>> {
    if request.targets.is_empty() {
        return Err(Error::Parameter { field: "targets", reason: "is empty: name at least one".to_owned() });
    }
    let (project, limits) = (
        project.clone(),
        syntax::Limits { max_bytes: engine.settings.max_file_bytes as usize, ..syntax::Limits::default() },
    );
    tokio::task::spawn_blocking(move || {
        request.targets.iter().map(|target| read_target(&project, target, request.mode, &limits)).collect()
    })
    .await
    .map_err(|_| Error::Panicked { what: "reading" })?
}

/// The text of some lines of a file, for packing.
pub(crate) fn lines(project: &Project, path: &str, lines: LineRange) -> Result<String> {
    let bytes = target::load(project, path)?;
    let text = String::from_utf8_lossy(&bytes[span_of(&bytes, lines)]);
    let mark = if matches!(text, Cow::Owned(_)) { LOSSY } else { "" };
    Ok(format!("{text}{mark}"))
}

fn read_target(project: &Project, text: &str, mode: Mode, limits: &syntax::Limits) -> Result<ReadItem> {
    let target = Target::parse(project, text)?;
    let bytes = target::load(project, &target.path())?;
    let total = line_count(&bytes);
    let lines = match &target {
        Target::File { .. } => (total > 0).then_some(LineRange { start: 1, end: total }),
        Target::Lines { lines, path } => Some(within(*lines, total, path)?),
        Target::Symbol { id } => {
            let facts = syntax::extract(&id.path(), &bytes, limits);
            Some(target::symbol_lines(&facts, id)?)
        }
    };
    let span = lines.map_or(0..0, |lines| span_of(&bytes, lines));
    let original_bytes = span.len() as u64;
    let lossy = std::str::from_utf8(&bytes[span.clone()]).is_err();
    let text = match mode {
        Mode::Raw => String::from_utf8_lossy(&bytes[span]).into_owned(),
        Mode::Map => {
            let shown = &bytes[span];
            syntax::map(&target.path(), shown, &syntax::extract(&target.path(), shown, limits))
        }
    };
    Ok(ReadItem {
        id: target.id(),
        path: target.path().into_owned(),
        lines,
        tokens: count_tokens(&text),
        text,
        mode,
        lossy,
        original_bytes,
    })
}

fn within(lines: LineRange, total: u32, path: &str) -> Result<LineRange> {
    if lines.start > total {
        let reason = format!("asks for line {} of {path}, which has {total}", lines.start);
        return Err(Error::Parameter { field: "targets", reason });
    }
    Ok(LineRange { end: lines.end.min(total), ..lines })
}

/// Lines as `wc` and editors count them: a last line without a newline counts.
fn line_count(bytes: &[u8]) -> u32 {
    let newlines = memchr::memchr_iter(b'\n', bytes).count() as u32;
    newlines + u32::from(bytes.last().is_some_and(|byte| *byte != b'\n'))
}

/// The bytes of some lines, newlines included.
fn span_of(bytes: &[u8], lines: LineRange) -> std::ops::Range<usize> {
    let ends = || memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
    let after = |line: u32| if line == 0 { Some(0) } else { ends().nth(line as usize - 1) };
    let start = after(lines.start - 1).unwrap_or(bytes.len());
    start..after(lines.end).unwrap_or(bytes.len()).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_with_their_newlines() {
        let text = b"a\nbb\nccc";
        let cut = |start, end| &text[span_of(text, LineRange { start, end })];
        assert_eq!(line_count(text), 3);
        assert_eq!((cut(1, 1), cut(2, 3), cut(1, 3)), (&b"a\n"[..], &b"bb\nccc"[..], &text[..]));
        assert_eq!(line_count(b""), 0);
    }
}
