//! The texts that regions are encoded by, and encoding all of a project's.

use super::background::{Encoding, encode_text};
use crate::index::{self, head};
use crate::retrieve::code::catalog::Catalog;
use crate::retrieve::code::load::{Segments, load};
use crate::retrieve::code::nature::is_unblamed;
use crate::{Engine, Observer, Project, Result};
use model::{ContentHash, LineRange};
use rayon::prelude::*;
use std::sync::Arc;

/// More of a region is not read: the encoder takes its first words.
const LONGEST_TEXT: usize = 2 << 10;

/// So many regions of a project are encoded without being asked for.
const MOST_REGIONS: usize = 20_000;

/// Texts that are encoded together while somebody waits.
const TOGETHER: usize = 256;

/// A region as it is encoded: where it stands, and what it says.
#[derive(Clone)]
pub(super) struct RegionText {
    pub(super) key: ContentHash,
    pub(super) text: String,
}

impl RegionText {
    fn new(path: &str, lines: &str) -> Self {
        let mut text = head(path) + lines;
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        Self { key: ContentHash::of(text.as_bytes()), text }
    }
}

/// The texts of some units, or of whole files where they have none, in their order.
pub(super) fn texts_of(project: &Project, catalog: &Catalog, places: &[(u32, Option<u32>)]) -> Vec<RegionText> {
    let mut read: Vec<(u32, String)> = Vec::new();
    let mut texts = Vec::with_capacity(places.len());
    for (file, unit) in places {
        let path = &catalog.files[*file as usize].path;
        let at = read.iter().position(|(other, _)| other == file).unwrap_or_else(|| {
            // A file that is gone since has nothing to say.
            let bytes = fs_err::read(project.root.join(path)).unwrap_or_default();
            read.push((*file, String::from_utf8_lossy(&bytes).into_owned()));
            read.len() - 1
        });
        let lines = unit.map_or(LineRange { start: 1, end: u32::MAX }, |unit| catalog.units[unit as usize].lines);
        texts.push(RegionText::new(path, lines_of(&read[at].1, lines)));
    }
    texts
}

/// Some lines of a text.
fn lines_of(text: &str, lines: LineRange) -> &str {
    let mut ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    let start = if lines.start <= 1 { Some(0) } else { ends.by_ref().nth(lines.start as usize - 2) };
    let Some(start) = start else { return "" };
    let end = ends.nth((lines.end - lines.start.max(1)) as usize).unwrap_or(text.len());
    &text[start..end]
}

/// The units of a project that are encoded without being asked for, those of its own code first.
pub(super) fn places_to_encode(catalog: &Catalog) -> Vec<(u32, Option<u32>)> {
    let there = (0..).zip(&catalog.rows).filter(|(_, row)| !row.is_gone);
    let (product, others): (Vec<_>, Vec<_>) = there.partition(|(_, row)| is_unblamed(&row.nature));
    let is_test = |file: u32| catalog.files[file as usize].signs.test;
    let files = product.into_iter().chain(others).map(|(file, _): (u32, _)| file).filter(|file| !is_test(*file));
    let units = files.flat_map(|file| catalog.files[file as usize].units.clone().map(move |unit| (file, Some(unit))));
    units.take(MOST_REGIONS).collect()
}

/// Encodes all that is not encoded yet, while somebody waits; says how many regions have a vector now.
pub(crate) async fn encode_project(engine: &Engine, project: &Project, observer: &dyn Observer) -> Result<u64> {
    let Some(encoder) = &engine.encoder else { return Ok(0) };
    let (_, catalog) = load(engine, project, Segments::AsKept).await?;
    let places = places_to_encode(&catalog);
    let encoding = Encoding::new(engine, encoder, project);
    let mut done = 0;
    for some in places.chunks(TOGETHER) {
        if observer.cancelled() {
            break;
        }
        let (of, catalog, some) = (project.clone(), Arc::clone(&catalog), some.to_vec());
        let texts = index::blocking("reading files", move || texts_of(&of, &catalog, &some)).await?;
        done += texts.len() as u64;
        let (lacking, encoder) = (encoding.lacking(texts).await?, Arc::clone(encoder));
        let encode = move || lacking.par_iter().map(|text| encode_text(&*encoder, text)).collect::<Vec<_>>();
        encoding.keep(index::blocking("encoding", encode).await?).await?;
        observer.progress("encoding", done, places.len() as u64);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_region_whatever_the_file_is_now() {
        let lines = |start, end| LineRange { start, end };
        let text = "a\nb\nc\nd";
        let cases = [(lines(1, 2), "a\nb\n"), (lines(3, 3), "c\n"), (lines(4, 9), "d"), (lines(6, 9), "")];
        for (range, wanted) in cases {
            assert_eq!(lines_of(text, range), wanted, "{range:?}");
        }
        assert_eq!(lines_of("", lines(1, 1)), "");
        let long = RegionText::new("src/a.rs", &"é".repeat(LONGEST_TEXT));
        assert!(long.text.len() <= LONGEST_TEXT && long.text.starts_with(&head("src/a.rs")));
    }
}
