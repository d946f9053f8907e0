//! Reading: files, ranges and symbols, straight from the disk, so that what is shown is what is there.
//!
//! The index is asked one thing only: whether it knows what was read ([`Freshness`]). Reading works without it.

mod auto;
mod content;
mod draw;
mod fit;
mod freshness;
mod target;

use crate::{Engine, Error, Project, Result};
use content::Content;
use draw::OpenFile;
pub use freshness::Freshness;
use model::{ContentHash, LineRange, Tokens};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
pub use syntax::Mode;
use target::Target;

/// Stands below a text of which some bytes could not be shown.
pub const LOSSY: &str = "[… some bytes are not UTF-8 and stand as \u{FFFD}]\n";

/// A file that takes longer to parse is shown as it is.
const DEADLINE: Duration = Duration::from_secs(2);

/// How to show what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeChoice {
    /// In this mode.
    Fixed(Mode),
    /// As suits its size and what it is.
    Auto,
}

impl ModeChoice {
    /// Reads a mode's word, or `auto`.
    pub fn parse(word: &str) -> Option<Self> {
        let fixed = Mode::ALL.into_iter().find(|(_, known)| *known == word).map(|(mode, _)| Self::Fixed(mode));
        fixed.or((word == "auto").then_some(Self::Auto))
    }
}

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest {
    /// `path`, `path:10-20` (lines), `path@0-4096` (bytes) or a symbol id (`path#Container.name`), each relative to the
    /// project.
    pub targets: Vec<String>,
    /// How to show it, where the caller says so.
    pub mode: Option<ModeChoice>,
    /// How to show it where the caller does not, or leaves it to us: the user's word beats our table.
    pub default_mode: Option<ModeChoice>,
    /// Most tokens of all items together.
    pub budget: Option<Tokens>,
}

/// What was read.
#[derive(Debug, Default)]
pub struct ReadReply {
    /// The texts, in the order of the targets.
    pub items: Vec<ReadItem>,
    /// Targets that are not among the items, and why.
    pub omitted: Vec<Omitted>,
}

/// One text that was read.
#[derive(Clone, Debug)]
pub struct ReadItem {
    /// The target it answers.
    pub id: String,
    /// Project-relative path.
    pub path: String,
    /// The lines shown; empty files and pieces of lines have none.
    pub lines: Option<LineRange>,
    /// The text.
    pub text: String,
    /// How it is shown.
    pub mode: Mode,
    /// Whether the index knows it like this.
    pub freshness: Freshness,
    /// Whether some bytes are not UTF-8 and stand as a replacement character in the text.
    pub lossy: bool,
    /// Bytes of the source shown.
    pub original_bytes: u64,
    /// Tokens of the text.
    pub tokens: Tokens,
}

/// A target that was not read.
#[derive(Debug)]
pub struct Omitted {
    /// The target, as it can be asked for again.
    pub id: String,
    /// Why.
    pub why: Omission,
}

/// Why a target was not read.
#[derive(Debug)]
pub enum Omission {
    /// It does not fit what is left of the budget, however short it is shown.
    Budget {
        /// What the shortest form would cost.
        tokens: Tokens,
    },
    /// It cannot be read.
    Failed(Error),
}

pub(crate) async fn run(engine: &Engine, project: &Project, request: ReadRequest) -> Result<ReadReply> {
    if request.targets.is_empty() {
        return Err(Error::Parameter { field: "targets", reason: "is empty: name at least one".to_owned() });
    }
    if request.budget == Some(Tokens(0)) {
        return Err(Error::Parameter { field: "budget", reason: "must be at least 1 token".to_owned() });
    }
    let reading = Reading {
        project: project.clone(),
        limits: syntax::Limits { max_bytes: engine.settings.max_file_bytes as usize, ..syntax::Limits::default() },
        mode: auto::chosen(request.mode, request.default_mode),
        budget: request.budget,
    };
    let (clock, budget) = (engine.clock.clone(), request.budget);
    let work = move || {
        let started = clock.ticks();
        reading.read(&request.targets, &|| clock.ticks().saturating_sub(started) > DEADLINE)
    };
    let (mut reply, hashes) =
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Panicked { what: "reading" })?;
    freshness::tell(engine, project, &mut reply, &hashes, budget).await;
    if reply.items.is_empty()
        && let Some(at) = reply.omitted.iter().position(|omitted| matches!(omitted.why, Omission::Failed(_)))
        && let Omission::Failed(error) = reply.omitted.swap_remove(at).why
    {
        return Err(error);
    }
    Ok(reply)
}

/// The text of some lines of a file, for packing.
pub(crate) fn lines(project: &Project, path: &str, lines: LineRange) -> Result<String> {
    let content = content::load(project, path)?;
    let bytes = content.lines(lines)?;
    let text = String::from_utf8_lossy(&bytes);
    let mark = if matches!(text, Cow::Owned(_)) { LOSSY } else { "" };
    Ok(format!("{text}{mark}"))
}

/// Everything one request needs while it reads the disk.
struct Reading {
    project: Project,
    limits: syntax::Limits,
    mode: ModeChoice,
    budget: Option<Tokens>,
}

/// What files of a request hold, as the index names it.
type Hashes = Vec<(String, ContentHash)>;

impl Reading {
    fn read(&self, targets: &[String], stop: &dyn Fn() -> bool) -> (ReadReply, Hashes) {
        let parsed: Vec<Result<Target>> = targets.iter().map(|text| Target::parse(&self.project, text)).collect();
        // Each file is read and parsed once, however many of its symbols are asked for.
        let paths: BTreeSet<String> = parsed.iter().flatten().map(|target| target.path().into_owned()).collect();
        let contents: Vec<(String, Content)> = paths
            .into_iter()
            .filter_map(|path| content::load(&self.project, &path).ok().map(|content| (path, content)))
            .collect();
        let files: BTreeMap<&str, OpenFile> = contents
            .iter()
            .map(|(path, content)| (path.as_str(), OpenFile::new(path, content, self.limits, stop)))
            .collect();
        let mut reply = ReadReply::default();
        for (text, target) in targets.iter().zip(parsed) {
            let left = left(self.budget, &reply);
            let drawn = target.and_then(|target| {
                if let Some(file) = files.get(target.path().as_ref()) {
                    return fit::fit(file, &target, self.mode, left);
                }
                // Asked once more, for the error and in case that it was a passing one.
                let content = content::load(&self.project, &target.path())?;
                fit::fit(&OpenFile::new(&target.path(), &content, self.limits, stop), &target, self.mode, left)
            });
            match drawn {
                Ok(fit::Fit::Item(item)) => reply.items.push(item),
                Ok(fit::Fit::TooLong { id, tokens }) => {
                    reply.omitted.push(Omitted { id, why: Omission::Budget { tokens } });
                }
                Err(error) => reply.omitted.push(Omitted { id: text.clone(), why: Omission::Failed(error) }),
            }
        }
        let hashes = files.iter().filter_map(|(path, file)| Some(((*path).to_owned(), file.hash()?))).collect();
        (reply, hashes)
    }
}

/// What is left of a budget.
fn left(budget: Option<Tokens>, reply: &ReadReply) -> Option<Tokens> {
    budget.map(|budget| budget.saturating_sub(reply.items.iter().map(|item| item.tokens).sum()))
}
