//! Has a language model write summaries of symbols, a sentence or two on each function and type, only when a caller
//! asks for them. A summary is stored under the digest of the text that the model was shown, not under its place: text
//! that moves, comes back or is in another worktree is never paid for twice, and a run that was stopped continues where
//! it ended. Each call is made under the spend contract.

use crate::base::{Error, Observer, Project, Result, confined_file, run_blocking};
use crate::code::CodeContext;
use crate::code::index;
use crate::code::symbol_codec::IndexedSymbol;
use crate::ledger::{CallInitiative, CallPurpose, Degradation, GenerationOutcome, generate_text};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use model::{ByteSpan, ContentHash, DigestBuilder, LineRange, Symbol, SymbolKind, TokenCount};
use providers::{Prompt, SymbolForm};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use store::WorktreeId;

/// The result of describing the symbols of a project.
#[derive(Clone, Debug, Default)]
pub struct SummarizeReport {
    /// Written in this run.
    pub written: u64,
    /// Written before.
    pub known: u64,
    /// Not written: a model could not say anything usable about them. The next run tries again.
    pub failed: u64,
    /// Not tried, because no provider would take more. The next run goes on with them.
    pub left: u64,
    /// The reasons for missing descriptions, each once.
    pub degraded: Vec<Degradation>,
}

/// More of a symbol's text is not shown to a model: the first pages show what a function does.
const MAX_SYMBOL_TEXT_BYTES: usize = 16 << 10;
/// Shorter symbols need no description.
const FEWEST_LINES: u32 = 3;
/// Room for two sentences, and for models that think before they write.
const MAX_OUTPUT_TOKENS: TokenCount = TokenCount(1_000);
const DEADLINE: Duration = Duration::from_mins(2);
/// Symbols looked up at a time.
const BATCH: usize = 200;

/// A symbol to be described.
struct SymbolSubject {
    key: ContentHash,
    form: SymbolForm,
    name: String,
    text: String,
}

/// Describes every symbol of a worktree that is not described yet.
pub(crate) async fn summarize_symbols(
    code: &CodeContext,
    project: &Project,
    worktree: &WorktreeId,
    provider: Option<&str>,
    observer: &dyn Observer,
) -> Result<SummarizeReport> {
    let (missing, known) = missing_summaries(code, project, worktree, observer).await?;
    let total = missing.len() as u64;
    let mut summaries = SummarizeReport { known, left: total, ..SummarizeReport::default() };
    let purpose =
        CallPurpose { operation: "index", project: Some(&project.id), session: None, initiative: CallInitiative::User };
    let ask = |subject: SymbolSubject| async move {
        let prompt = Prompt::symbol_description(subject.form, &subject.name, &subject.text)
            .into_request(MAX_OUTPUT_TOKENS, DEADLINE);
        (subject.key, generate_text(&code.ledger, purpose, provider, &prompt).await)
    };
    // More calls than the ceiling allows at once would be refused.
    let at_once = code.ledger.spend.limits.concurrent.clamp(1, 16) as usize;
    let mut waiting = missing.into_iter();
    let mut running = FuturesUnordered::new();
    // A request is paid for once it is sent: whatever ends the run, outstanding answers are awaited and stored.
    let mut end = None;
    loop {
        observer.report_progress("describing symbols", total - summaries.left, total);
        if observer.is_cancelled() {
            end.get_or_insert(Err(Error::Cancelled));
        }
        while end.is_none()
            && running.len() < at_once
            && let Some(subject) = waiting.next()
        {
            running.push(ask(subject));
        }
        let Some((key, answer)) = running.next().await else { break };
        match store_summary(code, project, key, answer, &mut summaries).await {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => drop(end.get_or_insert(Ok(()))),
            Err(error) => drop(end.get_or_insert(Err(error))),
        }
    }
    end.unwrap_or(Ok(())).map(|()| summaries)
}

/// Stores an answer, and returns whether more requests are worth sending.
async fn store_summary(
    code: &CodeContext,
    project: &Project,
    key: ContentHash,
    answer: Result<GenerationOutcome>,
    summaries: &mut SummarizeReport,
) -> Result<ControlFlow<()>> {
    let GenerationOutcome { text, missed, others_may, .. } = answer?;
    summaries.note_degraded(missed);
    match text {
        Some(text) => {
            // It may repeat what stands in the code.
            let text = code.ledger.scrubber.load().await?.scrub_text(text.trim()).0.into_owned();
            code.store.write_symbol_summaries(&project.id, vec![(key, text)]).await?;
            summaries.written += 1;
        }
        None if others_may => summaries.failed += 1,
        // No provider accepts more requests, so the next one would fail in the same way.
        None => return Ok(ControlFlow::Break(())),
    }
    summaries.left -= 1;
    Ok(ControlFlow::Continue(()))
}

/// The summary of a symbol with its present text, if a model wrote one.
pub(crate) async fn cached_summary(
    code: &CodeContext,
    project: &Project,
    path: &str,
    symbol: &Symbol,
) -> Result<Option<String>> {
    let (root, path) = (project.root.clone(), PathBuf::from(path));
    let symbol = symbol.clone();
    let shown = run_blocking("reading a file", move || {
        Some(symbol_subject(&symbol, &syntax::decode_text(confined_file::read_file(&root, &path).ok()?))?.key)
    });
    let Some(key) = shown.await? else { return Ok(None) };
    Ok(code.store.symbol_summaries(&project.id, &[key]).await?.pop().flatten())
}

/// The symbols of a worktree that have no summary yet, and how many are described.
async fn missing_summaries(
    code: &CodeContext,
    project: &Project,
    worktree: &WorktreeId,
    observer: &dyn Observer,
) -> Result<(Vec<SymbolSubject>, u64)> {
    let mut missing = Vec::new();
    let mut known = 0;
    let mut seen = HashSet::new();
    let files = code.store.worktree_files(worktree).await?;
    for (done, file) in files.iter().enumerate() {
        observer.report_progress("looking for symbols", done as u64, files.len() as u64);
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let symbols = index::symbols_of(code, project, &file.path).await?;
        if symbols.is_empty() {
            continue;
        }
        let (root, path) = (project.root.clone(), PathBuf::from(&file.path));
        let subjects = run_blocking("reading a file", move || {
            // A file that was removed since has no symbols to describe.
            let bytes = syntax::decode_text(confined_file::read_file(&root, &path).unwrap_or_default());
            symbols.iter().filter_map(|symbol| symbol_subject(symbol, &bytes)).collect::<Vec<_>>()
        });
        // Equal texts are one subject.
        let subjects: Vec<SymbolSubject> =
            subjects.await?.into_iter().filter(|subject| seen.insert(subject.key)).collect();
        let mut subjects = subjects.into_iter().peekable();
        while subjects.peek().is_some() {
            let batch: Vec<SymbolSubject> = subjects.by_ref().take(BATCH).collect();
            let keys: Vec<ContentHash> = batch.iter().map(|subject| subject.key).collect();
            let found = code.store.symbol_summaries(&project.id, &keys).await?;
            for (subject, found) in batch.into_iter().zip(found) {
                match found {
                    Some(_) => known += 1,
                    None => missing.push(subject),
                }
            }
        }
    }
    Ok((missing, known))
}

/// The key of a symbol's summary; `None` where there is nothing to describe.
pub(crate) fn summary_key(symbol: &IndexedSymbol<'_>, bytes: &[u8]) -> Option<ContentHash> {
    let IndexedSymbol { kind, qualified_name, span, lines, .. } = *symbol;
    Some(build_subject(kind, qualified_name, span, lines, bytes)?.key)
}

fn symbol_subject(symbol: &Symbol, bytes: &[u8]) -> Option<SymbolSubject> {
    build_subject(symbol.kind, symbol.id.qualified_name(), symbol.span, symbol.lines, bytes)
}

/// What a model is shown of a symbol; `None` where there is nothing to describe.
fn build_subject(
    kind: SymbolKind,
    qualified_name: &str,
    span: ByteSpan,
    lines: LineRange,
    bytes: &[u8],
) -> Option<SymbolSubject> {
    let form = match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro => SymbolForm::Function,
        SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Trait => {
            SymbolForm::Class
        }
        SymbolKind::Type | SymbolKind::Constant => SymbolForm::Other,
        SymbolKind::Module | SymbolKind::Field | SymbolKind::Section => return None,
    };
    if lines.count() < FEWEST_LINES {
        return None;
    }
    let text = bytes.get(span.to_range())?;
    let text = String::from_utf8_lossy(&text[..text.len().min(MAX_SYMBOL_TEXT_BYTES)]).into_owned();
    let name = qualified_name.to_owned();
    let key = DigestBuilder::new("symbol summary").add_field(name.as_bytes()).add_field(text.as_bytes()).finish();
    Some(SymbolSubject { key, form, name, text })
}

impl SummarizeReport {
    fn note_degraded(&mut self, missed: Vec<Degradation>) {
        for degraded in missed {
            if !self.degraded.contains(&degraded) {
                self.degraded.push(degraded);
            }
        }
    }
}
