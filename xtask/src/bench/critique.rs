//! Benchmark of `critique`: how many false claims about public projects it contradicts, and how many true ones. Claims
//! that were made up for it stand in the repository; those of real agents' answers are other people's words, of which only
//! places and labels do. `BENCH_CRITIQUE` names a folder of bare clones, as `bench/data/critique/README.md` says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::session::McpSession;
use super::{BenchSetup, round_thousandths};
use crate::repository;

/// One claim that was labelled.
struct LabelledClaim {
    kind: String,
    holds: String,
    /// The claim itself, or where it stands in its answer.
    place: ClaimPlace,
}

enum ClaimPlace {
    Text(String),
    Bytes(u64, u64),
}

/// What came of the labelled claims of one half: by kind, and whether they were written for this or are of agents.
#[derive(Default)]
struct HalfScore {
    counts: BTreeMap<String, ClaimCounts>,
    /// Words of real answers that were accused and are no labelled claim.
    others: u64,
}

#[derive(Default)]
struct ClaimCounts {
    true_claims: u64,
    accused: u64,
    doubted: u64,
    false_claims: u64,
    caught: u64,
    flagged: u64,
}

pub(crate) fn run(bench: &BenchSetup, _: &Table) -> Result<Value> {
    let clones = std::env::var_os("BENCH_CRITIQUE").context("BENCH_CRITIQUE names no folder of clones")?;
    let clones = fs_err::canonicalize(PathBuf::from(clones))?;
    let data = repository::root().join("bench").join("data").join("critique");
    let mut halves: BTreeMap<String, HalfScore> = BTreeMap::new();
    let mut told = String::from("half\tproject\tkind\tholds\toutcome\tclaim\tevidence\n");
    let mut missing = BTreeSet::new();
    for ((project, half, commit), claims) in read_written(&data)? {
        let Some(folder) = check_out(bench, &clones, &project, &commit)? else {
            missing.insert(project);
            continue;
        };
        let mut session = open_session(bench, &folder)?;
        let score = halves.entry(half.clone()).or_default();
        for claim in claims {
            let ClaimPlace::Text(text) = &claim.place else { continue };
            let (reply, _) = session.call_operation("critique", &json!({ "draft": text }))?;
            let issues = reply["issues"].as_array().cloned().unwrap_or_default();
            let outcome = score.add("written", &claim, issues.iter());
            told += &tell(&half, &project, &claim, outcome, text, &issues);
        }
        session.close()?;
    }
    let labels = read_labels(&data)?;
    for answer in read_rows(&data.join("answers.tsv"))? {
        let [id, half, project, commit, _, blob, line, _, hash] = answer.as_slice() else { continue };
        let text = read_answer(&clones, project, blob, line.parse()?)?;
        let folder = check_out(bench, &clones, project, commit)?;
        let (Some(text), Some(folder)) = (text.filter(|text| hash_words(text) == *hash), folder) else {
            missing.insert(format!("{project} {id}"));
            continue;
        };
        let mut session = open_session(bench, &folder)?;
        let (reply, _) = session.call_operation("critique", &json!({ "draft": text }))?;
        session.close()?;
        let issues = reply["issues"].as_array().cloned().unwrap_or_default();
        let score = halves.entry(half.clone()).or_default();
        let own = labels.get(id).map(Vec::as_slice).unwrap_or_default();
        let overlaps = |claim: &LabelledClaim, issue: &Value| {
            let ClaimPlace::Bytes(start, end) = claim.place else { return false };
            let span = &issue["span"];
            let (first, last) = (span["start"].as_u64().unwrap_or(u64::MAX), span["end"].as_u64().unwrap_or_default());
            start < last && first < end
        };
        for claim in own {
            let hits = issues.iter().filter(|issue| overlaps(claim, issue));
            let outcome = score.add("agents", claim, hits.clone());
            let ClaimPlace::Bytes(start, end) = claim.place else { continue };
            let words = text.get(start as usize..end as usize).unwrap_or_default();
            told += &tell(half, project, claim, outcome, words, &hits.cloned().collect::<Vec<_>>());
        }
        for issue in issues.iter().filter(|issue| issue["severity"] == "high") {
            if !own.iter().any(|claim| overlaps(claim, issue)) {
                score.others += 1;
                told += &format!(
                    "{half}\t{project}\t-\t-\taccused\t{}\t{}\n",
                    one_line(&issue["claim"]),
                    one_line(&issue["evidence"])
                );
            }
        }
    }
    // The words of others stay outside of the recorded run.
    let list = bench.scratch.join("claims.tsv");
    fs_err::write(&list, told)?;
    println!("every claim is listed in {}", list.display());
    let halves: BTreeMap<&String, Value> = halves.iter().map(|(half, score)| (half, score.to_json())).collect();
    Ok(json!({ "halves": halves, "wanted": { "caught": 0.95, "accused": 0.03 }, "missing": missing }))
}

impl HalfScore {
    fn add<'i>(&mut self, from: &str, claim: &LabelledClaim, issues: impl Iterator<Item = &'i Value>) -> &'static str {
        let severities: Vec<&str> = issues.filter_map(|issue| issue["severity"].as_str()).collect();
        let is_high = severities.contains(&"high");
        let is_medium = severities.contains(&"medium");
        for key in [format!("{from} {}", claim.kind), format!("{from} all")] {
            let counts = self.counts.entry(key).or_default();
            match claim.holds.as_str() {
                "no" => {
                    counts.false_claims += 1;
                    counts.caught += u64::from(is_high);
                    counts.flagged += u64::from(is_high || is_medium);
                }
                // True of the project that it is about, which is another one.
                "yes" | "outside" => {
                    counts.true_claims += 1;
                    counts.accused += u64::from(is_high);
                    counts.doubted += u64::from(is_medium && !is_high);
                }
                // What was true when it was said and is not in the commit counts for neither.
                _ => {}
            }
        }
        if is_high {
            "accused"
        } else if is_medium {
            "doubted"
        } else {
            "passed"
        }
    }

    fn to_json(&self) -> Value {
        let share = |part: u64, of: u64| (of > 0).then(|| round_thousandths(part as f64 / of as f64));
        let kinds: BTreeMap<&String, Value> = self
            .counts
            .iter()
            .map(|(kind, counts)| {
                let ClaimCounts { true_claims, accused, doubted, false_claims, caught, flagged } = *counts;
                let row = json!({
                    "false_claims": false_claims, "caught": share(caught, false_claims),
                    "flagged": share(flagged, false_claims), "true_claims": true_claims,
                    "accused": share(accused, true_claims), "doubted": share(doubted, true_claims),
                });
                (kind, row)
            })
            .collect();
        json!({ "kinds": kinds, "accused_other_words": self.others })
    }
}

fn tell(half: &str, project: &str, claim: &LabelledClaim, outcome: &str, text: &str, issues: &[Value]) -> String {
    let evidence: Vec<String> = issues.iter().map(|issue| one_line(&issue["evidence"])).collect();
    let (kind, holds) = (&claim.kind, &claim.holds);
    format!(
        "{half}\t{project}\t{kind}\t{holds}\t{outcome}\t{}\t{}\n",
        text.replace(['\t', '\n'], " "),
        evidence.join(" | ")
    )
}

fn one_line(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace(['\t', '\n'], " ")
}

fn open_session(bench: &BenchSetup, folder: &Path) -> Result<McpSession> {
    let home = bench.scratch.join("home");
    fs_err::create_dir_all(&home)?;
    McpSession::open(bench, &home, folder)
}

/// The files of a commit, in a folder of their own; none where the clone does not have it.
fn check_out(bench: &BenchSetup, clones: &Path, project: &str, commit: &str) -> Result<Option<PathBuf>> {
    let folder = bench.scratch.join("projects").join(format!("{project}-{}", &commit[..12.min(commit.len())]));
    if folder.exists() {
        return Ok(Some(folder));
    }
    let Some(repository) = find_clone(clones, project) else { return Ok(None) };
    fs_err::create_dir_all(&folder)?;
    let mut archive = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["archive", "--format=tar", commit])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let files = archive.stdout.take().context("standard output")?;
    let unpacked = Command::new("tar").arg("-x").arg("-C").arg(&folder).stdin(files).status()?;
    if archive.wait()?.success() && unpacked.success() {
        return Ok(Some(folder));
    }
    fs_err::remove_dir_all(&folder)?;
    Ok(None)
}

fn find_clone(clones: &Path, project: &str) -> Option<PathBuf> {
    let named = clones.join(project);
    [named.join("repo"), named].into_iter().find(|folder| folder.join("HEAD").exists())
}

/// The words of an assistant in a line of a transcript.
fn read_answer(clones: &Path, project: &str, blob: &str, line: usize) -> Result<Option<String>> {
    let Some(repository) = find_clone(clones, project) else { return Ok(None) };
    let output = Command::new("git").arg("-C").arg(repository).args(["cat-file", "blob", blob]).output()?;
    let Some(line) = output.stdout.split(|byte| *byte == b'\n').nth(line.saturating_sub(1)) else { return Ok(None) };
    let Ok(record) = serde_json::from_slice::<Value>(line) else { return Ok(None) };
    let of_message = &record["message"]["content"];
    let content = if of_message.is_null() { &record["payload"]["content"] } else { of_message };
    if let Some(text) = content.as_str() {
        return Ok(Some(text.to_owned()));
    }
    let is_text = |part: &&Value| part["type"] == "text" || part["type"] == "output_text";
    let parts = content.as_array().into_iter().flatten().filter(is_text).filter_map(|part| part["text"].as_str());
    Ok(Some(parts.collect::<Vec<_>>().join("\n")))
}

type WrittenClaims = BTreeMap<(String, String, String), Vec<LabelledClaim>>;

fn read_written(data: &Path) -> Result<WrittenClaims> {
    let mut claims = WrittenClaims::new();
    for row in read_rows(&data.join("written.tsv"))? {
        let [project, half, commit, kind, holds, text] = row.as_slice() else { continue };
        let claim = LabelledClaim { kind: kind.clone(), holds: holds.clone(), place: ClaimPlace::Text(text.clone()) };
        claims.entry((project.clone(), half.clone(), commit.clone())).or_default().push(claim);
    }
    Ok(claims)
}

fn read_labels(data: &Path) -> Result<BTreeMap<String, Vec<LabelledClaim>>> {
    let mut labels: BTreeMap<String, Vec<LabelledClaim>> = BTreeMap::new();
    for row in read_rows(&data.join("labels.tsv"))? {
        let [answer, kind, start, length, _, holds] = row.as_slice() else { continue };
        let start: u64 = start.parse()?;
        let place = ClaimPlace::Bytes(start, start + length.parse::<u64>()?);
        labels.entry(answer.clone()).or_default().push(LabelledClaim {
            kind: kind.clone(),
            holds: holds.clone(),
            place,
        });
    }
    Ok(labels)
}

/// The rows of a table behind its heading.
fn read_rows(path: &Path) -> Result<Vec<Vec<String>>> {
    let text = fs_err::read_to_string(path)?;
    let width = text.lines().next().unwrap_or_default().split('\t').count();
    let rows: Vec<Vec<String>> =
        text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    ensure!(rows.iter().all(|row| row.len() == width), "{}: a row has not {width} columns", path.display());
    Ok(rows)
}

/// FNV-1a of the bytes.
fn hash_words(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_read_and_no_project_is_in_both_halves() {
        let data = repository::root().join("bench").join("data").join("critique");
        let mut halves: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (project, half, _) in read_written(&data).expect("claims").into_keys() {
            halves.entry(project).or_default().insert(half);
        }
        let labels = read_labels(&data).expect("labels");
        for answer in read_rows(&data.join("answers.tsv")).expect("answers") {
            halves.entry(answer[2].clone()).or_default().insert(answer[1].clone());
            assert!(labels.contains_key(&answer[0]), "{}", answer[0]);
        }
        assert!(halves.values().all(|of| of.len() == 1), "{halves:?}");
        assert!(labels.values().flatten().count() >= 150);
    }

    #[test]
    fn a_claim_counts_by_what_it_is_and_what_came_of_it() {
        let mut score = HalfScore::default();
        let claim = |holds: &str| LabelledClaim {
            kind: "symbol".to_owned(),
            holds: holds.to_owned(),
            place: ClaimPlace::Text(String::new()),
        };
        let high = json!({ "severity": "high" });
        let medium = json!({ "severity": "medium" });
        assert_eq!(score.add("written", &claim("no"), [&high].into_iter()), "accused");
        assert_eq!(score.add("written", &claim("no"), [&medium].into_iter()), "doubted");
        assert_eq!(score.add("written", &claim("yes"), [&high, &medium].into_iter()), "accused");
        assert_eq!(score.add("written", &claim("gone"), [&high].into_iter()), "accused");
        assert_eq!(score.add("written", &claim("yes"), std::iter::empty()), "passed");
        let row = &score.to_json()["kinds"]["written all"];
        assert_eq!((&row["caught"], &row["flagged"], &row["accused"]), (&json!(0.5), &json!(1.0), &json!(0.5)));
    }
}
