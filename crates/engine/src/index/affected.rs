//! Which files may have other edges after a change.
//!
//! The files that changed, and those that mention a name which looks different now: because its definition changed, or
//! because it rests on a name that does. Where a file of code came or went, any import may lead elsewhere, and all
//! files are resolved anew.

use crate::graph::{Difference, Surface, mentions};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use store::{FileChange, FileFact};

/// Places in `files`, ascending; `before` has for each change the uses the file had.
pub(super) fn affected(files: &[FileFact], changes: &[FileChange], before: &[Option<Vec<u8>>]) -> Vec<usize> {
    let all = || (0..files.len()).collect();
    let place = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).ok();
    let mut affected = BTreeSet::new();
    let mut names = HashSet::new();
    for (change, before) in changes.iter().zip(before) {
        let at = place(&change.path);
        affected.extend(at);
        match difference(before.as_deref(), at.map(|at| files[at].bytes.as_slice())) {
            Difference::Names(different) => names.extend(different),
            Difference::Anything => return all(),
        }
    }
    let mut known: HashSet<String> = HashSet::new();
    while !names.is_empty() {
        known.extend(names.iter().cloned());
        let touched: Vec<(usize, Vec<String>)> = files
            .par_iter()
            .enumerate()
            .filter(|(_, file)| mentions(&file.bytes, &names))
            .map(|(at, file)| {
                let surface = Surface::of(&file.bytes);
                (
                    at,
                    surface
                        .map_or_else(|_| Vec::new(), |surface| surface.resting_on(&names).map(str::to_owned).collect()),
                )
            })
            .collect();
        affected.extend(touched.iter().map(|(at, _)| *at));
        names = touched.into_iter().flat_map(|(_, names)| names).filter(|name| !known.contains(name)).collect();
        if affected.len() > files.len() / 2 {
            return all();
        }
    }
    affected.into_iter().collect()
}

fn difference(before: Option<&[u8]>, now: Option<&[u8]>) -> Difference {
    match (before.map(Surface::of), now.map(Surface::of)) {
        (Some(Ok(before)), Some(Ok(now))) => before.difference(&now),
        // A text without anything to see makes no difference by being there.
        (Some(Ok(only)), None) | (None, Some(Ok(only))) if only.is_empty() => Difference::Names(HashSet::new()),
        (None, None) => Difference::Names(HashSet::new()),
        _ => Difference::Anything,
    }
}
