//! Builds the texts of regions (path and first lines) that the transformer encodes, chooses which regions of a project
//! are encoded, and encodes all of them while the caller waits.

use super::background::{EncodeWorker, encode_text};
use crate::base::run_blocking;
use crate::base::{Error, Observer, Project, Result};
use crate::code::CodeContext;
use crate::code::index::path_words;
use crate::code::read::text_bytes;
use crate::code::search::catalog::Catalog;
use crate::code::search::catalog_load::{SegmentState, load_catalog};
use crate::code::search::file_lines::FileLines;
use crate::code::search::static_features::is_unblamed;
use foldhash::HashMap;
use model::{ContentHash, LineRange};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Longer regions are cut: the encoder reads the first words alone.
const LONGEST_TEXT: usize = 2 << 10;

/// How many regions of a project are encoded without a question.
pub(super) const MOST_REGIONS: usize = 20_000;

/// Texts that are encoded together while the caller waits.
const FOREGROUND_BATCH_SIZE: usize = 256;

/// A region as it is encoded: where it stands, and what it says.
#[derive(Clone)]
pub(super) struct RegionText {
    pub(super) key: ContentHash,
    pub(super) text: String,
}

impl RegionText {
    fn new(path: &str, lines: &str) -> Self {
        let text = path_words(path) + lines;
        Self { key: ContentHash::hash_bytes(text.as_bytes()), text }
    }
}

/// The texts of some units, or of whole files where they have none, in their order.
pub(super) fn texts_of(project: &Project, catalog: &Catalog, places: &[(u32, Option<u32>)]) -> Vec<RegionText> {
    let path = |file: u32| catalog.files[file as usize].path.as_str();
    // Each file is read once, however many of its regions are wanted.
    let files: BTreeSet<u32> = places.iter().map(|(file, _)| *file).collect();
    let bytes: Vec<(u32, Vec<u8>)> = files.into_iter().map(|file| (file, text_bytes(project, path(file)))).collect();
    let lines: HashMap<u32, FileLines<'_>> = bytes.iter().map(|(file, bytes)| (*file, FileLines::new(bytes))).collect();
    let whole = LineRange { start: 1, end: u32::MAX };
    let text = |(file, unit): &(u32, Option<u32>)| {
        let range = unit.map_or(whole, |unit| catalog.unit(unit).lines);
        RegionText::new(path(*file), &lines[file].range_text(range, LONGEST_TEXT))
    };
    places.iter().map(text).collect()
}

/// The units of a project that the encoder reads without being asked, those of its own code first; not those of tests.
pub(super) fn places_to_encode(catalog: &Catalog) -> impl Iterator<Item = (u32, Option<u32>)> {
    let there = (0..).zip(&catalog.rows).filter(|(_, row)| !row.is_gone);
    // Regions that answers show most often come first, because the limit may end the list.
    let (product, others): (Vec<_>, Vec<_>) = there.partition(|(_, row)| is_unblamed(&row.nature));
    let is_test = |file: u32| catalog.files[file as usize].signs.test;
    let files = product.into_iter().chain(others).map(|(file, _): (u32, _)| file).filter(move |file| !is_test(*file));
    files.flat_map(|file| catalog.files[file as usize].units.clone().map(move |unit| (file, Some(unit))))
}

/// How much of a project the encoder has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeReport {
    /// Regions that have a vector.
    pub read: u64,
    /// Regions that are left until a question finds them: a project may have very many.
    pub left: u64,
}

/// Encodes what is not encoded yet, while the caller waits.
pub(crate) async fn encode_project(
    code: &CodeContext,
    project: &Project,
    observer: &dyn Observer,
) -> Result<EncodeReport> {
    let Some(encoder) = &code.encoder else {
        let reason = "needs the encoder, which the setting context.encoder turns off".to_owned();
        return Err(Error::Parameter { field: "encode", reason });
    };
    let (_, catalog) = load_catalog(code, project, SegmentState::AsKept).await?;
    let all = places_to_encode(&catalog).count() as u64;
    let places: Vec<_> = places_to_encode(&catalog).take(MOST_REGIONS).collect();
    let encoding = EncodeWorker::new(code, encoder, project);
    let mut read = 0;
    for some in places.chunks(FOREGROUND_BATCH_SIZE) {
        // Between chunks, after their vectors are stored: an interrupted run goes on where it stopped.
        if observer.is_cancelled() {
            break;
        }
        let of = project.clone();
        let catalog = Arc::clone(&catalog);
        let some = some.to_vec();
        let texts = run_blocking("reading files", move || texts_of(&of, &catalog, &some)).await?;
        // Counted before the known ones are taken out: the report says how many regions have a vector, not how many are
        // new.
        read += texts.len() as u64;
        let lacking = encoding.missing_texts(texts).await?;
        let encoder = Arc::clone(encoder);
        let encode = move || lacking.par_iter().map(|text| encode_text(&*encoder, text)).collect::<Vec<_>>();
        encoding.write_vectors(run_blocking("encoding", encode).await?).await?;
        observer.report_progress("encoding", read, places.len() as u64);
    }
    Ok(EncodeReport { read, left: all - read })
}
