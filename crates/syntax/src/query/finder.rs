//! Matches the patterns of a query against one syntax node and its children, and returns the captured nodes.

use super::capture::CaptureRole;
use super::{KindMatcher, PatternCapture, PatternNode, PatternPart, QueryPattern};
use std::cmp::Reverse;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// Finds patterns in one tree.
pub(crate) struct PatternFinder<'t> {
    cursor: TreeCursor<'t>,
    /// Children of the visited nodes, those of one node side by side.
    children: Vec<ChildNode<'t>>,
    /// The captures of the current attempt.
    captured: Vec<(PatternCapture, Node<'t>)>,
    found: Vec<PatternMatch<'t>>,
}

struct ChildNode<'t> {
    node: Node<'t>,
    field: Option<u16>,
    /// The range of its own children, once they were read.
    below: Option<Range<usize>>,
}

/// A match of a pattern.
struct PatternMatch<'t> {
    pattern: usize,
    /// Where the match was complete: the parser's engine reports matches in this order.
    complete: (usize, Reverse<usize>, usize),
    captures: Vec<(PatternCapture, Node<'t>)>,
}

/// The parts still to be found in some children, and what comes after them.
struct PendingParts<'w> {
    parts: &'w [PatternPart],
    children: Range<usize>,
    /// How deep below the root these children are.
    depth: usize,
    then: Option<&'w PendingParts<'w>>,
}

impl<'t> PatternFinder<'t> {
    /// A finder for the tree of a node.
    pub(crate) fn new(node: Node<'t>) -> Self {
        Self { cursor: node.walk(), children: Vec::new(), captured: Vec::new(), found: Vec::new() }
    }

    /// Hands on the captures of patterns at a node of their kind.
    pub(crate) fn find_matches(
        &mut self,
        patterns: &[QueryPattern],
        node: Node<'t>,
        bytes: &[u8],
        mut take: impl FnMut(usize, &mut dyn Iterator<Item = (CaptureRole, Node<'t>)>),
    ) {
        self.children.clear();
        let mut children = None;
        for pattern in patterns {
            let root = &pattern.root;
            if root.absent.iter().any(|field| node.child_by_field_id(*field).is_some()) {
                continue;
            }
            self.captured.clear();
            self.captured.extend(root.captures.iter().map(|captured| (*captured, node)));
            if root.parts.is_empty() {
                self.add_match(pattern, (node, 0), bytes);
                continue;
            }
            // Read once for all patterns of the node, and only if one of them has parts.
            let children = children.get_or_insert_with(|| self.look_into(node)).clone();
            self.go_on(pattern, &PendingParts { parts: &root.parts, children, depth: 1, then: None }, (node, 0), bytes);
        }
        self.found.sort_by_key(|found| found.complete);
        for found in self.found.drain(..) {
            take(found.pattern, &mut found.captures.iter().map(|(captured, node)| (captured.means, *node)));
        }
    }

    /// Finds the remaining parts in every possible way; `last` is the node that was matched last, and its depth.
    fn go_on(&mut self, pattern: &QueryPattern, wanted: &PendingParts, last: (Node<'t>, usize), bytes: &[u8]) {
        let Some((part, parts)) = wanted.parts.split_first() else {
            return match wanted.then {
                Some(then) => self.go_on(pattern, then, last, bytes),
                None => self.add_match(pattern, last, bytes),
            };
        };
        for at in wanted.children.clone() {
            let node = self.children[at].node;
            let mut is_done = false;
            for step in part {
                if !self.matches_step(step, at, wanted.children.end) {
                    continue;
                }
                let before = self.captured.len();
                self.captured.extend(step.captures.iter().map(|captured| (*captured, node)));
                let depth = wanted.depth;
                let here = (node, wanted.depth);
                let then = PendingParts { parts, children: at + 1..wanted.children.end, depth, then: wanted.then };
                if step.parts.is_empty() {
                    self.go_on(pattern, &then, here, bytes);
                    // A part without captures gives the same match at every place, so the first one is enough.
                    is_done |= step.captures.is_empty();
                } else {
                    let parts = &step.parts;
                    let children = self.children_of(at);
                    self.go_on(
                        pattern,
                        &PendingParts { parts, children, depth: depth + 1, then: Some(&then) },
                        here,
                        bytes,
                    );
                }
                // The next alternative starts without the captures of this one.
                self.captured.truncate(before);
            }
            // An anchored part has to match the first named node, so no later node is tried.
            if is_done || (part.iter().any(|step| step.is_next) && node.is_named()) {
                return;
            }
        }
    }

    fn matches_step(&self, step: &PatternNode, at: usize, end: usize) -> bool {
        let ChildNode { node, field, .. } = &self.children[at];
        if step.field.is_some() && step.field != *field {
            return false;
        }
        let is_kind = match step.kind {
            KindMatcher::Is(kind) => node.kind_id() == kind,
            // In the parser's engine a wildcard matches no error, and the two must agree.
            KindMatcher::Named => node.is_named() && !node.is_error(),
            KindMatcher::Any => !node.is_error(),
        };
        is_kind
            && !(step.is_last && self.children[at + 1..end].iter().any(|later| later.node.is_named()))
            && step.absent.iter().all(|field| node.child_by_field_id(*field).is_none())
    }

    fn add_match(&mut self, pattern: &QueryPattern, (last, depth): (Node<'t>, usize), bytes: &[u8]) {
        let text = |node: &Node| &bytes[node.byte_range()];
        let holds = pattern.predicates.iter().all(|predicate| {
            let mut meant = self.captured.iter().filter(|(captured, _)| captured.name == predicate.name);
            meant.all(|(_, node)| predicate.is_satisfied(text(node)))
        });
        if holds {
            self.found.push(PatternMatch {
                pattern: pattern.index,
                complete: (last.start_byte(), Reverse(last.end_byte()), depth),
                captures: self.captured.clone(),
            });
        }
    }

    fn children_of(&mut self, at: usize) -> Range<usize> {
        if let Some(below) = &self.children[at].below {
            return below.clone();
        }
        let below = self.look_into(self.children[at].node);
        self.children[at].below = Some(below.clone());
        below
    }

    /// Appends the children of a node to the list.
    fn look_into(&mut self, node: Node<'t>) -> Range<usize> {
        let start = self.children.len();
        self.cursor.reset(node);
        let mut is_there = self.cursor.goto_first_child();
        while is_there {
            let field = self.cursor.field_id().map(u16::from);
            self.children.push(ChildNode { node: self.cursor.node(), field, below: None });
            is_there = self.cursor.goto_next_sibling();
        }
        start..self.children.len()
    }
}
