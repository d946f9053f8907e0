//! Renders the targets of a read request one after the other within its token budget; the reading and parsing of files
//! runs on threads that may block, with a deadline for parsing.

use super::ModeChoice;
use super::content::{self, FileContent};
use super::fit::{self, FitOutcome};
use super::indexed_symbols::KnownSymbols;
use super::render::OpenFile;
use super::target::ReadTarget;
use crate::base::{Clock, Project, Result, run_blocking};
use crate::ledger::modes::LearnedModes;
use model::{ContentHash, TokenCount, count_tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// After this time for all files of a request, files are shown without a parse.
const DEADLINE: Duration = Duration::from_secs(2);

/// The tokens of a heading beside the name in it.
const HEADING_TOKENS: TokenCount = TokenCount(4);

/// What a request needs while it reads the disk.
#[derive(Clone)]
pub(super) struct ReadScope {
    pub(super) project: Project,
    pub(super) limits: syntax::ExtractLimits,
    pub(super) mode: ModeChoice,
    pub(super) budget: Option<TokenCount>,
    /// Whether the only item is shown without a heading.
    pub(super) is_alone: bool,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) known: Arc<KnownSymbols>,
    /// What was learned of modes, where they are chosen by it.
    pub(super) learned: Option<Arc<LearnedModes>>,
}

/// A target to render.
pub(super) struct TargetRequest {
    pub(super) target: String,
    pub(super) mode: ModeChoice,
    /// The text of the line above it.
    pub(super) heading: String,
}

/// The hashes of the request's files, by path.
pub(super) type FileHashes = Vec<(String, ContentHash)>;

impl ReadScope {
    /// Renders targets one after the other, each within what the ones before it leave of the budget.
    pub(super) async fn render_targets(
        &self,
        targets: Vec<TargetRequest>,
        budget: Option<TokenCount>,
    ) -> Result<(Vec<Result<FitOutcome>>, FileHashes)> {
        let reading = self.clone();
        let work = move || reading.draw_all(&targets, budget);
        run_blocking("reading", work).await
    }

    fn open_file<'a>(&'a self, path: &'a str, content: &'a FileContent, stop: &'a dyn Fn() -> bool) -> OpenFile<'a> {
        OpenFile::new(path, content, &self.known, self.limits, stop).with_learned(self.learned.as_deref())
    }

    fn draw_all(&self, targets: &[TargetRequest], budget: Option<TokenCount>) -> (Vec<Result<FitOutcome>>, FileHashes) {
        let started = self.clock.monotonic_time();
        let stop = &|| self.clock.monotonic_time().saturating_sub(started) > DEADLINE;
        let parsed: Vec<Result<ReadTarget>> =
            targets.iter().map(|wanted| ReadTarget::parse(&self.project, &wanted.target)).collect();
        // Each file is read and parsed once, however many of its symbols are requested.
        let paths: BTreeSet<String> = parsed.iter().flatten().map(|target| target.path().into_owned()).collect();
        let contents: Vec<(String, FileContent)> = paths
            .into_iter()
            .filter_map(|path| content::read_content(&self.project, &path).ok().map(|content| (path, content)))
            .collect();
        let files: BTreeMap<&str, OpenFile> =
            contents.iter().map(|(path, content)| (path.as_str(), self.open_file(path, content, stop))).collect();
        let mut left = budget;
        let draw = |(target, wanted): (Result<ReadTarget>, &TargetRequest)| {
            let target = target?;
            let around = if self.is_alone { TokenCount(0) } else { count_tokens(&wanted.heading) + HEADING_TOKENS };
            let room = left.map(|left: TokenCount| left.saturating_sub(around));
            let drawn = if let Some(file) = files.get(target.path().as_ref()) {
                fit::fit_target(file, &target, wanted.mode, room)?
            } else {
                // Read once more, for the error and in case that it was a passing one.
                let content = content::read_content(&self.project, &target.path())?;
                let path = target.path();
                fit::fit_target(&self.open_file(&path, &content, stop), &target, wanted.mode, room)?
            };
            if let (FitOutcome::Item(item), Some(left)) = (&drawn, &mut left) {
                *left = left.saturating_sub(item.tokens + around);
            }
            Ok(drawn)
        };
        let drawn = parsed.into_iter().zip(targets).map(draw).collect();
        let hashes = files.iter().filter_map(|(path, file)| Some(((*path).to_owned(), file.content_hash()?))).collect();
        (drawn, hashes)
    }
}
