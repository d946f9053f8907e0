//! Dispatches in the ledger: what is booked for each, what is taken back, and who is told less for it.

use crate::house::{House, house};
use engine::{
    CallDoor, CallFacts, CallNote, CallSource, InjectedText, InjectionLevel, ReplacedText, ShownFile, ValueFormula,
    ValueGrouping, ValueRequest, ViewMode,
};
use std::time::Duration;

fn note(house: &House, session: &str, operation: &str, shown: &str, facts: CallFacts) {
    let session = Some(session.to_owned()).filter(|session| !session.is_empty());
    let source = CallSource { door: CallDoor::Mcp, session, agent: None, tool: operation.to_owned() };
    let (operation, project) = (operation.to_owned(), Some(house.project.id.clone()));
    let (elapsed, shown) = (Duration::from_millis(3), shown.to_owned());
    house.engine.note_call(CallNote { source, operation, project, elapsed, shown, facts });
}

fn read(house: &House, session: &str, mode: ViewMode, bytes: u64) {
    let shown = "x".repeat(bytes as usize);
    let view = ShownFile { path: "src/lib.rs".to_owned(), mode, bytes_raw: 4_000, bytes_shown: bytes };
    let replaced = ReplacedText::Views { tokens: 1_000 };
    note(house, session, "read", &shown, CallFacts { replaced, views: vec![view], ..CallFacts::default() });
}

/// Calls and bytes avoided, by formula.
async fn by_formula(house: &House) -> Vec<(String, u64, i64, i64)> {
    let request = ValueRequest { by: ValueGrouping::Formula, ..ValueRequest::default() };
    let report = house.engine.ledger_report(request).await.expect("the ledger answers");
    let row = |total: engine::CallTotal| {
        (total.key, total.calls, total.measured.bytes_avoided, total.estimated.bytes_avoided)
    };
    report.calls.totals.into_iter().map(row).collect()
}

#[tokio::test]
async fn a_wider_reading_within_five_turns_takes_back_no_more_than_it_shows() {
    let house = house(&[]);
    read(&house, "s", ViewMode::Map, 400);
    read(&house, "s", ViewMode::Raw, 1_000);
    let view = ("view".to_owned(), 2, 3_600 + 3_000, 0);
    assert_eq!(by_formula(&house).await, [("reread".to_owned(), 1, -1_000, 0), view]);
}

#[tokio::test]
async fn a_wider_reading_later_or_in_another_session_takes_nothing_back() {
    let house = house(&[]);
    read(&house, "s", ViewMode::Map, 400);
    read(&house, "t", ViewMode::Raw, 4_000);
    for _ in 0..6 {
        note(&house, "s", "status", "fine", CallFacts::default());
    }
    read(&house, "s", ViewMode::Raw, 4_000);
    let found = by_formula(&house).await;
    assert_eq!(found, [("nothing".to_owned(), 6, 0, 0), ("view".to_owned(), 3, 3_600, 0)]);
}

#[tokio::test]
async fn files_are_counted_once_and_no_more_of_them_than_an_agent_reads() {
    let long = "y".repeat(100_000);
    let files: Vec<(String, &str)> = (0..7).map(|number| (format!("f{number}.txt"), long.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let house = house(&files);
    let paths = (0..7).flat_map(|number| [format!("f{number}.txt"), format!("f{number}.txt")]).collect();
    let replaced = ReplacedText::Files { formula: ValueFormula::FilesListed, root: house.project.root.clone(), paths };
    note(&house, "s", "search", "0123456789", CallFacts { replaced, ..CallFacts::default() });
    assert_eq!(by_formula(&house).await, [("files listed".to_owned(), 1, 0, 5 * 32_768 - 10)]);
}

#[tokio::test]
async fn a_session_that_only_costs_is_told_less_and_one_that_spares_is_not() {
    let house = house(&[]);
    let level = async |session: &str| {
        house.engine.injection_level(&house.project, session).await.expect("the ledger answers").0
    };
    let tell = |session: &str, words: usize, whole: Option<&str>| {
        let text = "word ".repeat(words);
        let (agent, event, elapsed) = ("an agent", "prompt", Duration::ZERO);
        let told = InjectedText { session: session.to_owned(), agent, event, text: &text, whole, elapsed };
        house.engine.note_told(&house.project, told);
    };
    for _ in 0..19 {
        tell("costs", 1_000, None);
    }
    assert_eq!(level("costs").await, InjectionLevel::Full, "too early to tell");
    tell("costs", 1_000, None);
    assert_eq!(level("costs").await, InjectionLevel::Off);
    let whole = "word ".repeat(3_000);
    for _ in 0..20 {
        tell("spares", 1_000, Some(&whole));
    }
    assert_eq!(level("spares").await, InjectionLevel::Full);
    for _ in 0..20 {
        tell("half", 500, None);
    }
    assert_eq!(level("half").await, InjectionLevel::Half);
}
