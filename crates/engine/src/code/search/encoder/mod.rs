//! Reranks the first search results (regions) by cosines of vectors of a small built-in transformer, if all have one.
//! The transformer tells functions apart better than words and static vectors do, but takes milliseconds for each: too
//! long while indexing or answering. So regions are encoded in the background, found ones first, and vectors stored by
//! text; no order mixes both. Reports (such as issues) are not reranked: no gain, and encoding one takes long.

mod background;
mod region_texts;

pub(crate) use background::EncoderQueue;
pub use region_texts::EncodeReport;
pub(crate) use region_texts::encode_project;

use super::RankedFiles;
use super::region_features::QuestionShape;
use crate::base::run_blocking;
use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::ledger::embed::space_of;
use providers::Vector;
use region_texts::RegionText;
use std::sync::Arc;

/// So many of the first regions are compared. More gained nothing.
const MAX_COMPARED_REGIONS: usize = 24;

/// What a cosine counts beside the score of a region: chosen on doc comments of seven repositories that no benchmark uses.
const COSINE_WEIGHT: f32 = 7.0;

/// Reorders the first regions by the encoder where all of them have vectors; otherwise queues the missing ones for
/// encoding.
pub(super) async fn reorder_regions(
    code: &CodeContext,
    project: &Project,
    text: &str,
    files: &mut RankedFiles,
) -> Result<()> {
    let Some(encoder) = &code.encoder else { return Ok(()) };
    let compared = files.ranked.len().min(MAX_COMPARED_REGIONS);
    let is_line = |shape: QuestionShape| shape == QuestionShape::Line;
    if compared < 2 || !files.ranked[0].region.is_some_and(|(_, shape)| is_line(shape)) {
        return Ok(());
    }
    let places: Vec<(u32, Option<u32>)> =
        files.ranked[..compared].iter().map(|ranked| (ranked.file, ranked.unit)).collect();
    // Vectors are kept by the text of a region, so the text is read even where the vectors are there.
    let catalog = Arc::clone(&files.catalog);
    let of = project.clone();
    let texts = run_blocking("reading files", move || region_texts::texts_of(&of, &catalog, &places)).await?;
    let keys: Vec<_> = texts.iter().map(|text| text.key).collect();
    let known = code.store.load_vectors(&project.id, &space_of(encoder.model()), &keys).await?;
    // All or none: a region without a vector would fall behind every region that has one, whatever it says.
    if known.iter().any(Option::is_none) {
        let lacking = texts.into_iter().zip(known).filter(|(_, known)| known.is_none());
        let lacking: Vec<RegionText> = lacking.map(|(text, _)| text).collect();
        background::encode_later(code, project, &files.catalog, lacking);
        return Ok(());
    }
    let encoder = Arc::clone(encoder);
    let asked = text.to_owned();
    let question = run_blocking("encoding a question", move || encoder.encode_text(&asked)).await?;
    let Some(question) = question else { return Ok(()) };
    for (ranked, known) in files.ranked.iter_mut().zip(known) {
        let vector = known.and_then(|numbers| Vector::new(&numbers));
        ranked.fit += COSINE_WEIGHT * vector.map_or(0.0, |vector| vector.cosine(&question));
    }
    // A stable sort: regions of equal fit stay in the order of the ranking.
    files.ranked[..compared].sort_by(|a, b| b.fit.total_cmp(&a.fit));
    Ok(())
}
