//! What holds for any bytes at all.

use crate::fixtures::split;
use crate::folders::samples;
use crate::hostile::assert_covered;
use model::{Symbol, SymbolKind};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;
use syntax::{ExtractLimits, FileExtract, extract, render_map};

fn check(path: &str, bytes: &[u8]) -> FileExtract {
    let extracted = extract(path, bytes, &ExtractLimits::default());
    if !extracted.units.is_empty() || extracted.problems.is_empty() {
        assert_covered(&extracted);
        let together: u32 = extracted.units.iter().map(|unit| unit.span.len()).sum();
        assert_eq!(together as usize, bytes.len());
    }
    let ids: BTreeSet<_> = extracted.symbols.iter().map(|symbol| &symbol.id).collect();
    assert_eq!(ids.len(), extracted.symbols.len(), "ids are unique");
    for symbol in &extracted.symbols {
        assert!(symbol.span.start < symbol.span.end && symbol.span.end as usize <= bytes.len());
        assert!(symbol.lines.start <= symbol.name_line && symbol.name_line <= symbol.lines.end);
        assert!(symbol.lines.end <= extracted.lines);
        assert!(symbol.container.as_ref().is_none_or(|id| ids.contains(id) && *id != symbol.id));
        assert!(symbol.signature.len() <= 400 && !symbol.signature.contains('\n'));
        assert!(symbol.doc.as_ref().is_none_or(|doc| doc.len() <= 2_000));
    }
    let defined: Vec<_> = extracted.units.iter().flat_map(|unit| &unit.defines).collect();
    assert_eq!(defined.len(), extracted.symbols.len(), "each symbol starts in one unit");
    let drawn = render_map(path, bytes, &extracted);
    let is_value = |kind: SymbolKind| matches!(kind, SymbolKind::Constant | SymbolKind::Field);
    let told = extracted.symbols.iter().filter(|symbol| !is_value(symbol.kind)).count();
    if !extracted.symbols.is_empty() {
        assert!(drawn.lines().count() > told, "the map leaves nothing out but constants and fields, which it counts");
    }
    assert_eq!(extracted, extract(path, bytes, &ExtractLimits::default()), "the same bytes give the same facts");
    extracted
}

fn path() -> impl Strategy<Value = String> {
    let mut paths: Vec<_> = samples("fixture").into_iter().map(|sample| sample.path).collect();
    paths.push("notes.txt".to_owned());
    proptest::sample::select(paths)
}

/// One change to a text: what is taken out, and what comes in its place.
fn edit() -> impl Strategy<Value = (Index, Index, Vec<u8>)> {
    const PIECES: &[&str] =
        &["", "{", "}", "(", ")", "\n", "\"", "'", "`", "/*", "*/", "fn f(", "class A:", "\t", "\r\n", "\u{fe}", "é"];
    let piece = prop_oneof![
        proptest::sample::select(PIECES).prop_map(|text| text.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    (any::<Index>(), any::<Index>(), piece)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_give_facts(path in path(), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check(&path, &bytes);
    }

    #[test]
    fn any_lines_are_covered(path in path(), lines in prop::collection::vec("[ \t]{0,8}[a-z(){};:=/#*\"]{0,12}\r?", 0..300)) {
        check(&path, lines.join("\n").as_bytes());
    }

    #[test]
    fn a_damaged_file_still_gives_facts(
        at in any::<Index>(),
        edits in prop::collection::vec(edit(), 1..12),
    ) {
        let all: Vec<_> = samples("fixture").into_iter().chain(samples("sample")).collect();
        let sample = at.get(&all);
        let mut bytes = sample.text.clone().into_bytes();
        for (start, length, piece) in edits {
            let start = start.index(bytes.len() + 1);
            let end = (start + length.index(80)).min(bytes.len());
            bytes.splice(start..end, piece);
        }
        check(&sample.path, &bytes);
    }

    /// A declaration of another name, put between declarations of the file, leaves every id as it was.
    #[test]
    fn an_id_does_not_change_when_text_is_added_elsewhere(
        sample in any::<Index>(),
        model in any::<Index>(),
        place in any::<Index>(),
    ) {
        let all: Vec<_> = samples("fixture").into_iter().chain(samples("sample")).collect();
        let sample = sample.get(&all);
        let (text, _) = split(&sample.text);
        let before = check(&sample.path, text.as_bytes());
        let mut lines: Vec<_> = text.lines().collect();
        let is_free = |line: &u32| before.symbols.iter().all(|symbol| !symbol.lines.contains(*line));
        let is_between = |line: &u32| {
            let (above, below) = lines.split_at(*line as usize);
            above.last().is_some_and(|line| line.is_empty())
                // What follows goes on with what stands above: `type a = …`, `and b = …`.
                && !below.iter().find(|line| !line.is_empty()).is_some_and(|line| {
                    line.starts_with([' ', '\t']) || line.starts_with("and ")
                })
        };
        let free: Vec<_> = (1..=before.lines).filter(is_free).filter(is_between).collect();
        prop_assume!(!free.is_empty());
        // What stands in something is often no statement by itself, and a module may hold whatever follows it.
        let is_whole = |symbol: &&Symbol| {
            let start = symbol.span.start as usize;
            let is_word = symbol.name.chars().all(|c| c.is_alphanumeric() || c == '_');
            // What a heading stands in is a matter of those above it.
            let is_free = !matches!(symbol.kind, SymbolKind::Module | SymbolKind::Section);
            let is_apart = symbol.container.is_none() && is_free && is_word;
            is_apart && (start == 0 || text.as_bytes()[start - 1] == b'\n')
        };
        let whole: Vec<&Symbol> = before.symbols.iter().filter(is_whole).collect();
        prop_assume!(!whole.is_empty());
        let model = *model.get(&whole);
        // One declaration of two names would bring the other one a second time.
        prop_assume!(before.symbols.iter().filter(|symbol| symbol.span == model.span).count() == 1);
        // In some languages the case of its first letter says what a name is.
        let other = if model.name.starts_with(char::is_lowercase) { "zz9" } else { "Zz9" };
        let added = text[model.span.to_range()].replace(&model.name, other);
        let line = *place.get(&free) as usize;
        lines.splice(line..line, ["", &added, ""]);
        let after = check(&sample.path, (lines.join("\n") + "\n").as_bytes());
        // Where the addition is no statement of its own, or parts one or grows it, nothing can be said.
        prop_assume!(check(&sample.path, added.as_bytes()).problems.is_empty() && after.problems.is_empty());
        let first = line as u32 + 2;
        prop_assume!(after.symbols.iter().all(|symbol| symbol.lines.start >= first || symbol.lines.end < first));
        let told = |extracted: &FileExtract| -> BTreeSet<String> {
            extracted.symbols.iter().map(|symbol| format!("{} {}", symbol.id, symbol.signature)).collect()
        };
        let lost: Vec<_> = told(&before).difference(&told(&after)).cloned().collect();
        prop_assert!(lost.is_empty(), "{lost:?} after {added:?} on line {line}");
    }
}
