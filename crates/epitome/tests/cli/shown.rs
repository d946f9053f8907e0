//! What people see: signatures and lines that match, colours, links, formats.

use crate::house::House;
use expect_test::expect;
use serde_json::Value;

const FILES: &[(&str, &str)] = &[
    (
        "src/spool.py",
        "import os\n\n\nclass Spool:\n    \"\"\"Keeps records.\"\"\"\n\n    def append(self, record: bytes,\n               \
         synced: bool = True) -> int:\n        written = self.file.write(record)\n        # A hook answers only after \
         the disk has it.\n        os.fsync(self.file)\n        return written\n",
    ),
    ("docs/hooks.md", "# Hooks\n\nWhat a hook tells is kept in a spool.\n"),
];

const SEARCH_ARGUMENTS: [&str; 4] = ["search", "append records before the hook answers", "--limit", "2"];

fn printed(environment: &[(&str, &str)], more: &[&str]) -> String {
    House::new(FILES).run_with(environment, &[&SEARCH_ARGUMENTS, more].concat(), "").stdout
}

/// The text without what terminals obey.
fn stripped(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        let ends = if after.starts_with(']') { "\u{1b}\\" } else { "m" };
        rest = after.split_once(ends).expect("a sequence ends").1;
    }
    plain + rest
}

#[test]
fn a_result_shows_its_signature_and_the_line_that_matches() {
    expect![[r#"
        src/spool.py:1-12  class Spool
             4  class Spool
            10  # A hook answers only after the disk has it.
                matches: append, records, hook, answers

        docs/hooks.md:1-3  section Hooks
             1  # Hooks
                matches: hook
    "#]]
    .assert_eq(&printed(&[], &[]));
}

#[test]
fn colours_and_links_change_nothing_of_the_text() {
    let plain = printed(&[], &[]);
    assert!(!plain.contains('\u{1b}'), "a pipe gets text: {plain}");
    let coloured = printed(&[], &["--color", "always"]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[33mhook\u{1b}[0m"), "{coloured:?}");
    assert!(!coloured.contains("\u{1b}]8"), "no terminal, no links: {coloured:?}");
    let linked = printed(&[("FORCE_HYPERLINK", "1"), ("TERM_PROGRAM", "vscode"), ("NO_COLOR", "1")], &[]);
    assert!(linked.contains("\u{1b}]8;;vscode://filePROJECT/src/spool.py:4\u{1b}\\"), "{linked:?}");
    assert!(!linked.contains("\u{1b}["), "NO_COLOR: {linked:?}");
    for text in [coloured, linked] {
        assert_eq!(stripped(&text), plain);
    }
    let never = printed(&[("FORCE_HYPERLINK", "1")], &["--color", "never"]);
    assert_eq!(never, plain);
    let own = "terminal.links=idea://open?file={path}&line={line}";
    let own = printed(&[("FORCE_HYPERLINK", "1")], &["--set", own]);
    assert!(own.contains("\u{1b}]8;;idea://open?file=PROJECT/src/spool.py&line=4\u{1b}\\"), "{own:?}");
}

#[test]
fn the_same_results_in_every_format() {
    expect![[r#"
        1. [`src/spool.py:1-12`](<src/spool.py#L1-L12>) class `Spool`
           - line 4: `class Spool`
           - line 10: `# A hook answers only after the disk has it.`
           - matches: append, records, hook, answers
        2. [`docs/hooks.md:1-3`](<docs/hooks.md#L1-L3>) section `Hooks`
           - line 1: `# Hooks`
           - matches: hook
    "#]]
    .assert_eq(&printed(&[], &["--format", "markdown"]));
    assert_eq!(printed(&[], &["--format", "json"]), printed(&[], &["--json"]));
    let json: Value = serde_json::from_str(&printed(&[], &["--json"])).expect("one JSON object");
    assert_eq!(json["results"][0]["signature"]["line"], 4, "{json}");
    let context = |format: &str| {
        House::new(FILES).run(&["context", "how does append keep records", "--format", format], "").stdout
    };
    assert_eq!(context("plain"), context("text"));
    assert!(context("text").starts_with("=== src/spool.py:"), "{}", context("text"));
    assert!(context("markdown").starts_with("## src/spool.py:"), "{}", context("markdown"));
    assert!(context("json").starts_with("{\"items\""), "{}", context("json"));
}

#[test]
fn how_many_places_were_left_out_is_told() {
    let files: Vec<(String, String)> = (0..60)
        .map(|number| {
            let name = format!("src/heron{number}.py");
            let lines = format!("    \"\"\"Feeds the heron of pond {number} at dawn.\"\"\"\n").repeat(6);
            (name, format!("def feed_heron_{number}(pond):\n{lines}    return pond\n"))
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let house = House::new(&files);
    let question = ["context", "how is the heron of a pond fed at dawn"];
    let asked = [&question[..], &["--budget", "300"]].concat();
    let json: Value = serde_json::from_str(&house.run(&[&asked[..], &["--json"]].concat(), "").stdout).expect("JSON");
    let items = json["items"].as_array().expect("items").len() as u64;
    let named = json["omitted"].as_array().expect("omitted").len() as u64;
    assert_eq!((named, json["omitted_more"].as_u64()), (24, Some(60 - items - 24)), "{json}");
    let text = house.run(&asked, "").stdout;
    assert!(text.contains(&format!("left out for the budget: {}\n", 60 - items)), "{text}");
    // A larger answer names those that come next, and counts the others.
    let asked = [&question[..], &["--budget", "2000"]].concat();
    let text = house.run(&asked, "").stdout;
    let left_out = text.lines().find(|line| line.starts_with("left out for the budget: ")).expect("a line");
    let items = text.lines().filter(|line| line.starts_with("## ")).count();
    let named = left_out.matches("src/heron").count();
    assert_eq!(named, 2, "{left_out}");
    assert!(left_out.ends_with(&format!(" and {} more", 60 - items - named)), "{left_out}");
}
