//! Encodes what name resolution needs of one file's extract (definitions, references, imports, bindings) into bytes for
//! the store; names and expressions are interned.

use super::{ExpressionNode, IMPORT_MANNERS, REFERENCES};
use crate::base::compress_bytes;
use foldhash::HashMap;
use model::{Symbol, SymbolId, SymbolKind};
use search::ByteWriter;
use syntax::{Expression, FileExtract, ImportedItem, Parameter, TypeSource};

/// The bytes of what resolution needs of one file version.
pub(crate) fn encode_uses(extract: &FileExtract) -> Vec<u8> {
    let language = extract.language.and_then(syntax::language_called);
    let of = |symbol: &Symbol| language.and_then(|language| language.parameters_of(symbol));
    let parameters: Vec<Option<Vec<Parameter>>> = extract.symbols.iter().map(of).collect();
    compress_bytes(&UsesEncoder::default().encode(extract, &parameters))
}

#[derive(Default)]
struct UsesEncoder<'f> {
    names: Vec<&'f str>,
    numbers: HashMap<&'f str, u32>,
    nodes: Vec<ExpressionNode>,
    places: HashMap<ExpressionNode, u32>,
}

impl<'f> UsesEncoder<'f> {
    fn encode(mut self, extract: &'f FileExtract, parameters: &'f [Option<Vec<Parameter>>]) -> Vec<u8> {
        let mut body = ByteWriter::default();
        body.write_optional(extract.package.as_deref().map(|package| self.intern_name(package)));
        self.write_definitions(&mut body, extract, parameters);
        body.write_list(&extract.references, |body, reference| {
            body.write_number(
                REFERENCES.iter().position(|kind| *kind == reference.kind).expect("every kind is listed") as u32,
            );
            body.write_number(self.intern_expression(&reference.target));
            body.write_number(reference.line);
            body.write_optional(reference.within.map(|at| at as u32));
            // 0 says that it was not read, which is not the same as that nothing is passed.
            body.write_number(reference.passed.as_ref().map_or(0, |passed| passed.len() as u32 + 1));
            for passed in reference.passed.iter().flatten() {
                body.write_number(self.intern_expression(passed));
            }
        });
        body.write_list(&extract.imports, |body, import| {
            body.write_number(self.intern_name(&import.module));
            match &import.what {
                ImportedItem::Module => body.write_number(0),
                ImportedItem::All => body.write_number(1),
                // 0 and 1 are the selectors without a name.
                ImportedItem::Name(name) => body.write_number(self.intern_name(name) + 2),
            }
            body.write_optional(import.alias.as_deref().map(|alias| self.intern_name(alias)));
            body.write_number(u32::from(import.exported));
            body.write_number(
                IMPORT_MANNERS.iter().position(|manner| *manner == import.manner).expect("every manner is listed")
                    as u32,
            );
            body.write_number(import.line);
            // An import inside of a function is visible there alone.
            body.write_optional(innermost_symbol(&extract.symbols, import.line));
        });
        body.write_list(&extract.bindings, |body, binding| {
            let (is_type, says) = match &binding.says {
                TypeSource::Type(says) => (true, says),
                TypeSource::Value(says) => (false, says),
            };
            body.write_number(self.intern_name(&binding.name));
            body.write_number(u32::from(binding.is_field) | u32::from(is_type) << 1);
            body.write_number(self.intern_expression(says));
            body.write_optional(binding.within.map(|at| at as u32));
            body.write_number(binding.line);
            body.write_number(u32::from(binding.reach.is_some()));
            if let Some(reach) = binding.reach {
                body.write_number(reach.start);
                body.write_number(reach.end);
            }
        });
        for given in [&extract.returns, &extract.results] {
            body.write_list(given, |body, (symbol, says)| {
                body.write_number(*symbol as u32);
                body.write_number(self.intern_expression(says));
            });
        }
        body.write_list(&extract.extensions, |body, extension| {
            body.write_number(self.intern_expression(&extension.owner));
            body.write_optional(extension.seen_as.as_ref().map(|seen_as| self.intern_expression(seen_as)));
            body.write_list(&extension.members, |body, member| body.write_number(*member as u32));
            body.write_number(extension.lines.start);
            body.write_number(extension.lines.end);
        });
        // Names and nodes are complete only now, but come first: the reader checks every number against their counts.
        let mut whole = ByteWriter::default();
        whole.write_list(&self.names, |whole, name| whole.write_text(name));
        whole.write_list(&self.nodes, |whole, node| write_node(whole, *node));
        let mut bytes = whole.into_bytes();
        bytes.extend(body.into_bytes());
        bytes
    }

    fn write_definitions(
        &mut self,
        body: &mut ByteWriter,
        extract: &'f FileExtract,
        parameters: &'f [Option<Vec<Parameter>>],
    ) {
        let FileExtract { symbols, prototypes, .. } = extract;
        let numbers: HashMap<&SymbolId, u32> = symbols.iter().zip(0..).map(|(symbol, at)| (&symbol.id, at)).collect();
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        body.write_list(symbols, |body, symbol| {
            // Symbols are in the order of their starts, so a stack holds those around the current one.
            while open.pop_if(|outer| !symbols[*outer as usize].span.contains(symbol.span)).is_some() {}
            let container = symbol.container.as_ref().and_then(|container| numbers.get(container).copied());
            let plain = container.map(|container| symbols[container as usize].id.qualified_name());
            let qualified_name = symbol.id.qualified_name();
            // Most qualified names are the container's qualified name and the name, and are rebuilt from them when they are read.
            let is_plain = match plain {
                Some(outer) => {
                    qualified_name.strip_prefix(outer).and_then(|rest| rest.strip_prefix('.')) == Some(&symbol.name)
                }
                None => qualified_name == symbol.name,
            };
            body.write_number(self.intern_name(&symbol.name));
            let kind = symbol.kind as u32;
            let is_prototype = prototypes.binary_search(&(at as usize)).is_ok();
            body.write_number(kind << 1 | u32::from(is_prototype));
            body.write_optional(container);
            body.write_optional(open.last().copied());
            body.write_optional((!is_plain).then(|| self.intern_name(qualified_name)));
            body.write_number(symbol.lines.start);
            body.write_number(symbol.lines.end);
            let parameters = parameters[at as usize].as_ref();
            body.write_number(parameters.map_or(0, |all| all.len() as u32 + 1));
            for parameter in parameters.into_iter().flatten() {
                // Nodes are written before definitions, so their numbers are known when these are read.
                body.write_number(self.intern_expression(&parameter.says));
                body.write_number(u32::from(parameter.is_repeated) | u32::from(parameter.has_default) << 1);
            }
            open.push(at);
            at += 1;
        });
    }

    fn intern_name(&mut self, name: &'f str) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }

    fn intern_expression(&mut self, expression: &'f Expression) -> u32 {
        let node = match expression {
            Expression::Name(name) => ExpressionNode::Name(self.intern_name(name)),
            Expression::Member(object, name) => {
                ExpressionNode::Member(self.intern_expression(object), self.intern_name(name))
            }
            Expression::Call(function) => ExpressionNode::Call(self.intern_expression(function)),
            Expression::New(of) => ExpressionNode::New(self.intern_expression(of)),
            Expression::Of(of, arguments) => {
                let of = self.intern_expression(of);
                self.intern_list(arguments, ExpressionNode::List)
                    .map_or(ExpressionNode::Item(of), |arguments| ExpressionNode::Of(of, arguments))
            }
            Expression::Either(several) => match self.intern_list(several, ExpressionNode::Either) {
                Some(place) => return place,
                None => ExpressionNode::Unknown,
            },
            Expression::This => ExpressionNode::This,
            Expression::Super => ExpressionNode::Super,
            Expression::Literal => ExpressionNode::Literal,
            Expression::Builtin(name) => ExpressionNode::Builtin(self.intern_name(name)),
            Expression::Unknown => ExpressionNode::Unknown,
        };
        self.intern_node(node)
    }

    /// Several expressions as one node, joined from the end.
    fn intern_list(&mut self, several: &'f [Expression], join: fn(u32, u32) -> ExpressionNode) -> Option<u32> {
        let mut joined = None;
        for expression in several.iter().rev() {
            let first = self.intern_expression(expression);
            joined = Some(match joined {
                Some(rest) => self.intern_node(join(first, rest)),
                None => first,
            });
        }
        joined
    }

    fn intern_node(&mut self, node: ExpressionNode) -> u32 {
        *self.places.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}

/// The innermost symbol around a line. A symbol that starts on the line is itself what is exported there.
fn innermost_symbol(symbols: &[Symbol], line: u32) -> Option<u32> {
    let before = symbols.partition_point(|symbol| symbol.lines.start < line);
    // An import in the body of a macro takes effect where the macro is used.
    let holds = |symbol: &Symbol| line <= symbol.lines.end && symbol.kind != SymbolKind::Macro;
    symbols[..before].iter().rposition(holds).map(|at| at as u32)
}

fn write_node(writer: &mut ByteWriter, node: ExpressionNode) {
    let (tag, parts): (u32, &[u32]) = match &node {
        ExpressionNode::Unknown => (0, &[]),
        ExpressionNode::Literal => (1, &[]),
        ExpressionNode::This => (2, &[]),
        ExpressionNode::Super => (3, &[]),
        ExpressionNode::Name(name) => (4, &[*name]),
        ExpressionNode::Call(of) => (5, &[*of]),
        ExpressionNode::New(of) => (6, &[*of]),
        ExpressionNode::Member(object, name) => (7, &[*object, *name]),
        ExpressionNode::Item(of) => (8, &[*of]),
        ExpressionNode::Of(of, arguments) => (9, &[*of, *arguments]),
        ExpressionNode::List(first, rest) => (10, &[*first, *rest]),
        ExpressionNode::Either(first, rest) => (11, &[*first, *rest]),
        ExpressionNode::Builtin(name) => (12, &[*name]),
    };
    writer.write_number(tag);
    for part in parts {
        writer.write_number(*part);
    }
}
