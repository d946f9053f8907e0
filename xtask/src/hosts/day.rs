//! The scenario of the end-to-end tests, one day with an agent: its user's prompts and the model's steps, turn by turn,
//! from connecting to disconnecting.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::agent_session::{self, AgentSession, SessionTarget};
use super::agents::{CompactionTrigger, HostAbility, HostAgent};
use super::hook_recorder::{self, HookCall};
use super::model::script::{MESSAGE, ScriptStep, ScriptTurn};
use super::model::{ModelExchange, ScriptedModel};
use super::sandbox::HostSandbox;

/// Facts that the user stated; each must be in the model's context after every later compaction.
pub(super) const PLANTED_FACTS: [(&str, PlantingTime); 4] = [
    ("never change the signature of add_tax", PlantingTime::InTheMorning),
    ("discounts are rounded down", PlantingTime::InTheMorning),
    ("write a test for Cart.total", PlantingTime::InTheMorning),
    ("always run the tests before a commit", PlantingTime::AfterTheFirstCompaction),
];

/// When something was laid down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlantingTime {
    InTheMorning,
    AfterTheFirstCompaction,
}

pub(super) const MIDDLE_ROWS: usize = 400;
pub(super) const LONG_ROWS: usize = 1_200;
pub(super) const COMPACTIONS: usize = 3;
/// A model needs longer to answer than the script does, and a person to read it.
const READING_PAUSE: Duration = Duration::from_secs(3);

pub(super) fn middle_row(number: usize) -> String {
    format!("row {number} of the middle table: alpha beta gamma delta")
}

pub(super) fn long_row(number: usize) -> String {
    format!("row {number} of the long table: alpha beta gamma delta epsilon")
}

/// In pieces, so that secret scanners do not take this file for a leak.
pub(super) fn planted_secrets() -> [String; 2] {
    [["ghp_", "R9s2kLmQ8vXz4TnB7wYc1dEf5gHj3KpA6uTx"].concat(), ["AKIA", "QYLPMN5HFIQR7XYA"].concat()]
}

/// The files of a home, with their bytes.
pub(super) type HomeFiles = BTreeMap<PathBuf, Vec<u8>>;

/// The result of a day.
pub(super) struct PlayedDay {
    /// The conversation of the day, and the one of the next morning.
    pub(super) sessions: [String; 2],
    pub(super) turns: Vec<ScriptTurn>,
    /// How long the agent took for all of them.
    pub(super) seconds: f64,
    pub(super) exchanges: Vec<ModelExchange>,
    pub(super) hooks: Vec<HookCall>,
    pub(super) homes: HomeSnapshots,
    /// The output of the agent over all turns.
    pub(super) said: String,
}

/// The home before and behind us.
pub(super) struct HomeSnapshots {
    pub(super) before: HomeFiles,
    pub(super) connected: HomeFiles,
    pub(super) worked: HomeFiles,
}

/// Plays the day.
pub(super) fn play_day(host: &HostAgent, stage: &HostSandbox) -> Result<PlayedDay> {
    let model = ScriptedModel::start(&stage.model_folder(), &stage.project)?;
    (host.prepare)(stage, model.address)?;
    // Taken before connecting, to compare with at the end of the day.
    let before = stage.snapshot_home()?;
    stage.run_epitome(&["index"])?;
    stage.run_epitome(&["init", "--yes", "--agent", host.name]).context("the agent cannot be connected")?;
    let connected = stage.snapshot_home()?;
    // After connecting, because `init` writes the path of the program that it finds.
    stage.install_recorder()?;
    let mut day = DayPlayer { host, stage, model: &model, turns: Vec::new(), seconds: 0.0, printed: String::new() };
    let sessions = day.play_sessions()?;
    stage.remove_recorder()?;
    let DayPlayer { turns, seconds, printed: mut said, .. } = day;
    said += &fs_err::read_to_string(stage.talk_file()).unwrap_or_default();
    let homes = HomeSnapshots { before, connected, worked: stage.snapshot_home()? };
    let hooks = hook_recorder::read_calls(&stage.hook_folder())?;
    Ok(PlayedDay { sessions, turns, seconds, exchanges: model.exchanges(), hooks, homes, said })
}

struct DayPlayer<'d> {
    host: &'d HostAgent,
    stage: &'d HostSandbox,
    model: &'d ScriptedModel,
    turns: Vec<ScriptTurn>,
    seconds: f64,
    printed: String,
}

impl<'d> DayPlayer<'d> {
    fn play_sessions(&mut self) -> Result<[String; 2]> {
        let mut talk = self.open_session(SessionTarget::New)?;
        for mut turn in morning_turns() {
            if !self.host.has_ability(HostAbility::Plans) {
                // An agent without a list of steps cannot be asked to plan.
                turn.steps.retain(|step| !matches!(step, ScriptStep::Plan(_)));
            }
            let is_long = turn.name == "long";
            self.play_turn(talk.as_mut(), turn)?;
            if is_long && self.host.has_ability(HostAbility::ReplacesOutputs) {
                // A model needs longer than the script, and the spool has to be drained before it asks for the whole.
                std::thread::sleep(READING_PAUSE);
                self.play_turn(talk.as_mut(), all_of_it())?;
            }
        }
        for turn in afternoon_turns() {
            self.compact_session(talk.as_mut())?;
            self.play_turn(talk.as_mut(), turn)?;
        }
        let session = talk.session_id().context("the agent does not say which conversation it is")?.to_owned();
        talk.end_session()?;
        // A user resumes a session later; events that wait in the spool are taken in by then.
        self.stage.run_epitome(&["drain"])?;
        let mut talk = self.open_session(SessionTarget::On(session.clone()))?;
        self.play_turn(talk.as_mut(), resumed_turn())?;
        talk.end_session()?;
        self.stage.run_epitome(&["drain"])?;
        let mut talk = self.open_session(SessionTarget::New)?;
        self.play_turn(talk.as_mut(), asked_anew())?;
        let other = talk.session_id().context("the agent does not say which conversation it is")?.to_owned();
        talk.end_session()?;
        Ok([session, other])
    }

    fn open_session(&self, going: SessionTarget) -> Result<Box<dyn AgentSession + 'd>> {
        agent_session::open_session(self.host, self.stage, self.model.address, going)
    }

    fn play_turn(&mut self, talk: &mut dyn AgentSession, turn: ScriptTurn) -> Result<()> {
        let name = turn.name;
        let prompt = turn.prompt.clone();
        self.model.add_turn(turn.clone());
        self.turns.push(turn);
        self.send_prompt(talk, name, &prompt)
    }

    fn send_prompt(&mut self, talk: &mut dyn AgentSession, name: &'static str, prompt: &str) -> Result<()> {
        let said = talk.send_prompt(prompt).with_context(|| format!("in turn `{name}`"))?;
        self.seconds += said.seconds;
        self.printed += &said.printed;
        Ok(())
    }

    fn compact_session(&mut self, talk: &mut dyn AgentSession) -> Result<()> {
        match self.host.compaction {
            CompactionTrigger::Command(word) => self.send_prompt(talk, "compact", word),
            CompactionTrigger::Claim(tokens) => {
                // Agents compact when the model reports that it read much, so the script claims it.
                self.model.claim_tokens(tokens);
                let number = self.turns.len();
                let prompt = format!("Thank you, that is enough of part {number}.");
                self.play_turn(
                    talk,
                    ScriptTurn { name: "enough", prompt, steps: vec![ScriptStep::Say("You are welcome.")] },
                )
            }
        }
    }
}

fn build_turn(name: &'static str, prompt: impl Into<String>, steps: Vec<ScriptStep>) -> ScriptTurn {
    ScriptTurn { name, prompt: prompt.into(), steps }
}

fn morning_turns() -> Vec<ScriptTurn> {
    let printed = |row: String, rows: usize| {
        let format = row.replacen("row 1 ", "row %g ", 1);
        // An agent that reads the output of a command without a terminal may miss what comes right before its end.
        ScriptStep::Run(format!("seq -f '{format}' 1 {rows} && sleep 0.3"))
    };
    let [token, key] = planted_secrets();
    let (front, back) = token.split_at(4);
    let (first, second) = key.split_at(4);
    vec![
        build_turn(
            "rules",
            "Read src/price.py. Rule: never change the signature of add_tax. We decided that discounts are rounded down.",
            vec![
                ScriptStep::Read("src/price.py"),
                ScriptStep::Plan("write a test for Cart.total"),
                ScriptStep::Say("I have read the file, it holds two functions and a class."),
            ],
        ),
        build_turn(
            "middle",
            "Print the middle table.",
            vec![printed(middle_row(1), MIDDLE_ROWS), ScriptStep::Say("The middle table has four hundred rows.")],
        ),
        build_turn(
            "long",
            "Print the long table.",
            vec![printed(long_row(1), LONG_ROWS), ScriptStep::Say("The long table has twelve hundred rows.")],
        ),
        build_turn(
            "edit",
            "Put parentheses around the product in the discount function.",
            vec![
                ScriptStep::Edit {
                    path: "src/price.py",
                    old: "    return cents - cents * percent // 100",
                    new: "    return cents - (cents * percent) // 100",
                },
                ScriptStep::Say("The product stands in parentheses."),
            ],
        ),
        build_turn(
            "failure",
            "List the folder that is not there.",
            vec![ScriptStep::Run("ls /no/such/folder".to_owned()), ScriptStep::Say("There is no such folder.")],
        ),
        build_turn(
            "tools",
            "Ask epitome about the tax and the cart.",
            vec![
                ScriptStep::Ask {
                    tool: "context",
                    arguments: json!({ "query": "how is the tax added", "budget": 400 }),
                },
                ScriptStep::Ask { tool: "read", arguments: json!({ "targets": ["src/price.py#Cart.total"] }) },
                ScriptStep::ask_operation("recall", &json!({ "query": "how are discounts rounded" })),
                ScriptStep::ask_operation("expand", &json!({ "ids": [MESSAGE] })),
                ScriptStep::ask_operation("grep", &json!({ "pattern": "middle table has" })),
                ScriptStep::Ask { tool: "epitome", arguments: json!({ "operation": "help" }) },
                ScriptStep::Say("All of them have answered."),
            ],
        ),
        build_turn(
            "again",
            "Read the prices with epitome, and again, and once more.",
            vec![read_prices(), read_prices(), read_prices(), ScriptStep::Say("I have read the prices.")],
        ),
        build_turn(
            "secret",
            format!("The token is {token}, look whether it is printed."),
            vec![
                ScriptStep::Run(format!("printf 'token=%s%s\\n%s%s\\n' {front} {back} {first} {second}")),
                ScriptStep::Say("It is printed."),
            ],
        ),
    ]
}

/// A text that is long enough to be withheld.
fn read_prices() -> ScriptStep {
    ScriptStep::Ask { tool: "read", arguments: json!({ "targets": ["src/price.py"] }) }
}

/// The model follows what stands in the place of the output before.
fn all_of_it() -> ScriptTurn {
    let steps = vec![
        ScriptStep::ask_operation("expand", &json!({ "ids": [MESSAGE] })),
        ScriptStep::Say("That was the long table."),
    ];
    build_turn("whole", "Show me more of that.", steps)
}

/// Each turn follows a compaction.
fn afternoon_turns() -> [ScriptTurn; COMPACTIONS] {
    [
        build_turn(
            "first",
            "Go on with the cart. Rule: always run the tests before a commit.",
            vec![read_prices(), ScriptStep::Say("I go on with the cart.")],
        ),
        build_turn("second", "Go on with the prices.", vec![ScriptStep::Say("I go on with the prices.")]),
        build_turn("third", "Go on with the rest.", vec![ScriptStep::Say("I go on with the rest.")]),
    ]
}

fn resumed_turn() -> ScriptTurn {
    build_turn(
        "resumed",
        "What did row 17 of the long table look like?",
        vec![ScriptStep::Say("It had twelve hundred rows, as I said.")],
    )
}

fn asked_anew() -> ScriptTurn {
    build_turn(
        "anew",
        "In the earlier conversation, how were discounts rounded?",
        vec![ScriptStep::Say("I shall look it up for you.")],
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
