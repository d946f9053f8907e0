//! The JSON form of a message that the `ingest` operation takes (`WireMessage`), and its conversion into a message of
//! the store.

use super::marked_part::MarkedPart;
use model::{EventTime, MessagePart, MessageRole, NewMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One message; either `content` or `parts`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireMessage {
    role: WireRole,
    /// The speaker's name, where there are several
    speaker: Option<String>,
    /// The sitting it belongs to
    session: Option<String>,
    /// Plain text
    content: Option<String>,
    /// Typed parts, where it is more than plain text
    #[serde(default)]
    parts: Vec<MarkedPart>,
    /// When it happened; RFC 3339 is understood, other forms are kept as they are
    at: Option<String>,
    /// What else is known of it: model, tokenCount, responseTimeMs, toolCalls
    metadata: Option<Map<String, Value>>,
    /// Your own id; sending the same message again is then harmless
    id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WireRole {
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum WirePart {
    Text {
        #[serde(alias = "text_content")]
        text: String,
    },
    Reasoning {
        #[serde(alias = "text_content")]
        text: String,
    },
    Tool {
        #[serde(alias = "tool_call_id")]
        call_id: Option<String>,
        #[serde(alias = "tool_name")]
        name: Option<String>,
        #[serde(alias = "tool_status")]
        status: Option<String>,
        #[serde(alias = "tool_input")]
        input: Option<Value>,
        #[serde(alias = "tool_output")]
        output: Option<String>,
        #[serde(alias = "tool_error")]
        error: Option<String>,
        #[serde(alias = "tool_title")]
        title: Option<String>,
    },
    Patch {
        #[serde(alias = "patch_hash")]
        hash: Option<String>,
        #[serde(default, alias = "patch_files")]
        files: Vec<String>,
    },
    File {
        #[serde(alias = "file_mime")]
        mime: Option<String>,
        #[serde(alias = "file_name")]
        name: Option<String>,
        #[serde(alias = "file_url")]
        url: Option<String>,
    },
    Subtask {
        #[serde(alias = "subtask_prompt")]
        prompt: Option<String>,
        #[serde(alias = "subtask_desc")]
        description: Option<String>,
        #[serde(alias = "subtask_agent")]
        agent: Option<String>,
    },
    Compaction {
        #[serde(default, alias = "compaction_auto")]
        auto: bool,
    },
    StepStart {},
    StepFinish {
        #[serde(alias = "step_reason")]
        reason: Option<String>,
        /// In dollars, kept to the millionth
        #[serde(alias = "step_cost")]
        cost: Option<StepCost>,
        /// In millionths of a dollar, in place of `cost`
        cost_micros: Option<i64>,
        #[serde(alias = "step_tokens_in")]
        tokens_in: Option<u32>,
        #[serde(alias = "step_tokens_out")]
        tokens_out: Option<u32>,
    },
    Snapshot {
        #[serde(alias = "snapshot_hash")]
        hash: Option<String>,
    },
    Agent {
        name: Option<String>,
    },
    Retry {
        error: Option<String>,
    },
}

/// Dollars as a decimal number, kept to the millionth, which is the unit of the ledger.
#[derive(Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "f64")]
pub(super) struct StepCost(i64);

/// More than any step costs; larger numbers are no dollars.
const MOST_DOLLARS: f64 = 1e9;

impl<'de> Deserialize<'de> for StepCost {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        // A decimal column of a database comes as a text.
        let dollars = given.as_f64().or_else(|| given.as_str()?.trim().parse().ok());
        match dollars.filter(|dollars| (0.0..=MOST_DOLLARS).contains(dollars)) {
            Some(dollars) => Ok(Self((dollars * 1e6).round() as i64)),
            None => Err(serde::de::Error::custom(format!("`cost` is {given}: expected dollars, as 0.0125"))),
        }
    }
}

impl WireMessage {
    /// Text first, then the parts. A message without either is refused by the engine.
    pub(crate) fn into_message(self) -> NewMessage {
        let content = self.content.map(|text| MessagePart::Text { text });
        // The text takes the first place, so the marks of all parts behind it move by one.
        let first = usize::from(content.is_some());
        let (parts, marks): (Vec<_>, Vec<_>) = self.parts.into_iter().map(MarkedPart::into_part).unzip();
        NewMessage {
            external_id: self.id,
            role: match self.role {
                WireRole::System => MessageRole::System,
                WireRole::User => MessageRole::User,
                WireRole::Assistant => MessageRole::Assistant,
                WireRole::Tool => MessageRole::Tool,
            },
            speaker: self.speaker,
            session: self.session,
            at: self.at.map(EventTime::from_text),
            metadata: self.metadata.filter(|given| !given.is_empty()).map(|given| Value::Object(given).to_string()),
            parts: content.into_iter().chain(parts).collect(),
            part_marks: (first..).zip(marks).collect(),
        }
    }
}

impl WirePart {
    pub(super) fn into_part(self) -> MessagePart {
        match self {
            Self::Text { text } => MessagePart::Text { text },
            Self::Reasoning { text } => MessagePart::Reasoning { text },
            Self::Tool { call_id, name, status, input, output, error, title } => MessagePart::Tool {
                call_id,
                name,
                status,
                // As one string of JSON: the input of a tool has no fixed shape, and it is searched as text.
                input: input.map(|json| json.to_string()),
                output,
                error,
                title,
            },
            Self::Patch { hash, files } => MessagePart::Patch { hash, files },
            Self::File { mime, name, url } => MessagePart::File { mime, name, url },
            Self::Subtask { prompt, description, agent } => MessagePart::Subtask { prompt, description, agent },
            Self::Compaction { auto } => MessagePart::Compaction { auto },
            Self::StepStart {} => MessagePart::StepStart,
            Self::StepFinish { reason, cost, cost_micros, tokens_in, tokens_out } => {
                let cost_micros = cost_micros.or(cost.map(|StepCost(micros)| micros));
                MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out }
            }
            Self::Snapshot { hash } => MessagePart::Snapshot { hash },
            Self::Agent { name } => MessagePart::Agent { name },
            Self::Retry { error } => MessagePart::Retry { error },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(json: &str) -> Result<Vec<MessagePart>, String> {
        let message: WireMessage = serde_json::from_str(json).map_err(|error| error.to_string())?;
        Ok(message.into_message().parts)
    }

    #[test]
    fn parts_are_read_by_the_names_of_columns_too() {
        let ours = parts(
            r#"{"role":"assistant","parts":[{"type":"tool","call_id":"1","name":"Bash","input":{"a":1},"output":"ok"},{"type":"text","text":"done"}]}"#,
        );
        let theirs = parts(
            r#"{"role":"assistant","parts":[{"type":"tool","tool_call_id":"1","tool_name":"Bash","tool_input":{"a":1},"tool_output":"ok"},{"type":"text","text_content":"done"}]}"#,
        );
        assert_eq!(ours.as_ref().map(Vec::len), Ok(2));
        assert_eq!(ours, theirs);
        let twice = parts(r#"{"role":"assistant","parts":[{"type":"tool","name":"a","tool_name":"b"}]}"#);
        assert!(twice.is_err_and(|error| error.contains("duplicate field")));
    }

    #[test]
    fn a_cost_in_dollars_is_kept_to_the_millionth() {
        let cost = |written: &str| {
            let json = format!(r#"{{"role":"assistant","parts":[{{"type":"step_finish","cost":{written}}}]}}"#);
            parts(&json).map(|parts| match parts.as_slice() {
                [MessagePart::StepFinish { cost_micros, .. }] => *cost_micros,
                other => panic!("{other:?}"),
            })
        };
        for (written, micros) in [
            ("0.0125", 12_500),
            ("3", 3_000_000),
            ("0", 0),
            ("\"1.000001\"", 1_000_001),
            ("1e-5", 10),
            ("0.01234575", 12_346),
        ] {
            assert_eq!(cost(written), Ok(Some(micros)), "{written}");
        }
        for written in ["-1", "1e30", "true", "\"much\"", "\"NaN\"", "[]"] {
            assert!(cost(written).is_err_and(|error| error.contains("expected dollars")), "{written}");
        }
    }
}
