//! `TurnNote`, one turn of the work in a summary: what was asked, what was done, what came out. Its parser and printer,
//! and how turns of consecutive stretches are joined.
//!
//! What a turn weighs and how it is shortened is read from its words alone, so that a summary of summaries treats turns
//! that it reads back like those of messages.

use super::statement::{StatementPurpose, TELLING_POINTS, cut_text, read_statements, shorten_text};
use model::count_tokens;

/// One turn. A piece that is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnNote {
    /// What the user asked; empty where the turn began before the stretch.
    pub(crate) asked: String,
    /// What tools did about it.
    pub(crate) did: String,
    /// What came out, and why.
    pub(crate) result: String,
}

/// How many tokens the pieces of a turn may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnDetail {
    pub(super) asked: u32,
    pub(super) did: u32,
    pub(super) result: u32,
}

/// From much detail to little.
pub(super) const TURN_DETAILS: [TurnDetail; 5] = [
    TurnDetail { asked: 90, did: 50, result: 130 },
    TurnDetail { asked: 60, did: 36, result: 90 },
    TurnDetail { asked: 44, did: 26, result: 60 },
    TurnDetail { asked: 32, did: 16, result: 44 },
    TurnDetail { asked: 26, did: 0, result: 34 },
];

/// A shorter result leaves room for what was said before it.
const SHORT_RESULT_TOKENS: u32 = 40;

const ASKED_LABEL: &str = "Asked: ";
const DID_LABEL: &str = "Did: ";
const RESULT_LABEL: &str = "Result: ";

impl TurnNote {
    /// Its lines within some detail; empty where it says nothing.
    pub(super) fn render(&self, detail: TurnDetail) -> String {
        let asked = shorten_text(&self.asked, StatementPurpose::Request, detail.asked);
        let result = shorten_text(&self.result, StatementPurpose::Report, detail.result);
        // Without a result the deeds are all that is known, so they are kept in the least detail too.
        let room = if detail.did == 0 && result.is_empty() { 16 } else { detail.did };
        let did = if room == 0 { String::new() } else { cut_text(&self.did, room) };
        let lines = [(ASKED_LABEL, asked), (DID_LABEL, did), (RESULT_LABEL, result)];
        let lines = lines.iter().filter(|(_, text)| !text.is_empty()).map(|(label, text)| format!("{label}{text}\n"));
        lines.collect()
    }

    /// How much a reader would miss it, beside where it stands.
    pub(super) fn weight(&self) -> i32 {
        let best = |text: &str, purpose| {
            read_statements(text).iter().map(|statement| statement.points(purpose)).max().unwrap_or_default()
        };
        let changes = ["edited", "wrote", "deleted", "committed", "pushed", "opened"];
        let has_changed = changes.iter().any(|verb| self.did.contains(verb));
        let asks = best(&self.asked, StatementPurpose::Request) > 1;
        let tells = best(&self.result, StatementPurpose::Report) > TELLING_POINTS;
        3 * i32::from(has_changed) + 2 * i32::from(asks) + 3 * i32::from(tells)
    }
}

/// Takes a line of a turn; false for any other line. "Asked" begins a turn, and so does a piece that the last turn has.
pub(super) fn parse_turn_line(line: &str, turns: &mut Vec<TurnNote>) -> bool {
    let (piece, text): (fn(&mut TurnNote) -> &mut String, &str) = if let Some(text) = line.strip_prefix(ASKED_LABEL) {
        (|turn| &mut turn.asked, text)
    } else if let Some(text) = line.strip_prefix(DID_LABEL) {
        (|turn| &mut turn.did, text)
    } else if let Some(text) = line.strip_prefix(RESULT_LABEL) {
        (|turn| &mut turn.result, text)
    } else {
        return false;
    };
    let begins = line.starts_with(ASKED_LABEL)
        || turns
            .last_mut()
            .is_none_or(|turn| !piece(turn).is_empty() || (line.starts_with(DID_LABEL) && !turn.result.is_empty()));
    if begins {
        turns.push(TurnNote::default());
    }
    if let Some(turn) = turns.last_mut() {
        text.clone_into(piece(turn));
    }
    true
}

/// Adds the turns of the stretch behind: a first one without a request goes on with the last one before it.
pub(super) fn join_turns(before: &mut Vec<TurnNote>, mut later: Vec<TurnNote>) {
    if let (Some(last), Some(first)) = (before.last_mut(), later.first_mut())
        && first.asked.is_empty()
    {
        last.did = join_deeds(&last.did, &first.did);
        // What stands at the end is the result; what was said on the way is kept beside a short one.
        let way = match count_tokens(&first.result).0 {
            0 => std::mem::take(&mut last.result),
            1..SHORT_RESULT_TOKENS => shorten_text(&last.result, StatementPurpose::Report, SHORT_RESULT_TOKENS),
            _ => String::new(),
        };
        format!("{way} {}", first.result).trim().clone_into(&mut last.result);
        later.remove(0);
    }
    before.append(&mut later);
}

/// What was done before and behind a cut, in one line: files of one verb together, and of what was only read nothing
/// where something was changed.
fn join_deeds(before: &str, later: &str) -> String {
    const FILE_VERBS: [&str; 4] = ["edited ", "wrote ", "deleted ", "read "];
    let pieces: Vec<&str> =
        [before, later].into_iter().flat_map(|did| did.split("; ")).filter(|it| !it.is_empty()).collect();
    let mut joined: Vec<String> = Vec::new();
    for verb in FILE_VERBS {
        let mut names: Vec<&str> = Vec::new();
        for name in pieces.iter().filter_map(|piece| piece.strip_prefix(verb)).flat_map(|list| list.split(", ")) {
            // How many more there were is known of neither list for certain.
            let name = name.split(" and ").next().unwrap_or(name).trim_end_matches('…');
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let is_reading = verb == "read ";
        if !names.is_empty() && (!is_reading || joined.is_empty()) {
            joined.push(format!("{verb}{}", names.join(", ")));
        }
    }
    let is_listed = |piece: &&&str| FILE_VERBS.iter().any(|verb| piece.starts_with(verb));
    for piece in pieces.iter().filter(|piece| !is_listed(piece)) {
        // Of a check that ran on both sides the later outcome holds.
        let check =
            piece.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(command, _)| format!("`{command}`"));
        if let Some(check) = check {
            joined.retain(|known| !known.starts_with(&check));
        }
        joined.push((*piece).to_owned());
    }
    joined.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(asked: &str, did: &str, result: &str) -> TurnNote {
        TurnNote { asked: asked.to_owned(), did: did.to_owned(), result: result.to_owned() }
    }

    fn parsed(text: &str) -> Vec<TurnNote> {
        let mut turns = Vec::new();
        assert!(text.lines().all(|line| parse_turn_line(line, &mut turns)));
        turns
    }

    #[test]
    fn turns_that_were_written_read_back() {
        let turns = [
            turn("", "read a.rs", "The cache was never filled, because the key had a blank."),
            turn("Fix it.", "edited a.rs; `cargo test`: 3 passed", "The key is trimmed now."),
            turn("Which test covers it?", "", "The test is `keys_are_trimmed`, added with the fix."),
        ];
        let text: String = turns.iter().map(|turn| turn.render(TURN_DETAILS[0])).collect();
        assert_eq!(parsed(&text), turns);
        assert!(!parse_turn_line("To do:", &mut Vec::new()));
    }

    #[test]
    fn a_turn_that_went_on_behind_a_cut_is_one_turn() {
        let mut turns = vec![turn("Fix it.", "edited a.rs", "The cause was found.")];
        join_turns(&mut turns, vec![turn("", "edited b.rs", "Fixed: all 3 tests pass."), turn("Commit.", "", "")]);
        let fixed = turn("Fix it.", "edited a.rs, b.rs", "The cause was found. Fixed: all 3 tests pass.");
        assert_eq!(turns, [fixed, turn("Commit.", "", "")]);
    }

    #[test]
    fn deeds_on_both_sides_of_a_cut_are_told_once() {
        assert_eq!(
            join_deeds(
                "edited a.rs; `cargo test`: failed (E0308); committed \"one\"",
                "edited a.rs, b.rs; read c.rs; `cargo test`: 3 passed"
            ),
            "edited a.rs, b.rs; committed \"one\"; `cargo test`: 3 passed"
        );
        assert_eq!(join_deeds("", "read c.rs"), "read c.rs");
    }

    #[test]
    fn thanks_weigh_less_than_work() {
        let work = turn("Add a limit.", "edited a.rs", "The limit was added.");
        assert!(work.weight() > turn("Thanks.", "", "You are welcome.").weight());
    }
}
