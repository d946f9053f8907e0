//! Writes the graph of a worktree into an image file and reads it back. The image has a list of files, decoded when it is
//! opened, and for each of them the bytes of its symbols, edges and links, which are decoded when a question comes to
//! the file.

use super::graph_names::GraphNames;
use super::links::LinkLists;
use super::outline::GraphOutline;
use super::worktree_graph::{Graph, GraphFile, MovedIds, NodeId};
use crate::base::image::{ImageFile, ImageKey, ImageWriter, KeyTable, SharedList};
use foldhash::{HashMap, HashMapExt};
use search::{ByteReader, ByteWriter, DamagedBytes};
use std::io;
use std::path::Path;
use std::sync::Arc;
use store::{FileRecord, TreeVersion, Worktree};

/// Counts the ways in which a graph is made and written: whoever changes them counts up, and images make themselves anew.
const FORMAT: u32 = 1;

/// What the image of a worktree's graph is made of, apart from its files.
pub(super) fn graph_key(worktree: &Worktree) -> ImageKey {
    let digest = model::DigestBuilder::new("graph image")
        .add_field(env!("CARGO_PKG_VERSION").as_bytes())
        .add_field(&FORMAT.to_le_bytes())
        .add_field(worktree.id.project.as_str().as_bytes())
        .add_field(&worktree.id.number.to_le_bytes())
        .add_field(&worktree.identity.to_le_bytes());
    *digest.finish().as_bytes()
}

/// The bytes of all files, one behind the other.
#[derive(Default)]
struct FileParts {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl FileParts {
    fn add_part(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.ends.push(self.bytes.len() as u32);
    }
}

/// Writes a graph that was just made from all files, whose symbols the store has as `records`.
pub(super) fn write_graph(
    graph: &Graph,
    records: &[FileRecord],
    version: TreeVersion,
    path: &Path,
    key: &ImageKey,
) -> io::Result<()> {
    let mut writer = ByteWriter::default();
    writer.write_wide(version.0.cast_unsigned());
    writer.write_list(&graph.files, |writer, file| {
        writer.write_text(&file.outline.path);
        writer.write_text(file.outline.language.as_deref().unwrap_or_default());
        writer.write_number(file.outline.lines);
    });
    let (mut parts, mut starts, mut number) = (FileParts::default(), Vec::new(), 0);
    for (file, record) in graph.files.iter().zip(records) {
        parts.add_part(&record.bytes);
        parts.add_part(file.edges.all_rows());
        parts.add_part(&file.out.encode());
        parts.add_part(&file.into.encode());
        starts.push(number);
        number += file.outline.len();
    }
    if u32::try_from(parts.bytes.len()).is_err() {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the graph is larger than an image can be"));
    }
    let names = name_table(graph, &starts);
    let mut image = ImageWriter::default();
    image.add_bytes(writer.into_bytes());
    image.add_rows(&parts.bytes);
    image.add_rows(&parts.ends);
    image.add_rows(&starts);
    names.write_sections(&mut image);
    image.write_file(path, key)
}

fn name_table(graph: &Graph, starts: &[u32]) -> KeyTable {
    let mut names: HashMap<&str, Vec<u32>> = HashMap::new();
    for node in graph.symbol_nodes() {
        if let NodeId::Symbol(file, place) = node {
            names.entry(graph.name(node)).or_default().push(starts[file as usize] + place);
        }
    }
    KeyTable::new(names.into_iter().collect())
}

/// Reads the graph of an image, with the version it is of; `None` where anything in it is damaged.
pub(super) fn read_graph(image: &Arc<ImageFile>, moved: MovedIds) -> Option<(TreeVersion, Graph)> {
    // All of it at once: a graph has no moment at which an answer from damaged bytes could still be taken back.
    if !image.check_pages() {
        return None;
    }
    let (version, heads) = read_heads(image.bytes(0)?).ok()?;
    let (bytes, ends, starts): (SharedList<u8>, SharedList<u32>, SharedList<u32>) =
        (image.rows(1)?, image.rows(2)?, image.rows(3)?);
    if ends.len() != heads.len() * 4 || starts.len() != heads.len() {
        return None;
    }
    let mut start = 0;
    let mut parts = ends.all_rows().iter().map(|end| {
        let range = std::mem::replace(&mut start, *end as usize)..*end as usize;
        bytes.sublist(range)
    });
    let mut files = Vec::with_capacity(heads.len());
    for (number, FileHead { path, language, lines }) in (0..).zip(heads) {
        let (record, edges, out, into) = (parts.next()??, parts.next()??, parts.next()??, parts.next()??);
        files.push(GraphFile {
            outline: Arc::new(GraphOutline::from_record(path, language, lines, record)),
            edges,
            out: Arc::new(LinkLists::from_record(out)),
            into: Arc::new(LinkLists::from_record(into)),
            image_number: Some(number),
        });
    }
    let names = GraphNames::new(KeyTable::from_image(image, 4)?, starts);
    Some((version, Graph { files, moved, names: Some(names) }))
}

struct FileHead {
    path: String,
    language: Option<String>,
    lines: u32,
}

fn read_heads(bytes: &[u8]) -> Result<(TreeVersion, Vec<FileHead>), DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    let version = TreeVersion(reader.read_wide()?.cast_signed());
    let heads = reader.read_list(|reader| {
        let path = reader.read_text()?.to_owned();
        let language = Some(reader.read_text()?.to_owned()).filter(|language| !language.is_empty());
        Ok(FileHead { path, language, lines: reader.read_number()? })
    })?;
    reader.finish((version, heads))
}
