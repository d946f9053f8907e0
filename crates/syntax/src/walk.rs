//! The one walk over a file's tree, which gathers everything the other modules need.
//!
//! Iterative, because a tree may be as deep as its file is long; and it leaves small subtrees alone, because most
//! nodes are in them and no definition or call is.

use crate::bare::Does;
use crate::embedded::Embedded;
use crate::expression::Expression;
use crate::facts::ReferenceKind;
use crate::lines::Lines;
use crate::lost::Lost;
use crate::matches::Match;
use crate::query::Finder;
use crate::references::Uses;
use crate::rules::{Bare, KindRule, Rules};
use crate::tokens;
use crate::units::{LONGEST_WHOLE, Piece};
use foldhash::HashSet;
use model::{ByteSpan, SymbolKind};
use std::collections::BTreeSet;
use tree_sitter::{Node, QueryCursor, StreamingIterator, Tree, TreeCursor};

/// The smallest node that can have something to tell below it without being spoken of itself: a statement that makes
/// an instance, `new X;`.
const LEAST_NODES: usize = 5;

/// Everything one walk finds, in order of place unless said otherwise.
#[derive(Default)]
pub(crate) struct Harvest {
    /// Definitions and scopes, in the order their patterns completed.
    pub(crate) found: Vec<Found>,
    /// The bytes at which their names start, and those of what was called so far.
    pub(crate) names: HashSet<u32>,
    pub(crate) wraps: Vec<ByteSpan>,
    pub(crate) leads: Vec<Lead>,
    /// Those that a pattern of a node around them found, before they were met.
    pub(crate) leads_ahead: BTreeSet<ByteSpan>,
    pub(crate) docstrings: Vec<Docstring>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) errors: Option<Trouble>,
    /// Rows that no tree makes sense of.
    pub(crate) senseless: BTreeSet<u32>,
    /// Definitions that the parser lost.
    pub(crate) lost: Vec<Lost>,
    pub(crate) too_deep: Option<Trouble>,
    pub(crate) uses: Uses,
    /// What is still to be read by another language.
    pub(crate) embedded: Vec<Embedded>,
}

/// A definition, or a scope that gives its members an owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) what: What,
    pub(crate) span: ByteSpan,
    /// Empty for a scope.
    pub(crate) name: ByteSpan,
    /// Where the signature ends.
    pub(crate) body: u32,
    pub(crate) owner: Option<ByteSpan>,
    /// Declared as a function, without a body.
    pub(crate) is_prototype: bool,
    pub(crate) seen_as: Option<ByteSpan>,
    /// Of a clause, which goes on with the one of the same name and number of parts just before it: that number.
    pub(crate) clause: Option<usize>,
    /// For what is only the heading of its section: how high, 1 being the highest.
    pub(crate) level: Option<u8>,
    /// Its pattern's place in the query: where two define the same, the earlier counts.
    pub(crate) pattern: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Symbol(SymbolKind),
    Scope,
}

/// A comment, attribute or decorator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lead {
    pub(crate) span: ByteSpan,
    pub(crate) is_comment: bool,
    /// The text with which it documents what stands below it.
    pub(crate) says: Option<ByteSpan>,
}

/// A text that documents the definition whose body it opens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Docstring {
    pub(crate) body: u32,
    pub(crate) text: ByteSpan,
}

/// How often something was met, and on which row first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trouble {
    pub(crate) count: u32,
    pub(crate) row: u32,
}

/// Walks `tree`, no deeper than `max_depth`.
pub(crate) fn walk(tree: &Tree, queries: &mut QueryCursor, rules: &Rules, lines: &Lines, max_depth: u32) -> Harvest {
    queries.set_max_start_depth(Some(0));
    let root = tree.root_node();
    let finder = Finder::new(root);
    let mut walk = Walk { rules, lines, queries, finder, harvest: Harvest::default(), has_errors: root.has_error() };
    let mut cursor = root.walk();
    let mut open: Vec<Open> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let parent = open.last().copied();
        let in_long = parent.is_some_and(|parent| parent.is_cut);
        let kind = node.kind_id();
        let rule = rules.kind(kind);
        walk.visit(&node, kind, rule, in_long, open.len() as u16);
        walk.look_at_name(&node, kind, parent, &cursor);
        if walk.goes_below(&node, rule) {
            if open.len() as u32 >= max_depth {
                note(&mut walk.harvest.too_deep, &node);
            } else if cursor.goto_first_child() {
                let is_cut = parent.is_none() || (in_long && rows(&node) > LONGEST_WHOLE);
                open.push(Open { kind, is_cut });
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            open.pop();
        }
    }
    let Harvest { leads, docstrings, .. } = &mut walk.harvest;
    // A pattern of a node around several finds them all at once.
    leads.sort_by_key(|lead| lead.span.start);
    docstrings.sort_by_key(|docstring| docstring.body);
    walk.harvest
}

/// A node whose children are looked at.
#[derive(Clone, Copy)]
struct Open {
    kind: u16,
    /// Whether it is long enough to be cut at its children.
    is_cut: bool,
}

struct Walk<'a, 't> {
    rules: &'a Rules,
    lines: &'a Lines<'a>,
    queries: &'a mut QueryCursor,
    finder: Finder<'t>,
    harvest: Harvest,
    has_errors: bool,
}

impl<'t> Walk<'_, 't> {
    fn goes_below(&self, node: &Node, rule: Option<&KindRule>) -> bool {
        if rule.is_some_and(|rule| rule.bare == Some(Bare::Comment)) {
            return false;
        }
        let least = if self.rules.expressions().bare().is_some() { 2 } else { LEAST_NODES };
        node.descendant_count() >= least || rule.is_some() || (self.has_errors && node.has_error())
    }

    fn visit(&mut self, node: &Node<'t>, kind: u16, rule: Option<&KindRule>, in_long: bool, depth: u16) {
        if self.has_errors && (node.is_error() || node.is_missing()) {
            note(&mut self.harvest.errors, node);
            self.note_senseless(node);
        }
        let bare = rule.and_then(|rule| rule.bare);
        match bare {
            Some(Bare::Wrap) => self.harvest.wraps.push(trimmed(span(node), self.lines.bytes())),
            Some(bare) => {
                self.harvest.leads.push(Lead { span: span(node), is_comment: bare == Bare::Comment, says: None });
            }
            None => {}
        }
        if let Some(rule) = rule
            && rule.gate.as_ref().is_some_and(|gate| gate.lets_through(node, self.lines.bytes()))
        {
            let before = self.harvest.embedded.len();
            self.ask(node, rule);
            self.harvest.embedded[before..].iter_mut().for_each(|embedded| embedded.depth = depth);
        }
        if let Some(definition) = rule.and_then(|rule| rule.definition) {
            definition.take(node, self.rules, self.lines.bytes(), &mut self.harvest);
        }
        let expressions = self.rules.expressions();
        let calls = expressions.calls(kind);
        if calls {
            let target = expressions.callee(node, self.lines.bytes());
            if target.last_name().is_some() && !self.is_told(node) {
                self.harvest.uses.references.push((node.start_byte() as u32, ReferenceKind::Call, target));
            }
        }
        if let Some(tree) = expressions.tokens_of(node) {
            let references = &mut self.harvest.uses.references;
            let call = |at, target| references.push((at, ReferenceKind::Call, target));
            tokens::calls_in(&tree, expressions, self.lines.bytes(), call);
        }
        if expressions.calls_super(kind) || (calls && expressions.calls_base(node)) {
            self.harvest.uses.references.push((node.start_byte() as u32, ReferenceKind::Call, Expression::Super));
        }
        if rule.is_some_and(|rule| rule.imports)
            && let Some(tree) = self.rules.imports()
        {
            tree.read(node, self.lines.bytes(), &mut self.harvest.uses.imports);
        }
        if in_long && node.is_named() {
            let row = node.start_position().row as u32;
            let leads = &self.harvest.leads;
            let is_lead = leads.last().is_some_and(|lead| lead.span == span(node))
                || self.harvest.leads_ahead.contains(&span(node));
            if row < self.lines.count() && self.lines.starts_its_row(node.start_byte() as u32) {
                self.harvest.pieces.push(Piece { row, depth, is_lead });
            }
        }
    }

    /// Notes the rows of an error's own words; what stands in it as a whole makes sense.
    fn note_senseless(&mut self, node: &Node) {
        let rows = |node: &Node| node.start_position().row as u32..=node.end_position().row as u32;
        if node.child_count() == 0 {
            self.harvest.senseless.extend(rows(node));
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).filter(|child| child.descendant_count() < LEAST_NODES) {
            let is_comment = self.rules.kind(child.kind_id()).is_some_and(|rule| rule.bare == Some(Bare::Comment));
            if !is_comment {
                self.harvest.senseless.extend(rows(&child));
            }
        }
    }

    /// Whether what looks like a call is told already: how a definition is written (`def f(x)`, `x <+> y = …`), or the
    /// call in a call of a member.
    fn is_told(&mut self, node: &Node) -> bool {
        let called_at = self.rules.expressions().called_at(node);
        called_at.is_some_and(|at| !self.harvest.names.insert(at))
    }

    /// Notes a name that may call something without looking like it.
    fn look_at_name(&mut self, node: &Node, kind: u16, parent: Option<Open>, cursor: &TreeCursor) {
        let bare = self.rules.expressions().bare().filter(|bare| bare.is_name(kind));
        let (Some(bare), Some(parent)) = (bare, parent) else { return };
        let names = &mut self.harvest.uses.names;
        let list = match bare.does(parent.kind, cursor.field_id().map(u16::from)) {
            Does::Bind => &mut names.bound,
            Does::Use => &mut names.used,
            Does::Nothing => return,
        };
        let name = self.rules.expressions().read(node, self.lines.bytes());
        if name.last_name().is_some() {
            list.push((node.start_byte() as u32, name));
        }
    }

    /// Tries the patterns that start with a node.
    fn ask(&mut self, node: &Node<'t>, rule: &KindRule) {
        let Self { rules, lines, queries, finder, harvest, .. } = self;
        let (bytes, expressions) = (lines.bytes(), rules.expressions());
        if let Some(patterns) = &rule.patterns {
            finder.find(patterns, *node, bytes, |pattern, captures| {
                Match::of(captures, expressions).take(pattern, rules, bytes, harvest);
            });
        } else if let Some(asked) = rules.query() {
            let mut matches = queries.matches(&asked.query, *node, bytes);
            while let Some(found) = matches.next() {
                let captures = found.captures().iter().map(|capture| (asked.capture(capture.index), capture.node));
                Match::of(captures, expressions).take(asked.place(found.pattern_index), rules, bytes, harvest);
            }
        }
    }
}

pub(crate) fn span(node: &Node) -> ByteSpan {
    ByteSpan { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

/// A span without the blanks at its end.
pub(crate) fn trimmed(span: ByteSpan, bytes: &[u8]) -> ByteSpan {
    let blanks = bytes[span.range()].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    ByteSpan { end: span.end - blanks as u32, ..span }
}

fn rows(node: &Node) -> u32 {
    (node.end_position().row - node.start_position().row) as u32 + 1
}

fn note(trouble: &mut Option<Trouble>, node: &Node) {
    let trouble = trouble.get_or_insert(Trouble { count: 0, row: node.start_position().row as u32 });
    trouble.count += 1;
}
