//! Reads the API metadata of a model answer from its lines in a Claude Code transcript: response id, stop reason,
//! tokens read and written. The metadata becomes the part that ends the answer's message.

use model::MessagePart;

use crate::transcript::json::JsonObject;

/// The model of messages that the program writes in the model's place.
const SYNTHETIC_MODEL: &str = "<synthetic>";

pub(super) struct ApiResponse {
    pub(super) id: String,
    pub(super) usage: ResponseUsage,
    is_counted: bool,
    reason: Option<String>,
    cost_micros: Option<i64>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct ResponseUsage {
    read: u32,
    written: u32,
}

impl ApiResponse {
    /// Reads what a line says about the answer it belongs to; `None` when it names none.
    pub(super) fn from_record(record: &JsonObject<'_>, message: &JsonObject<'_>) -> Option<Self> {
        let id = message.string("id").filter(|id| !id.is_empty())?;
        let usage = message.object("usage");
        // Messages that Claude Code writes in the model's place carry a usage of zeros, which no vendor counted.
        let is_counted = usage.is_some() && message.text("model").as_deref() != Some(SYNTHETIC_MODEL);
        let dollars = record.field("costUSD").and_then(crate::transcript::json::RawJson::number);
        Some(Self {
            id,
            usage: usage.map(|usage| ResponseUsage::from_fields(&usage)).unwrap_or_default(),
            is_counted,
            reason: message.string("stop_reason"),
            // Only old versions wrote the cost into their lines.
            cost_micros: dollars.map(|dollars| (dollars * 1e6).round() as i64),
        })
    }

    /// A later line of the same answer knows better.
    pub(super) fn merge_later(&mut self, later: Self) {
        // Counts grow from line to line. The maximum also holds when lines were written out of order.
        self.usage = self.usage.max(later.usage);
        self.is_counted |= later.is_counted;
        self.reason = later.reason.or(self.reason.take());
        self.cost_micros = later.cost_micros.or(self.cost_micros);
    }

    /// The part that ends the answer, with what was not counted yet.
    pub(super) fn finish_part(&self, counted: ResponseUsage) -> Option<MessagePart> {
        self.is_counted.then(|| MessagePart::StepFinish {
            reason: self.reason.clone(),
            cost_micros: self.cost_micros,
            tokens_in: Some(self.usage.read.saturating_sub(counted.read)),
            tokens_out: Some(self.usage.written.saturating_sub(counted.written)),
        })
    }
}

impl ResponseUsage {
    fn from_fields(usage: &JsonObject<'_>) -> Self {
        let count = |name| usage.count(name).unwrap_or(0);
        // The API counts tokens read from its cache, or put into it, separately from the other input.
        let cached = count("cache_creation_input_tokens").saturating_add(count("cache_read_input_tokens"));
        Self { read: count("input_tokens").saturating_add(cached), written: count("output_tokens") }
    }

    /// Placeholders are smaller than the final counts.
    pub(super) fn max(self, other: Self) -> Self {
        Self { read: self.read.max(other.read), written: self.written.max(other.written) }
    }
}
