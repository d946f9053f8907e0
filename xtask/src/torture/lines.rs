//! Torture scenario: imports transcripts with damaged lines; readable lines must be read, the others kept and reported
//! with their place.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{ScenarioRound, TortureScenario};
use crate::seeded_random::SeededRandom;

pub(super) const MALFORMED_LINES_SCENARIO: TortureScenario = TortureScenario {
    name: "lines",
    what: "lines of a damaged transcript",
    rounds: 1,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

const LINES: u64 = 100_000;
const MAX_LINE_BYTES: usize = 100 << 20;
/// A longer line is kept and reported, not read.
const MAX_READABLE_BYTES: usize = 64 << 20;

/// The damage to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LineDamage {
    None,
    /// Cut off before its end.
    Cut,
    /// Not JSON at all.
    Noise,
    ByteOrderMark,
    CarriageReturn,
    Nul,
    NotUtf8,
    /// The id of an earlier line.
    SameId,
    /// Its own parent.
    Cycle,
    Empty,
    /// Nothing, but that it is long.
    Long,
}

const DAMAGES: [LineDamage; 10] = [
    LineDamage::None,
    LineDamage::Cut,
    LineDamage::Noise,
    LineDamage::ByteOrderMark,
    LineDamage::CarriageReturn,
    LineDamage::Nul,
    LineDamage::NotUtf8,
    LineDamage::SameId,
    LineDamage::Cycle,
    LineDamage::Empty,
];

/// The transcript that was written.
#[derive(Default)]
struct DamagedTranscript {
    /// Texts of lines that nothing was done to.
    good: HashSet<String>,
    /// Where lines begin that cannot be read.
    unreadable: HashSet<u64>,
    /// Where each line begins, and what was done to it.
    begins: BTreeMap<u64, LineDamage>,
}

fn run(round: &mut ScenarioRound<'_>) -> Result<u64> {
    let (lines, longest) =
        if round.place.is_short { (LINES / 10, MAX_LINE_BYTES / 10) } else { (LINES, MAX_LINE_BYTES) };
    let transcript = round.folder.join("damaged.jsonl");
    let written = write_transcript(&transcript, lines, longest, &mut round.chance)?;
    let home = round.new_home("home");
    fs_err::create_dir_all(&home.folder)?;
    let path = transcript.display().to_string();
    let output = home.run(&["import", &path, "--agent", "claude-code", "--json"])?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let reply: Value = serde_json::from_str(&printed)
        .with_context(|| format!("import: {} {printed}", String::from_utf8_lossy(&output.stderr)))?;
    let imported = &reply["conversations"][0];
    let id = imported["id"].as_str().with_context(|| format!("nothing was imported: {reply}"))?;
    // Every line is counted, readable or not: the archive keeps all of them.
    ensure!(imported["lines"] == written.begins.len(), "{} lines of {}", imported["lines"], written.begins.len());
    let quarantined = imported["quarantined"].as_u64().unwrap_or_default();
    ensure!(
        quarantined >= written.unreadable.len() as u64,
        "{quarantined} of {} lines are reported",
        written.unreadable.len()
    );
    for told in imported["quarantine"].as_array().into_iter().flatten() {
        let offset = told["offset"].as_u64().unwrap_or(u64::MAX);
        let damage = written.begins.get(&offset).with_context(|| format!("no line begins at {offset}"))?;
        // A good line in quarantine would be a message that is lost without being wrong.
        ensure!(*damage != LineDamage::None, "the line at {offset} is good, but reported as {}", told["reason"]);
    }
    let stored: HashSet<String> =
        home.read_messages(id)?.iter().filter_map(|message| message["content"].as_str().map(str::to_owned)).collect();
    let lost = written.good.iter().filter(|text| !stored.contains(*text)).count();
    ensure!(lost == 0, "{lost} of {} good lines are lost", written.good.len());
    let mut export = home.build_command(&["export", id]);
    let back = round.folder.join("back.jsonl");
    export.stdout(fs_err::File::create(&back)?.into_file());
    ensure!(export.status()?.success(), "cannot export");
    ensure!(fs_err::read(&transcript)? == fs_err::read(&back)?, "the transcript came back as other bytes");
    home.run_verify()?;
    Ok(lines)
}

fn write_transcript(path: &Path, lines: u64, longest: usize, chance: &mut SeededRandom) -> Result<DamagedTranscript> {
    let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
    let mut written = DamagedTranscript::default();
    let mut offset = 0;
    for number in 0..lines {
        let is_longest = number == lines / 2;
        let damage = match number {
            0 => LineDamage::None,
            _ if is_longest => LineDamage::Long,
            _ => *chance.pick_one(&DAMAGES),
        };
        let text = if is_longest { "long line ".repeat(longest / 10) } else { format!("said in line {number}") };
        let line = damage_line(damage, number, &text, chance);
        written.begins.insert(offset, damage);
        match damage {
            LineDamage::None => drop(written.good.insert(text)),
            LineDamage::Cut | LineDamage::Noise => drop(written.unreadable.insert(offset)),
            LineDamage::Long if longest > MAX_READABLE_BYTES => drop(written.unreadable.insert(offset)),
            LineDamage::ByteOrderMark
            | LineDamage::CarriageReturn
            | LineDamage::Nul
            | LineDamage::NotUtf8
            | LineDamage::SameId
            | LineDamage::Cycle
            | LineDamage::Empty
            // Too long to be compared as a message; the transcript that comes back is compared as a whole.
            | LineDamage::Long => {}
        }
        file.write_all(&line)?;
        offset += line.len() as u64;
    }
    file.flush()?;
    Ok(written)
}

/// A line with its end, after something was done to it.
fn damage_line(damage: LineDamage, number: u64, text: &str, chance: &mut SeededRandom) -> Vec<u8> {
    // Ids and frame as Claude Code writes them: only the damage may set a line apart from a real one.
    let id = |number: u64| format!("00000000-0000-4000-8000-{number:012}");
    // An earlier id with other words: the reader has to keep both.
    let same = if damage == LineDamage::SameId { chance.number_below(number) } else { number };
    let parent = if damage == LineDamage::Cycle { id(number) } else { id(number.saturating_sub(1)) };
    let line = json!({
        "type": "user", "uuid": id(same), "parentUuid": (number > 0).then_some(parent), "sessionId": id(0),
        "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/", "version": "2.0.0", "isSidechain": false,
        "message": { "role": "user", "content": text },
    });
    let mut line = line.to_string().into_bytes();
    match damage {
        LineDamage::None | LineDamage::SameId | LineDamage::Cycle | LineDamage::Long => {}
        // At least one byte stays and one is missing: an empty line is a case of its own.
        LineDamage::Cut => line.truncate(1 + chance.number_below(line.len() as u64 - 2) as usize),
        LineDamage::Noise => line = b"}{ this was never JSON".to_vec(),
        LineDamage::ByteOrderMark => drop(line.splice(0..0, [0xEF, 0xBB, 0xBF])),
        LineDamage::CarriageReturn => line.push(b'\r'),
        // NUL bytes at the beginning are what a crash leaves where a file grew but its data never reached the disk.
        LineDamage::Nul => line.splice(0..0, [0; 7]).for_each(drop),
        LineDamage::NotUtf8 => {
            let at = line.len() - 5;
            line[at] = 0xFF;
        }
        LineDamage::Empty => line.clear(),
    }
    line.push(b'\n');
    line
}
