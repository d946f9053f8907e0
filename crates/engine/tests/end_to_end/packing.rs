//! What a packed answer holds: whole regions of the right file, and not what only stands around them.

use super::house::{House, house};
use engine::{AnswerQuery, PackedAnswer};
use model::{TokenCount, count_tokens};

async fn pack(house: &House, query: &str, budget: u32) -> PackedAnswer {
    let request =
        AnswerQuery { query: query.to_owned(), budget: TokenCount(budget), anyway: true, ..AnswerQuery::default() };
    house.engine.build_answer(&house.project, request).await.expect("an answer")
}

/// A file with a licence, imports, two functions that belong together and one that does not, and its own tests.
const SPOOL: &str = r#"// Copyright 2026 the spool authors. Records of hooks are appended under the terms of the licence.

use crate::hooks::{Record, append_hook_record, read_hook_records};
use std::fs::File;

/// Appends a record of a hook to the spool.
pub fn append_record(file: &mut File, record: &Record) -> Result<(), Error> {
    let line = record.to_line();
    file.write_all(line.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_data()
}

/// Reads the records of hooks that the spool holds.
pub fn read_records(file: &mut File) -> Result<Vec<Record>, Error> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let records = text.lines().map(Record::parse);
    records.collect()
}

pub fn colour_of(name: &str) -> u32 {
    let mut colour = 0;
    for byte in name.bytes() {
        colour = colour * 31 + u32::from(byte);
    }
    colour
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_records_of_hooks_are_read_from_the_spool() {
        let mut file = File::open("spool").unwrap();
        append_record(&mut file, &Record::of_hook()).unwrap();
        assert_eq!(read_records(&mut file).unwrap(), [Record::of_hook()]);
    }
}
"#;

const FILES: &[(&str, &str)] = &[
    ("src/spool.rs", SPOOL),
    ("src/record.rs", "/// A record of a hook in the spool.\npub struct HookRecord;\n"),
    (
        "src/names.rs",
        "/// Did somebody ask about this file? Then which file was it, and how is it about that?\npub fn name_of(file: &str) -> \
         bool {\n    let did = file.len();\n    let which = did + 1;\n    which > 0\n}\n",
    ),
    (
        "tests/spool.rs",
        "#[test]\nfn records_of_hooks_are_appended_to_the_spool() {\n    let mut file = open_spool();\n    append_record(&mut file, \
         &record());\n    assert!(read_records(&mut file).is_ok());\n}\n",
    ),
];

#[tokio::test]
async fn an_answer_holds_several_whole_functions_of_the_right_file() {
    let answer = pack(&house(FILES), "how are records of hooks appended to the spool and read again", 500).await;
    let first = &answer.items[0];
    assert_eq!(first.place.as_ref().expect("a place").path, "src/spool.rs", "{}", answer.text);
    for function in ["pub fn append_record", "pub fn read_records"] {
        let start = SPOOL.find(function).expect("it is there");
        let whole = &SPOOL[start..start + SPOOL[start..].find("\n}\n").expect("its end") + 3];
        assert!(answer.text.contains(whole), "{function} is not whole in {}", answer.text);
    }
    // With the comment that says what it does, under one heading.
    assert!(answer.text.contains("/// Appends a record of a hook to the spool.\n"), "{}", answer.text);
    assert_eq!(answer.text.matches("src/spool.rs").count(), 1, "{}", answer.text);
}

#[tokio::test]
async fn neither_licence_nor_imports_nor_tests_stand_for_a_file() {
    let house = house(FILES);
    let tests = ["cfg(test)", "#[test]"];
    let head = ["Copyright", "use crate::hooks"];
    // Where there is room for one region it is the one that does it; where there is more, the next one that does it.
    for (budget, unwanted) in [(130, [tests, head].concat()), (260, tests.to_vec())] {
        let answer = pack(&house, "where are records of hooks appended to the spool", budget).await;
        let items = || answer.items.iter().map(|item| item.text.as_str());
        assert!(items().next().expect("one").contains("pub fn append_record"), "{budget}: {}", answer.text);
        for unwanted in unwanted {
            assert!(!items().any(|text| text.contains(unwanted)), "{budget}: {unwanted} in {}", answer.text);
        }
    }
    let asked = pack(&house, "which tests cover appending records of hooks to the spool", 2_000).await;
    assert!(asked.text.contains("#[test]"), "{}", asked.text);
}

#[tokio::test]
async fn a_bare_declaration_and_common_words_win_over_nothing_that_does_it() {
    let house = house(FILES);
    for query in ["append a record of a hook to the spool", "did the file about the spool of hooks append a record"] {
        let answer = pack(&house, query, 500).await;
        assert!(answer.items[0].text.contains("pub fn append_record"), "{query}: {}", answer.text);
    }
}

#[tokio::test]
async fn what_is_no_code_costs_a_tenth_of_an_answer_at_most() {
    let module = |at: usize| {
        let function = |n: usize| {
            format!(
                "/// Feeds the heron number {n} of pond {at}.\npub fn feed_heron_{n}(pond: &mut Pond) -> Result<(), Error> {{\n    \
                 let heron = pond.heron({n})?;\n    let hungry = heron.weight() < pond.usual_weight({n});\n    if !hungry {{\n        return pond.note(heron);\n    }}\n    let fish = pond.take_fish({at})?;\n    heron.feed(fish);\n    pond.note(heron)\n}}\n\n"
            )
        };
        (format!("src/pond_{at}.rs"), (0..4).map(function).collect::<String>())
    };
    let files: Vec<(String, String)> = (0..12).map(module).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let house = house(&files);
    for budget in [500, 1_000, 2_000, 4_000] {
        let answer = pack(&house, "feed the heron of a pond with a fish", budget).await;
        let code: TokenCount = answer.items.iter().map(|item| count_tokens(&item.text)).sum();
        let around = answer.tokens.saturating_sub(code);
        // A heading weighs more in a small answer.
        let most = if budget == 500 { 12 } else { 10 };
        assert!(
            around.0 * 100 <= answer.tokens.0 * most,
            "{budget}: {around} of {} in\n{}",
            answer.tokens,
            answer.text
        );
        for item in &answer.items {
            assert!(item.text.lines().count() > 3, "{budget}: a crumb in {}", answer.text);
        }
    }
}
