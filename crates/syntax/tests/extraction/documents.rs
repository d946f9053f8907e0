//! Documents and data: what only they have.

use crate::hostile::assert_covered;
use expect_test::{Expect, expect};
use std::fmt::Write;
use syntax::{ExtractLimits, FileExtract, extract};

#[test]
fn a_script_is_read_in_the_language_it_is_written_in_where_it_stands() {
    check(
        "a.vue",
        "<template>\n  <Card/>\n</template>\n<script lang=\"ts\">\nimport Card from './Card.vue'\nlet a: Kind = f()\n</script>\n",
        &expect![[r#"
            import ./Card.vue line 5
            constant a lines 6-6 `let a: Kind = f()`
            use Name("Card") line 2
            use Name("Kind") line 6
            use Name("f") line 6
        "#]],
    );
    // What an attribute calls by a name nobody knows is left alone, and so is what is no script.
    check("a.vue", "<script lang=\"coffee\">\nf = (x) -> x\n</script>\n", &expect![""]);
    check("a.html", "<script type=\"application/json\">{\"a\": 1}</script>\n", &expect![""]);
    check("a.html", "<script src=\"a.js\"></script>\n", &expect!["import a.js line 1\n"]);
}

#[test]
fn an_error_in_one_script_does_not_reach_the_next() {
    check(
        "a.html",
        "<p>x</p>\n<script>\nfunction a() { (\n</script>\n<script>function b() {}</script>\n",
        &expect![[r#"
            function a lines 3-3 `function a()`
            function b lines 5-5 `function b()`
            line 3: 1 syntax error
        "#]],
    );
}

#[test]
fn a_long_script_is_cut_between_its_functions() {
    let function = |name: &str| format!("function {name}() {{\n{}}}\n\n", "  go();\n".repeat(28));
    let functions: String = ["a", "b", "c"].iter().map(|name| function(name)).collect();
    let text = format!("<template>\n<p>x</p>\n</template>\n\n<script>\n{functions}</script>\n");
    let extracted = extract("a.vue", text.as_bytes(), &ExtractLimits::default());
    let starts: Vec<_> = extracted.units.iter().map(|unit| unit.lines.start).collect();
    let functions: Vec<_> = extracted.symbols.iter().map(|symbol| symbol.lines.start).collect();
    assert!(functions.iter().skip(1).all(|start| starts.contains(start)), "{functions:?} {starts:?}");
}

#[test]
fn records_are_no_symbols_and_what_stands_around_them_is() {
    let record = |at: usize| format!("\"key {at}\": {{\"name\": \"n\", \"sizes\": {{\"a\": {at}}}}}");
    let records: Vec<_> = (0..2_000).map(record).collect();
    let map = format!("{{\n\"version\": 1,\n\"items\": {{\n{}\n}}\n}}\n", records.join(",\n"));
    check(
        "a.json",
        &map,
        &expect![[r#"
            field version lines 2-2 `"version": 1`
            section items lines 3-2004 `"items"`
        "#]],
    );
    let list = format!("{{\n\"items\": [\n{}\n]\n}}\n", vec!["{\"name\": \"n\"}"; 2_000].join(",\n"));
    check(
        "a.json",
        &list,
        &expect![[r#"
        field items lines 2-2003 `"items"`
    "#]],
    );
    let rows: String = (0..2_000).map(|at| format!("key{at}: {at}\n")).collect();
    check("a.yaml", &rows, &expect![""]);
}

#[test]
fn a_paragraph_on_one_line_does_not_make_a_document_minified() {
    let text = format!("# Title\n\n{}\n\n## Part\n\n{}\n", "word ".repeat(5_000), "word ".repeat(500));
    check(
        "a.md",
        &text,
        &expect![[r#"
            section Title lines 1-7 `# Title`
            section Title.Part lines 5-7 `## Part`
        "#]],
    );
}

#[test]
fn braces_that_nobody_closes_are_not_followed() {
    check("a.svelte", &"{a\n".repeat(300), &expect!["line 201: nested deeper than 200 levels\n"]);
}

#[test]
fn text_in_no_language_is_cut_into_units_all_the_same() {
    for path in ["style.scss", "Cargo.lock", "notes.tex"] {
        let extracted = extract(path, "Some words.\n\n".repeat(60).as_bytes(), &ExtractLimits::default());
        assert_covered(&extracted);
        assert_eq!((extracted.language, extracted.units.len(), extracted.problems.len()), (None, 3, 0), "{path}");
    }
}

#[test]
fn text_without_headings_is_cut_between_its_paragraphs() {
    for path in ["LICENSE", "notes.txt", "guide.rst", "guide.adoc", "guide.org", "README"] {
        let extracted = extract(path, "Some words.\n\n".repeat(60).as_bytes(), &ExtractLimits::default());
        assert_covered(&extracted);
        assert_eq!((extracted.symbols.len(), extracted.units.len(), extracted.problems.len()), (0, 2, 0), "{path}");
    }
}

#[test]
fn a_section_is_a_unit_whatever_the_document_is_written_in() {
    let paragraph = "Words about it, in a line.\n".repeat(8);
    let check = |path: &str, one: &str, two: &str, three: &str| {
        let text = format!("{one}\n{paragraph}\n{two}\n{paragraph}\n{three}\n{paragraph}");
        let extracted = extract(path, text.as_bytes(), &ExtractLimits::default());
        assert_covered(&extracted);
        let names: Vec<&str> = extracted.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["One", "Two", "Three"], "{path}");
        let starts: Vec<u32> = extracted.units.iter().map(|unit| unit.lines.start).collect();
        let titles: Vec<u32> = extracted.symbols.iter().map(|symbol| symbol.lines.start).collect();
        assert_eq!(starts, titles, "{path}");
    };
    check("a.md", "# One\n", "## Two\n", "## Three\n");
    check("a.rst", "One\n===\n", "Two\n---\n", "Three\n-----\n");
    check("a.adoc", "= One\n", "== Two\n", "== Three\n");
    check("a.org", "* One\n", "** Two\n", "** Three\n");
    check("a.txt", "One\n===\n", "Two\n---\n", "Three\n-----\n");
}

#[test]
fn a_tiny_section_goes_with_its_neighbour_and_a_long_one_is_cut_between_paragraphs() {
    let long = format!("{}\n", "Words about it, in a line.\n".repeat(20)).repeat(5);
    let text =
        format!("Title\n=====\n\nOne line.\n\nFirst\n-----\n\n{long}Tiny\n~~~~\n\nOne line.\n\nLast\n----\n\n{long}");
    let extracted = extract("a.rst", text.as_bytes(), &ExtractLimits::default());
    assert_covered(&extracted);
    let units: Vec<_> = extracted.units.iter().map(|unit| (unit.lines.start, unit.lines.end)).collect();
    expect!["[(1, 50), (51, 92), (93, 113), (114, 118), (119, 163), (164, 205), (206, 226)]"]
        .assert_eq(&format!("{units:?}"));
}

fn check(path: &str, text: &str, expected: &Expect) {
    let extracted = extract(path, text.as_bytes(), &ExtractLimits::default());
    expected.assert_eq(&told(&extracted).expect("a string takes all"));
    assert_covered(&extracted);
}

fn told(extracted: &FileExtract) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for import in &extracted.imports {
        writeln!(out, "import {} line {}", import.module, import.line)?;
    }
    for symbol in &extracted.symbols {
        let lines = symbol.lines;
        let signature = &symbol.signature;
        writeln!(
            out,
            "{} {} lines {}-{} `{signature}`",
            symbol.kind,
            symbol.id.qualified_name(),
            lines.start,
            lines.end
        )?;
    }
    for reference in &extracted.references {
        writeln!(out, "use {:?} line {}", reference.target, reference.line)?;
    }
    for problem in &extracted.problems {
        writeln!(out, "{problem}")?;
    }
    Ok(out)
}
