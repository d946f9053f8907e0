//! Walks the syntax tree of a file once and collects definitions, uses, comments and pieces (`WalkHarvest`) for all
//! other modules. The walk is iterative, because a tree may be as deep as its file is long; and it skips small
//! subtrees, because most nodes are in them and no definition or call is.

pub(crate) mod embedded_text;
mod query_match;

use crate::expression::{self, Expression, NameRole};
use crate::file_extract::ReferenceKind;
use crate::harvest::{
    CutPoint, ErrorCount, LONGEST_WHOLE, LeadingTrivia, RawReference, WalkHarvest, node_span, trim_span,
};
use crate::language::{KindRule, QueryRules};
use crate::line_table::LineTable;
use crate::query::{KindCapture, PatternFinder};
use query_match::QueryMatch;
use tree_sitter::{Node, QueryCursor, StreamingIterator, Tree, TreeCursor};

/// The smallest node that can have something of interest below it, if no rule names its kind: a statement that makes an
/// instance, `new X;`.
const LEAST_NODES: usize = 5;

/// Walks `tree`, no deeper than `max_depth`.
pub(crate) fn walk_tree(
    tree: &Tree,
    queries: &mut QueryCursor,
    rules: &QueryRules,
    lines: &LineTable,
    max_depth: u32,
) -> WalkHarvest {
    // Patterns are tried at one node at a time, so the cursor must not search below it.
    queries.set_max_start_depth(Some(0));
    let root = tree.root_node();
    let finder = PatternFinder::new(root);
    let mut walk =
        TreeWalk { rules, lines, queries, finder, harvest: WalkHarvest::default(), has_errors: root.has_error() };
    let mut cursor = root.walk();
    let mut open: Vec<OpenNode> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let parent = open.last().copied();
        // Only children of a node that is too long to stay whole are places to cut.
        let in_long = parent.is_some_and(|parent| parent.is_cut);
        let kind = node.kind_id();
        let rule = rules.kind_rule(kind);
        walk.visit_node(&node, kind, rule, in_long, open.len() as u16);
        walk.look_at_name(&node, kind, parent, &cursor);
        if walk.goes_below(&node, rule) {
            if open.len() as u32 >= max_depth {
                // Only what is below this node is missing, and the report says so.
                count_error(&mut walk.harvest.too_deep, &node);
            } else if cursor.goto_first_child() {
                let is_cut = parent.is_none() || (in_long && node_rows(&node) > LONGEST_WHOLE);
                open.push(OpenNode { kind, is_cut });
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
    let WalkHarvest { leads, docstrings, .. } = &mut walk.harvest;
    // A pattern of an outer node finds several leads at once, ahead of the walk.
    leads.sort_by_key(|lead| lead.span.start);
    docstrings.sort_by_key(|docstring| docstring.body);
    walk.harvest
}

/// A node whose children are visited.
#[derive(Clone, Copy)]
struct OpenNode {
    kind: u16,
    /// Whether it is long enough to be cut at its children.
    is_cut: bool,
}

struct TreeWalk<'a, 't> {
    rules: &'a QueryRules,
    lines: &'a LineTable<'a>,
    queries: &'a mut QueryCursor,
    finder: PatternFinder<'t>,
    harvest: WalkHarvest,
    has_errors: bool,
}

impl<'t> TreeWalk<'_, 't> {
    fn goes_below(&self, node: &Node, rule: Option<&KindRule>) -> bool {
        // Some grammars parse the text of comments; nothing in it is code.
        if rule.is_some_and(|rule| rule.bare == Some(KindCapture::Comment)) {
            return false;
        }
        // Where a bare name may be a call, even the smallest subtree has something to say.
        let least = if self.rules.expression_reader().bare_names().is_some() { 2 } else { LEAST_NODES };
        node.descendant_count() >= least || rule.is_some() || (self.has_errors && node.has_error())
    }

    fn visit_node(&mut self, node: &Node<'t>, kind: u16, rule: Option<&KindRule>, in_long: bool, depth: u16) {
        if self.has_errors && (node.is_error() || node.is_missing()) {
            count_error(&mut self.harvest.errors, node);
            self.note_senseless(node);
        }
        let bare = rule.and_then(|rule| rule.bare);
        match bare {
            Some(KindCapture::Wrap) => self.harvest.wraps.push(trim_span(node_span(node), self.lines.bytes())),
            Some(bare) => {
                self.harvest.leads.push(LeadingTrivia {
                    span: node_span(node),
                    is_comment: bare == KindCapture::Comment,
                    says: None,
                });
            }
            None => {}
        }
        if let Some(rule) = rule
            && rule.guard.as_ref().is_some_and(|guard| guard.lets_through(node, self.lines.bytes()))
        {
            let before = self.harvest.embedded.len();
            self.match_patterns(node, rule);
            // A pattern does not know how deep its node is; only the walk does.
            self.harvest.embedded[before..].iter_mut().for_each(|embedded| embedded.depth = depth);
        }
        if let Some(definition) = rule.and_then(|rule| rule.definition) {
            let found = QueryMatch::from_captures(definition.captures_at(node), self.rules.expression_reader());
            let pattern = self.rules.after_patterns();
            found.collect_into(pattern, self.rules, self.lines.bytes(), &mut self.harvest);
        }
        let expressions = self.rules.expression_reader();
        let calls = expressions.is_call_kind(kind);
        if calls {
            let target = expressions.read_callee(node, self.lines.bytes());
            // `(f())()` calls something without a name, which cannot be followed.
            if target.last_name().is_some() && !self.is_told(node) {
                let passed = expressions.read_passed(node, self.lines.bytes());
                let at = node.start_byte() as u32;
                self.harvest.uses.references.push(RawReference { at, kind: ReferenceKind::Call, target, passed });
            }
        }
        if let Some(tree) = expressions.tokens_of(node) {
            let references = &mut self.harvest.uses.references;
            let call = |at, target| references.push(RawReference::new(at, ReferenceKind::Call, target));
            expression::calls_in(&tree, |token| expressions.read_expression(token, self.lines.bytes()), call);
        }
        // `super` alone (Ruby) and `super(…)` (Java): the name of the member follows once the symbol around is known.
        if expressions.calls_super(kind) || (calls && expressions.calls_base(node)) {
            let at = node.start_byte() as u32;
            self.harvest.uses.references.push(RawReference::new(at, ReferenceKind::Call, Expression::Super));
        }
        if rule.is_some_and(|rule| rule.imports)
            && let Some(tree) = self.rules.import_spec()
        {
            tree.read_imports(node, self.lines.bytes(), &mut self.harvest.uses.imports);
        }
        if in_long && node.is_named() {
            let row = node.start_position().row as u32;
            let leads = &self.harvest.leads;
            // The pattern of a definition may have found its decorators before the walk reached them.
            let is_lead = leads.last().is_some_and(|lead| lead.span == node_span(node))
                || self.harvest.leads_ahead.contains(&node_span(node));
            // Two pieces on one row cannot be cut apart.
            if row < self.lines.line_count() && self.lines.starts_its_row(node.start_byte() as u32) {
                self.harvest.pieces.push(CutPoint { row, depth, is_lead });
            }
        }
    }

    /// Records the rows of an error's own tokens; larger nodes inside of the error were parsed.
    fn note_senseless(&mut self, node: &Node) {
        let rows = |node: &Node| node.start_position().row as u32..=node.end_position().row as u32;
        if node.child_count() == 0 {
            self.harvest.senseless.extend(rows(node));
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).filter(|child| child.descendant_count() < LEAST_NODES) {
            if !self.rules.is_comment(child.kind_id()) {
                self.harvest.senseless.extend(rows(&child));
            }
        }
    }

    /// Whether this call was recorded already: as the way in which a definition is written (`def f(x)`, `x <+> y = …`),
    /// or as the call inside of a call of a member.
    fn is_told(&mut self, node: &Node) -> bool {
        let called_at = self.rules.expression_reader().called_at(node);
        called_at.is_some_and(|at| !self.harvest.names.insert(at))
    }

    /// Records a name that may be a call without looking like one.
    fn look_at_name(&mut self, node: &Node, kind: u16, parent: Option<OpenNode>, cursor: &TreeCursor) {
        let bare = self.rules.expression_reader().bare_names().filter(|bare| bare.is_name(kind));
        let (Some(bare), Some(parent)) = (bare, parent) else { return };
        let names = &mut self.harvest.uses.names;
        let list = match bare.name_role(parent.kind, cursor.field_id().map(u16::from)) {
            NameRole::Bind => &mut names.bound,
            NameRole::Use => &mut names.used,
            NameRole::Nothing => return,
        };
        let name = self.rules.expression_reader().read_expression(node, self.lines.bytes());
        if name.last_name().is_some() {
            list.push((node.start_byte() as u32, name));
        }
    }

    /// Tries the patterns that start with a node.
    fn match_patterns(&mut self, node: &Node<'t>, rule: &KindRule) {
        let Self { rules, lines, queries, finder, harvest, .. } = self;
        let bytes = lines.bytes();
        let expressions = rules.expression_reader();
        if let Some(patterns) = &rule.patterns {
            finder.find_matches(patterns, *node, bytes, |pattern, captures| {
                QueryMatch::from_captures(captures, expressions).collect_into(pattern, rules, bytes, harvest);
            });
        } else if let Some(asked) = rules.native_query() {
            let mut matches = queries.matches(&asked.query, *node, bytes);
            while let Some(found) = matches.next() {
                let captures = found.captures().iter().map(|capture| (asked.capture_role(capture.index), capture.node));
                QueryMatch::from_captures(captures, expressions).collect_into(
                    asked.pattern_place(found.pattern_index),
                    rules,
                    bytes,
                    harvest,
                );
            }
        }
    }
}

fn node_rows(node: &Node) -> u32 {
    (node.end_position().row - node.start_position().row) as u32 + 1
}

fn count_error(trouble: &mut Option<ErrorCount>, node: &Node) {
    let trouble = trouble.get_or_insert(ErrorCount { count: 0, row: node.start_position().row as u32 });
    trouble.count += 1;
}
