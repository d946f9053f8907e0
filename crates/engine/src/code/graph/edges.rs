//! The resolved edges of one file (calls, references, imports, …) and its unresolved uses, with the codec that turns
//! them into bytes for the store and back.
//!
//! An edge ends at a name, not at a number: it stays true when the file it leads to shifts, and only the files whose
//! own text changed have to be written again.

use crate::base::{compress_bytes, decompress_bytes};
use model::{Confidence, EdgeKind};
use search::{ByteReader, ByteWriter, DamagedBytes};

/// Everything the resolver states about one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ResolvedEdges {
    /// The edges of its uses, each pair of ends and kind once.
    pub(crate) edges: Vec<FileEdge>,
    /// Uses that may lead to several symbols of the project, or to none for sure.
    pub(crate) unresolved: Vec<UnresolvedUse>,
}

/// One edge that starts in the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FileEdge {
    /// The symbol it starts at, by its number in the file; none for the file itself.
    pub(crate) from: Option<u32>,
    /// The kind of relation.
    pub(crate) kind: EdgeKind,
    /// Where it leads.
    pub(crate) to: EdgeEndpoint,
    /// The lines of such uses, ascending; at least one.
    pub(crate) lines: Vec<u32>,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

/// Where an edge leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EdgeEndpoint {
    /// The file.
    pub(crate) path: String,
    /// The symbol in it, as its id has it after the path; none for the file itself.
    pub(crate) qualified_name: Option<String>,
}

/// A use of a name that could not be resolved to one symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnresolvedUse {
    /// The symbol around the use; `None` for the file itself.
    pub(crate) from: Option<u32>,
    /// The kind that the edge would have.
    pub(crate) kind: EdgeKind,
    /// The name that was used.
    pub(crate) name: String,
    /// Where.
    pub(crate) line: u32,
    /// The candidates, at most [`MOST_CANDIDATES`].
    pub(crate) candidates: Vec<EdgeEndpoint>,
}

/// More candidates than this are of no use to a reader.
pub(crate) const MOST_CANDIDATES: usize = 8;

/// The kinds of edges that resolution finds, in the order of their bytes. Containment is kept with the symbols.
const KINDS: [EdgeKind; 5] =
    [EdgeKind::Calls, EdgeKind::Imports, EdgeKind::Extends, EdgeKind::Implements, EdgeKind::References];

/// Confidences are kept in hundredths.
const CONFIDENCE_SCALE: f32 = 100.0;

impl ResolvedEdges {
    /// As bytes. An edge of a kind that resolution does not find is left out.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut paths = Vec::new();
        let ends = self.edges.iter().map(|edge| &edge.to);
        for end in ends.chain(self.unresolved.iter().flat_map(|use_| &use_.candidates)) {
            paths.push(end.path.as_str());
        }
        // Many edges of a file lead to the same few files, so each path is written once.
        paths.sort_unstable();
        paths.dedup();
        let mut writer = ByteWriter::default();
        writer.write_list(&paths, |writer, path| writer.write_text(path));
        let end = |writer: &mut ByteWriter, end: &EdgeEndpoint| {
            writer.write_number(paths.binary_search(&end.path.as_str()).expect("every path is listed") as u32);
            writer.write_number(u32::from(end.qualified_name.is_some()));
            if let Some(qualified_name) = &end.qualified_name {
                writer.write_text(qualified_name);
            }
        };
        // Filtered before it is written, because a list begins with its length.
        let edges: Vec<_> = self.edges.iter().filter(|edge| number_of(edge.kind).is_some()).collect();
        writer.write_list(&edges, |writer, edge| {
            writer.write_optional(edge.from);
            writer.write_number(number_of(edge.kind).unwrap_or_default());
            end(writer, &edge.to);
            write_lines(writer, &edge.lines);
            // The resolver makes confidences of hundredths, so nothing is lost.
            writer.write_number((edge.confidence.get() * CONFIDENCE_SCALE).round() as u32);
        });
        let unresolved: Vec<_> = self.unresolved.iter().filter(|use_| number_of(use_.kind).is_some()).collect();
        writer.write_list(&unresolved, |writer, use_| {
            writer.write_optional(use_.from);
            writer.write_number(number_of(use_.kind).unwrap_or_default());
            writer.write_text(&use_.name);
            writer.write_number(use_.line);
            writer.write_list(&use_.candidates, end);
        });
        compress_bytes(&writer.into_bytes())
    }

    /// Reads what [`Self::encode`] wrote; nothing for other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        Self::read_edges(ByteReader::new(&decompress_bytes(bytes).ok()?)).ok()
    }

    fn read_edges(mut reader: ByteReader) -> Result<Self, DamagedBytes> {
        let paths = reader.read_list(ByteReader::read_text)?;
        let end = |reader: &mut ByteReader| {
            let path = paths[reader.read_index(paths.len())? as usize].to_owned();
            let qualified_name = if reader.read_index(2)? == 1 { Some(reader.read_text()?.to_owned()) } else { None };
            Ok(EdgeEndpoint { path, qualified_name })
        };
        let edges = reader.read_list(|reader| {
            Ok(FileEdge {
                from: reader.read_optional()?,
                kind: KINDS[reader.read_index(KINDS.len())? as usize],
                to: end(reader)?,
                lines: read_lines(reader)?,
                confidence: Confidence::new(reader.read_number()? as f32 / CONFIDENCE_SCALE),
            })
        })?;
        let unresolved = reader.read_list(|reader| {
            Ok(UnresolvedUse {
                from: reader.read_optional()?,
                kind: KINDS[reader.read_index(KINDS.len())? as usize],
                name: reader.read_text()?.to_owned(),
                line: reader.read_number()?,
                candidates: reader.read_list(end)?,
            })
        })?;
        reader.finish(Self { edges, unresolved })
    }
}

/// Most edges have one line, so whether others follow is a bit of the first one; the others are written as differences.
fn write_lines(writer: &mut ByteWriter, lines: &[u32]) {
    let (first, rest) = lines.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    writer.write_wide(u64::from(first) << 1 | u64::from(!rest.is_empty()));
    if !rest.is_empty() {
        let mut before = first;
        writer.write_list(rest, |writer, line| {
            writer.write_number(line.saturating_sub(std::mem::replace(&mut before, *line)));
        });
    }
}

fn read_lines(reader: &mut ByteReader) -> Result<Vec<u32>, DamagedBytes> {
    let head = reader.read_wide()?;
    let mut line = u32::try_from(head >> 1).map_err(|_| DamagedBytes)?;
    let mut lines = vec![line];
    if head & 1 == 1 {
        lines.extend(reader.read_list(|reader| {
            line = line.checked_add(reader.read_number()?).ok_or(DamagedBytes)?;
            Ok(line)
        })?);
    }
    Ok(lines)
}

fn number_of(kind: EdgeKind) -> Option<u32> {
    KINDS.iter().position(|known| *known == kind).map(|at| at as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_set, vec};
    use proptest::option::of;
    use proptest::prelude::*;

    fn endpoint() -> impl Strategy<Value = EdgeEndpoint> {
        ("[a-c/]{0,4}", of("[A-C.~é]{0,5}")).prop_map(|(path, qualified_name)| EdgeEndpoint { path, qualified_name })
    }

    fn kind() -> impl Strategy<Value = EdgeKind> {
        proptest::sample::select(KINDS.to_vec())
    }

    fn file_edges() -> impl Strategy<Value = ResolvedEdges> {
        let lines = btree_set(any::<u32>(), 1..4).prop_map(|lines| lines.into_iter().collect());
        let edge =
            (of(0..u32::MAX), kind(), endpoint(), lines, 0..=100u8).prop_map(|(from, kind, to, lines, confidence)| {
                FileEdge {
                    from,
                    kind,
                    to,
                    lines,
                    confidence: Confidence::new(f32::from(confidence) / CONFIDENCE_SCALE),
                }
            });
        let unresolved = (of(0..u32::MAX), kind(), "[a-zé]{0,6}", any::<u32>(), vec(endpoint(), 0..MOST_CANDIDATES))
            .prop_map(|(from, kind, name, line, candidates)| UnresolvedUse { from, kind, name, line, candidates });
        (vec(edge, 0..6), vec(unresolved, 0..4)).prop_map(|(edges, unresolved)| ResolvedEdges { edges, unresolved })
    }

    proptest! {
        #[test]
        fn edges_come_back_as_they_were(edges in file_edges()) {
            prop_assert_eq!(ResolvedEdges::decode(&edges.encode()), Some(edges));
        }

        #[test]
        fn cut_or_changed_bytes_are_refused_or_read_but_never_panic(
            edges in file_edges(), cut in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = edges.encode();
            let at = cut.index(bytes.len());
            prop_assert!(ResolvedEdges::decode(&bytes[..at]).is_none());
            bytes[at] = byte;
            let _ = ResolvedEdges::decode(&bytes);
        }
    }
}
