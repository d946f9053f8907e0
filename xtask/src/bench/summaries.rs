//! Benchmark of summaries: the share of binding user sentences, of later-used paths and of outcomes that a summarizer
//! keeps of long conversations, and at how many tokens. The conversations go through the real binary, so that anything
//! that writes summaries is measured alike: the built-in one, or a model that the workload names as `provider`.

use std::fs::File;
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, round_thousandths, workload_number};
use crate::process::{self, command_in};

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let provider = workload.get("provider").and_then(toml::Value::as_str).unwrap_or("builtin");
    let mut told = Vec::new();
    for seed in 1..=workload_number(workload, "conversations")? {
        let story = BenchConversation::from_seed(seed as u64, workload_number(workload, "tasks")?);
        let name = format!("story-{seed}");
        let lines = bench.scratch.join(&name);
        fs_err::write(&lines, &story.lines)?;
        let mut ingest = epitome_command(bench, &["ingest", "--conversation", &name]);
        ingest.stdin(File::open(&lines)?);
        process::read_output(ingest)?;
        let started = Instant::now();
        let report = json_of(bench, &["compact", &name, "--provider", provider, "--json"])?;
        let seconds = started.elapsed().as_secs_f64();
        // A budget that holds everything, so that only the folds decide what is left.
        let context = json_of(bench, &["assemble", &name, "--budget", "1000000", "--json"])?;
        let run = &report["runs"][0];
        let tokens = |key: &str| run[key].as_f64().with_context(|| format!("a run without `{key}`"));
        let before = tokens("tokens_before")?;
        let after = tokens("tokens_after")?;
        let (rules, paths) = story.kept_shares(&context);
        let leaves = read_leaves(bench, run)?;
        let (outcomes, talk) = story.told_shares(&leaves);
        told.push(json!({
            "tokens": before,
            "rules_kept": round_thousandths(rules),
            "paths_kept": round_thousandths(paths),
            "outcomes_kept": round_thousandths(outcomes),
            "talk_kept": round_thousandths(talk),
            "saved": round_thousandths(1.0 - after / before),
            "seconds": round_thousandths(seconds),
            "degraded": run["degraded"].as_array().map_or(0, Vec::len),
        }));
    }
    // The worst conversation counts: a mean would hide one that lost its rules.
    let worst = |key: &str| told.iter().filter_map(|one| one[key].as_f64()).fold(f64::INFINITY, f64::min);
    Ok(json!({
        "provider": provider,
        "worst": {
            "rules_kept": worst("rules_kept"),
            "paths_kept": worst("paths_kept"),
            "outcomes_kept": worst("outcomes_kept"),
            "saved": worst("saved"),
        },
        "wanted": { "rules_kept": 0.9, "paths_kept": 0.8, "outcomes_kept": 0.9, "saved": 0.8 },
        "conversations": told,
    }))
}

fn epitome_command(bench: &BenchSetup, arguments: &[&str]) -> std::process::Command {
    let mut epitome = command_in(&bench.scratch, &bench.binary, arguments);
    epitome.env("EPITOME_HOME", bench.scratch.join("home"));
    epitome
}

fn json_of(bench: &BenchSetup, arguments: &[&str]) -> Result<Value> {
    serde_json::from_str(&process::read_output(epitome_command(bench, arguments))?).context("one JSON object")
}

/// The text of every leaf of a run, with the last message that it covers.
fn read_leaves(bench: &BenchSetup, run: &Value) -> Result<Vec<(u64, String)>> {
    let folded = run["folded"].as_array().into_iter().flatten().filter(|fold| fold["kind"] == "leaf");
    let mut leaves = Vec::new();
    for fold in folded {
        let id = fold["summary_id"].as_str().context("a fold without `summary_id`")?;
        let described = json_of(bench, &["describe", id, "--json"])?;
        let last = fold["last_seq"].as_u64().context("a fold without `last_seq`")?;
        leaves.push((last, described["content"].as_str().context("a summary without `content`")?.to_owned()));
    }
    Ok(leaves)
}

/// A conversation, and what a summary of it must not lose.
#[derive(Default)]
struct BenchConversation {
    /// As `ingest` takes them.
    lines: String,
    rules: Vec<String>,
    /// Paths that tools were given, with the task in which they were.
    paths: Vec<(usize, String)>,
    /// The sentence of each task that tells what came out and why, with the number of its message.
    outcomes: Vec<(u64, String)>,
    messages: u64,
    tasks: usize,
    calls: usize,
    seed: u64,
}

/// What an agent says while it waits, which is of no use later.
const PROGRESS: &str = "Let me wait a bit longer.";
const AREAS: [&str; 8] = ["billing", "search", "auth", "ingest", "export", "cache", "reports", "ledger"];
const FILES: [&str; 8] = ["mod", "store", "routes", "parser", "model", "client", "worker", "errors"];
const RULES: [&str; 8] = [
    "Please don't add new dependencies to {}.",
    "Every handler in {} must answer within 200 ms.",
    "Never log customer names in {}.",
    "All amounts in {} are integers in cents, always.",
    "Leave the old {} endpoint in place until March.",
    "I'd rather not have any unsafe code in {}.",
    "Do not rename anything in {} without asking me.",
    "Keep functions in {} under 40 lines.",
];

impl BenchConversation {
    fn from_seed(seed: u64, tasks: usize) -> Self {
        let mut story = Self { tasks, seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, ..Self::default() };
        for task in 0..tasks {
            story.add_task(task);
        }
        story
    }

    fn add_task(&mut self, task: usize) {
        let area = AREAS[self.next_below(AREAS.len())];
        let rule = RULES[self.next_below(RULES.len())].replace("{}", area);
        let mut asked = format!("Next: {area} is slow when there is much to do, please look into it.");
        // A rule that is said twice would be kept by chance.
        if !self.rules.contains(&rule) {
            asked = format!("{asked} {rule}");
            self.rules.push(rule);
        }
        self.add_message(&json!({ "role": "user", "content": asked }));
        for _ in 0..3 {
            let path = format!("/home/dev/app/services/{area}/src/{}.rs", FILES[self.next_below(FILES.len())]);
            self.paths.push((task, path.clone()));
            let code = self.generate_code(60);
            let old = self.generate_code(4);
            self.add_call("Read", &json!({ "file_path": path }), &code);
            self.add_call(
                "Edit",
                &json!({ "file_path": path, "old_string": old, "new_string": "" }),
                "The file was updated.",
            );
            self.add_message(&json!({ "role": "assistant", "content": format!("I moved the check into {path}, where both callers need it.") }));
        }
        self.add_call(
            "Bash",
            &json!({ "command": format!("cargo test -p {area}") }),
            "test result: ok. 12 passed; 0 failed",
        );
        self.add_message(&json!({ "role": "assistant", "content": PROGRESS }));
        // Around the outcome stands what reports of models are full of. The number makes each outcome another one.
        let outcome =
            format!("{area} answers in {} ms now, because its lock is held for the lookup only.", 1_000 + task);
        let report = format!("## Summary\n\n{outcome} {PROGRESS}\n\n| file | change |\n|---|---|\n| lock | shorter |");
        self.add_message(&json!({ "role": "assistant", "content": report }));
        self.outcomes.push((self.messages, outcome));
    }

    fn add_call(&mut self, tool: &str, input: &Value, output: &str) {
        self.calls += 1;
        let call_id = format!("call_{}", self.calls);
        let call = json!({ "type": "tool", "call_id": call_id, "name": tool, "input": input });
        self.add_message(&json!({ "role": "assistant", "parts": [call] }));
        let result = json!({ "type": "tool", "call_id": call_id, "output": output });
        self.add_message(&json!({ "role": "tool", "parts": [result] }));
    }

    fn add_message(&mut self, message: &Value) {
        self.messages += 1;
        self.lines += &format!("{message}\n");
    }

    fn generate_code(&mut self, lines: usize) -> String {
        let words = ["entry", "total", "queue", "window", "batch", "cursor", "limit", "record"];
        let line = |number| {
            let a = words[self.next_below(words.len())];
            let b = words[self.next_below(words.len())];
            format!("    let {a}_{number} = {b}.take(&self.{a}, {})?;\n", self.next_below(1_000))
        };
        (0..lines).map(line).collect()
    }

    fn next_below(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as usize % below
    }

    /// The shares of outcomes that the leaves tell, and of leaves that tell talk about the next step.
    fn told_shares(&self, leaves: &[(u64, String)]) -> (f64, f64) {
        let folded = leaves.iter().map(|(last, _)| *last).max().unwrap_or_default();
        let outcomes: Vec<&String> =
            self.outcomes.iter().filter(|(seq, _)| *seq <= folded).map(|(_, outcome)| outcome).collect();
        let is_told = |outcome: &&&String| leaves.iter().any(|(_, text)| text.contains(outcome.as_str()));
        let told = outcomes.iter().filter(is_told).count();
        let talking = leaves.iter().filter(|(_, text)| text.contains(PROGRESS)).count();
        let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
        (share(told, outcomes.len()), share(talking, leaves.len()))
    }

    /// The shares of rules, and of paths that come up in both halves, that a context still names.
    fn kept_shares(&self, context: &Value) -> (f64, f64) {
        let items: Vec<&Value> = context["items"].as_array().into_iter().flatten().collect();
        let text = |item: &&Value| item["text"].as_str().unwrap_or_default().to_owned();
        let all: Vec<String> = items.iter().map(text).collect();
        let summaries: Vec<String> = items.iter().filter(|item| item["type"] == "summary").map(text).collect();
        let share = |kept: usize, of: usize| kept as f64 / of.max(1) as f64;
        let rules = self.rules.iter().filter(|rule| all.iter().any(|text| text.contains(rule.as_str()))).count();
        let half = self.tasks / 2;
        // Paths of the first half that come up again are what the later work needs; the others may be forgotten.
        let later = |path: &String| self.paths.iter().any(|(task, other)| *task >= half && other == path);
        let mut again: Vec<&String> =
            self.paths.iter().filter(|(task, _)| *task < half).map(|(_, path)| path).collect();
        again.retain(|path| later(path));
        again.sort_unstable();
        again.dedup();
        // Only summaries count for paths: a path in a message that was never folded is no merit of the fold.
        let named = again.iter().filter(|path| summaries.iter().any(|text| names_path(text, path))).count();
        (share(rules, self.rules.len()), share(named, again.len()))
    }
}

/// Whether a text names a path, whole or below the directory that it says all are in.
fn names_path(text: &str, path: &str) -> bool {
    let mut roots = text.lines().filter_map(|line| line.strip_prefix("Paths are under "));
    text.contains(path)
        || roots.any(|root| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| text.lines().any(|line| line.split(" ×").next() == Some(rest)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_and_talk_are_counted_in_the_leaves() {
        let story = BenchConversation::from_seed(1, 4);
        let leaf = |text: &str| vec![(story.messages, text.to_owned())];
        assert_eq!(story.told_shares(&leaf("They worked.")), (0.0, 0.0));
        assert_eq!(story.told_shares(&leaf(&format!("{} {PROGRESS}", story.outcomes[1].1))), (0.25, 1.0));
        let all: String = story.outcomes.iter().map(|(_, outcome)| outcome.as_str()).collect();
        assert_eq!(story.told_shares(&leaf(&all)), (1.0, 0.0));
    }

    #[test]
    fn what_is_kept_is_counted() {
        let story = BenchConversation::from_seed(1, 40);
        let path = &story.paths[0].1;
        assert!(story.paths.iter().any(|(task, later)| *task >= 20 && later == path), "it comes up again");
        let nothing = json!({ "items": [{ "type": "summary", "text": "They worked." }] });
        assert_eq!(story.kept_shares(&nothing), (0.0, 0.0));
        let all = story.rules.join("\n")
            + "\n"
            + &story.paths.iter().map(|(_, path)| format!("{path}\n")).collect::<String>();
        assert_eq!(story.kept_shares(&json!({ "items": [{ "type": "summary", "text": all }] })), (1.0, 1.0));
        let below = all.replace("/home/dev/app/", "").replace(".rs\n", ".rs ×2\n") + "Paths are under /home/dev/app/\n";
        assert_eq!(story.kept_shares(&json!({ "items": [{ "type": "summary", "text": below }] })), (1.0, 1.0));
    }
}
