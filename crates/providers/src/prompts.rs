//! Renders the prompts for models: `Prompt` chooses a template from the files under `prompts/` and adds the material.
//!
//! Material (history, code, questions) is fenced: it stands between lines with a boundary that occurs nowhere in it.
//! The boundary is taken from the hash of the material, so no author of material can know it beforehand, and the same
//! material always makes the same prompt. The instructions are a constant of the file, so that vendors' prompt caches
//! find it again; all that varies is in the question, material first, task last.
//!
//! A prompt's version is the hash of its text: a cache of answers keeps it with them.

mod fence;

use std::fmt;
use std::time::Duration;

use model::{DigestBuilder, TokenCount};
use serde_json::{Value, json};

use self::fence::PromptMaterial;
use crate::{GenerateRequest, RequestMessage, RequestSpeaker};

/// A rendered prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// Which text made it.
    pub version: PromptVersion,
    /// The instructions.
    pub system: String,
    /// Material and task.
    pub question: String,
    /// The form of the answer, where it is not text.
    pub schema: Option<Value>,
    /// How freely the answer is worded, where it matters.
    pub temperature: Option<f64>,
}

/// Which text made a prompt, and with it every answer to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromptVersion {
    name: &'static str,
    hash: String,
}

/// How hard a summary is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryEffort {
    /// The first try.
    Normal,
    /// After a first try that was too long.
    Aggressive,
}

impl SummaryEffort {
    /// How freely the text is worded: the second try keeps closer to the words it was given.
    fn temperature(self) -> f64 {
        match self {
            Self::Normal => 0.2,
            Self::Aggressive => 0.1,
        }
    }

    /// What is asked for of a target: after a text that was too long, about four sevenths of it.
    fn target_tokens(self, TokenCount(target): TokenCount) -> TokenCount {
        match self {
            Self::Normal => TokenCount(target),
            Self::Aggressive => TokenCount(target * 57 / 100),
        }
    }
}

/// The kind of symbol that is described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolForm {
    /// Functions and methods.
    Function,
    /// Types with members.
    Class,
    /// Everything else.
    Other,
}

impl Prompt {
    /// A summary of what was extracted from messages or summaries, row by row. `earlier` is what is remembered from
    /// before them.
    pub fn leaf_summary(effort: SummaryEffort, rows: &str, earlier: Option<&str>, target: TokenCount) -> Self {
        let template = match effort {
            SummaryEffort::Normal => &LEAF_NORMAL,
            SummaryEffort::Aggressive => &LEAF_AGGRESSIVE,
        };
        let prompt = template.render_summary(earlier, &[("rows", rows)], effort.target_tokens(target));
        Self { temperature: Some(effort.temperature()), ..prompt }
    }

    /// A summary of summaries, which becomes `depth` deep. `earlier` is what is remembered from before them.
    pub fn condensed_summary(depth: u32, memories: &[&str], earlier: Option<&str>, target: TokenCount) -> Self {
        let template = match depth {
            0 | 1 => &CONDENSED_1,
            2 => &CONDENSED_2,
            _ => &CONDENSED_3,
        };
        let memories: Vec<PromptMaterial<'_>> = memories.iter().map(|memory| ("memory", *memory)).collect();
        let prompt = template.render_summary(earlier, &memories, target);
        Self { temperature: Some(SummaryEffort::Normal.temperature()), ..prompt }
    }

    /// The description of a symbol: its name as people write it, and its text.
    pub fn symbol_description(form: SymbolForm, name: &str, text: &str) -> Self {
        let template = match form {
            SymbolForm::Function => &SYMBOL_FUNCTION,
            SymbolForm::Class => &SYMBOL_CLASS,
            SymbolForm::Other => &SYMBOL_OTHER,
        };
        template.render(&[("name", name), ("code", text)], template.task())
    }

    /// A passage as it might answer `question`, to search with.
    pub fn hyde_passage(question: &str) -> Self {
        HYDE.render(&[("question", question)], HYDE.task())
    }

    /// Whether `question` needs anything of the project. `earlier` is what was said before it.
    pub fn gate_question(question: &str, earlier: Option<&str>) -> Self {
        let before = earlier.map(|earlier| ("what was said before", earlier));
        let material: Vec<PromptMaterial<'_>> = before.into_iter().chain([("question", question)]).collect();
        let schema = json!({
            "type": "object",
            "properties": { "retrieve": { "type": "boolean" }, "reason": { "type": "string" } },
            "required": ["retrieve", "reason"],
            "additionalProperties": false,
        });
        Self { schema: Some(schema), ..GATE.render(&material, GATE.task()) }
    }

    /// A text that sums up a whole conversation: `notes` on all of it, and its newest messages.
    pub fn session_summary(notes: &str, messages: &str, target: TokenCount) -> Self {
        SESSION.render_summary(None, &[("notes", notes), ("messages", messages)], target)
    }

    /// An answer to `question` from numbered passages, of at most `length`.
    pub fn written_answer(question: &str, passages: &[&str], length: TokenCount) -> Self {
        let passages = passages.iter().map(|passage| ("passage", *passage));
        let material: Vec<PromptMaterial<'_>> = passages.chain([("question", question)]).collect();
        // As close to the words of the passages as a summary: an answer is no place for invention.
        Self { temperature: Some(0.2), ..ANSWER.render_summary(None, &material, length) }
    }

    /// A draft without the claims that `findings` name; `context` is what it was written from.
    pub fn revised_draft(draft: &str, findings: &str, context: Option<&str>) -> Self {
        let context = context.map(|context| ("context", context));
        let material: Vec<PromptMaterial<'_>> =
            context.into_iter().chain([("draft", draft), ("findings", findings)]).collect();
        // A correction is no place for new words.
        Self { temperature: Some(0.1), ..REVISE.render(&material, REVISE.task()) }
    }

    /// The request that asks it.
    pub fn into_request(self, max_output: TokenCount, deadline: Duration) -> GenerateRequest {
        GenerateRequest {
            system: self.system,
            messages: vec![RequestMessage { speaker: RequestSpeaker::User, text: self.question }],
            max_output,
            temperature: self.temperature,
            schema: self.schema,
            deadline,
        }
    }
}

/// One file of `prompts/`: the instructions, a line `---`, the task.
struct PromptTemplate {
    name: &'static str,
    text: &'static str,
}

macro_rules! templates {
    ($($constant:ident = $name:literal),* $(,)?) => {
        $(const $constant: PromptTemplate =
            PromptTemplate { name: $name, text: include_str!(concat!("../prompts/", $name, ".md")) };)*
    };
}

templates! {
    LEAF_NORMAL = "leaf-normal",
    LEAF_AGGRESSIVE = "leaf-aggressive",
    CONDENSED_1 = "condensed-1",
    CONDENSED_2 = "condensed-2",
    CONDENSED_3 = "condensed-3",
    SYMBOL_FUNCTION = "symbol-function",
    SYMBOL_CLASS = "symbol-class",
    SYMBOL_OTHER = "symbol-other",
    HYDE = "hyde",
    GATE = "gate",
    SESSION = "session",
    ANSWER = "answer",
    REVISE = "revise",
}

/// The instruction about material that every prompt has.
const MATERIAL: &str = include_str!("../prompts/material.md");
/// The addition to a prompt if something is remembered already.
const EARLIER_CONTEXT_PROMPT: &str = include_str!("../prompts/earlier.md");

impl PromptTemplate {
    /// A text that takes the place of `material`, going on from what is remembered from before it.
    fn render_summary(
        &self,
        earlier: Option<&str>,
        material: &[PromptMaterial<'_>],
        TokenCount(tokens): TokenCount,
    ) -> Prompt {
        // English prose has about three words to four tokens.
        let words = u64::from(tokens) * 3 / 4;
        let mut task = self.task().replace("{tokens}", &tokens.to_string()).replace("{words}", &words.to_string());
        if earlier.is_some() {
            task = format!("{task} {}", EARLIER_CONTEXT_PROMPT.trim());
        }
        let before = earlier.map(|earlier| ("earlier memory", earlier));
        self.render(&before.into_iter().chain(material.iter().copied()).collect::<Vec<_>>(), &task)
    }

    fn render(&self, material: &[PromptMaterial<'_>], task: &str) -> Prompt {
        Prompt {
            version: self.version(),
            // The system text is constant, so that a vendor's prompt cache finds it again.
            system: format!("{}\n\n{}", self.split_parts().0, MATERIAL.trim()),
            question: format!("{}\n\n{task}", fence::fence_material(material)),
            schema: None,
            temperature: None,
        }
    }

    fn task(&self) -> &'static str {
        self.split_parts().1
    }

    fn split_parts(&self) -> (&'static str, &'static str) {
        let (told, task) = self.text.split_once("\n---\n").expect("a prompt's file has a line `---`");
        (told.trim(), task.trim())
    }

    fn version(&self) -> PromptVersion {
        let texts = [self.text, MATERIAL, EARLIER_CONTEXT_PROMPT].map(str::as_bytes);
        let digest =
            // The form of the fence is part of the version, because it changes what the model reads.
            texts.into_iter().fold(DigestBuilder::new("prompt").add_field(fence::FORM), DigestBuilder::add_field);
        PromptVersion { name: self.name, hash: digest.finish().to_string()[..16].to_owned() }
    }
}

impl fmt::Display for PromptVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.hash)
    }
}

#[cfg(test)]
mod tests;
