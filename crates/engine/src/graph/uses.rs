//! What one file defines and uses, as far as resolution needs it, in bytes that the store keeps.
//!
//! Names are written once per file and numbered; expressions are nodes in one list, parts before wholes, and equal
//! ones are the same node. So a file's uses are smaller than its text by an order of magnitude, and all files of a
//! project can be held in memory at once.

use super::bytes::{Damaged, Reader, Writer};
use model::{Symbol, SymbolId, SymbolKind};
use std::collections::HashMap;
use syntax::{Expression, FileFacts, Imported, Manner, ReferenceKind, Says};

/// What resolution needs of one file version.
pub(crate) fn encode_uses(facts: &FileFacts) -> Vec<u8> {
    Encoder::default().encode(facts)
}

/// The same, read back. Numbers of names are places in `names`.
pub(super) struct Uses<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) package: Option<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) definitions: Vec<Definition>,
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) bindings: Vec<Binding>,
    /// Function and what it gives back, in order of the function.
    pub(super) returns: Vec<(u32, u32)>,
    /// Function and what it is seen to give back, in order of the function.
    pub(super) results: Vec<(u32, u32)>,
    pub(super) extensions: Vec<Extension>,
}

/// An expression; parts are places in the list of nodes, before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Name(u32),
    Member(u32, u32),
    Call(u32),
    New(u32),
    /// A type and the list of its arguments, or a value one of whose items it is.
    Of(u32, Option<u32>),
    /// The first of a list and the rest of it; a list of one is that one.
    List(u32, u32),
    Either(u32, u32),
    This,
    Super,
    Literal,
    Unknown,
}

pub(super) struct Definition {
    pub(super) name: u32,
    pub(super) kind: SymbolKind,
    /// Whose member it is.
    pub(super) container: Option<u32>,
    /// The innermost definition around it in the text.
    pub(super) parent: Option<u32>,
    /// Its chain, where that is not the container's and its name.
    pub(super) chain: Option<u32>,
    /// First and last line.
    pub(super) lines: (u32, u32),
}

pub(super) struct Reference {
    pub(super) kind: ReferenceKind,
    pub(super) target: u32,
    pub(super) line: u32,
    pub(super) within: Option<u32>,
}

pub(super) struct Import {
    pub(super) module: u32,
    pub(super) what: Taken,
    pub(super) alias: Option<u32>,
    pub(super) is_exported: bool,
    pub(super) manner: Manner,
    pub(super) line: u32,
    pub(super) within: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Module,
    All,
    Name(u32),
}

pub(super) struct Binding {
    pub(super) name: u32,
    pub(super) is_field: bool,
    pub(super) is_type: bool,
    pub(super) says: u32,
    pub(super) within: Option<u32>,
    pub(super) line: u32,
    /// The first and last line in which it holds.
    pub(super) reach: (u32, u32),
}

pub(super) struct Extension {
    pub(super) owner: u32,
    pub(super) seen_as: Option<u32>,
    pub(super) members: Vec<u32>,
    pub(super) line: u32,
}

const REFERENCES: [ReferenceKind; 4] =
    [ReferenceKind::Call, ReferenceKind::Extends, ReferenceKind::Implements, ReferenceKind::Type];
const MANNERS: [Manner; 3] = [Manner::Static, Manner::Type, Manner::Dynamic];

#[derive(Default)]
struct Encoder<'f> {
    names: Vec<&'f str>,
    numbers: HashMap<&'f str, u32>,
    nodes: Vec<Node>,
    places: HashMap<Node, u32>,
}

impl<'f> Encoder<'f> {
    fn encode(mut self, facts: &'f FileFacts) -> Vec<u8> {
        let mut body = Writer::default();
        body.maybe(facts.package.as_deref().map(|package| self.name(package)));
        self.definitions(&mut body, &facts.symbols);
        body.list(&facts.references, |body, reference| {
            body.number(
                REFERENCES.iter().position(|kind| *kind == reference.kind).expect("every kind is listed") as u32
            );
            body.number(self.node(&reference.target));
            body.number(reference.line);
            body.maybe(reference.within.map(|at| at as u32));
        });
        body.list(&facts.imports, |body, import| {
            body.number(self.name(&import.module));
            match &import.what {
                Imported::Module => body.number(0),
                Imported::All => body.number(1),
                Imported::Name(name) => body.number(self.name(name) + 2),
            }
            body.maybe(import.alias.as_deref().map(|alias| self.name(alias)));
            body.number(u32::from(import.exported));
            body.number(
                MANNERS.iter().position(|manner| *manner == import.manner).expect("every manner is listed") as u32
            );
            body.number(import.line);
            body.maybe(innermost(&facts.symbols, import.line));
        });
        body.list(&facts.bindings, |body, binding| {
            let (is_type, says) = match &binding.says {
                Says::Type(says) => (true, says),
                Says::Value(says) => (false, says),
            };
            body.number(self.name(&binding.name));
            body.number(u32::from(binding.is_field) | u32::from(is_type) << 1);
            body.number(self.node(says));
            body.maybe(binding.within.map(|at| at as u32));
            body.number(binding.line);
            body.number(u32::from(binding.reach.is_some()));
            if let Some(reach) = binding.reach {
                body.number(reach.start);
                body.number(reach.end);
            }
        });
        for given in [&facts.returns, &facts.results] {
            body.list(given, |body, (symbol, says)| {
                body.number(*symbol as u32);
                body.number(self.node(says));
            });
        }
        body.list(&facts.extensions, |body, extension| {
            body.number(self.node(&extension.owner));
            body.maybe(extension.seen_as.as_ref().map(|seen_as| self.node(seen_as)));
            body.list(&extension.members, |body, member| body.number(*member as u32));
            body.number(extension.line);
        });
        let mut whole = Writer::default();
        whole.list(&self.names, |whole, name| whole.text(name));
        whole.list(&self.nodes, |whole, node| write_node(whole, *node));
        let mut bytes = whole.finish();
        bytes.extend(body.finish());
        bytes
    }

    fn definitions(&mut self, body: &mut Writer, symbols: &'f [Symbol]) {
        let numbers: HashMap<&SymbolId, u32> = symbols.iter().zip(0..).map(|(symbol, at)| (&symbol.id, at)).collect();
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        body.list(symbols, |body, symbol| {
            while open.pop_if(|outer| !symbols[*outer as usize].span.contains(symbol.span)).is_some() {}
            let container = symbol.container.as_ref().and_then(|container| numbers.get(container).copied());
            let plain = container.map(|container| symbols[container as usize].id.chain());
            let chain = symbol.id.chain();
            let is_plain = match plain {
                Some(outer) => chain.strip_prefix(outer).and_then(|rest| rest.strip_prefix('.')) == Some(&symbol.name),
                None => chain == symbol.name,
            };
            body.number(self.name(&symbol.name));
            body.number(SymbolKind::ALL.iter().position(|(kind, _)| *kind == symbol.kind).unwrap_or_default() as u32);
            body.maybe(container);
            body.maybe(open.last().copied());
            body.maybe((!is_plain).then(|| self.name(chain)));
            body.number(symbol.lines.start);
            body.number(symbol.lines.end);
            open.push(at);
            at += 1;
        });
    }

    fn name(&mut self, name: &'f str) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    fn node(&mut self, expression: &'f Expression) -> u32 {
        let node = match expression {
            Expression::Name(name) => Node::Name(self.name(name)),
            Expression::Member(object, name) => Node::Member(self.node(object), self.name(name)),
            Expression::Call(function) => Node::Call(self.node(function)),
            Expression::New(of) => Node::New(self.node(of)),
            Expression::Of(of, arguments) => Node::Of(self.node(of), self.several(arguments, Node::List)),
            Expression::Either(several) => match self.several(several, Node::Either) {
                Some(place) => return place,
                None => Node::Unknown,
            },
            Expression::This => Node::This,
            Expression::Super => Node::Super,
            Expression::Literal => Node::Literal,
            Expression::Unknown => Node::Unknown,
        };
        self.place(node)
    }

    /// Several expressions, joined from the end.
    fn several(&mut self, several: &'f [Expression], join: fn(u32, u32) -> Node) -> Option<u32> {
        let mut joined = None;
        for expression in several.iter().rev() {
            let first = self.node(expression);
            joined = Some(match joined {
                Some(rest) => self.place(join(first, rest)),
                None => first,
            });
        }
        joined
    }

    fn place(&mut self, node: Node) -> u32 {
        *self.places.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}

/// The innermost symbol around a line.
fn innermost(symbols: &[Symbol], line: u32) -> Option<u32> {
    let before = symbols.partition_point(|symbol| symbol.lines.start <= line);
    symbols[..before].iter().rposition(|symbol| line <= symbol.lines.end).map(|at| at as u32)
}

fn write_node(writer: &mut Writer, node: Node) {
    let (tag, parts): (u32, &[u32]) = match &node {
        Node::Unknown => (0, &[]),
        Node::Literal => (1, &[]),
        Node::This => (2, &[]),
        Node::Super => (3, &[]),
        Node::Name(name) => (4, &[*name]),
        Node::Call(of) => (5, &[*of]),
        Node::New(of) => (6, &[*of]),
        Node::Member(object, name) => (7, &[*object, *name]),
        Node::Of(of, None) => (8, &[*of]),
        Node::Of(of, Some(arguments)) => (9, &[*of, *arguments]),
        Node::List(first, rest) => (10, &[*first, *rest]),
        Node::Either(first, rest) => (11, &[*first, *rest]),
    };
    writer.number(tag);
    for part in parts {
        writer.number(*part);
    }
}

impl<'a> Uses<'a> {
    /// Reads what [`encode_uses`] wrote. Every number is checked here, once.
    pub(super) fn decode(bytes: &'a [u8]) -> Result<Self, Damaged> {
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
            Ok(Import {
                module: reader.below(names.len())?,
                what: match reader.below(names.len() + 2)? {
                    0 => Taken::Module,
                    1 => Taken::All,
                    name => Taken::Name(name - 2),
                },
                alias: reader.maybe_below(names.len())?,
                is_exported: reader.below(2)? == 1,
                manner: MANNERS[reader.below(MANNERS.len())? as usize],
                line: reader.number()?,
                within: reader.maybe_below(count)?,
            })
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
                line: reader.number()?,
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
            8 => Node::Of(reader.below(below)?, None),
            9 => Node::Of(reader.below(below)?, Some(reader.below(below)?)),
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
        let definition = Definition {
            name: reader.below(names)?,
            kind: SymbolKind::ALL[reader.below(SymbolKind::ALL.len())? as usize].0,
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

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;
    use std::fmt::Write;
    use syntax::{Limits, extract};

    const SOURCE: &str =
        "from .a import b as c\nclass D(c):\n    def e(self) -> D:\n        f = D()\n        return f.e().e()\n";

    #[test]
    fn what_a_file_uses_comes_back_as_it_was_read() {
        let bytes = encode_uses(&extract("m.py", SOURCE.as_bytes(), &Limits::default()));
        let uses = Uses::decode(&bytes).expect("the bytes are ours");
        let mut told = String::new();
        for Definition { name, kind, container, parent, .. } in &uses.definitions {
            writeln!(told, "{kind} {} {container:?} {parent:?}", uses.names[*name as usize])
                .expect("a string takes all");
        }
        for Reference { kind, target, line, within } in &uses.references {
            writeln!(told, "{line} {within:?} {kind:?} {}", written(&uses, *target)).expect("a string takes all");
        }
        for Import { module, what, alias, .. } in &uses.imports {
            writeln!(told, "{} {what:?} {alias:?}", uses.names[*module as usize]).expect("a string takes all");
        }
        for Binding { name, says, within, .. } in &uses.bindings {
            let (name, says) = (uses.names[*name as usize], written(&uses, *says));
            writeln!(told, "{name} = {says} {within:?}").expect("a string takes all");
        }
        expect![[r#"
            class D None None
            method e Some(0) Some(0)
            2 Some(0) Extends c
            3 Some(1) Type D
            4 Some(1) Call D
            5 Some(1) Call f.e().e
            5 Some(1) Call f.e
            .a Name(5) Some(2)
            f = D() Some(1)
        "#]]
        .assert_eq(&told);
    }

    fn written(uses: &Uses, place: u32) -> String {
        match uses.nodes[place as usize] {
            Node::Name(name) => uses.names[name as usize].to_owned(),
            Node::Member(object, name) => format!("{}.{}", written(uses, object), uses.names[name as usize]),
            Node::Call(of) => format!("{}()", written(uses, of)),
            Node::New(of) => format!("new {}", written(uses, of)),
            Node::Of(of, arguments) => {
                format!("{}[{}]", written(uses, of), arguments.map(|list| written(uses, list)).unwrap_or_default())
            }
            Node::List(first, rest) => format!("{}, {}", written(uses, first), written(uses, rest)),
            Node::Either(first, rest) => format!("{} | {}", written(uses, first), written(uses, rest)),
            node @ (Node::This | Node::Super | Node::Literal | Node::Unknown) => format!("{node:?}"),
        }
    }

    proptest! {
        #[test]
        fn cut_or_changed_bytes_are_refused_or_read_but_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = encode_uses(&extract("m.py", SOURCE.as_bytes(), &Limits::default()));
            let at = at.index(bytes.len());
            prop_assert!(Uses::decode(&bytes[..at]).is_err());
            bytes[at] = byte;
            let _ = Uses::decode(&bytes);
        }
    }
}
