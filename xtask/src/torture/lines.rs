//! Transcripts with damaged lines: what can be read is read, what cannot is kept and told with its place.

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{Round, Scenario};
use crate::chance::Chance;

pub(super) const MALFORMED: Scenario = Scenario {
    name: "lines",
    what: "lines of a damaged transcript",
    rounds: 1,
    least: 1,
    prepare: None,
    run,
    beside: 1,
};

const LINES: u64 = 100_000;
const LONGEST: usize = 100 << 20;
/// A longer line is kept and told, not read.
const READ: usize = 64 << 20;

/// What is done to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Damage {
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

const DAMAGES: [Damage; 10] = [
    Damage::None,
    Damage::Cut,
    Damage::Noise,
    Damage::ByteOrderMark,
    Damage::CarriageReturn,
    Damage::Nul,
    Damage::NotUtf8,
    Damage::SameId,
    Damage::Cycle,
    Damage::Empty,
];

/// What was written.
#[derive(Default)]
struct Written {
    /// Texts of lines that nothing was done to.
    good: HashSet<String>,
    /// Where lines begin that cannot be read.
    unreadable: HashSet<u64>,
    /// Where each line begins, and what was done to it.
    begins: BTreeMap<u64, Damage>,
}

fn run(round: &mut Round<'_>) -> Result<u64> {
    let (lines, longest) = if round.place.is_short { (LINES / 10, LONGEST / 10) } else { (LINES, LONGEST) };
    let transcript = round.folder.join("damaged.jsonl");
    let written = write(&transcript, lines, longest, &mut round.chance)?;
    let home = round.home("home");
    fs_err::create_dir_all(&home.folder)?;
    let path = transcript.display().to_string();
    let output = home.run(&["import", &path, "--agent", "claude-code", "--json"])?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let reply: Value = serde_json::from_str(&printed)
        .with_context(|| format!("import: {} {printed}", String::from_utf8_lossy(&output.stderr)))?;
    let imported = &reply["conversations"][0];
    let id = imported["id"].as_str().with_context(|| format!("nothing was imported: {reply}"))?;
    ensure!(imported["lines"] == written.begins.len(), "{} lines of {}", imported["lines"], written.begins.len());
    let quarantined = imported["quarantined"].as_u64().unwrap_or_default();
    ensure!(
        quarantined >= written.unreadable.len() as u64,
        "{quarantined} of {} lines are told",
        written.unreadable.len()
    );
    for told in imported["quarantine"].as_array().into_iter().flatten() {
        let offset = told["offset"].as_u64().unwrap_or(u64::MAX);
        let damage = written.begins.get(&offset).with_context(|| format!("no line begins at {offset}"))?;
        ensure!(*damage != Damage::None, "the line at {offset} is good, and told as {}", told["reason"]);
    }
    let stored: HashSet<String> =
        home.messages(id)?.iter().filter_map(|message| message["content"].as_str().map(str::to_owned)).collect();
    let lost = written.good.iter().filter(|text| !stored.contains(*text)).count();
    ensure!(lost == 0, "{lost} of {} good lines are lost", written.good.len());
    let mut export = home.command(&["export", id]);
    let back = round.folder.join("back.jsonl");
    export.stdout(fs_err::File::create(&back)?.into_file());
    ensure!(export.status()?.success(), "cannot export");
    ensure!(fs_err::read(&transcript)? == fs_err::read(&back)?, "the transcript came back as other bytes");
    home.verified()?;
    Ok(lines)
}

fn write(path: &Path, lines: u64, longest: usize, chance: &mut Chance) -> Result<Written> {
    let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
    let (mut written, mut offset) = (Written::default(), 0);
    for number in 0..lines {
        let is_longest = number == lines / 2;
        let damage = match number {
            0 => Damage::None,
            _ if is_longest => Damage::Long,
            _ => *chance.pick(&DAMAGES),
        };
        let text = if is_longest { "long line ".repeat(longest / 10) } else { format!("said in line {number}") };
        let line = damaged(damage, number, &text, chance);
        written.begins.insert(offset, damage);
        match damage {
            Damage::None => drop(written.good.insert(text)),
            Damage::Cut | Damage::Noise => drop(written.unreadable.insert(offset)),
            Damage::Long if longest > READ => drop(written.unreadable.insert(offset)),
            Damage::ByteOrderMark
            | Damage::CarriageReturn
            | Damage::Nul
            | Damage::NotUtf8
            | Damage::SameId
            | Damage::Cycle
            | Damage::Empty
            // Too long to be compared as a message: it is one in the transcript that comes back.
            | Damage::Long => {}
        }
        file.write_all(&line)?;
        offset += line.len() as u64;
    }
    file.flush()?;
    Ok(written)
}

/// A line with its end, after something was done to it.
fn damaged(damage: Damage, number: u64, text: &str, chance: &mut Chance) -> Vec<u8> {
    let id = |number: u64| format!("00000000-0000-4000-8000-{number:012}");
    let same = if damage == Damage::SameId { chance.below(number) } else { number };
    let parent = if damage == Damage::Cycle { id(number) } else { id(number.saturating_sub(1)) };
    let line = json!({
        "type": "user", "uuid": id(same), "parentUuid": (number > 0).then_some(parent), "sessionId": id(0),
        "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/", "version": "2.0.0", "isSidechain": false,
        "message": { "role": "user", "content": text },
    });
    let mut line = line.to_string().into_bytes();
    match damage {
        Damage::None | Damage::SameId | Damage::Cycle | Damage::Long => {}
        Damage::Cut => line.truncate(1 + chance.below(line.len() as u64 - 2) as usize),
        Damage::Noise => line = b"}{ this was never JSON".to_vec(),
        Damage::ByteOrderMark => drop(line.splice(0..0, [0xEF, 0xBB, 0xBF])),
        Damage::CarriageReturn => line.push(b'\r'),
        Damage::Nul => line.splice(0..0, [0; 7]).for_each(drop),
        Damage::NotUtf8 => {
            let at = line.len() - 5;
            line[at] = 0xFF;
        }
        Damage::Empty => line.clear(),
    }
    line.push(b'\n');
    line
}
