//! Resolves names through includes, such as `#include`: the transitive closure of the files that a file includes.
//!
//! Headers include each other along many paths, and following every path again for every name does not end in useful
//! time. The closure of a file is collected once, and only those of its files that define a name are searched for it.

use super::evaluator::ExpressionEvaluator;
use super::modules::ImportTarget;
use super::names::QuickMap;
use super::value::ValueSet;
use crate::code::graph::uses::{ImportSelector, InternedImport};
use std::collections::VecDeque;
use std::rc::Rc;
use syntax::ModuleStyle;

/// The files that a file brings in.
pub(super) struct IncludeClosure {
    /// Each file with the number of includes on the way to it.
    steps: QuickMap<u32, u32>,
    /// Files that may know a name without defining it, nearest first.
    speaking: Vec<u32>,
}

impl ExpressionEvaluator<'_> {
    /// A name from the included files, the nearest where several have it; `None` where files import from each other in
    /// another way.
    pub(super) fn brought_in(&mut self, name: u32, file: u32, scope: Option<u32>) -> Option<ValueSet> {
        if scope.is_some() || self.module_style(file) != ModuleStyle::Path {
            return None;
        }
        let reach = self.reach_of(file)?;
        let family = self.on.language_traits(file)?.family;
        let defining = self.on.top_symbols(family, name).into_iter().map(|symbol| symbol.file);
        let speaking = reach.speaking.iter().copied().filter(|other| self.binds_name(*other, name));
        let mut near: Vec<(u32, u32)> =
            defining.chain(speaking).filter_map(|other| Some((*reach.steps.get(&other)?, other))).collect();
        near.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.on.paths.compare_files(a.1, b.1)));
        near.dedup();
        // The nearest header with the name hides those that are farther away; equally near ones count together.
        for step in near.chunk_by(|a, b| a.0 == b.0) {
            let mut found = ValueSet::none();
            for (_, other) in step {
                found.merge_with(self.said_by(*other, name));
            }
            if found.is_ours() {
                return Some(found);
            }
        }
        Some(ValueSet::none())
    }

    /// What a file itself says about a name.
    fn said_by(&mut self, file: u32, name: u32) -> ValueSet {
        let mut found = self.find_definition(file, None, name);
        if found.is_none() {
            let tables = self.on.file_tables(file);
            for import in tables.imports_named(None, name) {
                found.merge_with(self.resolve_import(file, import));
            }
        }
        found.or_else(|| self.find_bindings(file, None, name, u32::MAX))
    }

    fn binds_name(&self, file: u32, name: u32) -> bool {
        let tables = self.on.file_tables(file);
        tables.bindings_named(None, name).next().is_some() || tables.imports_named(None, name).next().is_some()
    }

    /// Whether a file brings in another one; it may where files do not include each other.
    pub(super) fn is_included(&mut self, by: u32, file: u32) -> bool {
        let is_other = self.module_style(by) != ModuleStyle::Path;
        by == file || is_other || self.reach_of(by).is_none_or(|reach| reach.steps.contains_key(&file))
    }

    fn reach_of(&mut self, file: u32) -> Option<Rc<IncludeClosure>> {
        if let Some(known) = self.reach.get(&file) {
            return known.clone();
        }
        let reach = self.collect_includes(file).map(Rc::new);
        self.reach.insert(file, reach.clone());
        reach
    }

    fn collect_includes(&self, file: u32) -> Option<IncludeClosure> {
        let mut steps = QuickMap::default();
        let mut order = Vec::new();
        let mut queue = VecDeque::from([(file, 0)]);
        while let Some((from, step)) = queue.pop_front() {
            let tables = self.on.file_tables(from);
            let globs = tables.globs.iter().filter(|glob| tables.uses.imports[**glob as usize].within.is_none());
            for glob in globs {
                match tables.targets[*glob as usize] {
                    ImportTarget::Outside => {}
                    ImportTarget::File(to) => {
                        if to != file && !steps.contains_key(&to) {
                            steps.insert(to, step + 1);
                            order.push(to);
                            queue.push_back((to, step + 1));
                        }
                    }
                    // An import that is no plain file cannot be part of the closure; the caller follows the imports one
                    // by one instead.
                    ImportTarget::Directory(_) | ImportTarget::Itself | ImportTarget::ByName => return None,
                }
            }
        }
        // Only bindings at the top and renamed imports give a file a name that it does not define. Few headers have
        // any, so `brought_in` searches those alone.
        let speaks = |file: &u32| {
            let uses = &self.on.file_tables(*file).uses;
            let names =
                |import: &InternedImport| import.alias.is_some() || matches!(import.what, ImportSelector::Name(_));
            uses.bindings.iter().any(|binding| binding.within.is_none()) || uses.imports.iter().any(names)
        };
        order.retain(speaks);
        Some(IncludeClosure { steps, speaking: order })
    }
}
