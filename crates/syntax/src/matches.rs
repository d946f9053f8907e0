//! One match of a language's query, taken apart: a definition, an import, something said about a type.

use crate::declared::{Declared, Shape};
use crate::embedded::{Embedded, Written};
use crate::expression::{Expression, Expressions};
use crate::facts::{Import, Imported, Manner, ReferenceKind, Says};
use crate::references::NewBinding;
use crate::rules::{Bare, Capture, Rules};
use crate::walk::{Docstring, Found, Harvest, Lead, What, span, trimmed};
use model::{ByteSpan, LineRange, SymbolKind};
use tree_sitter::{Node, Range};

/// What a module offers without a name is called so.
const DEFAULT: &str = "default";

/// The nodes a match captured, by what they mean.
#[derive(Default)]
pub(crate) struct Match<'t> {
    what: Option<(What, Node<'t>)>,
    start: Option<Node<'t>>,
    name: Option<Declared<'t>>,
    body: Option<Node<'t>>,
    owner: Option<Node<'t>>,
    clause: Option<Node<'t>>,
    seen_as: Option<Node<'t>>,
    docstring: Option<Node<'t>>,
    lead: Option<Node<'t>>,
    uncalled: Option<Node<'t>>,
    returns: Option<Node<'t>>,
    /// Something used by name: called, or a base or interface of the type around it.
    used: Option<(ReferenceKind, Node<'t>)>,
    from: Option<Node<'t>>,
    imported: Option<Node<'t>>,
    alias: Option<Node<'t>>,
    takes_all: bool,
    takes_default: bool,
    exported: Option<Node<'t>>,
    manner: Manner,
    package: Vec<Node<'t>>,
    bound: Option<(bool, Declared<'t>)>,
    typed: Option<Node<'t>>,
    value: Option<Node<'t>>,
    items: Option<Node<'t>>,
    picked: Option<Node<'t>>,
    reach: Option<Node<'t>>,
    gives: Option<Node<'t>>,
    embed: Option<Node<'t>>,
    again: Option<Node<'t>>,
    language: Option<Node<'t>>,
}

impl<'t> Match<'t> {
    pub(crate) fn of(captures: impl Iterator<Item = (Capture, Node<'t>)>, expressions: &Expressions) -> Self {
        let mut found = Self::default();
        for (capture, node) in captures {
            match capture {
                Capture::Symbol(kind) => found.what = Some((What::Symbol(kind), node)),
                Capture::Scope => found.what = Some((What::Scope, node)),
                Capture::Start => found.start = Some(node),
                Capture::Name => found.name = Some(expressions.declared(node)),
                Capture::Body => found.body = Some(node),
                Capture::Owner => found.owner = Some(node),
                Capture::Clause => found.clause = Some(node),
                Capture::As => found.seen_as = Some(node),
                Capture::Docstring => found.docstring = Some(node),
                Capture::Bare(Bare::Lead) => found.lead = Some(node),
                Capture::Uncalled => found.uncalled = Some(node),
                Capture::Returns => found.returns = Some(node),
                Capture::Base => found.used = Some((ReferenceKind::Extends, node)),
                Capture::Interface => found.used = Some((ReferenceKind::Implements, node)),
                Capture::Called => found.used = Some((ReferenceKind::Call, node)),
                Capture::Module => found.from = Some(node),
                Capture::Imported => found.imported = Some(node),
                Capture::Alias => found.alias = Some(node),
                Capture::All => found.takes_all = true,
                Capture::Default => found.takes_default = true,
                Capture::Export => found.exported = Some(node),
                Capture::TypeOnly => found.manner = Manner::Type,
                Capture::Dynamic => found.manner = Manner::Dynamic,
                Capture::Package => found.package.push(node),
                Capture::Variable => found.bound = Some((false, expressions.declared(node))),
                Capture::Field => found.bound = Some((true, expressions.declared(node))),
                Capture::Type => found.typed = Some(node),
                Capture::Value => found.value = Some(node),
                Capture::Items => found.items = Some(node),
                Capture::Picked => found.picked = Some(node),
                Capture::Reach => found.reach = Some(node),
                Capture::Gives => found.gives = Some(node),
                Capture::Embed => found.embed = Some(node),
                Capture::Again => found.again = Some(node),
                Capture::Language => found.language = Some(node),
                Capture::Bare(Bare::Comment | Bare::Wrap) | Capture::Unread => {}
            }
        }
        found
    }

    /// Puts what the match says into the harvest.
    pub(crate) fn take(self, pattern: usize, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        self.take_words(harvest);
        harvest.uses.uncalled.extend(self.uncalled.map(|node| span(&node)));
        if let (Some(Declared { name, .. }), Some(returns)) = (self.name, self.returns) {
            let says = rules.expressions().read_type(&returns, bytes);
            harvest.uses.returns.push((span(&name).start, says));
            mention(ReferenceKind::Type, &returns, rules, bytes, harvest);
        }
        if let Some(gives) = self.gives {
            harvest.uses.results.push((span(&gives).start, rules.expressions().read(&gives, bytes)));
        }
        if !self.package.is_empty() {
            let part = |node: &Node| unquoted(&String::from_utf8_lossy(&bytes[node.byte_range()]));
            let whole = || self.package.iter().map(part).collect::<Vec<_>>().join(".");
            harvest.uses.package.get_or_insert_with(whole);
        }
        if let Some((kind, node)) = self.used {
            let target = rules.expressions().read(&node, bytes);
            if target.last_name().is_some() {
                harvest.uses.references.push((span(&node).start, kind, target));
            } else if kind == ReferenceKind::Call {
                mention(kind, &node, rules, bytes, harvest);
            }
        }
        self.take_import(rules, bytes, harvest);
        self.take_binding(rules, bytes, harvest);
        self.take_embedded(pattern, rules, bytes, harvest);
        self.take_definition(pattern, rules, bytes, harvest);
    }

    /// Documentation, and what belongs to the declaration below. A text may be in pieces, with escapes between them.
    fn take_words(&self, harvest: &mut Harvest) {
        let text = self.docstring.map(|text| span(&text));
        if let (Some(body), Some(text)) = (self.body.map(|body| span(&body).start), text) {
            match harvest.docstrings.last_mut() {
                Some(last) if last.body == body => last.text.end = text.end,
                _ => harvest.docstrings.push(Docstring { body, text }),
            }
        }
        let Some(lead) = self.lead.map(|lead| span(&lead)) else { return };
        match harvest.leads.last_mut() {
            Some(last) if last.span == lead => {
                last.says = match (last.says, text) {
                    (Some(said), Some(text)) => Some(ByteSpan { start: said.start, end: text.end }),
                    (said, text) => said.or(text),
                };
            }
            _ => {
                harvest.leads.push(Lead { span: lead, is_comment: false, says: text });
                harvest.leads_ahead.insert(lead);
            }
        }
    }

    fn take_import(&self, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        let Some(node) = self.from.or(self.exported) else { return };
        let text = |node: Node| unquoted(&String::from_utf8_lossy(&bytes[node.byte_range()]));
        let name = |node: Node| unquoted(&rules.expressions().spelling().text(&node, bytes));
        let what = match self.imported {
            Some(imported) => Imported::Name(name(imported)),
            None if self.takes_all => Imported::All,
            None if self.takes_default => Imported::Name(DEFAULT.to_owned()),
            None => Imported::Module,
        };
        harvest.uses.imports.push(Import {
            module: self.from.map(text).unwrap_or_default(),
            what,
            alias: self.alias.map(name),
            exported: self.exported.is_some(),
            manner: self.manner,
            line: node.start_position().row as u32 + 1,
        });
    }

    fn take_binding(&self, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        if let Some(typed) = self.typed {
            mention(ReferenceKind::Type, &typed, rules, bytes, harvest);
        }
        let Some((mut is_field, Declared { name: node, shape, owner })) = self.bound else { return };
        let text = |node: Node| String::from_utf8_lossy(&bytes[node.byte_range()]).into_owned();
        let expressions = rules.expressions();
        if let Some(owner) = owner.filter(|_| shape != Shape::Function) {
            // `this.name = …` says something of a field, `other.name = …` of nobody here.
            is_field = expressions.is_this(String::from_utf8_lossy(&bytes[owner.range()]).trim());
            if !is_field {
                return;
            }
        }
        let says = match (self.typed, self.value, self.items) {
            (Some(typed), value, _) => match (expressions.read_type(&typed, bytes), value) {
                // `auto`: the type is that of the value.
                (Expression::Unknown, Some(value)) => Says::Value(expressions.read(&value, bytes)),
                (said, _) => Says::Type(said),
            },
            (None, Some(value), _) => {
                let value = expressions.read(&value, bytes);
                Says::Value(match self.picked {
                    Some(picked) => Expression::Member(Box::new(value), text(picked)),
                    None => value,
                })
            }
            (None, None, Some(items)) => {
                Says::Value(Expression::Of(Box::new(expressions.read(&items, bytes)), Vec::new()))
            }
            (None, None, None) => Says::Value(Expression::Unknown),
        };
        if let (Shape::Function, Says::Type(said)) = (shape, &says) {
            harvest.uses.returns.push((span(&node).start, said.clone()));
        }
        let name = expressions.spelling().text(&node, bytes);
        let row = |row: usize| row as u32 + 1;
        let reach = self
            .reach
            .map(|node| LineRange { start: row(node.start_position().row), end: row(node.end_position().row) });
        let at = expressions.spelling().name_in(span(&node), bytes).start;
        harvest.uses.bindings.push((at, NewBinding { name, is_field, says, reach }));
    }

    fn take_embedded(&self, pattern: usize, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        if let Some(range) = self.again.and_then(|node| between_signs(&node)) {
            harvest.embedded.push(Embedded { range, written: Written::Again, pattern, depth: 0 });
        }
        let Some(node) = self.embed else { return };
        let said = self.language.map(|node| String::from_utf8_lossy(&bytes[node.byte_range()]).into_owned());
        let Some(word) = said.or_else(|| rules.settings(pattern).language.clone()) else { return };
        harvest.embedded.push(Embedded { range: node.range(), written: Written::In(word), pattern, depth: 0 });
    }

    fn take_definition(&self, pattern: usize, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
        let Some((what, node)) = self.what else { return };
        // Some grammars count the blank lines below a definition as its own.
        let mut whole = trimmed(span(&node), bytes);
        whole.start = self.start.map_or(whole.start, |start| whole.start.min(span(&start).start));
        // A name that the parser had to make up is empty; such a thing cannot be asked for.
        let spelling = rules.expressions().spelling();
        let name = self.name.map(|declared| without_quotes(spelling.name_in(span(&declared.name), bytes), bytes));
        let name = name.unwrap_or_default();
        if name.is_empty() && what != What::Scope {
            return;
        }
        let shape = self.name.map_or(Shape::Unsaid, |declared| declared.shape);
        match what {
            What::Symbol(SymbolKind::Function) if shape == Shape::Value => return,
            What::Symbol(SymbolKind::Constant) if shape == Shape::Function => return,
            What::Symbol(_) | What::Scope => {}
        }
        harvest.names.insert(name.start);
        harvest.found.push(Found {
            what,
            span: whole,
            name,
            body: self.body.map_or(whole.end, |body| span(&body).start),
            owner: self.owner.map(|owner| span(&owner)).or(self.name.and_then(|declared| declared.owner)),
            is_prototype: shape == Shape::Function && self.body.is_none(),
            seen_as: self.seen_as.map(|seen_as| span(&seen_as)),
            clause: self.clause.map(|clause| if clause == node { 0 } else { clause.named_child_count() }),
            level: rules.settings(pattern).level,
            pattern,
        });
    }
}

/// What stands between the signs, of one byte each, that open and close a node.
fn between_signs(node: &Node) -> Option<Range> {
    let mut range = node.range();
    range.start_byte += 1;
    range.start_point.column += 1;
    range.end_byte = range.end_byte.checked_sub(1).filter(|end| *end > range.start_byte)?;
    range.end_point.column = range.end_point.column.checked_sub(1)?;
    Some(range)
}

/// Every name in a type is a use of that type, as every name in a list of what is called is called.
fn mention(kind: ReferenceKind, node: &Node, rules: &Rules, bytes: &[u8], harvest: &mut Harvest) {
    let references = &mut harvest.uses.references;
    rules.expressions().names_in(node, bytes, |at, name| references.push((at, kind, name)));
}

/// A key may be written in quotes, which are no part of its name.
fn without_quotes(name: ByteSpan, bytes: &[u8]) -> ByteSpan {
    match &bytes[name.range()] {
        [open @ (b'"' | b'\''), inner @ .., close] if open == close && !inner.is_empty() => {
            ByteSpan { start: name.start + 1, end: name.end - 1 }
        }
        _ => name,
    }
}

/// A module's name without the quotes or angle brackets it may stand in.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    let quotes = [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>')];
    let inner = quotes.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.unwrap_or(text).to_owned()
}
