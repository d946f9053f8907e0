//! Finds multi-line strings, blocks and long lists in a syntax tree of any grammar, without a query, by node kinds and
//! rows, for shortened views.

use super::rows::{RowRange, rows_of};
use crate::harvest::node_span;
use crate::language::QueryRules;
use crate::line_table::LineTable;
use model::ByteSpan;
use std::cmp::Reverse;
use tree_sitter::{Node, Tree};

/// Words in the kinds of nodes that are texts of the program, in all grammars.
const TEXTS: &[&str] = &["string", "heredoc", "nowdoc", "quoted", "sigil", "regex"];

/// A node of fewer rows is no block.
const LEAST_BLOCK: usize = 4;
/// Lists in lists are visited more than once; in code that people write, seldom more often than this.
const WORK_PER_NODE: usize = 4;
/// A list of fewer rows is read as quickly as its beginning.
const LONG_LIST: usize = 16;

#[derive(Default)]
pub(super) struct TreeShapes {
    /// Rows that belong together because a text extends over them; in order, without overlaps.
    pub(super) solids: Vec<RowRange>,
    /// Nodes that begin their row and extend over several rows, outer before inner.
    pub(super) blocks: Vec<RowBlock>,
    /// Long lists without code in them: tables.
    pub(super) lists: Vec<ByteSpan>,
    /// How many nodes may still be visited to recognize tables.
    work: usize,
}

/// A node that begins its row.
pub(super) struct RowBlock {
    pub(super) rows: RowRange,
    /// Whether it is a call whose arguments hold its code.
    pub(super) is_call: bool,
}

/// Collects the shapes of a tree. Only nodes of several rows are visited, which are few.
pub(super) fn read_shapes(tree: &Tree, rules: &QueryRules, lines: &LineTable) -> TreeShapes {
    let work = tree.root_node().descendant_count() * WORK_PER_NODE;
    let mut shapes = TreeShapes { solids: Vec::new(), blocks: Vec::new(), lists: Vec::new(), work };
    let mut cursor = tree.walk();
    // For each open node, where the last of its children so far ends.
    let mut open: Vec<u32> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        let whole = node_span(&node);
        if let Some(end) = open.last_mut() {
            shapes.add_gap(ByteSpan { start: *end, end: whole.start }, lines);
            *end = whole.end.max(*end);
        }
        if shapes.visit_node(&node, open.is_empty(), rules, lines) && cursor.goto_first_child() {
            open.push(whole.start);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            let end = open.pop().expect("each parent was opened");
            shapes.add_gap(ByteSpan { start: end, end: node_span(&cursor.node()).end }, lines);
        }
    }
    shapes.put_in_order();
    shapes
}

impl TreeShapes {
    /// Adds the shapes of an embedded text, which was one text in the language around it.
    pub(super) fn merge_embedded(&mut self, inner: Self, stretch: &RowRange) {
        self.solids.retain(|solid| solid.start < stretch.start || stretch.end < solid.end);
        self.solids.extend(inner.solids);
        self.blocks.extend(inner.blocks);
        self.lists.extend(inner.lists);
        self.put_in_order();
    }

    fn put_in_order(&mut self) {
        self.blocks.sort_by_key(|block| (block.rows.start, Reverse(block.rows.end)));
        self.lists.sort_unstable_by_key(|list| list.start);
        self.solids.sort_unstable_by_key(|rows| rows.start);
        self.solids.dedup_by(|next, last| {
            let touches = next.start < last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
    }

    /// Records a node; returns whether to visit its children.
    fn visit_node(&mut self, node: &Node, is_root: bool, rules: &QueryRules, lines: &LineTable) -> bool {
        let whole = node_span(node);
        let rows = rows_of(whole, lines);
        if rows.len() < 2 || rules.is_comment(node.kind_id()) {
            return false;
        }
        // A leaf of several rows can only be a text, and no part of it may be cut.
        let is_text = node.child_count() == 0 || TEXTS.iter().any(|word| node.kind().contains(word));
        if is_text && !is_root {
            self.add_solid(whole, lines);
            return false;
        }
        // Of the nodes that begin on one row the outermost counts.
        let is_new = self.blocks.last().is_none_or(|last| last.rows.start != rows.start);
        if is_new && rows.len() >= LEAST_BLOCK && node.is_named() && !is_root && lines.starts_its_row(whole.start) {
            self.blocks.push(RowBlock { rows: rows.clone(), is_call: is_call(*node, rules) });
        }
        let is_inside = self.lists.last().is_some_and(|list| list.contains(whole));
        if rows.len() >= LONG_LIST && !is_root && !is_inside && is_list(node) && !self.is_executable(node, rules) {
            self.lists.push(whole);
        }
        true
    }

    /// Some grammars have no node for the words of a text; they lie between its other nodes.
    fn add_gap(&mut self, gap: ByteSpan, lines: &LineTable) {
        if gap.start < gap.end {
            self.add_solid(gap, lines);
        }
    }

    /// Whether a node contains a call or a statement; also when finding out takes too long.
    fn is_executable(&mut self, node: &Node, rules: &QueryRules) -> bool {
        let mut cursor = node.walk();
        loop {
            let kind = cursor.node().kind();
            // In doubt a list counts as code and is shown in full.
            let Some(work) = self.work.checked_sub(1) else { return true };
            self.work = work;
            if rules.expression_reader().is_call_kind(cursor.node().kind_id())
                || kind.contains("statement")
                || kind.contains("block")
            {
                return true;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return false;
                }
            }
        }
    }

    fn add_solid(&mut self, span: ByteSpan, lines: &LineTable) {
        let rows = rows_of(span, lines);
        if rows.len() > 1 && !lines.bytes()[span.to_range()].iter().all(u8::is_ascii_whitespace) {
            self.solids.push(rows);
        }
    }
}

fn is_call(mut node: Node, rules: &QueryRules) -> bool {
    let start = node.start_byte();
    loop {
        if rules.expression_reader().is_call_kind(node.kind_id()) {
            return true;
        }
        match node.named_child(0) {
            Some(child) if child.start_byte() == start => node = child,
            _ => return false,
        }
    }
}

/// Whether most of a node's children are on rows of their own, with commas between them.
fn is_list(node: &Node) -> bool {
    let mut cursor = node.walk();
    let commas = node.children(&mut cursor).filter(|child| child.kind() == ",").count();
    let mut rows: Vec<usize> = node.named_children(&mut cursor).map(|child| child.start_position().row).collect();
    rows.dedup();
    // Items of a list are followed by commas; statements of a block are not.
    rows.len() >= LEAST_BLOCK && rows.len() <= commas * 2
}
