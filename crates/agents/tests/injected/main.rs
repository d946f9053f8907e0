//! What hooks told an agent is in its transcript, in every form that hosts give it. It comes back as nobody's words.

mod days;

use std::path::Path;

use agents::FORMATS;
use proptest::prelude::*;

/// What we tell, between the lines that fence it.
fn told() -> impl Strategy<Value = String> {
    let line = "[a-z<>&\"'/ ]{0,40}";
    prop::collection::vec(line, 1..4)
        .prop_map(|lines| format!("<epitome>\n- the user requires: pangolins {}\n</epitome>", lines.join("\n- ")))
}

/// A text as a host may write it: as it is, or escaped, once or twice.
fn escaped(text: &str, times: u32) -> String {
    let once = |text: String, _| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    (0..times).fold(text.to_owned(), once)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_we_told_is_in_no_message_after_ten_compactions_and_a_resume(told in told(), times in 0..3u32) {
        let told = escaped(&told, times);
        for format in FORMATS {
            let lines = days::lines(format.name, &told, 10);
            prop_assert!(lines.concat().contains("pangolins"), "{} is told something", format.name);
            let mut projection = format.build_projection(Path::new("day.jsonl"));
            let mut messages: Vec<_> =
                lines.iter().flat_map(|line| projection.feed_line(line.as_bytes()).messages).collect();
            messages.extend(projection.pause());
            for given in &messages {
                let said = given.message.content();
                prop_assert!(!said.contains("pangolins"), "{}: {said}", format.name);
                prop_assert!(!said.contains("epitome"), "{}: {said}", format.name);
            }
            // What was really said is there, by those who said it.
            for turn in 0..=10 {
                let by_person = |words: &str| {
                    messages.iter().any(|given| given.message.is_by_person() && given.message.content() == words)
                };
                let is_said = |words: &str| messages.iter().any(|given| given.message.content().contains(words));
                let asked = format!("{} {turn}", days::PROMPT_TEXT);
                let answered = format!("{} {turn}", days::ANSWER_TEXT);
                // Nobody sits in front of SWE-agent.
                let is_asked = if format.name == "swe-agent" { is_said(&asked) } else { by_person(&asked) };
                prop_assert!(is_asked && is_said(&answered), "{}: turn {turn}", format.name);
            }
        }
    }
}

#[test]
fn every_format_is_recognised_by_its_day() {
    for format in FORMATS {
        let lines = days::lines(format.name, "<epitome>\nx\n</epitome>", 1).join("\n");
        let path = match format.name {
            "swe-agent" => "day.traj",
            "aider" => "day.md",
            _ => "day.jsonl",
        };
        let recognised = agents::recognise_format(Path::new(path), lines.as_bytes());
        assert_eq!(recognised.map(|found| found.format.name), Some(format.name));
    }
}
