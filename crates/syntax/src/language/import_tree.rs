//! Flattens nested import declarations, such as `use a::{b, c::{d, *}}`, into one import for each name. A query can
//! neither follow them nor separate the last name of a path from the rest; so a language names the node kinds that its
//! import trees are made of (`[imports]` of a `language.toml`), and the tree is read here.

use crate::file_extract::{ImportDeclaration, ImportManner, ImportedItem};
use serde::Deserialize;
use std::collections::HashMap;
use tree_sitter::Node;

/// `[imports]` of a `language.toml`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportSpec {
    /// Kinds of declaration, with the field of their tree; nothing where their own children are the path and what
    /// branches from it, with commas between several.
    roots: HashMap<String, String>,
    /// A kind of child that makes a declaration visible to others.
    exported: Option<String>,
    /// The separator of a path.
    separator: String,
    /// The name of a path for itself, in a list under it.
    itself: Option<String>,
    /// Kinds that list branches.
    #[serde(default)]
    lists: Vec<String>,
    /// Kinds that put a path before a list, with the fields of both.
    #[serde(default)]
    scoped: HashMap<String, (String, String)>,
    /// Kinds that rename, with the fields of path, or nothing for the first child, and of the new name.
    #[serde(default)]
    aliases: HashMap<String, (String, String)>,
    /// A word before a new name, where no kind holds path and name together.
    renames: Option<String>,
    /// Kinds that take everything; their first child is the path.
    #[serde(default)]
    globs: Vec<String>,
    /// A kind that is only tokens, and the words that start a declaration in it and make it visible to others.
    tokens: Option<(String, String, String)>,
}

/// More branches than this are not written by people.
const MAX_IMPORT_BRANCHES: usize = 10_000;

impl ImportSpec {
    pub(crate) fn node_kinds(&self) -> impl Iterator<Item = &str> {
        let tokens = self.tokens.iter().map(|(kind, ..)| kind);
        self.roots.keys().chain(tokens).map(String::as_str)
    }

    /// The imports of one declaration.
    pub(crate) fn read_imports(&self, node: &Node, bytes: &[u8], imports: &mut Vec<ImportDeclaration>) {
        if let Some((_, word, exported)) = self.tokens.as_ref().filter(|(kind, ..)| kind == node.kind()) {
            return self.read_tokens(node, (word, exported), bytes, imports);
        }
        let Some(field) = self.roots.get(node.kind()) else { return };
        let mut cursor = node.walk();
        let exported = self.exported.as_deref();
        let exported = exported.is_some_and(|kind| node.children(&mut cursor).any(|child| child.kind() == kind));
        let line = node.start_position().row as u32 + 1;
        let mut reader = ImportReader { tree: self, bytes, exported, line, imports };
        if field.is_empty() {
            reader.read_children(node);
        } else if let Some(tree) = node.child_by_field_name(field) {
            reader.read_branch(String::new(), tree);
        }
    }

    /// The imports that are declared in tokens, as in the arguments of a macro.
    fn read_tokens(
        &self,
        node: &Node,
        (word, visible): (&str, &str),
        bytes: &[u8],
        imports: &mut Vec<ImportDeclaration>,
    ) {
        let mut cursor = node.walk();
        let mut start = None;
        let mut exported = false;
        for token in node.children(&mut cursor) {
            match token.kind() {
                kind if kind == word => start = Some(token),
                kind if kind == visible => exported = true,
                // Tokens have no tree, so only the semicolon ends a declaration.
                ";" => {
                    if let Some(word) = start.take() {
                        let text = String::from_utf8_lossy(&bytes[word.end_byte()..token.start_byte()]);
                        // `use $crate::a;` in a macro: what the macro inserts there is unknown.
                        if !text.contains(['$', '#']) && text.len() < MAX_IMPORT_BRANCHES {
                            let line = word.start_position().row as u32 + 1;
                            ImportReader { tree: self, bytes, exported, line, imports }.read_text("", &text);
                        }
                    }
                    exported = false;
                }
                _ => {}
            }
        }
    }

    fn join_path(&self, path: &str, rest: &str) -> String {
        match (path.is_empty(), rest.is_empty()) {
            (true, _) => rest.to_owned(),
            (_, true) => path.to_owned(),
            _ => format!("{path}{}{rest}", self.separator),
        }
    }
}

/// One declaration being read.
struct ImportReader<'a> {
    tree: &'a ImportSpec,
    bytes: &'a [u8],
    exported: bool,
    line: u32,
    imports: &'a mut Vec<ImportDeclaration>,
}

impl ImportReader<'_> {
    fn read_children(&mut self, node: &Node) {
        let tree = self.tree;
        let mut cursor = node.walk();
        let mut path = String::new();
        let mut what = None;
        let mut alias = None;
        let mut is_renamed = false;
        for child in node.children(&mut cursor) {
            let kind = child.kind();
            // `import a, b`: one node holds several imports.
            if kind == "," {
                self.add_import(&std::mem::take(&mut path), what.take(), alias.take());
                is_renamed = false;
            } else if tree.globs.iter().any(|glob| glob == kind) {
                what = Some(ImportedItem::All);
            } else if tree.lists.iter().any(|list| list == kind) || tree.aliases.contains_key(kind) {
                self.read_branch(std::mem::take(&mut path), child);
            } else if tree.renames.as_deref() == Some(kind) {
                is_renamed = true;
            } else if child.is_named() && !child.is_extra() {
                let text = self.node_text(child);
                if is_renamed {
                    alias = Some(text);
                } else {
                    path = tree.join_path(&path, &text);
                }
            }
        }
        self.add_import(&path, what, alias);
    }

    fn read_branch(&mut self, path: String, branch: Node) {
        let tree = self.tree;
        // A list in place of recursion: the author decides how deep branches nest.
        let mut waiting = vec![(path, branch)];
        while let Some((path, branch)) = waiting.pop() {
            if self.imports.len() > MAX_IMPORT_BRANCHES {
                return;
            }
            let kind = branch.kind();
            if tree.lists.iter().any(|list| list == kind) {
                let mut cursor = branch.walk();
                let children: Vec<Node> = branch.named_children(&mut cursor).collect();
                // Reversed, because the last is popped first.
                waiting.extend(children.into_iter().rev().map(|child| (path.clone(), child)));
            } else if let Some((prefix, list)) = tree.scoped.get(kind) {
                let prefix = branch.child_by_field_name(prefix).map(|node| self.node_text(node)).unwrap_or_default();
                if let Some(list) = branch.child_by_field_name(list) {
                    waiting.push((tree.join_path(&path, &prefix), list));
                }
            } else if let Some((inner, alias)) = tree.aliases.get(kind) {
                let inner = if inner.is_empty() { branch.named_child(0) } else { branch.child_by_field_name(inner) };
                let inner = inner.map(|node| self.node_text(node)).unwrap_or_default();
                let alias = branch.child_by_field_name(alias).map(|node| self.node_text(node));
                self.add_import(&tree.join_path(&path, &inner), None, alias);
            } else if tree.globs.iter().any(|glob| glob == kind) {
                let inner = branch.named_child(0).map(|node| self.node_text(node)).unwrap_or_default();
                self.add_import(&tree.join_path(&path, &inner), Some(ImportedItem::All), None);
            } else if !branch.is_extra() {
                self.add_import(&tree.join_path(&path, &self.node_text(branch)), None, None);
            }
        }
    }

    /// The same as [`Self::read_branch`], from a text: `a::{b, c as d, e::*}`.
    fn read_text(&mut self, path: &str, text: &str) {
        let text = text.trim();
        if let Some((before, rest)) = text.split_once('{') {
            let path = self.tree.join_path(path, before.trim().trim_end_matches(self.tree.separator.as_str()));
            let inner = rest.strip_suffix('}').unwrap_or(rest);
            let mut depth = 0;
            let mut start = 0;
            for (at, c) in inner.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        self.read_text(&path, &inner[start..at]);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
            return self.read_text(&path, &inner[start..]);
        }
        if text.is_empty() {
            return;
        }
        let mut words = text.split_whitespace();
        // `a as b`: the word between the two names is skipped.
        let name = words.next().unwrap_or_default();
        let alias = words.nth(1).map(str::to_owned);
        match name.strip_suffix('*') {
            Some(all) => {
                let all = all.trim_end_matches(self.tree.separator.as_str());
                self.add_import(&self.tree.join_path(path, all), Some(ImportedItem::All), None);
            }
            None => self.add_import(&self.tree.join_path(path, name), None, alias),
        }
    }

    /// Adds the import of a full path: of its last name, unless `what` says otherwise.
    fn add_import(&mut self, full: &str, what: Option<ImportedItem>, alias: Option<String>) {
        let separator = self.tree.separator.as_str();
        let full = match &self.tree.itself {
            // `use a::{self}` takes `a` itself.
            Some(itself) => full.strip_suffix(&format!("{separator}{itself}")).unwrap_or(full),
            None => full,
        };
        if full.is_empty() {
            return;
        }
        let (module, name) = full.rsplit_once(separator).unwrap_or(("", full));
        let (module, what) = match what {
            Some(what) => (full, what),
            None => (module, ImportedItem::Name(name.to_owned())),
        };
        let Self { exported, line, .. } = *self;
        self.imports.push(ImportDeclaration {
            module: module.to_owned(),
            what,
            alias,
            exported,
            manner: ImportManner::Static,
            line,
        });
    }

    fn node_text(&self, node: Node) -> String {
        String::from_utf8_lossy(&self.bytes[node.byte_range()]).split_whitespace().collect()
    }
}
