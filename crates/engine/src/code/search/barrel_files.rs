//! Ranks the file with the definition before a barrel file, which only re-exports what other files define, among the
//! first search results.
//!
//! `index.ts`, `__init__.py` and the like hold every name of what they pass on, so a question finds them easily, and
//! they answer nothing. The best of the files that one re-exports takes its place, and its reason says so.

use super::catalog::Catalog;
use super::features::FileFeature;
use super::ranking::RankedHit;

/// How many of the first files are checked.
const MAX_CHECKED_FILES: usize = 5;

/// How well a name of a file has to fit for it to define what was asked for.
const MIN_SYMBOL_NAME_FIT: f32 = 0.35;

/// Puts the files that barrel files re-export before them.
pub(super) fn put_definitions_first(catalog: &Catalog, ranked: &mut [RankedHit]) {
    // A barrel that was moved down by one place is met again at the next step of the loop, and would pull a second file
    // up.
    let mut seen = Vec::new();
    for place in 0..ranked.len().min(MAX_CHECKED_FILES) {
        let umbrella = ranked[place].file;
        if seen.contains(&umbrella)
            || ranked[place].values[FileFeature::PassesOn as usize] == 0.0
            || is_definition(&ranked[place])
        {
            continue;
        }
        let passed_on = catalog.passed_on(umbrella);
        // Only files that the question found anyway: `passed_on` alone would bring up modules that have nothing of it.
        let behind =
            ranked[place + 1..].iter().position(|other| passed_on.contains(&other.file) && is_definition(other));
        let Some(found) = behind.map(|behind| place + 1 + behind) else { continue };
        seen.push(umbrella);
        // As good as the umbrella, and before it.
        ranked[found].score = ranked[place].score;
        ranked[found].umbrella = Some(umbrella);
        ranked[place..=found].rotate_right(1);
        // The next lower number keeps the list sorted, and the barrel's score as good as unchanged.
        let definition = ranked[place].score;
        let rest = &mut ranked[place + 1];
        rest.score = definition.next_down();
    }
}

/// Whether a name in a file fits what was asked for.
fn is_definition(file: &RankedHit) -> bool {
    let value = |feature: FileFeature| file.values[feature as usize];
    let is_product =
        value(FileFeature::Test) == 0.0 && value(FileFeature::Prose) == 0.0 && value(FileFeature::Data) == 0.0;
    let is_named = value(FileFeature::NamedType) > 0.0 || value(FileFeature::NamedFunction) > 0.0;
    is_product && (is_named || value(FileFeature::SymbolName) >= MIN_SYMBOL_NAME_FIT)
}
