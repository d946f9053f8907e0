//! Builds the texts that the external embedding model gets for each file: its path, and for each unit the path, the
//! summaries of its symbols and its lines.

use super::summary_index::FileSummaries;
use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::index::path_words;
use crate::code::read::text_bytes;
use crate::code::search::catalog::Catalog;
use crate::code::search::file_lines::FileLines;
use crate::code::symbol_codec::each_symbol;
use crate::code::symbol_summaries::summary_key;
use crate::ledger::embed::{EmbeddingRole, LONGEST_TEXT, with_prefix};
use foldhash::HashMap;
use model::ContentHash;
use providers::Embedder;
use rayon::prelude::*;
use std::sync::Arc;
use store::{FileId, FileRecordKind, WorktreeId};

/// Summaries looked up at a time.
const LOOKED_UP: usize = 1_000;

/// A file in texts: its path, then its units.
pub(super) struct FileTexts {
    pub(super) version: FileId,
    pub(super) summaries: Arc<FileSummaries>,
    /// The digest of each text.
    pub(super) keys: Vec<ContentHash>,
    texts: Vec<String>,
}

impl FileTexts {
    /// Every text with its digest.
    pub(super) fn keyed_texts(&self) -> impl Iterator<Item = (ContentHash, &str)> {
        self.keys.iter().copied().zip(self.texts.iter().map(String::as_str))
    }

    /// Lets go of the texts.
    pub(super) fn drop_texts(&mut self) {
        self.texts = Vec::new();
    }
}

/// Reads files as texts.
pub(super) struct TextReader<'a> {
    pub(super) project: &'a Project,
    pub(super) worktree: &'a WorktreeId,
    pub(super) catalog: &'a Arc<Catalog>,
}

/// A file as it is on disk.
struct FileUnitTexts {
    /// The lines of each unit, where they are wanted.
    units: Vec<String>,
    /// The symbols that may have a summary: their unit in the file, what they are called, and the digest of their text.
    subjects: Vec<(u32, String, ContentHash)>,
}

impl TextReader<'_> {
    /// Some files in texts, with the summaries of their symbols where the project has any, for a model where one embeds.
    pub(super) async fn read_texts(
        &self,
        code: &CodeContext,
        files: &[u32],
        (with_summaries, embedder): (bool, Option<&dyn Embedder>),
    ) -> Result<Vec<FileTexts>> {
        let versions: Vec<FileId> = files.iter().map(|file| self.catalog.files[*file as usize].version).collect();
        // The records of symbols are needed only to find summaries by the digest of a symbol's text.
        let symbols = if with_summaries {
            code.store.load_records(self.worktree, FileRecordKind::Symbols, &versions).await?
        } else {
            vec![None; files.len()]
        };
        let wants_lines = embedder.is_some();
        let project = self.project.clone();
        let catalog = Arc::clone(self.catalog);
        let numbers = files.to_vec();
        let read = run_blocking("reading files", move || {
            let read = |(number, symbols): (u32, Option<Vec<u8>>)| {
                let bytes = text_bytes(&project, &catalog.files[number as usize].path);
                FileUnitTexts::new(&catalog, number, &bytes, symbols.as_deref(), wants_lines)
            };
            numbers.into_par_iter().zip(symbols).map(read).collect::<Vec<_>>()
        });
        let read = read.await?;
        let summaries = load_summaries(code, self.project, &read).await?;
        let texts = files.iter().zip(versions).zip(read).map(|((file, version), read)| {
            let of_file = FileSummaries::new(read.subjects, &summaries);
            let path = &self.catalog.files[*file as usize].path;
            let texts = embedder.map_or_else(Vec::new, |embedder| build_texts(embedder, path, &read.units, &of_file));
            let keys = texts.iter().map(|text| ContentHash::hash_bytes(text.as_bytes())).collect();
            FileTexts { version, summaries: Arc::new(of_file), keys, texts }
        });
        Ok(texts.collect())
    }
}

/// The texts of a file: its path without the ending, then each unit.
fn build_texts(embedder: &dyn Embedder, path: &str, units: &[String], summaries: &FileSummaries) -> Vec<String> {
    // Without the extension, as the static model embeds paths.
    let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
    let head = path_words(path);
    let text = |(unit, lines): (u32, &String)| {
        let summaries: String = summaries.of_unit(unit).map(|summary| format!("{summary}\n")).collect();
        format!("{head}{summaries}{lines}")
    };
    let all = std::iter::once(bare.to_owned()).chain((0..).zip(units).map(text));
    let shortened = all.map(|mut text| {
        // Cut before the digest is taken: lines behind the limit may change without a new call to the model.
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        with_prefix(embedder, EmbeddingRole::Document, &text).into_owned()
    });
    shortened.collect()
}

async fn load_summaries(
    code: &CodeContext,
    project: &Project,
    read: &[FileUnitTexts],
) -> Result<HashMap<ContentHash, String>> {
    let keys: Vec<ContentHash> = read.iter().flat_map(|file| file.subjects.iter().map(|(.., key)| *key)).collect();
    let mut found = HashMap::default();
    for keys in keys.chunks(LOOKED_UP) {
        let summaries = code.store.symbol_summaries(&project.id, keys).await?;
        found.extend(keys.iter().zip(summaries).filter_map(|(key, summary)| Some((*key, summary?))));
    }
    Ok(found)
}

impl FileUnitTexts {
    fn new(catalog: &Catalog, number: u32, bytes: &[u8], symbols: Option<&[u8]>, wants_lines: bool) -> Self {
        let units = catalog.files[number as usize].units.clone();
        let places: Vec<model::LineRange> = units.map(|unit| catalog.unit(unit).lines).collect();
        let mut subjects = Vec::new();
        if let Some(symbols) = symbols {
            // Symbols that cannot be read have no summary.
            let read = each_symbol(symbols, |symbol| {
                let is_in = |lines: &model::LineRange| (lines.start..=lines.end).contains(&symbol.lines.start);
                let unit = places.iter().position(is_in);
                let key = unit.and_then(|_| summary_key(&symbol, bytes));
                subjects.extend(unit.zip(key).map(|(unit, key)| (unit as u32, symbol.qualified_name.to_owned(), key)));
            });
            if read.is_err() {
                subjects.clear();
            }
        }
        let lines = FileLines::new(bytes);
        let text = |place: &model::LineRange| lines.range_text(*place, LONGEST_TEXT);
        let units = if wants_lines { places.iter().map(text).collect() } else { Vec::new() };
        Self { units, subjects }
    }
}
