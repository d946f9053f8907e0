//! Writes the catalog of a worktree into an image file and reads it back: names, units and vectors stay in the file and
//! are read in place; what a renewal changes (files, paths, counts) is decoded, because it is small.
//!
//! An image is what a catalog was when it was built from all files. A worktree that has changed since is brought up to
//! date from it, as from a catalog that was kept in memory (`catalog_renewal.rs`).

use super::MadeFrom;
use super::catalog::{Catalog, FileRow};
use super::image_records::{ImageTotals, read_files, read_paths, read_totals, write_files, write_paths, write_totals};
use super::inverted_index::InvertedIndex;
use super::key_index::KeyIndex;
use super::overlay::OverlayVec;
use super::similarity::QuantizedVectors;
use super::static_features::{STATIC_FEATURE_COUNT, StaticFeatures};
use crate::base::image::{ImageFile, ImageKey, ImageWriter, KeyTable, SharedList};
use crate::base::int8_vectors::DIMENSIONS;
use providers::LocalEmbedder;
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::Worktree;

/// Counts the ways in which a catalog is made and written: whoever changes what `Catalog::new` makes of the same files, or
/// the sections below, counts up, and images make themselves anew.
const FORMAT: u32 = 1;

/// What the image of a worktree's catalog is made of, apart from its files.
pub(super) fn image_key(worktree: &Worktree, embedder: Option<&dyn LocalEmbedder>) -> ImageKey {
    let model = embedder.map(LocalEmbedder::model);
    let (name, version) = model.map_or(("", ""), |model| (&*model.name, &*model.version));
    let sizes = [FORMAT, DIMENSIONS as u32, STATIC_FEATURE_COUNT as u32].map(u32::to_le_bytes);
    let digest = model::DigestBuilder::new("catalog image")
        .add_field(env!("CARGO_PKG_VERSION").as_bytes())
        .add_field(sizes.as_flattened())
        .add_field(name.as_bytes())
        .add_field(version.as_bytes())
        .add_field(worktree.id.project.as_str().as_bytes())
        .add_field(&worktree.id.number.to_le_bytes())
        .add_field(&worktree.identity.to_le_bytes());
    *digest.finish().as_bytes()
}

/// Writes a catalog that was just built from all files.
pub(super) fn write_catalog(catalog: &Catalog, of: MadeFrom, path: &Path, key: &ImageKey) -> io::Result<()> {
    let natures: Vec<StaticFeatures> = catalog.rows.iter().map(|row| row.nature).collect();
    let mut image = ImageWriter::default();
    image.add_bytes(write_totals(catalog, of));
    image.add_bytes(write_files(catalog));
    image.add_bytes(write_paths(&catalog.paths));
    image.add_rows(natures.as_flattened());
    image.add_rows(&catalog.places);
    image.add_rows(catalog.units.base().all_rows());
    let names = &catalog.names;
    image.add_rows(&names.files);
    image.add_rows(&names.rarity);
    image.add_rows(names.symbols.base().all_rows());
    image.add_rows(names.texts.base().all_rows());
    image.add_rows(names.symbol_terms.base().all_rows());
    for index in [&names.by_term, &catalog.stems, &catalog.directories] {
        index.write_base(&mut image);
    }
    for vectors in [&catalog.meanings.files, &catalog.meanings.paths, &catalog.meanings.units] {
        image.add_rows(vectors.numbers.base().all_rows());
        image.add_rows(vectors.lengths.base().all_rows());
    }
    let spellings = &catalog.spellings;
    for keys in [&names.numbers, &names.by_key, &spellings.called, &spellings.ends, &catalog.paths.numbers] {
        keys.write_base(&mut image);
    }
    image.write_file(path, key)
}

/// Reads the catalog of an image; `None` where what is decoded of it is damaged.
pub(super) fn read_catalog(image: &Arc<ImageFile>) -> Option<(MadeFrom, Catalog)> {
    let mut catalog = Catalog { image: Some(Arc::clone(image)), ..Catalog::default() };
    let ImageTotals { of, file_count, unit_count, terms, sources, worded, since_edges, segments } =
        read_totals(image.bytes(0)?).ok()?;
    (catalog.file_count, catalog.unit_count, catalog.terms) = (file_count, unit_count, terms);
    (catalog.sources, catalog.worded, catalog.since_edges) = (sources, worded, since_edges);
    catalog.segments = segments.into_iter().collect();
    catalog.files = read_files(image.bytes(1)?).ok()?;
    catalog.paths.rows = read_paths(image.bytes(2)?).ok()?;
    let natures: SharedList<f32> = image.rows(3)?;
    let natures = natures.all_rows().as_chunks::<STATIC_FEATURE_COUNT>().0;
    let rows = catalog.files.iter().zip(natures);
    catalog.rows =
        rows.map(|(file, nature)| FileRow { units: file.units.clone(), is_gone: false, nature: *nature }).collect();
    catalog.places = image.rows(4)?.all_rows().to_vec();
    catalog.units = OverlayVec::from_base(image.rows(5)?);
    let names = &mut catalog.names;
    names.file_count = file_count;
    names.files = image.rows(6)?.all_rows().to_vec();
    names.rarity = image.rows(7)?.all_rows().to_vec();
    names.symbols = OverlayVec::from_base(image.rows(8)?);
    names.texts = OverlayVec::from_base(image.rows(9)?);
    names.symbol_terms = OverlayVec::from_base(image.rows(10)?);
    for (index, section) in
        [&mut names.by_term, &mut catalog.stems, &mut catalog.directories].into_iter().zip([11, 13, 15])
    {
        *index = InvertedIndex::from_base(image.rows(section)?, image.rows(section + 1)?);
    }
    let meanings = &mut catalog.meanings;
    for (vectors, section) in
        [&mut meanings.files, &mut meanings.paths, &mut meanings.units].into_iter().zip([17, 19, 21])
    {
        let numbers = OverlayVec::from_base(image.rows(section)?);
        *vectors = QuantizedVectors { numbers, lengths: OverlayVec::from_base(image.rows(section + 1)?) };
    }
    let spellings = &mut catalog.spellings;
    let keys =
        [&mut names.numbers, &mut names.by_key, &mut spellings.called, &mut spellings.ends, &mut catalog.paths.numbers];
    for (index, section) in keys.into_iter().zip((23..).step_by(KeyTable::SECTIONS)) {
        *index = KeyIndex::from_base(KeyTable::from_image(image, section)?);
    }
    let versions = (0..).zip(&catalog.files).map(|(number, file)| (file.version, number));
    catalog.versions.delta_mut().extend(versions);
    catalog.versions.freeze_base();
    catalog.update_averages();
    let is_whole = catalog.rows.len() == catalog.files.len() && catalog.names.rarity.len() == catalog.names.files.len();
    (is_whole && !image.is_damaged()).then_some((of, catalog))
}
