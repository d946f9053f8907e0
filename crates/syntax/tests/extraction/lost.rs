//! What a grammar cannot follow, and what is found around it all the same.

use expect_test::{Expect, expect};
use model::LineRange;
use syntax::{ExtractLimits, extract};

fn check(path: &str, code: &str, expected: &Expect) {
    let extracted = extract(path, code.as_bytes(), &ExtractLimits::default());
    let mut told = String::new();
    for symbol in &extracted.symbols {
        let lines = symbol.lines;
        told.push_str(&format!(
            "{}-{} {} {}: {}",
            lines.start,
            lines.end,
            symbol.kind,
            symbol.id.qualified_name(),
            symbol.signature
        ));
        told.push_str(&symbol.doc.as_ref().map_or("\n".to_owned(), |doc| format!(" | {doc}\n")));
    }
    for reference in &extracted.references {
        let within = reference.within.map_or("-", |at| extracted.symbols[at].id.qualified_name());
        told.push_str(&format!("{within}: {:?} {:?}\n", reference.kind, reference.target));
    }
    for lines in &extracted.unparsed {
        told.push_str(&format!("unparsed {}-{}\n", lines.start, lines.end));
    }
    expected.assert_eq(&told);
}

#[test]
fn items_in_a_macro_are_items() {
    let code = "cfg_rt! {\n    /// Runs.\n    pub fn run(job: Job) {\n        job.start();\n    }\n\n    use crate::job::Job;\n}\n";
    check(
        "a.rs",
        code,
        &expect![[r#"
        3-5 function run: pub fn run(job: Job) | Runs.
        -: Call Name("cfg_rt")
        run: Type Name("Job")
        run: Call Member(Name("job"), "start")
    "#]],
    );
}

#[test]
fn a_class_survives_what_the_grammar_does_not_know_in_it() {
    let code = "/** Bytes. */\nactual open class Bytes\ninternal actual constructor(\n  internal actual val data: ByteArray,\n) : Comparable<Bytes> {\n  internal actual var hash: Int = 0 // unknown\n    set(value) {\n      // nothing\n    }\n\n  actual open fun text(): String = commonText()\n\n  fun other(): Int {\n    return helper(1)\n  }\n}\n\nfun after() {}\n";
    check(
        "a.kt",
        code,
        &expect![[r#"
            2-16 class Bytes: actual open class Bytes | Bytes.
            11-11 method Bytes.text: actual open fun text(): String
            13-15 method Bytes.other: fun other(): Int
            18-18 function after: fun after()
            Bytes.text: Type Name("String")
            Bytes.text: Call Name("commonText")
            Bytes.other: Type Name("Int")
            Bytes.other: Call Name("helper")
        "#]],
    );
}

#[test]
fn what_is_in_texts_and_comments_defines_nothing() {
    let code = "val a = )\nval text = \"\"\"\nclass Fake {\n}\n\"\"\"\n/*\nfun none() {}\n*/\nfun real() {}\n";
    check(
        "a.kt",
        code,
        &expect![[r#"
        1-5 constant a: val a =) val text = """ class Fake { } """
        9-9 function real: fun real() | fun none() {}
    "#]],
    );
}

#[test]
fn code_that_was_taken_for_text_is_code() {
    let code = "/** One. */\ncontext(a: Extension)\nprivate fun Targets.one() {\n    a.jvm()\n}\n\nprivate fun Reporter.two(context: String) = report(problem) {\n    details(\"Ignoring '$NAME' set to 'true'.\")\n}\n\nprivate fun three() = throwing(\n    1,\n) {\n    details(\n        \"\"\"\n        text\n";
    check(
        "a.kt",
        code,
        &expect![[r#"
        3-5 method Targets.one: private fun Targets.one()
        7-9 method Reporter.two: private fun Reporter.two(context: String)
        11-16 function three: private fun three() = throwing(
        Targets.one: Call Member(Name("a"), "jvm")
        Reporter.two: Type Name("String")
        Reporter.two: Call Name("report")
        Reporter.two: Call Name("details")
        unparsed 11-16
    "#]],
    );
}

#[test]
fn a_text_of_one_line_does_not_take_the_lines_below_it() {
    let head = "actual open class Bytes\ninternal actual constructor(\n  internal actual val data: ByteArray,\n) : Comparable<Bytes> {\n  internal actual var hash: Int = 0 // unknown\n    set(value) {\n      // nothing\n    }\n\n";
    // After so many lines that it cannot follow, the parser takes the first quote for the beginning of a text and the next one
    // for its end.
    let many: String = (0..20).map(|n| format!("  actual fun f{n}(key: Bytes) = digest(Md5(key))\n\n")).collect();
    let tail = "  internal actual open fun at(pos: Int): Byte {\n    if (pos < 0) throw Bounds(\"size=$size pos=$pos\")\n    return data[pos]\n  }\n\n  actual operator fun get(index: Int): Byte = at(index)\n\n  actual val size\n    get() = count()\n\n  actual fun count() = data.size\n\n  @CName(\"of\")\n  fun other() = 1\n}\n";
    let extracted = extract("a.kt", format!("{head}{many}{tail}").as_bytes(), &ExtractLimits::default());
    let qualified_names: Vec<&str> = extracted.symbols.iter().map(|symbol| symbol.id.qualified_name()).collect();
    for name in ["Bytes", "Bytes.f0", "Bytes.f19", "Bytes.at", "Bytes.get", "Bytes.count", "Bytes.other"] {
        assert!(qualified_names.contains(&name), "{name} is not among {qualified_names:?}");
    }
    assert_eq!(qualified_names.len(), 25, "{qualified_names:?}");
}

#[test]
fn a_function_of_a_script_survives_an_error_before_it() {
    let code = "first() {\n  case \"$1\" in\n    (a|b) ;;\n  if then\n}\n\nsecond() {\n  echo done\n  first now\n}\n";
    check(
        "a.sh",
        code,
        &expect![[r#"
        1-5 function first: first()
        7-10 function second: second()
        first: Call Name("first")
        second: Call Name("first")
    "#]],
    );
}

#[test]
fn a_class_with_an_unknown_macro_is_a_class() {
    let code = "namespace a {\nclass LIB_API(1) Fatal final : public Base {\n public:\n  Fatal() NORETURN_COLD;\n  ~Fatal() LIB_COLD LIB_NORETURN;\n};\n\nint after(int x) {\n  return helper(x);\n}\n}\n";
    check(
        "a.cc",
        code,
        &expect![[r#"
        1-11 module a: namespace a
        2-6 class a.Fatal: class LIB_API(1) Fatal final : public Base
        4-4 method a.Fatal.Fatal: Fatal()
        5-5 method a.Fatal.~Fatal: ~Fatal()
        8-10 function a.after: int after(int x)
        a.Fatal: Extends Name("Base")
        a.Fatal: Type Name("LIB_COLD")
        a.after: Call Name("helper")
    "#]],
    );
}

#[test]
fn what_makes_no_sense_is_told_by_its_lines() {
    let code = format!("fn one() {{}}\n{}fn two() {{}}\n", "} ) => ] ? :: ; = 7 fn\n".repeat(8));
    let extracted = extract("a.rs", code.as_bytes(), &ExtractLimits::default());
    assert_eq!(extracted.unparsed, [LineRange { start: 2, end: 9 }]);
    let map = syntax::render_map("a.rs", code.as_bytes(), &extracted);
    assert!(map.contains("\nlines 2-9 could not be parsed: names defined there may be missing\n"), "{map}");
    let slip = extract("a.rs", b"fn one() {}\n} )\nfn two() {}\n", &ExtractLimits::default());
    assert!(slip.unparsed.is_empty(), "a slip is not worth telling");
    let code = format!("fn one() {{}}\n}} ) => ] ?{}:: ; = 7 ]\nfn two() {{}}\n", "\n".repeat(12));
    let blank = extract("a.rs", code.as_bytes(), &ExtractLimits::default());
    assert!(blank.unparsed.is_empty(), "blank rows between two slips are nothing that could have been parsed");
}
