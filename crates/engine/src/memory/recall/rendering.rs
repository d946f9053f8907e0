//! Renders a recalled message as text: its citation, heading and body with neighbours. Token counts use the same
//! rendering, so that what is counted is what is sent.

use super::{ContentSpan, RecalledMessage, RecalledNeighbour};
use model::{Message, show_name, show_quoted};
use std::fmt::Write as _;

impl RecalledMessage {
    /// Its citation: `conversation#seq`, and `:start-end/bytes` where only those bytes are shown.
    pub fn source_citation(&self) -> String {
        render_citation(&self.conversation, &self.message, self.span)
    }

    /// The citation of a neighbour.
    pub fn source_of(&self, neighbour: &RecalledNeighbour) -> String {
        render_citation(&self.conversation, &neighbour.message, neighbour.span)
    }

    /// The line above it.
    pub fn render_heading(&self) -> String {
        let at = self.message.body.at.as_ref().map(|at| format!(" at {}", at.display_text())).unwrap_or_default();
        let heading = format!("{} {}{at} ({})", self.source_citation(), speaker_name(&self.message), self.why);
        format!("## {}\n", show_name(&heading))
    }

    /// Its text, and those of its neighbours.
    pub fn render_body(&self) -> String {
        let mut text = format!("{}\n\n", show_quoted(self.text.trim_end()));
        for beside in &self.neighbours {
            let who = speaker_name(&beside.message);
            let whose = format!("{} {who}", self.source_of(beside));
            let _ = write!(text, "> {}: {}\n\n", show_name(&whose), show_quoted(beside.text.trim_end()));
        }
        text
    }
}

fn render_citation(conversation: &str, message: &Message, span: ContentSpan) -> String {
    let cut = if span.is_whole() { String::new() } else { format!(":{}-{}/{}", span.start, span.end, span.of) };
    format!("{conversation}#{}{cut}", message.seq)
}

fn speaker_name(message: &Message) -> &str {
    message.body.speaker.as_deref().unwrap_or(message.body.role.as_str())
}
