//! Generates synthetic transcripts from a seed for benchmarks: as large as real ones, with as much repetition.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use crate::seeded_random::SeededRandom;

/// The transcripts that were written.
pub(super) struct TranscriptTotals {
    pub(super) bytes: u64,
    pub(super) messages: u64,
    /// Questions in words of single messages, spread over all of them.
    pub(super) questions: Vec<String>,
}

/// Messages of one transcript.
const MESSAGES_PER_TRANSCRIPT: usize = 500;

/// Writes transcripts until there are so many bytes, and at least so many messages.
pub(super) fn write_transcripts(folder: &Path, bytes: u64, messages: u64) -> Result<TranscriptTotals> {
    fs_err::create_dir_all(folder)?;
    // A fixed seed makes every run write the same bytes.
    let mut chance = SeededRandom::new(5);
    let mut written = TranscriptTotals { bytes: 0, messages: 0, questions: Vec::new() };
    let mean = bytes / messages;
    let mut sitting = 0;
    while written.bytes < bytes || written.messages < messages {
        let session = format!("5e551011-0000-4000-8000-{sitting:012}");
        let path = folder.join(format!("{session}.jsonl"));
        let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
        for number in 0..MESSAGES_PER_TRANSCRIPT {
            let text = generate_text(&mut chance, mean, number);
            // A prime number, so that the questions fall into all parts of the sessions.
            if written.messages.is_multiple_of(331) {
                written.questions.push(generate_question(&mut chance, &text));
            }
            let line = transcript_line(&session, sitting, number, &text);
            written.bytes += line.len() as u64 + 1;
            written.messages += 1;
            writeln!(file, "{line}")?;
        }
        file.flush()?;
        sitting += 1;
    }
    Ok(written)
}

/// Lines that are kept and are no messages: what the archive alone does.
pub(super) fn write_other(path: &Path, bytes: u64) -> Result<()> {
    let mut chance = SeededRandom::new(6);
    let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
    let mut written = 0;
    while written < bytes {
        let text = generate_text(&mut chance, 2_000, 1);
        let line = json!({ "type": "file-history-snapshot", "messageId": "00000000-0000-4000-8000-000000000000", "snapshot": { "text": text } });
        let line = line.to_string();
        written += line.len() as u64 + 1;
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

fn transcript_line(session: &str, sitting: usize, number: usize, text: &str) -> String {
    let id = |number: usize| format!("{sitting:08}-0000-4000-8000-{number:012}");
    let parent = number.checked_sub(1).map(id);
    let minutes = sitting * MESSAGES_PER_TRANSCRIPT + number;
    let at = format!(
        "2026-{:02}-{:02}T{:02}:{:02}:00.000Z",
        1 + minutes / 40_320 % 12,
        1 + minutes / 1_440 % 28,
        minutes / 60 % 24,
        minutes % 60
    );
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    let mut message = json!({ "role": role, "content": text });
    if role == "assistant" {
        message = json!({ "id": format!("msg_{sitting}_{number}"), "role": role, "model": "m", "content": [{ "type": "text", "text": text }] });
    }
    json!({
        "type": role, "uuid": id(number), "parentUuid": parent, "sessionId": session, "timestamp": at,
        "cwd": "/home/dev/shop", "version": "2.0.0", "isSidechain": false, "message": message,
    })
    .to_string()
}

/// A few sentences, code and paths, around a mean length. Words are drawn so that few are common and many are rare.
pub(super) fn generate_text(chance: &mut SeededRandom, mean: u64, number: usize) -> String {
    // About 250 bytes of each line are its JSON frame, and the mean is of whole lines.
    let wanted = (mean / 2 + chance.number_below(mean)).saturating_sub(250).max(40) as usize;
    let mut text = String::with_capacity(wanted + 100);
    while text.len() < wanted {
        // One piece in four is a path, a call or an error line: their terms are rare, as in real sessions.
        match chance.number_below(12) {
            0 => {
                text += &format!(
                    "see src/{}/{}.rs:{} ",
                    generate_word(chance),
                    generate_word(chance),
                    chance.number_below(900)
                );
            }
            1 => {
                text += &format!(
                    "`fn {}_{}(n: u64)` returned {}. ",
                    generate_word(chance),
                    generate_word(chance),
                    chance.number_below(1_000_000)
                );
            }
            2 => {
                text += &format!(
                    "error[E{:04}]: {} of {} failed\n",
                    chance.number_below(800),
                    generate_word(chance),
                    generate_word(chance)
                );
            }
            _ => {
                for _ in 0..4 + chance.number_below(9) {
                    text += &generate_word(chance);
                    text.push(' ');
                }
                text += if number.is_multiple_of(4) { "? " } else { ". " };
            }
        }
    }
    text
}

/// Syllables make a vocabulary of about thirty thousand words, the short ones common.
pub(super) fn generate_word(chance: &mut SeededRandom) -> String {
    const SYLLABLES: [&str; 32] = [
        "ka", "lo", "mi", "ren", "to", "su", "ver", "an", "di", "pol", "ge", "har", "ix", "jo", "kel", "um", "no",
        "or", "pa", "qui", "ras", "sen", "ta", "ul", "vo", "wen", "xa", "yr", "zo", "be", "cor", "fi",
    ];
    let rank = chance.number_below(100);
    let (parts, among) = match rank {
        0..40 => (1, 12),
        40..75 => (2, 16),
        75..95 => (2, 32),
        _ => (3, 32),
    };
    (0..parts).map(|_| SYLLABLES[chance.number_below(among) as usize]).collect()
}

/// A few words of a text, as a user would ask for it.
pub(super) fn generate_question(chance: &mut SeededRandom, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().filter(|word| word.len() > 3).collect();
    let picked: Vec<&str> =
        (0..6).filter_map(|_| words.get(chance.number_below(words.len().max(1) as u64) as usize).copied()).collect();
    format!("what did we say about {}", picked.join(" "))
}
