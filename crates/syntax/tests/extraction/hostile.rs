//! Files that were not written to be read: too deep, too large, too long, not text.

use crate::folders::samples;
use expect_test::{Expect, expect};
use std::time::{Duration, Instant};
use syntax::{FileFacts, Limits, ProblemKind, extract, extract_until, languages};

fn paths() -> impl Iterator<Item = String> {
    languages().map(|language| format!("file.{}", language.extensions().next().expect("each has an extension")))
}

/// Units are exactly the lines: what every other test may rely on.
pub(crate) fn assert_covered(facts: &FileFacts) {
    let mut next = 1;
    for unit in &facts.units {
        assert_eq!(unit.lines.start, next);
        assert!(unit.lines.end >= unit.lines.start);
        next = unit.lines.end + 1;
    }
    assert_eq!(next, facts.lines + 1);
}

#[test]
fn nesting_without_end_overflows_nothing() {
    const DEPTH: usize = 100_000;
    let pairs = [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("a+", "a")];
    let limits = Limits { max_bytes: usize::MAX, ..Limits::default() };
    for path in paths() {
        for (open, close) in pairs {
            for text in [format!("{}{}", open.repeat(DEPTH), close.repeat(DEPTH)), open.repeat(DEPTH)] {
                // Broken into lines, so that it is not taken for minified and left alone.
                let text = text.as_bytes().chunks(100).collect::<Vec<_>>().join(&b'\n');
                // Some grammars recover in steps that cost ever more, so the clock is asked, as everywhere outside of tests.
                let started = Instant::now();
                let is_late = || started.elapsed() > Duration::from_secs(1);
                assert_covered(&extract_until(&path, &text, &limits, &is_late));
            }
        }
    }
}

#[test]
fn symbols_beside_what_is_too_deep_are_found() {
    let deep = format!("x = {}1{}\n", "(\n".repeat(3_000), ")".repeat(3_000));
    let text = format!("def before(): pass\n{deep}def after(): pass\n");
    let facts = extract("deep.py", text.as_bytes(), &Limits::default());
    let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["before", "x", "after"]);
    assert_eq!(facts.problems[0].to_string(), "line 999: nested deeper than 1000 levels");
}

#[test]
fn a_parse_that_takes_too_long_is_given_up_and_the_next_one_is_not_harmed() {
    for sample in samples("fixture") {
        let stopped = extract(&sample.path, sample.text.as_bytes(), &Limits { parse_millis: 0, ..Limits::default() });
        assert_eq!(stopped.problems.iter().map(|p| p.kind).collect::<Vec<_>>(), [ProblemKind::TimedOut]);
        assert!(stopped.symbols.is_empty());
        assert_covered(&stopped);
        let told = extract_until(&sample.path, sample.text.as_bytes(), &Limits::default(), &|| true);
        assert_eq!(told, stopped);
        assert!(!extract(&sample.path, sample.text.as_bytes(), &Limits::default()).symbols.is_empty());
    }
}

#[test]
fn each_problem_says_why_and_where() {
    check("a.rs", b"fn a() {}\n\0", "", &expect!["lines 0, symbols 0, units 0: not text"]);
    check("a.txt", b"\x01\x02\x03\x04 ordinary", "", &expect!["lines 0, symbols 0, units 0: not text"]);
    check("a.rs", b"\xff\xfef\0n\0", "", &expect!["lines 0, symbols 0, units 0: text in UTF-16, which is not read"]);
    check(
        "a.rs",
        b"fn a() {}\n// \xff\xfe\nfn b() {}\n",
        "",
        &expect!["lines 3, symbols 2, units 1: line 2: not all of it is UTF-8"],
    );
    check("a.rs", b"fn a() { ( }\nfn b() {}\n", "", &expect!["lines 2, symbols 2, units 1: line 1: 1 syntax error"]);
    check("a.js", b"f();", &"a(1);".repeat(5_000), &expect!["lines 1, symbols 0, units 1: minified"]);
    check("a.txt", b"", &"word ".repeat(5_000), &expect!["lines 1, symbols 0, units 1"]);
    check(
        "a.rs",
        b"fn a() {}\n",
        &"// long\n".repeat(200_000),
        &expect!["lines 200001, symbols 0, units 4000: too large to parse: 1600010 bytes, the limit is 1000000"],
    );
    check(
        "a.js",
        b"",
        &"a(1);".repeat(300_000),
        &expect!["lines 1, symbols 0, units 0: too large to parse: 1500000 bytes, the limit is 1000000; minified"],
    );
    check(
        "a.py",
        b"",
        &"/*\n".repeat(50_000),
        &expect!["lines 50000, symbols 0, units 1000: punctuation without words"],
    );
    check("a.rs", b"", "", &expect!["lines 0, symbols 0, units 0"]);
    check("a.rs", b"\n", "", &expect!["lines 1, symbols 0, units 1"]);
}

fn check(path: &str, bytes: &[u8], more: &str, expected: &Expect) {
    let facts = extract(path, &[bytes, more.as_bytes()].concat(), &Limits::default());
    let FileFacts { lines, symbols, units, problems, .. } = &facts;
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let told = format!("lines {lines}, symbols {}, units {}: {}", symbols.len(), units.len(), problems.join("; "));
    expected.assert_eq(told.trim_end_matches([':', ' ']));
    if !units.is_empty() {
        assert_covered(&facts);
    }
}

#[test]
fn ids_stay_short_however_deep_symbols_nest() {
    let name = "f".repeat(150);
    let text: String = (0..300).map(|depth| format!("{}def {name}():\n", " ".repeat(depth))).collect();
    let facts = extract("a.py", format!("{text}{}pass\n", " ".repeat(300)).as_bytes(), &Limits::default());
    assert_eq!(facts.symbols.len(), 300);
    assert!(facts.symbols.iter().all(|symbol| symbol.id.as_str().len() < 1_300));
}

#[test]
fn symbols_inside_and_after_errors_are_found() {
    check_names(
        "a.js",
        "function a() { let x = ; }\nclass B { m() { return 1 +; } }\nfunction after() {}\n",
        "a B m after",
    );
    check_names(
        "a.ts",
        "interface A { x: ; y(): void }\nclass B<in out T> { m(): { } n() {} }\nfunction z() {}\n",
        "A y B m n z",
    );
    check_names(
        "a.py",
        "class A:\n  def ok(self):\n    x = 1 +\n    return x\n\n  def later(self):\n    pass\n\ndef after(): pass\n",
        "A ok later after",
    );
    check_names("a.rs", "impl A { fn ok(&self) { let = 3; } }\nfn broken( {\nfn after() {}\n", "ok after");
    check_names(
        "a.go",
        "package a\nfunc ok() { x := }\ntype T struct { a }\nfunc (t T) m() { if { } }\nfunc after() {}\n",
        "ok T m after",
    );
}

fn check_names(path: &str, text: &str, expected: &str) {
    let facts = extract(path, text.as_bytes(), &Limits::default());
    assert!(facts.problems.iter().any(|problem| matches!(problem.kind, ProblemKind::SyntaxErrors { .. })), "{path}");
    let names: Vec<_> = facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names.join(" "), expected, "{path}");
}
