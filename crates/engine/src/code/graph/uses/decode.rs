//! Decodes the stored definitions and uses of a file from bytes, with every number checked, since the bytes may be
//! damaged.

use super::{
    ExpressionNode, FileUses, IMPORT_MANNERS, ImportSelector, InternedBinding, InternedDefinition, InternedExtension,
    InternedImport, InternedParameter, InternedReference, REFERENCES,
};
use model::SymbolKind;
use search::{ByteReader, DamagedBytes};

impl<'a> FileUses<'a> {
    /// Reads what [`super::encode::encode_uses`] wrote, decompressed. Every number is checked here, once.
    pub(in crate::code::graph) fn decode(bytes: &'a [u8]) -> Result<Self, DamagedBytes> {
        let mut reader = ByteReader::new(bytes);
        let names = reader.read_list(ByteReader::read_text)?;
        let nodes = read_nodes(&mut reader, names.len())?;
        let package = reader.maybe_below(names.len())?;
        let definitions = read_definitions(&mut reader, names.len(), nodes.len())?;
        let count = definitions.len();
        let references = reader.read_list(|reader| {
            Ok(InternedReference {
                kind: REFERENCES[reader.read_index(REFERENCES.len())? as usize],
                target: reader.read_index(nodes.len())?,
                line: reader.read_number()?,
                within: reader.maybe_below(count)?,
                passed: read_counted(reader, |reader| reader.read_index(nodes.len()))?,
            })
        })?;
        let imports = reader.read_list(|reader| {
            let module = reader.read_index(names.len())?;
            let what = match reader.read_index(names.len() + 2)? {
                0 => ImportSelector::Module,
                1 => ImportSelector::All,
                name => ImportSelector::Name(name - 2),
            };
            let alias = reader.maybe_below(names.len())?;
            let is_exported = reader.read_index(2)? == 1;
            // Whether an import is static or dynamic makes no difference to its target.
            reader.read_index(IMPORT_MANNERS.len())?;
            let line = reader.read_number()?;
            let within = reader.maybe_below(count)?;
            Ok(InternedImport { module, what, alias, is_exported, line, within })
        })?;
        let bindings = reader.read_list(|reader| {
            let name = reader.read_index(names.len())?;
            let flags = reader.read_index(4)?;
            let is_field = flags & 1 != 0;
            let is_type = flags & 2 != 0;
            let says = reader.read_index(nodes.len())?;
            let within = reader.maybe_below(count)?;
            let line = reader.read_number()?;
            // Without a reach, the binding holds in its whole scope.
            let reach =
                if reader.read_index(2)? == 1 { (reader.read_number()?, reader.read_number()?) } else { (0, u32::MAX) };
            Ok(InternedBinding { name, is_field, is_type, says, within, line, reach })
        })?;
        let given = |reader: &mut ByteReader| Ok((reader.read_index(count)?, reader.read_index(nodes.len())?));
        let returns = reader.read_list(given)?;
        let results = reader.read_list(given)?;
        let extensions = reader.read_list(|reader| {
            Ok(InternedExtension {
                owner: reader.read_index(nodes.len())?,
                seen_as: reader.maybe_below(nodes.len())?,
                members: reader.read_list(|reader| reader.read_index(count))?,
                lines: (reader.read_number()?, reader.read_number()?),
            })
        })?;
        reader.finish(Self {
            names,
            package,
            nodes,
            definitions,
            references,
            imports,
            bindings,
            returns,
            results,
            extensions,
        })
    }
}

/// A list that may be missing: its length and one more comes first.
fn read_counted<T>(
    reader: &mut ByteReader,
    mut read: impl FnMut(&mut ByteReader) -> Result<T, DamagedBytes>,
) -> Result<Option<Vec<T>>, DamagedBytes> {
    match reader.read_number()? {
        0 => Ok(None),
        // A damaged number must not reserve memory: the list grows as it is read.
        count => (1..count).map(|_| read(reader)).collect::<Result<_, _>>().map(Some),
    }
}

fn read_nodes(reader: &mut ByteReader, names: usize) -> Result<Vec<ExpressionNode>, DamagedBytes> {
    // Parts must come before the node that uses them, so that a walk over an expression ends.
    let mut below = 0;
    reader.read_list(|reader| {
        let node = match reader.read_number()? {
            0 => ExpressionNode::Unknown,
            1 => ExpressionNode::Literal,
            2 => ExpressionNode::This,
            3 => ExpressionNode::Super,
            4 => ExpressionNode::Name(reader.read_index(names)?),
            5 => ExpressionNode::Call(reader.read_index(below)?),
            6 => ExpressionNode::New(reader.read_index(below)?),
            7 => ExpressionNode::Member(reader.read_index(below)?, reader.read_index(names)?),
            8 => ExpressionNode::Item(reader.read_index(below)?),
            9 => ExpressionNode::Of(reader.read_index(below)?, reader.read_index(below)?),
            10 => ExpressionNode::List(reader.read_index(below)?, reader.read_index(below)?),
            11 => ExpressionNode::Either(reader.read_index(below)?, reader.read_index(below)?),
            12 => ExpressionNode::Builtin(reader.read_index(names)?),
            _ => return Err(DamagedBytes),
        };
        below += 1;
        Ok(node)
    })
}

fn read_definitions(
    reader: &mut ByteReader,
    names: usize,
    nodes: usize,
) -> Result<Vec<InternedDefinition>, DamagedBytes> {
    let mut place = 0;
    let definitions = reader.read_list(|reader| {
        let name = reader.read_index(names)?;
        let kind = reader.read_index(SymbolKind::ALL.len() << 1)?;
        let definition = InternedDefinition {
            name,
            kind: SymbolKind::ALL[kind as usize >> 1].0,
            is_prototype: kind & 1 != 0,
            container: reader.read_optional()?,
            // Parents come before what they contain, so that a walk outward ends.
            parent: reader.maybe_below(place)?,
            qualified_name: reader.maybe_below(names)?,
            lines: (reader.read_number()?, reader.read_number()?),
            parameters: read_counted(reader, |reader| {
                let says = reader.read_index(nodes)?;
                let flags = reader.read_index(4)?;
                Ok(InternedParameter { says, is_repeated: flags & 1 != 0, has_default: flags & 2 != 0 })
            })?,
        };
        place += 1;
        Ok(definition)
    })?;
    // A container may come after its member (a method above its type), so it is checked once all definitions are read.
    let is_wrong = |definition: &InternedDefinition| definition.container.is_some_and(|at| at as usize >= place);
    if definitions.iter().any(is_wrong) { Err(DamagedBytes) } else { Ok(definitions) }
}
