//! Where files are cut.

use expect_test::{Expect, expect};
use syntax::{ExtractLimits, extract};

#[test]
fn small_neighbours_are_put_together_and_a_large_one_stands_alone() {
    let text = [function("a", 10), function("b", 10), function("c", 10), function("d", 30), function("e", 5)].concat();
    check("f.py", &text, &expect!["1-11 12-22 23-33 34-64 65-70"]);
}

#[test]
fn a_declaration_stays_with_what_stands_above_it() {
    let above = "/// What it does.\n///\n/// At length.\n#[inline]\n#[must_use]\n";
    let long =
        format!("use a;\n\n{}{above}fn whole() {{\n{}}}\n", "fn one() {}\n".repeat(20), "    go();\n".repeat(50));
    check("f.rs", &long, &expect!["1-2 3-18 19-22 23-79"]);
}

#[test]
fn a_long_class_is_cut_between_its_methods() {
    let method = |name: &str| format!("  {name}() {{\n{}  }}\n\n", "    go();\n".repeat(18));
    let methods: String = ["a", "b", "c", "d", "e"].iter().map(|name| method(name)).collect();
    check("f.js", &format!("class A {{\n{methods}}}\n"), &expect!["1-1 2-22 23-43 44-64 65-85 86-107"]);
}

#[test]
fn a_long_function_is_cut_at_blank_lines_between_statements() {
    let block = "\tif ready {\n\t\trun()\n\t}\n\n".repeat(4) + "\trun()\n\trun()\n\n";
    check(
        "f.go",
        &format!("package f\n\nfunc f() {{\n{}}}\n", block.repeat(12)),
        &expect!["1-2 3-49 50-98 99-148 149-197 198-232"],
    );
}

#[test]
fn text_is_cut_at_blank_lines() {
    let paragraph = "word\n".repeat(17) + "\n";
    check("notes.txt", &paragraph.repeat(8), &expect!["1-36 37-72 73-108 109-144"]);
    check("notes.txt", &"word\n".repeat(130), &expect!["1-50 51-100 101-130"]);
}

#[test]
fn a_long_literal_is_cut_like_text() {
    check("f.py", &format!("TEXT = '''\n{}'''\n", "word\n".repeat(150)), &expect!["1-50 51-100 101-152"]);
}

fn function(name: &str, lines: usize) -> String {
    format!("def {name}():\n{}\n", "    go()\n".repeat(lines - 1))
}

fn check(path: &str, text: &str, expected: &Expect) {
    let extracted = extract(path, text.as_bytes(), &ExtractLimits::default());
    assert!(extracted.problems.is_empty(), "{:?}", extracted.problems);
    let ranges: Vec<_> =
        extracted.units.iter().map(|unit| format!("{}-{}", unit.lines.start, unit.lines.end)).collect();
    expected.assert_eq(&ranges.join(" "));
}

#[test]
fn a_method_is_a_region_with_its_comments_and_decorators_and_so_is_the_head_of_its_class() {
    let body = "        one = 1\n        two = 2\n        return one + two\n";
    let text = format!(
        "import os\nimport sys\n\n\nclass Report:\n    \"\"\"Tells.\"\"\"\n\n    kind = 'x'\n    other = 'y'\n\n    \
         # Reads it.\n    @cached\n    def read(self):\n{body}\n    def write(self):\n{body}\n\n\
         def main():\n    one = 1\n    two = 2\n    return one + two\n"
    );
    check("f.py", &text, &expect!["1-4 5-10 11-17 18-23 24-27"]);
}

#[test]
fn a_small_class_stays_whole_and_getters_stand_together() {
    let fields = "  int a;\n".repeat(20);
    let getter = "  int a() {\n    return a;\n  }\n\n";
    let text = format!(
        "class Small {{\n  int a() {{\n    return 1;\n  }}\n}}\n\nclass Large {{\n{fields}{}}}\n",
        getter.repeat(4)
    );
    check("f.java", &text, &expect!["1-6 7-27 28-44"]);
}
