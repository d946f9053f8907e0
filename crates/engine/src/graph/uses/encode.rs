//! From facts to bytes.

use super::{MANNERS, Node, REFERENCES};
use crate::graph::bytes::Writer;
use crate::graph::pack;
use foldhash::HashMap;
use model::{Symbol, SymbolId, SymbolKind};
use syntax::{Expression, FileFacts, Imported, Says};

/// What resolution needs of one file version.
pub(crate) fn encode_uses(facts: &FileFacts) -> Vec<u8> {
    pack(&Encoder::default().encode(facts))
}

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
        self.definitions(&mut body, &facts.symbols, &facts.prototypes);
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
            body.number(extension.lines.start);
            body.number(extension.lines.end);
        });
        let mut whole = Writer::default();
        whole.list(&self.names, |whole, name| whole.text(name));
        whole.list(&self.nodes, |whole, node| write_node(whole, *node));
        let mut bytes = whole.finish();
        bytes.extend(body.finish());
        bytes
    }

    fn definitions(&mut self, body: &mut Writer, symbols: &'f [Symbol], prototypes: &[usize]) {
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
            let kind = SymbolKind::ALL.iter().position(|(kind, _)| *kind == symbol.kind).unwrap_or_default() as u32;
            let is_prototype = prototypes.binary_search(&(at as usize)).is_ok();
            body.number(kind << 1 | u32::from(is_prototype));
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
            Expression::Of(of, arguments) => {
                let of = self.node(of);
                self.several(arguments, Node::List).map_or(Node::Item(of), |arguments| Node::Of(of, arguments))
            }
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

/// The innermost symbol around a line. One that starts on it is itself what is passed on there.
fn innermost(symbols: &[Symbol], line: u32) -> Option<u32> {
    let before = symbols.partition_point(|symbol| symbol.lines.start < line);
    // What a macro brings in, it brings in where it is used.
    let holds = |symbol: &Symbol| line <= symbol.lines.end && symbol.kind != SymbolKind::Macro;
    symbols[..before].iter().rposition(holds).map(|at| at as u32)
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
        Node::Item(of) => (8, &[*of]),
        Node::Of(of, arguments) => (9, &[*of, *arguments]),
        Node::List(first, rest) => (10, &[*first, *rest]),
        Node::Either(first, rest) => (11, &[*first, *rest]),
    };
    writer.number(tag);
    for part in parts {
        writer.number(*part);
    }
}
