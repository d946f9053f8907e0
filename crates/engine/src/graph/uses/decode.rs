//! From bytes back to what was read, with every number checked.

use super::{Binding, Definition, Extension, Import, MANNERS, Node, REFERENCES, Reference, Taken, Uses};
use crate::graph::bytes::{Damaged, Reader};
use model::SymbolKind;

impl<'a> Uses<'a> {
    /// Reads what [`encode_uses`] wrote, unpacked. Every number is checked here, once.
    pub(in crate::graph) fn decode(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let mut reader = Reader::new(bytes);
        let names = reader.list(Reader::text)?;
        let nodes = read_nodes(&mut reader, names.len())?;
        let package = reader.maybe_below(names.len())?;
        let definitions = read_definitions(&mut reader, names.len())?;
        let count = definitions.len();
        let references = reader.list(|reader| {
            Ok(Reference {
                kind: REFERENCES[reader.below(REFERENCES.len())? as usize],
                target: reader.below(nodes.len())?,
                line: reader.number()?,
                within: reader.maybe_below(count)?,
            })
        })?;
        let imports = reader.list(|reader| {
            let module = reader.below(names.len())?;
            let what = match reader.below(names.len() + 2)? {
                0 => Taken::Module,
                1 => Taken::All,
                name => Taken::Name(name - 2),
            };
            let (alias, is_exported) = (reader.maybe_below(names.len())?, reader.below(2)? == 1);
            // How it is imported makes no difference to where it leads.
            reader.below(MANNERS.len())?;
            let (line, within) = (reader.number()?, reader.maybe_below(count)?);
            Ok(Import { module, what, alias, is_exported, line, within })
        })?;
        let bindings = reader.list(|reader| {
            let (name, flags) = (reader.below(names.len())?, reader.below(4)?);
            let (is_field, is_type) = (flags & 1 != 0, flags & 2 != 0);
            let (says, within) = (reader.below(nodes.len())?, reader.maybe_below(count)?);
            let line = reader.number()?;
            let reach = if reader.below(2)? == 1 { (reader.number()?, reader.number()?) } else { (0, u32::MAX) };
            Ok(Binding { name, is_field, is_type, says, within, line, reach })
        })?;
        let given = |reader: &mut Reader| Ok((reader.below(count)?, reader.below(nodes.len())?));
        let (returns, results) = (reader.list(given)?, reader.list(given)?);
        let extensions = reader.list(|reader| {
            Ok(Extension {
                owner: reader.below(nodes.len())?,
                seen_as: reader.maybe_below(nodes.len())?,
                members: reader.list(|reader| reader.below(count))?,
                lines: (reader.number()?, reader.number()?),
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

fn read_nodes(reader: &mut Reader, names: usize) -> Result<Vec<Node>, Damaged> {
    let mut below = 0;
    reader.list(|reader| {
        let node = match reader.number()? {
            0 => Node::Unknown,
            1 => Node::Literal,
            2 => Node::This,
            3 => Node::Super,
            4 => Node::Name(reader.below(names)?),
            5 => Node::Call(reader.below(below)?),
            6 => Node::New(reader.below(below)?),
            7 => Node::Member(reader.below(below)?, reader.below(names)?),
            8 => Node::Item(reader.below(below)?),
            9 => Node::Of(reader.below(below)?, reader.below(below)?),
            10 => Node::List(reader.below(below)?, reader.below(below)?),
            11 => Node::Either(reader.below(below)?, reader.below(below)?),
            _ => return Err(Damaged),
        };
        below += 1;
        Ok(node)
    })
}

fn read_definitions(reader: &mut Reader, names: usize) -> Result<Vec<Definition>, Damaged> {
    let mut place = 0;
    let definitions = reader.list(|reader| {
        let (name, kind) = (reader.below(names)?, reader.below(SymbolKind::ALL.len() << 1)?);
        let definition = Definition {
            name,
            kind: SymbolKind::ALL[kind as usize >> 1].0,
            is_prototype: kind & 1 != 0,
            container: reader.maybe()?,
            // Parents come first, so that going outward ends.
            parent: reader.maybe_below(place)?,
            chain: reader.maybe_below(names)?,
            lines: (reader.number()?, reader.number()?),
        };
        place += 1;
        Ok(definition)
    })?;
    let is_wrong = |definition: &Definition| definition.container.is_some_and(|at| at as usize >= place);
    if definitions.iter().any(is_wrong) { Err(Damaged) } else { Ok(definitions) }
}
