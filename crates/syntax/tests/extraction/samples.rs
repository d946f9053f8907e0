//! Longer files in the style of real ones, with everything that is read from them, beside each language's query.

use crate::folders::{root, samples};
use expect_test::expect_file;
use std::fmt::Write;
use syntax::{
    Expression, ExtractLimits, FileExtract, ImportManner, ImportedItem, Reference, SignatureParts, TypeSource,
    all_languages, extract, render_map,
};

#[test]
fn every_sample_gives_the_facts_beside_it() {
    for sample in samples("sample") {
        let extracted = extract(&sample.path, sample.text.as_bytes(), &ExtractLimits::default());
        let folder = sample.path.split('/').next().expect("a path has a first part");
        let drawn = render_map(&sample.path, sample.text.as_bytes(), &extracted);
        let told = format!("{drawn}\n{}", told(&extracted).expect("a string takes all"));
        expect_file![root().join(folder).join("sample.facts")].assert_eq(&told);
    }
}

pub(crate) fn told(extracted: &FileExtract) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for symbol in &extracted.symbols {
        let lines = symbol.lines;
        write!(out, "{} {} {}-{}", symbol.kind, symbol.id.qualified_name(), lines.start, lines.end)?;
        match &symbol.container {
            Some(container) => writeln!(out, " in {}", container.qualified_name())?,
            None => writeln!(out)?,
        }
        writeln!(out, "    {}", symbol.signature)?;
        let language =
            all_languages().find(|language| Some(language.name()) == extracted.language).expect("it was found");
        let SignatureParts { modifiers, parameters, returns } = language.parse_signature(symbol);
        for (sign, parts) in [("+", modifiers), ("-", parameters), (">", returns.into_iter().collect())] {
            if !parts.is_empty() {
                writeln!(out, "    {sign} {}", parts.join(" ; "))?;
            }
        }
        for line in symbol.doc.iter().flat_map(|doc| doc.lines()) {
            writeln!(out, "    | {line}")?;
        }
    }
    writeln!(out)?;
    for unit in &extracted.units {
        let name = |index: &usize| extracted.symbols[*index].name.as_str();
        let defines: Vec<_> = unit.defines.iter().map(name).collect();
        let is = unit.symbol.as_ref().map_or("-", name);
        writeln!(out, "unit {}-{}: {is} [{}]", unit.lines.start, unit.lines.end, defines.join(" "))?;
    }
    writeln!(out)?;
    if let Some(package) = &extracted.package {
        writeln!(out, "package {package}")?;
    }
    for import in &extracted.imports {
        let passes = if import.exported { " passed on" } else { "" };
        let alias = import.alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
        let what = match &import.what {
            ImportedItem::Module => "itself",
            ImportedItem::Name(name) => name,
            ImportedItem::All => "*",
        };
        let manner = match import.manner {
            ImportManner::Static => "",
            ImportManner::Type => " for types",
            ImportManner::Dynamic => " while running",
        };
        writeln!(out, "import {}: {what}{alias}{passes}{manner}", import.module)?;
    }
    let place = |within: Option<usize>| within.map_or("-", |symbol| extracted.symbols[symbol].id.qualified_name());
    for reference in &extracted.references {
        let Reference { kind, target, passed, line, within } = reference;
        let passed =
            passed.as_ref().map(|all| format!(" ({})", all.iter().map(written).collect::<Vec<_>>().join(", ")));
        writeln!(out, "{line} {}: {kind:?} {}{}", place(*within), written(target), passed.unwrap_or_default())?;
    }
    for binding in &extracted.bindings {
        let (sign, said) = match &binding.says {
            TypeSource::Type(said) => (":", said),
            TypeSource::Value(said) => (" =", said),
        };
        let dot = if binding.is_field { "." } else { "" };
        writeln!(out, "{}: {dot}{}{sign} {}", place(binding.within), binding.name, written(said))?;
    }
    for (symbol, says) in &extracted.returns {
        writeln!(out, "{} gives {}", place(Some(*symbol)), written(says))?;
    }
    for (symbol, says) in &extracted.results {
        writeln!(out, "{} is seen to give {}", place(Some(*symbol)), written(says))?;
    }
    for problem in &extracted.problems {
        writeln!(out, "problem: {problem}")?;
    }
    Ok(out)
}

fn written(expression: &Expression) -> String {
    match expression {
        Expression::Name(name) => name.clone(),
        Expression::Member(object, name) => format!("{}.{name}", written(object)),
        Expression::Call(function) => format!("{}()", written(function)),
        Expression::New(of) => format!("new {}", written(of)),
        Expression::Of(of, arguments) => {
            format!("{}[{}]", written(of), arguments.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Expression::Either(several) => several.iter().map(written).collect::<Vec<_>>().join(" | "),
        Expression::This => "this".to_owned(),
        Expression::Super => "super".to_owned(),
        Expression::Literal => "literal".to_owned(),
        Expression::Builtin(name) => format!("`{name}`"),
        Expression::Unknown => "?".to_owned(),
    }
}
