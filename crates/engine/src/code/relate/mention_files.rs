//! Finds the files whose text may hold some names, by the postings of the code index: a file is read for mentions only
//! where a unit of it has all terms of the name.

use crate::base::{Project, Result};
use crate::code::CodeContext;
use crate::code::index::{IndexDepth, UnitCounts};
use model::terms::each_term;
use search::{Attempts, StemRules, each_posting};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use store::{SegmentPostings, TreeFile};

/// Larger files are not read for mentions.
const MOST_BYTES: u64 = 16 << 20;

/// For each name the files that may mention it, by path.
pub(crate) async fn find_candidates(
    code: &CodeContext,
    project: &Project,
    names: &[String],
) -> Result<BTreeMap<String, Vec<usize>>> {
    let terms: Vec<Vec<String>> = names.iter().map(|name| stems_of(name)).collect();
    let mut wanted: Vec<String> = terms.iter().flatten().cloned().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let store = &code.store;
    let mut attempts = Attempts::default();
    loop {
        let worktree = store.open_worktree(&project.id, &project.root_text()).await?;
        let mut files = store.worktree_files(&worktree.id).await?;
        // Without the words of bodies the postings say nothing about uses, so every file is read.
        if code.settings.depth == IndexDepth::Signatures {
            let all = || (0..names.len()).collect::<Vec<_>>();
            return Ok(files.into_iter().map(|file| (file.path, all())).collect());
        }
        let postings = store.load_postings(&worktree.id, &wanted).await?;
        let segments = store.load_segments(&worktree.id).await?;
        let firsts: HashMap<i64, u32> = segments.iter().map(|segment| (segment.number, segment.first_unit.0)).collect();
        // Segments may be put together between two reads; then all of them have to be read again.
        if postings.iter().any(|posting| !firsts.contains_key(&posting.segment)) && attempts.try_again() {
            continue;
        }
        files.retain(|file| file.units > 0);
        files.sort_unstable_by_key(|file| file.first_unit);
        return Ok(join_postings(&terms, &postings, &firsts, &files));
    }
}

/// The terms of the index that every mention of a name has.
fn stems_of(name: &str) -> Vec<String> {
    let mut stems = BTreeSet::new();
    let mut stem = String::new();
    each_term(name, |term| {
        StemRules::Code.stem_word(term, &mut stem);
        stems.insert(stem.clone());
    });
    stems.into_iter().collect()
}

fn join_postings(
    terms: &[Vec<String>],
    postings: &[SegmentPostings],
    firsts: &HashMap<i64, u32>,
    files: &[TreeFile],
) -> BTreeMap<String, Vec<usize>> {
    let mut by_term: HashMap<&str, BTreeSet<u32>> = HashMap::new();
    for posting in postings {
        let Some(first) = firsts.get(&posting.segment) else { continue };
        let units = by_term.entry(&posting.term).or_default();
        each_posting(&posting.bytes, |unit, _: &UnitCounts| {
            units.insert(first.saturating_add(unit));
        });
    }
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, stems) in terms.iter().enumerate() {
        let Some((first, rest)) = stems.split_first() else { continue };
        let units = by_term.get(first.as_str()).into_iter().flatten();
        let has_all =
            |unit: &&u32| rest.iter().all(|stem| by_term.get(stem.as_str()).is_some_and(|all| all.contains(unit)));
        for unit in units.filter(has_all) {
            let after = files.partition_point(|file| file.first_unit.0 <= *unit);
            // Units of removed versions stand in segments until they are put together.
            let file = after.checked_sub(1).map(|at| &files[at]);
            if let Some(file) = file.filter(|file| unit - file.first_unit.0 < file.units) {
                let names = found.entry(file.path.clone()).or_default();
                if names.last() != Some(&at) {
                    names.push(at);
                }
            }
        }
    }
    found
}

/// The text of a file that was indexed; empty where it is gone, too large, or a link now stands on the way to it.
pub(crate) fn read_indexed(root: &Path, path: &str) -> Vec<u8> {
    let place = root.join(path);
    let is_itself = fs_err::canonicalize(&place).is_ok_and(|real| real == place);
    let is_small = || fs_err::metadata(&place).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES);
    let bytes = if is_itself && is_small() { fs_err::read(&place).unwrap_or_default() } else { Vec::new() };
    syntax::decode_text(bytes)
}
