//! Assertions of the end-to-end tests on long tool outputs: what the model was shown, whether all of it is kept, and
//! what the ledger says was saved.

use anyhow::{Context as _, Result};

use super::{DayEvidence, HostCheck, build_check, check_where};
use crate::hosts::agents::HostAbility;
use crate::hosts::day::{LONG_ROWS, MIDDLE_ROWS, long_row, middle_row};
use crate::hosts::texts::words_of;

/// How what we say in the place of an output begins and ends.
const EXPAND_NOTE_PREFIX: &str = "epitome keeps all of it: expand ";
/// The size of a shortened output, with room to spare.
const MAX_BRIEF_BYTES: usize = 6_000;
/// More pages than any output here has.
const MOST_PAGES: usize = 100;

pub(super) fn check_outputs(evidence: &DayEvidence) -> Vec<HostCheck> {
    let host = evidence.host;
    let replaces = evidence.host.has_ability(HostAbility::ReplacesOutputs);
    let cannot = "a hook cannot replace the output of a tool";
    vec![
        check_where(replaces, cannot, "an output of 20 KB is shown in brief", || {
            Ok(in_full(evidence, "middle", &middle_row(MIDDLE_ROWS / 2)))
        }),
        check_where(replaces, cannot, "an output of 60 KB is shown in brief", || {
            Ok(in_full(evidence, "long", &long_row(LONG_ROWS / 2)))
        }),
        build_check("an output of 20 KB is kept whole", lost_rows(evidence, MIDDLE_ROWS, middle_row)),
        check_where(
            host.has_ability(HostAbility::HandsOnOutputs),
            "it cuts long outputs before it hands them on",
            "an output of 60 KB is kept whole",
            || lost_rows(evidence, LONG_ROWS, long_row),
        ),
        check_where(replaces, cannot, "the model can have all of it at once", || {
            let more = shown_output(evidence, "whole");
            Ok((!more.contains(&long_row(LONG_ROWS / 20))).then(|| format!("`expand` gave {more}")))
        }),
        build_check("what is said to be kept is kept", broken_promise(evidence)),
        build_check("nothing is booked that was not spared", overbooked_savings(evidence)),
    ]
}

/// The text behind the prompt of a turn in its last request: the output as the model received it.
fn shown_output(evidence: &DayEvidence, turn: &str) -> String {
    let words = evidence.last_words(turn);
    let prompt = evidence.played.turns.iter().find(|known| known.name == turn).map(|turn| turn.prompt.as_str());
    prompt.and_then(|prompt| words.rsplit_once(prompt)).map(|(_, behind)| behind.to_owned()).unwrap_or_default()
}

fn in_full(evidence: &DayEvidence, turn: &str, row: &str) -> Option<String> {
    let shown = shown_output(evidence, turn);
    if shown.contains(row) || shown.len() > MAX_BRIEF_BYTES {
        return Some(format!("the model got {} bytes", shown.len()));
    }
    (!shown.contains(EXPAND_NOTE_PREFIX)).then(|| format!("the model did not get our text: {shown}"))
}

fn lost_rows(evidence: &DayEvidence, rows: usize, row: fn(usize) -> String) -> Result<Option<String>> {
    // Beginning, end and places between: agents cut the middle or the end.
    let wanted = [1, rows / 4, rows / 2, rows * 3 / 4, rows - 1, rows];
    let export = evidence.stage.run_epitome(&["export", &evidence.conversation_id(0)]).unwrap_or_default();
    let mut lost = Vec::new();
    for number in wanted {
        // A line that no message was made of is kept in the archive, too.
        if evidence.stage.grep_count(&row(number))? == 0 && !export.contains(&row(number)) {
            lost.push(number.to_string());
        }
    }
    Ok((!lost.is_empty()).then(|| format!("not in the archive: rows {} of {rows}", lost.join(", "))))
}

/// An agent that expands the id in a shortened output must get the last row, and the one in the middle.
fn broken_promise(evidence: &DayEvidence) -> Result<Option<String>> {
    for (turn, rows, row) in [("middle", MIDDLE_ROWS, middle_row as fn(usize) -> String), ("long", LONG_ROWS, long_row)]
    {
        let shown = shown_output(evidence, turn);
        let Some((_, behind)) = shown.split_once(EXPAND_NOTE_PREFIX) else { continue };
        let id = behind.split(']').next().context("the mark does not end")?;
        let text = expand_pages(evidence, id)?;
        if let Some(lost) = [rows / 2, rows].into_iter().find(|number| !text.contains(&row(*number))) {
            return Ok(Some(format!("`expand {id}` has no row {lost} of {rows}")));
        }
    }
    Ok(None)
}

/// All pages of a message.
fn expand_pages(evidence: &DayEvidence, id: &str) -> Result<String> {
    let mut text = String::new();
    let mut next = id.to_owned();
    for _ in 0..MOST_PAGES {
        let page = evidence.stage.read_json(&["expand", &next])?;
        text += &words_of(&page);
        match page["continue_with"].as_str() {
            Some(more) => more.clone_into(&mut next),
            None => break,
        }
    }
    Ok(text)
}

/// The most tokens that can have been saved: the middle table, which the agent would have shown whole. Of the long one
/// it shows little by itself.
fn overbooked_savings(evidence: &DayEvidence) -> Result<Option<String>> {
    let value = evidence.stage.read_json(&["value"])?;
    let booked = value["total"]["tokens_avoided"].as_u64().unwrap_or_default();
    let whole: usize = (1..=MIDDLE_ROWS).map(|number| middle_row(number).len() + 1).sum();
    // Half, since a token has about two bytes in such a table, and the check only guards against too much.
    let most = if evidence.host.has_ability(HostAbility::ReplacesOutputs) {
        whole.saturating_sub(shown_output(evidence, "middle").len()) / 2
    } else {
        0
    };
    Ok((booked > most as u64).then(|| format!("{booked} tokens are booked, {most} can have been spared")))
}
