//! Imports of what files declare themselves to be in: a package, or a symbol of it by its full name.

use crate::graph::resolver::file::File;
use crate::graph::resolver::names::{Names, QuickMap};
use std::collections::HashSet;

/// The files of each package or namespace.
#[derive(Default)]
pub(in crate::graph::resolver) struct Namespaces {
    files: QuickMap<u32, Vec<u32>>,
    /// Every package, and everything that some package is below.
    known: HashSet<u32>,
}

impl Namespaces {
    pub(in crate::graph::resolver) fn new(files: &[File], names: &mut Names) -> Self {
        let mut all = Self::default();
        for (file, at) in files.iter().zip(0..) {
            let Some(package) = file.uses.package else { continue };
            all.files.entry(package).or_default().push(at);
            if all.known.insert(package) {
                let text = names.text(package).to_owned();
                let ends = text.char_indices().filter(|(_, c)| is_separator(*c)).map(|(at, _)| at);
                for end in ends {
                    let outer = names.number(&text[..end]);
                    all.known.insert(outer);
                }
            }
        }
        all
    }

    /// The files that declare a package.
    pub(in crate::graph::resolver) fn files(&self, package: u32) -> &[u32] {
        self.files.get(&package).map(Vec::as_slice).unwrap_or_default()
    }

    pub(in crate::graph::resolver) fn is_known(&self, package: u32) -> bool {
        self.known.contains(&package)
    }
}

/// What parts the names of a namespace, in one language or another.
pub(in crate::graph::resolver) fn is_separator(c: char) -> bool {
    matches!(c, '.' | '\\' | ':' | '/')
}
