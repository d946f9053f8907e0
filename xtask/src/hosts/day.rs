//! A day in an agent: what its user says, turn by turn, from connecting to disconnecting.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::known::{Ability, Compaction, Host};
use super::model::script::{MESSAGE, Step, Turn};
use super::model::{Exchange, Model};
use super::stage::Stage;
use super::talk::{self, Going, Talk};
use super::witness::{self, HookCall};

/// What the user laid down; each must be before the model's eyes after every compaction that came later.
pub(super) const PLANTED: [(&str, Planted); 4] = [
    ("never change the signature of add_tax", Planted::InTheMorning),
    ("discounts are rounded down", Planted::InTheMorning),
    ("write a test for Cart.total", Planted::InTheMorning),
    ("always run the tests before a commit", Planted::AfterTheFirstCompaction),
];

/// When something was laid down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Planted {
    InTheMorning,
    AfterTheFirstCompaction,
}

pub(super) const MIDDLE_ROWS: usize = 400;
pub(super) const LONG_ROWS: usize = 1_200;
pub(super) const COMPACTIONS: usize = 3;
/// A model needs longer to answer than the script does, and a person to read it.
const READING: Duration = Duration::from_secs(3);

pub(super) fn middle_row(number: usize) -> String {
    format!("row {number} of the middle table: alpha beta gamma delta")
}

pub(super) fn long_row(number: usize) -> String {
    format!("row {number} of the long table: alpha beta gamma delta epsilon")
}

/// In pieces, so that nobody takes this file for a leak.
pub(super) fn secrets() -> [String; 2] {
    [["ghp_", "R9s2kLmQ8vXz4TnB7wYc1dEf5gHj3KpA6uTx"].concat(), ["AKIA", "QYLPMN5HFIQR7XYA"].concat()]
}

/// The files of a home, with their bytes.
pub(super) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What came of a day.
pub(super) struct Played {
    /// The conversation of the day, and the one of the next morning.
    pub(super) sessions: [String; 2],
    pub(super) turns: Vec<Turn>,
    /// How long the agent took for all of them.
    pub(super) seconds: f64,
    pub(super) exchanges: Vec<Exchange>,
    pub(super) hooks: Vec<HookCall>,
    pub(super) homes: Homes,
    /// What the agent printed and said, over all turns.
    pub(super) said: String,
}

/// The home before and behind us.
pub(super) struct Homes {
    pub(super) before: Files,
    pub(super) connected: Files,
    pub(super) worked: Files,
}

/// Plays the day.
pub(super) fn play(host: &Host, stage: &Stage) -> Result<Played> {
    let model = Model::start(&stage.model_folder(), &stage.project)?;
    (host.prepare)(stage, model.address)?;
    let before = stage.look()?;
    stage.epitome(&["index"])?;
    stage.epitome(&["init", "--yes", "--agent", host.name]).context("the agent cannot be connected")?;
    let connected = stage.look()?;
    stage.watch()?;
    let mut day = Day { host, stage, model: &model, turns: Vec::new(), seconds: 0.0, printed: String::new() };
    let sessions = day.work()?;
    stage.unwatch()?;
    let Day { turns, seconds, printed: mut said, .. } = day;
    said += &fs_err::read_to_string(stage.talk_file()).unwrap_or_default();
    let homes = Homes { before, connected, worked: stage.look()? };
    let hooks = witness::calls(&stage.hook_folder())?;
    Ok(Played { sessions, turns, seconds, exchanges: model.exchanges(), hooks, homes, said })
}

struct Day<'d> {
    host: &'d Host,
    stage: &'d Stage,
    model: &'d Model,
    turns: Vec<Turn>,
    seconds: f64,
    printed: String,
}

impl<'d> Day<'d> {
    fn work(&mut self) -> Result<[String; 2]> {
        let mut talk = self.open(Going::New)?;
        for mut turn in morning() {
            if !self.host.can(Ability::Plans) {
                turn.steps.retain(|step| !matches!(step, Step::Plan(_)));
            }
            let is_long = turn.name == "long";
            self.turn(talk.as_mut(), turn)?;
            if is_long && self.host.can(Ability::ReplacesOutputs) {
                std::thread::sleep(READING);
                self.turn(talk.as_mut(), all_of_it())?;
            }
        }
        for turn in afternoon() {
            self.compact(talk.as_mut())?;
            self.turn(talk.as_mut(), turn)?;
        }
        let session = talk.session().context("the agent does not say which conversation it is")?.to_owned();
        talk.leave()?;
        // Whoever comes back does so later; what waits is taken in by then.
        self.stage.epitome(&["drain"])?;
        let mut talk = self.open(Going::On(session.clone()))?;
        self.turn(talk.as_mut(), resumed())?;
        talk.leave()?;
        self.stage.epitome(&["drain"])?;
        let mut talk = self.open(Going::New)?;
        self.turn(talk.as_mut(), asked_anew())?;
        let other = talk.session().context("the agent does not say which conversation it is")?.to_owned();
        talk.leave()?;
        Ok([session, other])
    }

    fn open(&self, going: Going) -> Result<Box<dyn Talk + 'd>> {
        talk::open(self.host, self.stage, self.model.address, going)
    }

    fn turn(&mut self, talk: &mut dyn Talk, turn: Turn) -> Result<()> {
        let (name, prompt) = (turn.name, turn.prompt.clone());
        self.model.learn(turn.clone());
        self.turns.push(turn);
        self.say(talk, name, &prompt)
    }

    fn say(&mut self, talk: &mut dyn Talk, name: &'static str, prompt: &str) -> Result<()> {
        let said = talk.say(prompt).with_context(|| format!("in turn `{name}`"))?;
        self.seconds += said.seconds;
        self.printed += &said.printed;
        Ok(())
    }

    fn compact(&mut self, talk: &mut dyn Talk) -> Result<()> {
        match self.host.compaction {
            Compaction::Command(word) => self.say(talk, "compact", word),
            Compaction::Claim(tokens) => {
                self.model.claim(tokens);
                let number = self.turns.len();
                let prompt = format!("Thank you, that is enough of part {number}.");
                self.turn(talk, Turn { name: "enough", prompt, steps: vec![Step::Say("You are welcome.")] })
            }
        }
    }
}

fn turn(name: &'static str, prompt: impl Into<String>, steps: Vec<Step>) -> Turn {
    Turn { name, prompt: prompt.into(), steps }
}

fn morning() -> Vec<Turn> {
    let printed = |row: String, rows: usize| {
        let format = row.replacen("row 1 ", "row %g ", 1);
        // An agent that reads what a command prints without a terminal may miss what comes right before its end.
        Step::Run(format!("seq -f '{format}' 1 {rows} && sleep 0.3"))
    };
    let [token, key] = secrets();
    let (front, back) = token.split_at(4);
    let (first, second) = key.split_at(4);
    vec![
        turn(
            "rules",
            "Read src/price.py. Rule: never change the signature of add_tax. We decided that discounts are rounded down.",
            vec![
                Step::Read("src/price.py"),
                Step::Plan("write a test for Cart.total"),
                Step::Say("I have read the file, it holds two functions and a class."),
            ],
        ),
        turn(
            "middle",
            "Print the middle table.",
            vec![printed(middle_row(1), MIDDLE_ROWS), Step::Say("The middle table has four hundred rows.")],
        ),
        turn(
            "long",
            "Print the long table.",
            vec![printed(long_row(1), LONG_ROWS), Step::Say("The long table has twelve hundred rows.")],
        ),
        turn(
            "edit",
            "Put parentheses around the product in the discount function.",
            vec![
                Step::Edit {
                    path: "src/price.py",
                    old: "    return cents - cents * percent // 100",
                    new: "    return cents - (cents * percent) // 100",
                },
                Step::Say("The product stands in parentheses."),
            ],
        ),
        turn(
            "failure",
            "List the folder that is not there.",
            vec![Step::Run("ls /no/such/folder".to_owned()), Step::Say("There is no such folder.")],
        ),
        turn(
            "tools",
            "Ask epitome about the tax and the cart.",
            vec![
                Step::Ask { tool: "context", arguments: json!({ "query": "how is the tax added", "budget": 400 }) },
                Step::Ask { tool: "read", arguments: json!({ "targets": ["src/price.py#Cart.total"] }) },
                Step::ask("recall", &json!({ "query": "how are discounts rounded" })),
                Step::ask("expand", &json!({ "ids": [MESSAGE] })),
                Step::ask("grep", &json!({ "pattern": "middle table has" })),
                Step::Ask { tool: "epitome", arguments: json!({ "operation": "help" }) },
                Step::Say("All of them have answered."),
            ],
        ),
        turn(
            "secret",
            format!("The token is {token}, look whether it is printed."),
            vec![
                Step::Run(format!("printf 'token=%s%s\\n%s%s\\n' {front} {back} {first} {second}")),
                Step::Say("It is printed."),
            ],
        ),
    ]
}

/// The model follows what stands in the place of the output before.
fn all_of_it() -> Turn {
    let steps = vec![Step::ask("expand", &json!({ "ids": [MESSAGE] })), Step::Say("That was the long table.")];
    turn("whole", "Show me more of that.", steps)
}

/// Each turn follows a compaction.
fn afternoon() -> [Turn; COMPACTIONS] {
    [
        turn(
            "first",
            "Go on with the cart. Rule: always run the tests before a commit.",
            vec![Step::Say("I go on with the cart.")],
        ),
        turn("second", "Go on with the prices.", vec![Step::Say("I go on with the prices.")]),
        turn("third", "Go on with the rest.", vec![Step::Say("I go on with the rest.")]),
    ]
}

fn resumed() -> Turn {
    turn("resumed", "What did the long table look like?", vec![Step::Say("It had twelve hundred rows, as I said.")])
}

fn asked_anew() -> Turn {
    turn(
        "anew",
        "In the earlier conversation, how were discounts rounded?",
        vec![Step::Say("I shall look it up for you.")],
    )
}

/// Waits until something holds; agents end their sessions before the hooks of that have run.
pub(super) fn wait_until(mut holds: impl FnMut() -> Result<bool>) -> Result<bool> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(15) {
        if holds()? {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(false)
}
