//! Restores the output of shell commands that Codex truncated for the model, from an event that stands before the tool
//! result. The result has its middle cut out from about 10 KB on; the event has up to 64 KB. The message of the call
//! gets the longer text, once. Where the output was not cut, or came first, the event is kept as an event.

use std::collections::HashMap;

use model::MessagePart;

use crate::transcript::json::JsonObject;

/// How a text begins that was cut, behind the lines that say how the command ended.
const TRUNCATION_WARNING: &str = "Warning: truncated output (original token count: ";
/// The lines before that beginning have fewer bytes than this.
const MAX_HEADING_BYTES: usize = 1024;

/// Outputs by their calls, until the model's part of each comes.
#[derive(Default)]
pub(super) struct Executed {
    outputs: HashMap<String, Output>,
}

struct Output {
    line: u64,
    text: String,
}

impl Executed {
    /// Takes a command that has ended.
    pub(super) fn note(&mut self, line: u64, item: &JsonObject<'_>) {
        // An event without text adds nothing to what the model saw.
        if let (Some(call), Some(text)) = (item.string("id"), item.string("aggregated_output")) {
            self.outputs.insert(call, Output { line, text });
        }
    }

    /// Puts the longer text in the place of one that was cut; the line that has it.
    pub(super) fn complete(&mut self, parts: &mut [MessagePart]) -> Option<u64> {
        for part in parts {
            let MessagePart::Tool { call_id: Some(call), output: Some(shown), .. } = part else { continue };
            let Some(Output { line, text }) = self.outputs.remove(call) else { continue };
            // Further inside, the words may be quoted from a file that the command printed.
            let Some(at) = shown.find(TRUNCATION_WARNING).filter(|at| *at <= MAX_HEADING_BYTES) else { continue };
            // The longer text wins. The event itself is limited to 64 KB, so it can be the shorter one.
            if text.len() > shown.len() - at {
                shown.replace_range(at.., &text);
                return Some(line);
            }
        }
        None
    }
}
