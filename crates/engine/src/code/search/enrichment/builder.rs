//! Builds the enrichment of a catalog (summaries and embedding vectors): files of a known version are reused; the texts
//! of the others are read, looked up in the store and, where missing, embedded.

use super::model_vectors::{FileEmbeddings, ModelVectors};
use super::summary_index::{FileSummaries, SummaryIndex};
use super::unit_texts::{FileTexts, TextReader};
use super::{EmbedEffort, EnrichedFile, Enrichment};
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::search::catalog::Catalog;
use crate::ledger::embed::EmbedProgress;
use crate::ledger::embed::EmbedRun;
use foldhash::HashMap;
use model::ContentHash;
use providers::Vector;
use std::collections::HashSet;
use std::sync::Arc;
use store::{FileId, VectorSpace, WorktreeId};

/// Files whose texts are held at a time.
const FILES: usize = 200;

/// An enrichment on its way.
pub(super) struct EnrichmentBuilder<'a> {
    code: &'a CodeContext,
    reader: TextReader<'a>,
    catalog: &'a Arc<Catalog>,
    /// The revision of the project's summaries; 0 where it has none.
    revision: u64,
    run: Option<EmbedRun<'a>>,
    effort: EmbedEffort,
    /// How many texts are embedded at most while a question waits for its answer.
    most: u64,
    files: HashMap<FileId, EnrichedFile>,
    /// The digests of all texts.
    texts: HashSet<ContentHash>,
    /// Files of which a text has no vector, with the texts.
    lacking: Vec<FileTexts>,
    /// Whether the model takes no more.
    is_refused: bool,
    pub(super) progress: EmbedProgress,
}

impl<'a> EnrichmentBuilder<'a> {
    pub(super) fn new(
        code: &'a CodeContext,
        project: &'a Project,
        (worktree, catalog): (&'a WorktreeId, &'a Arc<Catalog>),
        (revision, run): (u64, Option<EmbedRun<'a>>),
        (effort, most): (EmbedEffort, u64),
    ) -> Self {
        Self {
            code,
            reader: TextReader { project, worktree, catalog },
            catalog,
            revision,
            run,
            effort,
            most,
            files: HashMap::default(),
            texts: HashSet::new(),
            lacking: Vec::new(),
            is_refused: false,
            progress: EmbedProgress::default(),
        }
    }

    /// Adds every file of the catalog; `kept` is what is known of files, and whether its vectors are of the same model.
    pub(super) async fn add_files(&mut self, kept: Option<(&HashMap<FileId, EnrichedFile>, bool)>) -> Result<()> {
        let mut new: Vec<u32> = Vec::new();
        for (number, file) in (0..).zip(&self.catalog.files).filter(|(number, _)| self.catalog.is_there(*number)) {
            let known = kept.and_then(|(files, is_same)| Some((files.get(&file.version)?, is_same)));
            match known {
                // A file version is immutable, so its texts are the same; only another model, or a vector that was
                // missing, needs a read.
                Some((known, is_same)) if self.run.is_none() || (is_same && known.embeddings.is_some()) => {
                    let keys = known.embeddings.iter().flat_map(|embeddings| embeddings.text_keys());
                    // Two units may have equal texts, and each text is embedded and counted once.
                    self.progress.known += keys.filter(|key| self.texts.insert(**key)).count() as u64;
                    self.files.insert(file.version, known.clone());
                }
                _ => new.push(number),
            }
        }
        self.progress.texts = self.texts.len() as u64;
        // In chunks: the texts of a whole project would be in memory at once otherwise.
        for some in new.chunks(FILES) {
            let embedder = self.run.as_ref().map(|run| run.embedder);
            let texts = self.reader.read_texts(self.code, some, (self.revision > 0, embedder)).await?;
            self.add_texts(texts).await?;
        }
        Ok(())
    }

    /// Takes what is known of some files, and has the rest embedded where everything is to be.
    async fn add_texts(&mut self, texts: Vec<FileTexts>) -> Result<()> {
        let Some(run) = &self.run else {
            for file in texts {
                self.files.insert(file.version, EnrichedFile { summaries: file.summaries, embeddings: None });
            }
            return Ok(());
        };
        let keys: Vec<ContentHash> = texts.iter().flat_map(|file| file.keys.iter().copied()).collect();
        let mut vectors = run.load_known(&run.vector_space(), &keys).await?;
        let new: HashSet<ContentHash> = keys.iter().copied().filter(|key| self.texts.insert(*key)).collect();
        let known = new.iter().filter(|key| vectors.contains_key(*key)).count() as u64;
        self.progress.known += known;
        self.progress.texts = self.texts.len() as u64;
        // A refusal (no budget, no network) holds for the next batch as well: the rest is only looked up.
        if self.effort == EmbedEffort::Index && !self.is_refused && known < new.len() as u64 {
            let total = (self.catalog.unit_count + self.catalog.file_count) as u64;
            let before = self.progress.known + self.progress.embedded;
            let filled = run.embed_missing(missing_texts(&texts, &vectors), |done| (before + done, total)).await?;
            self.is_refused = filled.refused.is_some();
            self.progress.add_fill(run, &filled);
            vectors.extend(filled.vectors);
        }
        for file in texts {
            match FileEmbeddings::new(&file.keys, &vectors, run.embedder.model().dimensions) {
                Some(embeddings) => {
                    let embeddings = Some(Arc::new(embeddings));
                    self.files.insert(file.version, EnrichedFile { summaries: file.summaries, embeddings });
                }
                None => self.lacking.push(file),
            }
        }
        // So many missing texts are left to `epitome index`, so the texts themselves need not stay in memory.
        if self.progress.missing_count() > self.most {
            self.lacking.iter_mut().for_each(FileTexts::drop_texts);
        }
        Ok(())
    }

    /// The enrichment, after what little is missing was embedded where a question waits for its answer.
    pub(super) async fn finish(mut self, space: Option<VectorSpace>) -> Result<Enrichment> {
        let left = self.progress.missing_count();
        let mut vectors = std::collections::HashMap::new();
        if let Some(run) = &self.run
            && self.effort == EmbedEffort::Question
            // A question waits for a handful of changed regions, not for a project that was never embedded.
            && (1..=self.most).contains(&left)
        {
            let keys: Vec<ContentHash> = self.lacking.iter().flat_map(|file| file.keys.iter().copied()).collect();
            // `lacking` holds every text of a file of which one is missing; the others are known and are not paid for
            // again.
            vectors = run.load_known(&run.vector_space(), &keys).await?;
            let filled = run.embed_missing(missing_texts(&self.lacking, &vectors), |done| (done, left)).await?;
            self.progress.add_fill(run, &filled);
            vectors.extend(filled.vectors);
        }
        let dimensions = space.as_ref().map_or(0, |space| space.dimensions as usize);
        let mut missing = None;
        for file in std::mem::take(&mut self.lacking) {
            let embeddings = FileEmbeddings::new(&file.keys, &vectors, dimensions).map(Arc::new);
            if embeddings.is_none() {
                // One missing text is remembered: the next question asks the store for it alone to see whether more is
                // known by now.
                missing = missing.or_else(|| file.keys.iter().find(|key| !vectors.contains_key(*key)).copied());
            }
            self.files.insert(file.version, EnrichedFile { summaries: file.summaries, embeddings });
        }
        let of_file = |number: u32| {
            let file = &self.catalog.files[number as usize];
            self.files.get(&file.version).filter(|_| self.catalog.is_there(number))
        };
        let numbers = 0..self.catalog.files.len() as u32;
        let summaries = numbers.clone().map(|number| Some::<&FileSummaries>(&of_file(number)?.summaries));
        let summaries = SummaryIndex::new(self.catalog, summaries);
        // Vectors are used only when all are there; no answer mixes two models.
        let is_whole = space.is_some() && missing.is_none() && self.progress.missing_count() == 0;
        let embeddings = || numbers.map(|number| of_file(number)?.embeddings.clone()).collect();
        let vectors = is_whole.then(|| ModelVectors::new(dimensions, embeddings()));
        let catalog = Arc::downgrade(self.catalog);
        let revision = self.revision;
        let files = self.files;
        let progress = self.progress;
        Ok(Enrichment { catalog, revision, summaries, files, space, vectors, missing, progress })
    }
}

/// The texts that have no vector yet.
fn missing_texts<'t>(
    texts: &'t [FileTexts],
    known: &std::collections::HashMap<ContentHash, Option<Vector>>,
) -> Vec<(ContentHash, &'t str)> {
    texts.iter().flat_map(FileTexts::keyed_texts).filter(|(key, _)| !known.contains_key(key)).collect()
}
