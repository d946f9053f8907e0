//! Longer files in the style of real ones, with everything that is read from them, beside each language's query.

use crate::folders::{root, samples};
use expect_test::expect_file;
use std::fmt::Write;
use syntax::{FileFacts, Limits, extract, map};

#[test]
fn every_sample_gives_the_facts_beside_it() {
    for sample in samples("sample") {
        let facts = extract(&sample.path, sample.text.as_bytes(), &Limits::default());
        let folder = sample.path.split('/').next().expect("a path has a first part");
        let drawn = map(&sample.path, sample.text.as_bytes(), &facts);
        let told = format!("{drawn}\n{}", told(&facts).expect("a string takes all"));
        expect_file![root().join(folder).join("sample.facts")].assert_eq(&told);
    }
}

fn told(facts: &FileFacts) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for symbol in &facts.symbols {
        let lines = symbol.lines;
        write!(out, "{} {} {}-{}", symbol.kind, symbol.id.chain(), lines.start, lines.end)?;
        match &symbol.container {
            Some(container) => writeln!(out, " in {}", container.chain())?,
            None => writeln!(out)?,
        }
        writeln!(out, "    {}", symbol.signature)?;
        for line in symbol.doc.iter().flat_map(|doc| doc.lines()) {
            writeln!(out, "    | {line}")?;
        }
    }
    writeln!(out)?;
    for unit in &facts.units {
        let name = |index: &usize| facts.symbols[*index].name.as_str();
        let defines: Vec<_> = unit.defines.iter().map(name).collect();
        let is = unit.symbol.as_ref().map_or("-", name);
        writeln!(out, "unit {}-{}: {is} [{}]", unit.lines.start, unit.lines.end, defines.join(" "))?;
    }
    for problem in &facts.problems {
        writeln!(out, "problem: {problem}")?;
    }
    Ok(out)
}
