//! A test data generator: long conversations with a coding agent, made from a seed, with the list of rules and paths
//! that a summary of them must not lose.
//!
//! The user's rules are worded as people word them, not as our own rules look for them.

use super::conversation_builder::ConversationBuilder;

/// A conversation and what matters in it.
pub(crate) struct GeneratedConversation {
    pub(crate) talk: ConversationBuilder,
    /// Sentences of the user that bind, with the message they are in.
    pub(crate) rules: Vec<(u64, String)>,
    /// Paths that tools were given, with the message they are in.
    pub(crate) paths: Vec<(u64, String)>,
}

/// Tells a story of about so many tokens.
pub(crate) fn generate_conversation(seed: u64, tokens: u32) -> GeneratedConversation {
    let mut teller = ConversationGenerator {
        seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        said: 0,
        rules: Vec::new(),
        paths: Vec::new(),
    };
    let mut talk = ConversationBuilder::new().system("You are a careful engineer. Work in the repository of the user.");
    let mut number = 0;
    while total_tokens(&talk) < tokens {
        talk = teller.add_task(talk, number);
        number += 1;
    }
    GeneratedConversation { talk, rules: teller.rules, paths: teller.paths }
}

fn total_tokens(talk: &ConversationBuilder) -> u32 {
    talk.messages.iter().map(|message| message.tokens.0).sum()
}

struct ConversationGenerator {
    seed: u64,
    said: u32,
    rules: Vec<(u64, String)>,
    paths: Vec<(u64, String)>,
}

const AREAS: &[&str] =
    &["billing", "search", "auth", "ingest", "export", "cache", "scheduler", "reports", "gateway", "ledger"];
const PARTS: &[&str] = &["mod", "store", "routes", "parser", "model", "client", "worker", "errors", "config", "tests"];
const RULES: &[&str] = &[
    "The public API of {} has to stay compatible with version 2 clients.",
    "Please don't add new dependencies for {}.",
    "We are still on Postgres 14 in {}, so nothing that needs 15.",
    "Tabs, not spaces, in everything under {}.",
    "I'd rather not have any unsafe code in {}.",
    "Every handler in {} must answer within 200 ms.",
    "Never log customer names in {}.",
    "Keep functions in {} under 40 lines.",
    "Error messages of {} are lower case and without a period.",
    "Only touch the files that {} really needs.",
    "Use the existing retry helper in {} instead of writing another one.",
    "All amounts in {} are integers in cents, always.",
    "Make sure that {} still works without network.",
    "No mocks in the tests of {}, use the real store.",
    "The {} migration may run twice, so it needs to be idempotent.",
    "Commit {} in small steps, one idea each.",
    "Leave the old {} endpoint in place until March.",
    "Dates in {} are UTC everywhere.",
    "Do not rename anything in {} without asking me.",
    "At most 64 MB of memory for {}.",
];
const PROMPT_TEMPLATES: &[&str] = &[
    "Could you look at why {} is slow?",
    "Next: {} needs pagination.",
    "There is a bug in {}: totals are off by one day.",
    "Please add metrics to {}.",
    "I want {} split into two modules.",
    "Can you get the tests of {} green again?",
];
const REMARK_TEMPLATES: &[&str] = &[
    "I'll start by reading how {} is put together before I change anything.",
    "The cause is in {}: the window is computed from local time, so entries near midnight land on the wrong day.",
    "I moved the check into {} because both callers need it and the second one forgot it.",
    "Next I run the tests of {} to see whether anything else depends on the old order.",
    "{} now goes through the queue, which keeps the order and drops nothing when the worker restarts.",
];
const ERRORS: &[&str] = &[
    "error[E0308]: mismatched types in {}",
    "error[E0599]: no method named `drain_all` found for struct `Queue` in {}",
    "thread 'main' panicked at {}:42: index out of bounds",
    "error: could not compile `app` because of {}",
];

impl ConversationGenerator {
    fn next_random(&mut self, below: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as usize % below
    }

    fn pick_text(&mut self, from: &[&str]) -> String {
        from[self.next_random(from.len())].to_owned()
    }

    fn random_path(&mut self, area: &str) -> String {
        let part = self.pick_text(PARTS);
        format!("/home/dev/app/services/{area}/src/{part}.rs")
    }

    fn add_task(&mut self, mut talk: ConversationBuilder, number: usize) -> ConversationBuilder {
        let area = AREAS[(number + self.next_random(3)) % AREAS.len()].to_owned();
        let mut asked = self.pick_text(PROMPT_TEMPLATES).replace("{}", &area);
        let said = talk.messages.len() as u64 + 1;
        for _ in 0..self.next_random(4) {
            let rule = self.pick_text(RULES).replace("{}", &area);
            if !self.rules.iter().any(|(_, known)| *known == rule) {
                asked = format!("{asked} {rule}");
                self.rules.push((said, rule));
            }
        }
        asked = format!("{asked} Thanks, tell me when you are through.");
        talk = talk.user(&asked);
        let files: Vec<String> = (0..2 + self.next_random(3)).map(|_| self.random_path(&area)).collect();
        for file in &files {
            talk = self.add_read(talk, file);
        }
        talk = talk.assistant(&self.random_remark(&files[0]));
        for _ in 0..=self.next_random(3) {
            talk = self.add_round(talk, &area, &files);
        }
        let done = format!("Done: {area} behaves as you asked, and its tests pass. {}", self.random_remark(&files[0]));
        talk.assistant(&done)
    }

    fn random_remark(&mut self, about: &str) -> String {
        self.pick_text(REMARK_TEMPLATES).replace("{}", about)
    }

    fn add_read(&mut self, talk: ConversationBuilder, file: &str) -> ConversationBuilder {
        self.paths.push((talk.messages.len() as u64 + 1, file.to_owned()));
        let length = 20 + self.next_random(120);
        let body = self.random_code(length);
        talk.tool_round("Read", &serde_json::json!({ "file_path": file }).to_string(), &body)
    }

    fn add_round(&mut self, mut talk: ConversationBuilder, area: &str, files: &[String]) -> ConversationBuilder {
        let file = files[self.next_random(files.len())].clone();
        let command = format!("cargo test -p {area}");
        if self.next_random(2) == 0 {
            let error = self.pick_text(ERRORS).replace("{}", &file);
            let noise = self.random_code(10);
            talk = talk.failed_bash(&command, &format!("Exit code 101\n{error}\n{noise}"));
        }
        self.paths.push((talk.messages.len() as u64 + 1, file.clone()));
        let old = self.random_code(6);
        let new = self.random_code(8);
        let input = serde_json::json!({ "file_path": file, "old_string": old, "new_string": new });
        talk = talk.tool_round("Edit", &input.to_string(), "The file has been updated.");
        talk = talk.assistant(&self.random_remark(&file));
        self.said += 1;
        let tests: String = (0..12).map(|test| format!("test {area}::case_{test} ... ok\n")).collect();
        talk.bash(&command, &format!("{tests}\ntest result: ok. 12 passed; 0 failed; run {}", self.said))
    }

    fn random_code(&mut self, lines: usize) -> String {
        let words = ["entry", "total", "queue", "window", "batch", "cursor", "limit", "offset", "record", "handle"];
        (0..lines)
            .map(|line| {
                let a = self.pick_text(&words);
                let b = self.pick_text(&words);
                let c = self.pick_text(&words);
                format!("    let {a}_{line} = {b}.{c}(&self.{a}, {})?; // {b} of the {c}\n", self.next_random(1_000))
            })
            .collect()
    }
}
