//! Measures how many tokens skeletons (views of files without bodies) save compared with whole files, by language and
//! directory, counted with the real tokenizer.

use crate::base::{Observer, Project, Result, confined_file, run_blocking};
use crate::code::CodeContext;
use model::{LineRange, count_tokens};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use store::WorktreeId;
use syntax::{ExtractLimits, FileViews, ViewMode};

/// Tokens of some files, whole and as skeletons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenSaving {
    /// Files counted.
    pub files: u64,
    /// Tokens of their text.
    pub raw: u64,
    /// Tokens of their skeletons.
    pub skeleton: u64,
}

/// What skeletons save, in total and in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonEfficiency {
    /// Of everything.
    pub total: TokenSaving,
    /// By language, most tokens first.
    pub languages: Vec<(String, TokenSaving)>,
    /// By directory at the top, most tokens first; the project itself as `.`.
    pub directories: Vec<(String, TokenSaving)>,
}

/// How many files are counted between two checks for cancellation.
const BATCH: usize = 500;

pub(crate) async fn measure_efficiency(
    code: &CodeContext,
    project: &Project,
    worktree: &WorktreeId,
    observer: &dyn Observer,
) -> Result<SkeletonEfficiency> {
    let files = code.store.worktree_files(worktree).await?;
    let limits = ExtractLimits { max_bytes: code.settings.max_file_bytes as usize, ..ExtractLimits::default() };
    let (mut languages, mut directories): (BTreeMap<String, TokenSaving>, BTreeMap<String, TokenSaving>) =
        Default::default();
    let mut total = TokenSaving::default();
    let mut done = 0;
    for batch in files.chunks(BATCH) {
        if observer.is_cancelled() {
            return Err(crate::base::Error::Cancelled);
        }
        let wanted: Vec<_> =
            batch.iter().filter_map(|file| Some((file.path.clone(), file.language.clone()?))).collect();
        let root = project.root.clone();
        let counted = run_blocking("counting tokens", move || {
            let count = |(path, language): (String, String)| {
                // A file that was removed since is left out of both sums.
                let bytes = syntax::decode_text(confined_file::read_file(&root, Path::new(&path)).ok()?);
                let saving = count_saving(&path, &bytes, limits);
                Some((path, language, saving))
            };
            wanted.into_par_iter().filter_map(count).collect::<Vec<_>>()
        })
        .await?;
        for (path, language, saving) in counted {
            let directory = path.split_once('/').map_or(".", |(top, _)| top).to_owned();
            total.add(saving);
            languages.entry(language).or_default().add(saving);
            directories.entry(directory).or_default().add(saving);
        }
        done += batch.len() as u64;
        observer.report_progress("counting tokens", done, files.len() as u64);
    }
    Ok(SkeletonEfficiency { total, languages: most_first(languages), directories: most_first(directories) })
}

fn count_saving(path: &str, bytes: &[u8], limits: ExtractLimits) -> TokenSaving {
    let views = FileViews::new(path, bytes, limits, &|| false);
    let all = LineRange { start: 1, end: views.line_count().max(1) };
    let tokens = |text: &[u8]| u64::from(count_tokens(&String::from_utf8_lossy(text)).0);
    TokenSaving { files: 1, raw: tokens(bytes), skeleton: tokens(&views.render_view(ViewMode::Aggressive, all).text) }
}

fn most_first(savings: BTreeMap<String, TokenSaving>) -> Vec<(String, TokenSaving)> {
    let mut savings: Vec<_> = savings.into_iter().collect();
    savings.sort_by_key(|(_, saving)| std::cmp::Reverse(saving.raw));
    savings
}

impl TokenSaving {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.raw += other.raw;
        self.skeleton += other.skeleton;
    }

    /// The share of tokens saved; below 0 where skeletons cost more.
    pub fn saved_share(self) -> f64 {
        if self.raw == 0 { 0.0 } else { 1.0 - self.skeleton as f64 / self.raw as f64 }
    }
}
