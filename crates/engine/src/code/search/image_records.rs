//! The parts of a catalog image that are decoded when it is opened: totals, files, and what edges say of paths.

use super::MadeFrom;
use super::catalog::{Catalog, CatalogFile};
use super::path_kind::PathTraits;
use super::path_table::{EdgeTargets, PathRow, PathTable};
use model::LineRange;
use search::{ByteReader, ByteWriter, DamagedBytes};
use std::ops::Range;
use std::sync::Arc;
use store::{FileId, TreeVersion};
use syntax::ContentKind;

/// What a catalog says of all its files together.
pub(super) struct ImageTotals {
    pub(super) of: MadeFrom,
    pub(super) file_count: usize,
    pub(super) unit_count: usize,
    pub(super) terms: u64,
    pub(super) sources: [usize; 2],
    pub(super) worded: usize,
    pub(super) since_edges: Vec<String>,
    /// Segments with their first units.
    pub(super) segments: Vec<(i64, u32)>,
}

pub(super) fn write_totals(catalog: &Catalog, (version, resolved): MadeFrom) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.write_wide(version.0.cast_unsigned());
    // 0 where there are no edges; versions of worktrees are counted from 0 on.
    writer.write_wide(resolved.map_or(0, |resolved| resolved.0.cast_unsigned() + 1));
    for number in [catalog.file_count, catalog.unit_count, catalog.sources[0], catalog.sources[1], catalog.worded] {
        writer.write_wide(number as u64);
    }
    writer.write_wide(catalog.terms);
    writer.write_list(&catalog.since_edges, |writer, path| writer.write_text(path));
    let segments: Vec<(i64, u32)> = catalog.segments.iter().map(|(number, first)| (*number, *first)).collect();
    writer.write_list(&segments, |writer, (number, first)| {
        writer.write_wide(number.cast_unsigned());
        writer.write_number(*first);
    });
    writer.into_bytes()
}

pub(super) fn read_totals(bytes: &[u8]) -> Result<ImageTotals, DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    let version = TreeVersion(reader.read_wide()?.cast_signed());
    let resolved = reader.read_wide()?.checked_sub(1).map(|version| TreeVersion(version.cast_signed()));
    let mut numbers = [0; 5];
    for number in &mut numbers {
        *number = reader.read_wide()? as usize;
    }
    let [file_count, unit_count, c_sources, cpp_sources, worded] = numbers;
    let terms = reader.read_wide()?;
    let since_edges = reader.read_list(|reader| Ok(reader.read_text()?.to_owned()))?;
    let segments = reader.read_list(|reader| Ok((reader.read_wide()?.cast_signed(), reader.read_number()?)))?;
    let sources = [c_sources, cpp_sources];
    let of = (version, resolved);
    reader.finish(ImageTotals { of, file_count, unit_count, terms, sources, worded, since_edges, segments })
}

pub(super) fn write_files(catalog: &Catalog) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    let mut languages: Vec<&'static str> = catalog.files.iter().filter_map(|file| file.language).collect();
    languages.sort_unstable();
    languages.dedup();
    writer.write_list(&languages, |writer, name| writer.write_text(name));
    writer.write_list(&catalog.files, |writer, file| {
        let language = file.language.and_then(|name| languages.binary_search(&name).ok());
        write_file(writer, file, language.map(|at| at as u32));
    });
    writer.into_bytes()
}

fn write_file(writer: &mut ByteWriter, file: &CatalogFile, language: Option<u32>) {
    writer.write_text(&file.path);
    writer.write_wide(file.version.0.cast_unsigned());
    for number in [file.lines, file.units.start, file.units.end, file.first_stored] {
        writer.write_number(number);
    }
    for number in [file.symbols.start, file.symbols.end, file.terms, trait_bits(file.signs), file.holds as u32] {
        writer.write_number(number);
    }
    writer.write_optional(language);
    for terms in [&file.stem, &file.directories] {
        writer.write_list(terms, |writer, term| writer.write_number(*term));
    }
    writer.write_list(&file.stem_keys, |writer, key| writer.write_text(key));
    writer.write_list(&file.unparsed, |writer, lines| {
        writer.write_number(lines.start);
        writer.write_number(lines.end);
    });
}

pub(super) fn read_files(bytes: &[u8]) -> Result<Vec<Arc<CatalogFile>>, DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    let languages = reader.read_list(|reader| {
        let name = reader.read_text()?;
        syntax::all_languages().map(syntax::Language::name).find(|known| *known == name).ok_or(DamagedBytes)
    })?;
    let files = reader.read_list(|reader| Ok(Arc::new(read_file(reader, &languages)?)))?;
    reader.finish(files)
}

fn read_file(reader: &mut ByteReader<'_>, languages: &[&'static str]) -> Result<CatalogFile, DamagedBytes> {
    let range = |reader: &mut ByteReader<'_>| -> Result<Range<u32>, DamagedBytes> {
        Ok(reader.read_number()?..reader.read_number()?)
    };
    Ok(CatalogFile {
        path: reader.read_text()?.to_owned(),
        version: FileId(reader.read_wide()?.cast_signed()),
        lines: reader.read_number()?,
        units: range(reader)?,
        first_stored: reader.read_number()?,
        symbols: range(reader)?,
        terms: reader.read_number()?,
        signs: traits_of(reader.read_number()?),
        holds: match reader.read_number()? {
            0 => ContentKind::Code,
            1 => ContentKind::Prose,
            _ => ContentKind::Data,
        },
        language: reader.maybe_below(languages.len())?.map(|at| languages[at as usize]),
        stem: reader.read_list(ByteReader::read_number)?,
        directories: reader.read_list(ByteReader::read_number)?,
        stem_keys: reader.read_list(|reader| Ok(reader.read_text()?.to_owned()))?,
        unparsed: reader
            .read_list(|reader| Ok(LineRange { start: reader.read_number()?, end: reader.read_number()? }))?,
    })
}

pub(super) fn write_paths(paths: &PathTable) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.write_list(&paths.rows, |writer, row| {
        writer.write_optional(row.file);
        for number in [row.users, row.importers, row.leads.import_lines] {
            writer.write_number(number);
        }
        writer.write_list(&row.leads.used, |writer, (path, symbols)| {
            writer.write_number(*path);
            writer.write_number(*symbols);
        });
        writer.write_list(&row.leads.imported, |writer, path| writer.write_number(*path));
    });
    writer.into_bytes()
}

pub(super) fn read_paths(bytes: &[u8]) -> Result<Vec<PathRow>, DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    let rows = reader.read_list(|reader| {
        let (file, users, importers) = (reader.read_optional()?, reader.read_number()?, reader.read_number()?);
        let import_lines = reader.read_number()?;
        let used = reader.read_list(|reader| Ok((reader.read_number()?, reader.read_number()?)))?.into();
        let imported = reader.read_list(ByteReader::read_number)?.into();
        Ok(PathRow { file, users, importers, leads: Arc::new(EdgeTargets { import_lines, used, imported }) })
    })?;
    reader.finish(rows)
}

fn trait_bits(traits: PathTraits) -> u32 {
    let PathTraits { test, example, vendored, generated, legacy, internal } = traits;
    let all = [test, example, vendored, generated, legacy, internal];
    all.into_iter().zip(0..).map(|(is, bit)| u32::from(is) << bit).sum()
}

fn traits_of(bits: u32) -> PathTraits {
    let [test, example, vendored, generated, legacy, internal] = [0, 1, 2, 3, 4, 5].map(|bit| bits & (1 << bit) != 0);
    PathTraits { test, example, vendored, generated, legacy, internal }
}
