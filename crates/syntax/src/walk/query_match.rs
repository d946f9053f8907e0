//! Converts one match of a language's query, the captured nodes by their role, into facts: a definition, an import, a
//! type binding.

use crate::expression::{DeclarationKind, DeclaredName, Expression, ExpressionReader};
use crate::file_extract::{ImportDeclaration, ImportManner, ImportedItem, ReferenceKind, TypeSource};
use crate::harvest::{
    DefinitionKind, DocstringSpan, EmbeddedLanguage, EmbeddedText, LeadingTrivia, NewBinding, RawDefinition,
    RawReference, WalkHarvest, node_span, trim_span,
};
use crate::language::QueryRules;
use crate::query::{CaptureRole, KindCapture};
use model::{ByteSpan, LineRange, SymbolKind};
use tree_sitter::{Node, Range};

/// The name of what a module exports without a name.
const DEFAULT_EXPORT_NAME: &str = "default";

/// The nodes a match captured, by what they mean.
#[derive(Default)]
pub(crate) struct QueryMatch<'t> {
    what: Option<(DefinitionKind, Node<'t>)>,
    start: Option<Node<'t>>,
    name: Option<DeclaredName<'t>>,
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
    manner: ImportManner,
    package: Vec<Node<'t>>,
    bound: Option<(bool, DeclaredName<'t>)>,
    typed: Option<Node<'t>>,
    value: Option<Node<'t>>,
    items: Option<Node<'t>>,
    picked: Option<Node<'t>>,
    is_many: bool,
    reach: Option<Node<'t>>,
    gives: Option<Node<'t>>,
    embed: Option<Node<'t>>,
    again: Option<Node<'t>>,
    language: Option<Node<'t>>,
}

impl<'t> QueryMatch<'t> {
    pub(crate) fn from_captures(
        captures: impl Iterator<Item = (CaptureRole, Node<'t>)>,
        expressions: &ExpressionReader,
    ) -> Self {
        let mut found = Self::default();
        for (capture, node) in captures {
            match capture {
                CaptureRole::Symbol(kind) => found.what = Some((DefinitionKind::Symbol(kind), node)),
                CaptureRole::Scope => found.what = Some((DefinitionKind::Scope, node)),
                CaptureRole::Start => found.start = Some(node),
                CaptureRole::Name => found.name = Some(expressions.find_declared_name(node)),
                CaptureRole::Body => found.body = Some(node),
                CaptureRole::Owner => found.owner = Some(node),
                CaptureRole::Clause => found.clause = Some(node),
                CaptureRole::As => found.seen_as = Some(node),
                CaptureRole::Docstring => found.docstring = Some(node),
                CaptureRole::Bare(KindCapture::Lead) => found.lead = Some(node),
                CaptureRole::Uncalled => found.uncalled = Some(node),
                CaptureRole::Returns => found.returns = Some(node),
                CaptureRole::Base => found.used = Some((ReferenceKind::Extends, node)),
                CaptureRole::Interface => found.used = Some((ReferenceKind::Implements, node)),
                CaptureRole::Called => found.used = Some((ReferenceKind::Call, node)),
                CaptureRole::Module => found.from = Some(node),
                CaptureRole::Imported => found.imported = Some(node),
                CaptureRole::Alias => found.alias = Some(node),
                CaptureRole::All => found.takes_all = true,
                CaptureRole::Default => found.takes_default = true,
                CaptureRole::Export => found.exported = Some(node),
                CaptureRole::TypeOnly => found.manner = ImportManner::Type,
                CaptureRole::Dynamic => found.manner = ImportManner::Dynamic,
                CaptureRole::Package => found.package.push(node),
                CaptureRole::Variable => found.bound = Some((false, expressions.find_declared_name(node))),
                CaptureRole::Field => found.bound = Some((true, expressions.find_declared_name(node))),
                CaptureRole::Type => found.typed = Some(node),
                CaptureRole::Value => found.value = Some(node),
                CaptureRole::Items => found.items = Some(node),
                CaptureRole::Picked => found.picked = Some(node),
                CaptureRole::Many => found.is_many = true,
                CaptureRole::Reach => found.reach = Some(node),
                CaptureRole::Gives => found.gives = Some(node),
                CaptureRole::Embed => found.embed = Some(node),
                CaptureRole::Again => found.again = Some(node),
                CaptureRole::Language => found.language = Some(node),
                CaptureRole::Bare(KindCapture::Comment | KindCapture::Wrap) | CaptureRole::Unread => {}
            }
        }
        found
    }

    /// Adds the facts of the match to the harvest.
    pub(crate) fn collect_into(self, pattern: usize, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
        self.take_words(harvest);
        harvest.uses.uncalled.extend(self.uncalled.map(|node| node_span(&node)));
        if let (Some(DeclaredName { name, .. }), Some(returns)) = (self.name, self.returns) {
            let says = rules.expression_reader().read_type(&returns, bytes);
            harvest.uses.returns.push((node_span(&name).start, says));
            add_name_references(ReferenceKind::Type, &returns, rules, bytes, harvest);
        }
        if let Some(gives) = self.gives {
            harvest
                .uses
                .results
                .push((node_span(&gives).start, rules.expression_reader().read_expression(&gives, bytes)));
        }
        if !self.package.is_empty() {
            let part = |node: &Node| strip_quotes(&String::from_utf8_lossy(&bytes[node.byte_range()]));
            let whole = || self.package.iter().map(part).collect::<Vec<_>>().join(".");
            harvest.uses.package.get_or_insert_with(whole);
        }
        if let Some((kind, node)) = self.used {
            let target = rules.expression_reader().read_expression(&node, bytes);
            if target.last_name().is_some() {
                harvest.uses.references.push(RawReference::new(node_span(&node).start, kind, target));
            } else if kind == ReferenceKind::Call {
                // A list of steps that are all called: every name in it.
                add_name_references(kind, &node, rules, bytes, harvest);
            }
        }
        self.take_import(rules, bytes, harvest);
        self.take_binding(rules, bytes, harvest);
        self.take_embedded(pattern, rules, bytes, harvest);
        self.take_definition(pattern, rules, bytes, harvest);
    }

    /// Documentation, and leads of the declaration below. A text may be in pieces, with escapes between them.
    fn take_words(&self, harvest: &mut WalkHarvest) {
        let text = self.docstring.map(|text| node_span(&text));
        if let (Some(body), Some(text)) = (self.body.map(|body| node_span(&body).start), text) {
            match harvest.docstrings.last_mut() {
                Some(last) if last.body == body => last.text.end = text.end,
                _ => harvest.docstrings.push(DocstringSpan { body, text }),
            }
        }
        let Some(lead) = self.lead.map(|lead| node_span(&lead)) else { return };
        match harvest.leads.last_mut() {
            // Two patterns may match one attribute, and one of them captures its text.
            Some(last) if last.span == lead => {
                last.says = match (last.says, text) {
                    (Some(said), Some(text)) => Some(ByteSpan { start: said.start, end: text.end }),
                    (said, text) => said.or(text),
                };
            }
            _ => {
                harvest.leads.push(LeadingTrivia { span: lead, is_comment: false, says: text });
                harvest.leads_ahead.insert(lead);
            }
        }
    }

    fn take_import(&self, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
        // `export { a }` has no module: it takes from the file itself.
        let Some(node) = self.from.or(self.exported) else { return };
        let text = |node: Node| strip_quotes(&String::from_utf8_lossy(&bytes[node.byte_range()]));
        let name = |node: Node| strip_quotes(&rules.expression_reader().name_spelling().name_text(&node, bytes));
        let what = match self.imported {
            Some(imported) => ImportedItem::Name(name(imported)),
            None if self.takes_all => ImportedItem::All,
            None if self.takes_default => ImportedItem::Name(DEFAULT_EXPORT_NAME.to_owned()),
            None => ImportedItem::Module,
        };
        harvest.uses.imports.push(ImportDeclaration {
            module: self.from.map(text).unwrap_or_default(),
            what,
            alias: self.alias.map(name),
            exported: self.exported.is_some(),
            manner: self.manner,
            line: node.start_position().row as u32 + 1,
        });
    }

    fn take_binding(&self, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
        if let Some(typed) = self.typed {
            add_name_references(ReferenceKind::Type, &typed, rules, bytes, harvest);
        }
        let Some((mut is_field, DeclaredName { name: node, shape, owner })) = self.bound else { return };
        let text = |node: Node| String::from_utf8_lossy(&bytes[node.byte_range()]).into_owned();
        let expressions = rules.expression_reader();
        if let Some(owner) = owner.filter(|_| shape != DeclarationKind::Function) {
            // `this.name = …` states the type of a field; `other.name = …` is about an object that is not known here.
            is_field = expressions.is_this(String::from_utf8_lossy(&bytes[owner.to_range()]).trim());
            if !is_field {
                return;
            }
        }
        let says = match (self.typed, self.value, self.items) {
            (Some(typed), value, _) => match (expressions.read_type(&typed, bytes), value) {
                // `auto`: the type is that of the value.
                (Expression::Unknown, Some(value)) => TypeSource::Value(expressions.read_expression(&value, bytes)),
                (said, _) if self.is_many => {
                    TypeSource::Type(Expression::Of(Box::new(Expression::Literal), vec![said]))
                }
                (said, _) => TypeSource::Type(said),
            },
            (None, Some(value), _) => {
                let value = expressions.read_expression(&value, bytes);
                TypeSource::Value(match self.picked {
                    Some(picked) => Expression::Member(Box::new(value), text(picked)),
                    None => value,
                })
            }
            // `for x of items`: one item of the value, whichever it is.
            (None, None, Some(items)) => {
                TypeSource::Value(Expression::Of(Box::new(expressions.read_expression(&items, bytes)), Vec::new()))
            }
            (None, None, None) => TypeSource::Value(Expression::Unknown),
        };
        // `User *find(int);` (C): the type of what is declared like a variable is what the function returns.
        if let (DeclarationKind::Function, TypeSource::Type(said)) = (shape, &says) {
            harvest.uses.returns.push((node_span(&node).start, said.clone()));
        }
        let name = expressions.name_spelling().name_text(&node, bytes);
        let row = |row: usize| row as u32 + 1;
        let reach = self
            .reach
            .map(|node| LineRange { start: row(node.start_position().row), end: row(node.end_position().row) });
        let at = expressions.name_spelling().name_in(node_span(&node), bytes).start;
        harvest.uses.bindings.push((at, NewBinding { name, is_field, says, reach }));
    }

    fn take_embedded(&self, pattern: usize, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
        if let Some(range) = self.again.and_then(|node| between_signs(&node)) {
            harvest.embedded.push(EmbeddedText { range, written: EmbeddedLanguage::Again, pattern, depth: 0 });
        }
        let Some(node) = self.embed else { return };
        let said = self.language.map(|node| String::from_utf8_lossy(&bytes[node.byte_range()]).into_owned());
        let Some(word) = said.or_else(|| rules.pattern_settings(pattern).language.clone()) else { return };
        harvest.embedded.push(EmbeddedText {
            range: node.range(),
            written: EmbeddedLanguage::In(word),
            pattern,
            depth: 0,
        });
    }

    fn take_definition(&self, pattern: usize, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
        let Some((what, node)) = self.what else { return };
        // Some grammars count the blank lines below a definition as its own.
        let mut whole = trim_span(node_span(&node), bytes);
        whole.start = self.start.map_or(whole.start, |start| whole.start.min(node_span(&start).start));
        // A name that the parser had to insert is empty, and a symbol without a name cannot be looked up.
        let spelling = rules.expression_reader().name_spelling();
        let name = self.name.map(|declared| without_quotes(spelling.name_in(node_span(&declared.name), bytes), bytes));
        let name = name.unwrap_or_default();
        if name.is_empty() && what != DefinitionKind::Scope {
            return;
        }
        let shape = self.name.map_or(DeclarationKind::Unsaid, |declared| declared.shape);
        // `int f(int);` and `int (*f)(int);` (C) match the same pattern; the declarator says which one is a function.
        match what {
            DefinitionKind::Symbol(SymbolKind::Function) if shape == DeclarationKind::Value => return,
            DefinitionKind::Symbol(SymbolKind::Constant) if shape == DeclarationKind::Function => return,
            DefinitionKind::Symbol(_) | DefinitionKind::Scope => {}
        }
        harvest.names.insert(name.start);
        harvest.found.push(RawDefinition {
            what,
            span: whole,
            name,
            body: self.body.map_or(whole.end, |body| node_span(&body).start),
            owner: self.owner.map(|owner| node_span(&owner)).or(self.name.and_then(|declared| declared.owner)),
            is_prototype: shape == DeclarationKind::Function && self.body.is_none(),
            seen_as: self.seen_as.map(|seen_as| node_span(&seen_as)),
            clause: self.clause.map(|clause| if clause == node { 0 } else { clause.named_child_count() }),
            level: rules.pattern_settings(pattern).level,
            pattern,
        });
    }
}

/// The text between the signs, of one byte each, that open and close a node.
fn between_signs(node: &Node) -> Option<Range> {
    let mut range = node.range();
    range.start_byte += 1;
    range.start_point.column += 1;
    range.end_byte = range.end_byte.checked_sub(1).filter(|end| *end > range.start_byte)?;
    range.end_point.column = range.end_point.column.checked_sub(1)?;
    Some(range)
}

/// Every name in a type is a use of that type, as every name in a list of what is called is called.
fn add_name_references(kind: ReferenceKind, node: &Node, rules: &QueryRules, bytes: &[u8], harvest: &mut WalkHarvest) {
    let references = &mut harvest.uses.references;
    rules.expression_reader().names_in(node, bytes, |at, name| references.push(RawReference::new(at, kind, name)));
}

/// A key may be written in quotes, which are no part of its name.
fn without_quotes(name: ByteSpan, bytes: &[u8]) -> ByteSpan {
    match &bytes[name.to_range()] {
        [open @ (b'"' | b'\''), inner @ .., close] if open == close && !inner.is_empty() => {
            ByteSpan { start: name.start + 1, end: name.end - 1 }
        }
        _ => name,
    }
}

/// A module's name without quotes or angle brackets around it.
fn strip_quotes(text: &str) -> String {
    let text = text.trim();
    let quotes = [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>')];
    let inner = quotes.iter().find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    inner.unwrap_or(text).to_owned()
}
