//! Views: what they show, and that what they leave out comes back byte for byte.

mod shown;

use crate::folders::{list, samples};
use expect_test::{Expect, expect};
use model::{LineRange, Symbol, SymbolKind, count_tokens};
use proptest::prelude::*;
use proptest::sample::Index;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use syntax::{
    ExtractLimits, FileView, FileViews, HiddenRange, ViewMode, ViewPiece, language_of, render_window, restore_view,
    split_view,
};

const REDUCED_VIEW_MODES: [ViewMode; 2] = [ViewMode::Lightweight, ViewMode::Aggressive];

fn views<'a>(path: &'a str, bytes: &'a [u8]) -> FileViews<'a> {
    FileViews::new(path, bytes, ExtractLimits::default(), &|| false)
}

fn whole(views: &FileViews) -> LineRange {
    LineRange { start: 1, end: views.line_count().max(1) }
}

fn expanded(views: &FileViews, view: &FileView) -> Vec<u8> {
    if view.mode == ViewMode::Raw {
        return view.text.clone();
    }
    let read = |hidden| match hidden {
        HiddenRange::Lines(lines) => Ok::<_, Infallible>(views.line_bytes(lines).to_vec()),
        HiddenRange::Bytes { .. } => panic!("a view leaves out lines"),
    };
    restore_view(&view.text, read).expect("reading cannot fail")
}

/// What holds for any bytes in any view that shows lines.
pub(crate) fn check_lossless(path: &str, bytes: &[u8], shown: Option<LineRange>) {
    let views = views(path, bytes);
    let shown = shown.unwrap_or(whole(&views));
    for mode in REDUCED_VIEW_MODES {
        let view = views.render_view(mode, shown);
        assert_eq!(expanded(&views, &view), views.line_bytes(shown), "{path} {mode:?}");
        assert_eq!(
            view,
            self::views(path, bytes).render_view(mode, shown),
            "{path}: the same bytes give the same view"
        );
        let mut markers = Vec::new();
        if view.mode != ViewMode::Raw {
            markers.extend(split_view(&view.text).into_iter().filter_map(|piece| match piece {
                ViewPiece::Cut(HiddenRange::Lines(lines)) => Some(lines),
                ViewPiece::Cut(HiddenRange::Bytes { .. }) | ViewPiece::Kept(_) => None,
            }));
        }
        assert_eq!(markers, view.cuts, "{path} {mode:?}");
        let cost = |bytes: &[u8]| count_tokens(&String::from_utf8_lossy(bytes)).0;
        let least = if mode == ViewMode::Lightweight { 8 } else { 4 };
        for cut in &view.cuts {
            assert!(cost(views.line_bytes(*cut)) > least, "{path} {mode:?} {cut:?} is not worth its marker");
        }
        // The note about whitespace takes some, whatever was worth cutting.
        let (text, note) = without_note(&view, mode);
        // Where lines end otherwise, the vocabulary may cut a few tokens more.
        let slack = if note.is_empty() { 0 } else { 16 };
        assert!(cost(text) <= cost(views.line_bytes(shown)) + slack, "{path} {mode:?} costs more than it hides");
        let taken = views.line_bytes(shown).len().saturating_sub(text.len());
        assert!(note.len() <= 72 + 2 * taken, "{path}: a note that is longer than what it takes out");
    }
}

/// A view's text, and the note about whitespace at its end.
fn without_note(view: &FileView, mode: ViewMode) -> (&[u8], &[u8]) {
    let end = view.text.strip_suffix(b"\n").unwrap_or(&view.text);
    let last = end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let is_note = mode == ViewMode::Lightweight && view.mode == mode && end.ends_with(b" (whitespace)");
    view.text.split_at(if is_note { last } else { view.text.len() })
}

#[test]
fn a_lightweight_view_has_no_runs_of_blank_lines_and_no_blanks_at_the_ends_of_lines() {
    let text = "import os\n\n\n\nA = 1   \n\n\ndef f():\t\n    a = 1\n\n\n    b = '''x\n\n\ny'''\n    \n    return a\n\n\n\
                def g():\n    pass";
    check(
        "a.py",
        text,
        ViewMode::Lightweight,
        &expect![[r#"
        import os

        A = 1

        def f():
            a = 1

            b = '''x


        y'''

            return a

        def g():
            pass
        …~2,1 2=3 10=2 $ 5+3 8+1t 16+4 (whitespace)
    "#]],
    );
    for (path, text) in [("a.py", text), ("a.rs", "fn f() {}\r\n\r\n\r\nfn g() {}  \r\n\r\n")] {
        let views = views(path, text.as_bytes());
        let view = views.render_view(ViewMode::Lightweight, whole(&views));
        let (shown, note) = without_note(&view, ViewMode::Lightweight);
        assert!(!note.is_empty() && shown.len() < text.len(), "{path}");
        assert_eq!(expanded(&views, &view), text.as_bytes());
        // Some of it, too.
        check_lossless(path, text.as_bytes(), Some(LineRange { start: 2, end: 4 }));
    }
}

#[test]
fn only_the_first_imports_are_shown_and_comments_and_the_licence_go() {
    let imports: String = (0..40).map(|n| format!("import module_{n}\n")).collect();
    let licence = "# Copyright 2026 somebody.\n# Licensed under the terms of the licence that lies beside this file.\n";
    let comment = "# A comment that goes on about the constant below it for a whole line.\n";
    let text = format!(
        "#!/usr/bin/env python\n{licence}\nimport first\nfrom second import (\n    a,\n    b,\n)\n{imports}\n{comment}LIMIT = 1\n"
    );
    check(
        "a.py",
        &text,
        ViewMode::Aggressive,
        &expect![[r#"
        #!/usr/bin/env python
        …:2-4 (licence) (left out: read a.py:2-4)
        import first
        from second import (
            a,
            b,
        )
        import module_0
        import module_1
        import module_2
        …:13-51 (37 imports)
        LIMIT = 1
    "#]],
    );
    let block: String = (0..9).map(|n| format!("\t\"path/of/package{n}\"\n")).collect();
    check(
        "a.go",
        &format!("package a\n\nimport (\n{block})\n\nvar x = 1\n"),
        ViewMode::Aggressive,
        &expect![[r#"
        package a

        import (
        	"path/of/package0"
        	"path/of/package1"
        	"path/of/package2"
        	"path/of/package3"
        	"path/of/package4"
        …:9-12 (4 imports) (left out: read a.go:9-12)
        )

        var x = 1
    "#]],
    );
    // What is passed on is what such a file is for.
    let exports: String = (0..9).map(|n| format!("export {{ name{n} }} from './file{n}';\n")).collect();
    check(
        "a.ts",
        &exports,
        ViewMode::Aggressive,
        &expect![[r#"
        export { name0 } from './file0';
        export { name1 } from './file1';
        export { name2 } from './file2';
        export { name3 } from './file3';
        export { name4 } from './file4';
        export { name5 } from './file5';
        export { name6 } from './file6';
        export { name7 } from './file7';
        export { name8 } from './file8';
    "#]],
    );
}

#[test]
fn every_sample_comes_back() {
    for sample in samples("fixture").into_iter().chain(samples("sample")) {
        check_lossless(&sample.path, sample.text.as_bytes(), None);
        check_lossless(&sample.path, sample.text.replace('\n', "\r\n").as_bytes(), None);
        check_lossless(&sample.path, sample.text.trim_end().as_bytes(), None);
        check_lossless(&sample.path, format!("\u{feff}{}\0", sample.text.replace("    ", "\t")).as_bytes(), None);
    }
}

fn damaged() -> impl Strategy<Value = (String, Vec<u8>)> {
    let samples = samples("fixture").into_iter().chain(samples("sample"));
    let all: Vec<(String, String)> = samples.map(|sample| (sample.path, sample.text)).collect();
    let piece = proptest::sample::select(vec![
        "",
        "{",
        "}",
        "(",
        "\n",
        "\"",
        "'",
        "`",
        "/*",
        "*/",
        "\"\"\"\n",
        "…:3-9\n",
        "\n……:1 x\n",
        "\r\n",
        "// a\n",
        "#\n",
    ]);
    let edits = prop::collection::vec((any::<Index>(), any::<Index>(), piece), 0..8);
    (proptest::sample::select(all), edits).prop_map(|((path, text), edits)| {
        let mut bytes = text.into_bytes();
        for (start, length, piece) in edits {
            let start = start.index(bytes.len() + 1);
            let end = (start + length.index(60)).min(bytes.len());
            bytes.splice(start..end, piece.bytes());
        }
        (path, bytes)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_damaged_file_comes_back((path, bytes) in damaged(), from in any::<Index>(), to in any::<Index>()) {
        check_lossless(&path, &bytes, None);
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').count().max(1);
        let start = from.index(lines) as u32 + 1;
        let end = start + to.index(lines) as u32;
        check_lossless(&path, &bytes, Some(LineRange { start, end: end.min(lines as u32) }));
    }

    #[test]
    fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..2_000), name in "(py|rs|go|ts|txt)") {
        check_lossless(&format!("a.{name}"), &bytes, None);
        let text: Vec<u8> = bytes.iter().map(|byte| b"\n\n #/*'\"`ab(){}"[usize::from(byte % 15)]).collect();
        check_lossless(&format!("a.{name}"), &text, None);
    }

    /// A view says what it shows: another word in a line that is shown gives another view.
    #[test]
    fn another_word_in_a_shown_line_gives_another_view((path, bytes) in damaged(), at in any::<Index>()) {
        let before = views(&path, &bytes);
        for mode in REDUCED_VIEW_MODES {
            let view = before.render_view(mode, whole(&before));
            let is_shown = |at: &usize| {
                let line = bytes[..*at].split(|byte| *byte == b'\n').count() as u32;
                bytes[*at].is_ascii_alphanumeric() && !view.cuts.iter().any(|cut| cut.contains(line))
            };
            let candidates: Vec<usize> = (0..bytes.len()).filter(is_shown).collect();
            prop_assume!(!candidates.is_empty());
            let mut changed = bytes.clone();
            let at = candidates[at.index(candidates.len())];
            changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
            let after = views(&path, &changed);
            prop_assert_ne!(view.text, after.render_view(mode, whole(&after)).text);
        }
    }
}

pub(super) fn check(path: &str, text: &str, mode: ViewMode, expected: &Expect) {
    let views = views(path, text.as_bytes());
    let view = views.render_view(mode, whole(&views));
    expected.assert_eq(&String::from_utf8(view.text.clone()).expect("text"));
    assert_eq!(expanded(&views, &view), text.as_bytes());
}

#[test]
fn no_cut_goes_through_a_text_of_the_program() {
    let long = "words that go on for a while so that they are worth hiding, and then some more\n".repeat(6);
    let rows = [
        ("a.py", format!("def f(a, b=\"\"\"\n{long}\"\"\"):\n    g()\n    return h(a,\n        b)\n")),
        ("a.ts", format!("export const f = () => `\n{long}`\n")),
        ("a.go", format!("package a\n\nfunc f() string {{ return `\n{long}` }}\n\nvar x = `\n{long}`\n")),
        ("a.rs", format!("fn f() -> &'static str {{ r#\"\n// {long}\"# }}\n\nconst A: &str = \"\n{long}\";\n")),
    ];
    for (path, text) in rows {
        for mode in REDUCED_VIEW_MODES {
            check_text_kept(path, &text, mode);
        }
    }
}

fn check_text_kept(path: &str, text: &str, mode: ViewMode) {
    let views = views(path, text.as_bytes());
    let view = views.render_view(mode, whole(&views));
    let is_cut = |line: u32| view.cuts.iter().any(|cut| cut.contains(line));
    let inside: Vec<bool> =
        (1..).zip(text.lines()).filter(|(_, line)| line.contains("words that")).map(|(n, _)| is_cut(n)).collect();
    assert!(!inside.contains(&true), "{path} {mode:?}: {:?}", view.cuts);
}

#[test]
fn lines_that_look_like_markers_are_not_taken_for_them() {
    let body = "    one_call_with_words(and_an_argument, and_another_argument);\n".repeat(8);
    let text = format!(
        "// Files like this one talk about markers.\n\nfn f() {{\n{body}}}\n\nconst A: &str = \"\n…:7-9 looks like one\n\";\n"
    );
    check(
        "a.rs",
        &text,
        ViewMode::Aggressive,
        &expect![[r#"
            // Files like this one talk about markers.

            fn f() {
            ……:4-13 #f (left out: read a.rs:4-13)
            const A: &str = "
            …:7-9 looks like one
            ";
        "#]],
    );
    // Nothing is worth cutting here, so that no longer marker can show which lines are none.
    let short = views("a.rs", b"/*\n\xe2\x80\xa6:7-9\n*/\nfn f() {}\n")
        .render_view(ViewMode::Aggressive, LineRange { start: 1, end: 4 });
    assert_eq!((short.mode, short.cuts.len()), (ViewMode::Raw, 0));
}

#[test]
fn a_file_without_a_tree_is_shown_as_it_is() {
    // More than is parsed of any file.
    let long = "// words\n".repeat(2_000_000);
    for (path, bytes) in [("a.unknown", &b"# a\n# b\n"[..]), ("a.rs", long.as_bytes()), ("a.py", b"a = 1\n\0")] {
        let views = views(path, bytes);
        let view = views.render_view(ViewMode::Aggressive, whole(&views));
        assert_eq!((view.mode, view.text.as_slice()), (ViewMode::Raw, bytes), "{path}");
    }
}

#[test]
fn a_window_says_which_bytes_are_left_out() {
    for shown in [&b"abc"[..], b"abc\n", b"\xe2\x80\xa6@3-9\n", b"", b"\n"] {
        let rest = shown.len() as u64..shown.len() as u64 + 4;
        let text = render_window("a.log", shown, rest.clone(), "7 bytes in all");
        let read = |hidden| match hidden {
            HiddenRange::Bytes { start, end } if (start..end) == rest => Ok::<_, Infallible>(b"tail".to_vec()),
            HiddenRange::Bytes { .. } | HiddenRange::Lines(_) => panic!("{hidden:?}"),
        };
        assert_eq!(restore_view(&text, read), Ok([shown, b"tail"].concat()), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn nesting_without_end_is_shown_in_the_end() {
    const DEPTH: usize = 20_000;
    let pairs = [
        ("(\n", ")"),
        ("[\n1,\n2,\n3,\n4,\n", "]"),
        ("{\n", "}"),
        ("f(\n", ")"),
        ("a +\n", "a"),
        ("function f() {\n", "}\n"),
    ];
    for path in ["a.ts", "a.py", "a.rs", "a.go"] {
        for (open, close) in pairs {
            let text = format!("{}{}\nfunction g() {{}}\n", open.repeat(DEPTH), close.repeat(DEPTH));
            let views = views(path, text.as_bytes());
            let view = views.render_view(ViewMode::Aggressive, whole(&views));
            assert_eq!(expanded(&views, &view), text.as_bytes(), "{path} {open:?}");
        }
    }
}

/// Each marker that names a symbol stands for lines of it, but for comments and blanks below; and no marker lacks the
/// name of the function that it is the body of.
fn check_names(path: &str, bytes: &[u8]) -> usize {
    let views = views(path, bytes);
    let view = views.render_view(ViewMode::Aggressive, whole(&views));
    if view.mode == ViewMode::Raw {
        return 0;
    }
    let text = String::from_utf8_lossy(&view.text);
    let markers = text.lines().filter(|line| line.starts_with('…'));
    let symbols = &views.file_extract().symbols;
    let is_function =
        |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
    let mut named = 0;
    for cut in &view.cuts {
        let range = if cut.start == cut.end { cut.start.to_string() } else { format!("{}-{}", cut.start, cut.end) };
        let is_its = |line: &&str| line.trim_start_matches('…').split(' ').next() == Some(&format!(":{range}"));
        let marker = markers.clone().find(is_its).unwrap_or_else(|| panic!("{path}: no marker of {range}"));
        let said = marker.split_once(" #").map(|(_, said)| said);
        let whose = symbols.iter().filter(|symbol| {
            let qualified_name = symbol.id.qualified_name();
            said.is_some_and(|said| {
                said.strip_prefix(qualified_name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        });
        // Of names that begin alike the longest is meant.
        let whose = whose.max_by_key(|symbol| symbol.id.qualified_name().len());
        if let Some(symbol) = whose {
            let is_of_it = symbol.lines.start < cut.start && cut.start <= symbol.lines.end;
            assert!(is_of_it, "{path}: {marker} is not of {:?}", symbol.lines);
            // What goes with it defines nothing.
            let is_hidden = |other: &&Symbol| symbol.lines.end < other.lines.start && other.lines.start <= cut.end;
            let other = symbols.iter().find(is_hidden);
            assert!(other.is_none(), "{path}: {marker} hides {:?} as well", other.map(|other| other.id.to_string()));
            named += 1;
        } else {
            assert!(said.is_none(), "{path}: {marker} names nothing");
            let is_around =
                |symbol: &&Symbol| symbol.lines.start < cut.start && cut.end <= symbol.lines.end && is_function(symbol);
            let around = symbols.iter().find(is_around);
            assert!(
                around.is_none(),
                "{path}: {marker} does not name {:?}",
                around.map(|around| around.id.to_string())
            );
        }
    }
    named
}

#[test]
fn every_body_that_is_left_out_is_named_by_an_id_that_leads_to_it() {
    let named = samples("sample").iter().map(|sample| check_names(&sample.path, sample.text.as_bytes())).sum::<usize>();
    assert!(named > 100, "{named} bodies");
    let long = "    some_call(with_an_argument, and_another_argument, and_one_more)\n";
    let comment = "# What comes next is explained here, in so many words that they are worth leaving out.\n";
    check(
        "a.py",
        &format!(
            "def f():\n{long}{long}\n{comment}{comment}def g():\n{long}\n\nclass C:\n    def h(self):\n        x = 1\n        y = 2\n"
        ),
        ViewMode::Aggressive,
        &expect![[r#"
            def f():
            …:2-6 #f (left out: read a.py:2-6)
            def g():
            …:8-10 #g
            class C:
                def h(self):
                    x = 1
                    y = 2
        "#]],
    );
}

#[test]
fn every_file_of_this_repository_comes_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["crates", "docs", "xtask"].iter().map(|folder| root.join(folder)).collect();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for path in list(&folder) {
            let kind = fs_err::symlink_metadata(&path).expect("it was listed").file_type();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && language_of(&path.to_string_lossy(), &[]).is_some() {
                let bytes = fs_err::read(&path).expect("a file");
                check_lossless(&path.to_string_lossy(), &bytes, None);
                check_names(&path.to_string_lossy(), &bytes);
                files += 1;
            }
        }
    }
    assert!(files > 500, "{files} files");
}
