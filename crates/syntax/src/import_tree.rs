//! Imports that branch: one declaration that takes many names along many paths, nested as deep as its author likes.
//!
//! A query cannot follow them, so a language names the kinds its tree is made of, and the tree is read here.

use crate::facts::{Import, Imported, Manner};
use serde::Deserialize;
use std::collections::HashMap;
use tree_sitter::Node;

/// `[imports]` of a `language.toml`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    /// Kinds of declaration, with the field of their tree.
    roots: HashMap<String, String>,
    /// A kind of child that makes a declaration visible to others.
    exported: Option<String>,
    /// What parts a path.
    separator: String,
    /// The name of a path for itself, in a list under it.
    itself: Option<String>,
    /// Kinds that list branches.
    lists: Vec<String>,
    /// Kinds that put a path before a list, with the fields of both.
    scoped: HashMap<String, (String, String)>,
    /// Kinds that rename, with the fields of path and new name.
    aliases: HashMap<String, (String, String)>,
    /// Kinds that take everything; their first child is the path.
    globs: Vec<String>,
}

/// More branches than this are not written by people.
const MOST: usize = 10_000;

impl Description {
    pub(crate) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.roots.keys().map(String::as_str)
    }

    /// The imports of one declaration.
    pub(crate) fn read(&self, node: &Node, bytes: &[u8], imports: &mut Vec<Import>) {
        let Some(tree) = self.roots.get(node.kind()).and_then(|field| node.child_by_field_name(field)) else { return };
        let mut cursor = node.walk();
        let exported = self.exported.as_deref();
        let exported = exported.is_some_and(|kind| node.named_children(&mut cursor).any(|child| child.kind() == kind));
        let line = node.start_position().row as u32 + 1;
        // Branches wait in a list instead of on the stack: the nesting is the author's.
        let mut waiting = vec![(String::new(), tree)];
        while let Some((path, branch)) = waiting.pop() {
            if imports.len() > MOST {
                return;
            }
            let text =
                |node: Node| String::from_utf8_lossy(&bytes[node.byte_range()]).split_whitespace().collect::<String>();
            let below = |path: &str, rest: &str| match (path.is_empty(), rest.is_empty()) {
                (true, _) => rest.to_owned(),
                (_, true) => path.to_owned(),
                _ => format!("{path}{}{rest}", self.separator),
            };
            let kind = branch.kind();
            let mut add = |full: &str, what: Option<Imported>, alias: Option<String>| {
                let full = match &self.itself {
                    Some(itself) => full.strip_suffix(&format!("{}{itself}", self.separator)).unwrap_or(full),
                    None => full,
                };
                let (module, name) = full.rsplit_once(self.separator.as_str()).unwrap_or(("", full));
                let (module, what) = match what {
                    Some(what) => (full, what),
                    None => (module, Imported::Name(name.to_owned())),
                };
                imports.push(Import { module: module.to_owned(), what, alias, exported, manner: Manner::Static, line });
            };
            if self.lists.iter().any(|list| list == kind) {
                let mut cursor = branch.walk();
                let children: Vec<Node> = branch.named_children(&mut cursor).collect();
                waiting.extend(children.into_iter().rev().map(|child| (path.clone(), child)));
            } else if let Some((prefix, list)) = self.scoped.get(kind) {
                let prefix = branch.child_by_field_name(prefix).map(text).unwrap_or_default();
                if let Some(list) = branch.child_by_field_name(list) {
                    waiting.push((below(&path, &prefix), list));
                }
            } else if let Some((inner, alias)) = self.aliases.get(kind) {
                let inner = branch.child_by_field_name(inner).map(text).unwrap_or_default();
                add(&below(&path, &inner), None, branch.child_by_field_name(alias).map(text));
            } else if self.globs.iter().any(|glob| glob == kind) {
                let inner = branch.named_child(0).map(text).unwrap_or_default();
                add(&below(&path, &inner), Some(Imported::All), None);
            } else if !branch.is_extra() {
                add(&below(&path, &text(branch)), None, None);
            }
        }
    }
}
