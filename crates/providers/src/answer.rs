//! Validates a language model's answer (`VendorAnswer`): a refusal, no text, or text that is not the JSON asked for, is
//! an error. `UsageReport` reads token counts from a vendor's JSON.
//!
//! Every generating vendor parses its wire format into a `VendorAnswer`; whether that counts as an answer is judged
//! here, so that "empty", "refused" and "cut off" mean the same for every vendor.

use serde_json::Value;

use crate::{
    FailureCost, GenerateRequest, GeneratedText, ProviderError, ProviderFailure, Result, StopReason, Usage, Vendor,
};

/// The answer of a vendor, before it is checked.
#[derive(Debug)]
pub(crate) struct VendorAnswer {
    pub(crate) text: String,
    pub(crate) ended: AnswerEnd,
    /// The reported usage, or the name of a field that cannot be a number of tokens.
    pub(crate) usage: Result<Usage, &'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
    Whole,
    Cut,
    Refused,
}

impl VendorAnswer {
    /// The answer, if it is one to `request`.
    pub(crate) fn into_generated(self, vendor: Vendor, request: &GenerateRequest) -> Result<GeneratedText> {
        let malformed =
            |reason: String, spent| ProviderError { vendor, failure: ProviderFailure::Malformed { reason }, spent };
        // Checked before anything else: a number that no model can reach would close the account in the ledger.
        let usage = self.usage.and_then(Usage::check_limits).map_err(|name| {
            malformed(format!("the {name} it reports cannot be a number of tokens"), FailureCost::Unknown)
        })?;
        // A report of zeros is no report: local servers fill the fields without counting.
        let spent = if usage == Usage::default() { FailureCost::Unknown } else { FailureCost::Reported(usage) };
        let fail = |failure| Err(ProviderError { vendor, failure, spent });
        let text = match request.schema {
            // Models put JSON into a code fence even when they are told not to.
            Some(_) => without_fence(without_reasoning(&self.text)),
            None => without_reasoning(&self.text),
        };
        let stop = match (self.ended, text) {
            (AnswerEnd::Refused, _) => return fail(ProviderFailure::Refused),
            // Only reasoning came before the limit, so there is nothing to keep.
            (AnswerEnd::Cut, "") => return fail(ProviderFailure::Truncated),
            (AnswerEnd::Whole, "") => return fail(ProviderFailure::Empty),
            (AnswerEnd::Cut, _) => StopReason::Length,
            (AnswerEnd::Whole, _) => StopReason::End,
        };
        // A piece of JSON is no JSON, and text that does not follow the schema is no answer to a request with one.
        if request.schema.is_some() && serde_json::from_str::<Value>(text).is_err() {
            return match stop {
                StopReason::Length => fail(ProviderFailure::Truncated),
                StopReason::End => Err(malformed("it is not the JSON that was asked for".to_owned(), spent)),
            };
        }
        Ok(GeneratedText { text: text.to_owned(), stop, usage })
    }
}

/// Local models write their reasoning in front of the answer; one that never comes to an end is all there is.
fn without_reasoning(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix("<think>") {
        None => text,
        // A reasoning that never ends used up the whole limit: there is no answer behind it.
        Some(rest) => rest.split_once("</think>").map_or("", |(_, answer)| answer.trim()),
    }
}

/// Models that were asked for JSON like to show it as a block of code.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

/// Reads numbers of tokens out of a vendor's report.
pub(crate) struct UsageReport<'a>(pub(crate) Option<&'a Value>);

impl UsageReport<'_> {
    /// The number at `pointer`; `None` when the report does not say.
    pub(crate) fn token_count(&self, pointer: &str, name: &'static str) -> Result<Option<u64>, &'static str> {
        match self.0.and_then(|report| report.pointer(pointer)) {
            None | Some(Value::Null) => Ok(None),
            Some(number) => number.as_u64().map(Some).ok_or(name),
        }
    }

    /// For vendors that count what came from the cache as input too.
    pub(crate) fn inclusive_usage(
        &self,
        [input, output, cache_read, cache_write]: [&str; 4],
    ) -> Result<Usage, &'static str> {
        let all = self.token_count(input, "input")?;
        let cache_read = self.token_count(cache_read, "cache reads")?;
        let cache_write = self.token_count(cache_write, "cache writes")?;
        let cached = cache_read.unwrap_or(0).checked_add(cache_write.unwrap_or(0)).ok_or("cache reads")?;
        // The vendor counts cached tokens as input too; the difference is what was charged in full.
        let input = all.map(|all| all.checked_sub(cached).ok_or("input")).transpose()?;
        Ok(Usage { input, output: self.token_count(output, "output")?, cache_read, cache_write })
    }
}
