//! `HostedEmbedder`, the shared code of all embedding clients over HTTP: batches within the vendor's limits, and
//! vectors that are what was asked for or an error. A vendor supplies its wire format as `BatchWire`.
//!
//! A text longer than the model takes is an error, not a vector of its beginning: the caller cuts texts into pieces
//! and knows which piece a vector is of.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use crate::answer::UsageReport;
use crate::http::{EndpointCall, VendorConnection, VendorEndpoint};
use crate::{EmbeddingBatch, EmbeddingModel, FailureCost, ProviderError, Result, Usage, Vector, Vendor};

#[derive(Debug)]
pub(super) struct HostedEmbedder {
    vendor: Vendor,
    /// The vendor's name for the model.
    name: String,
    model: EmbeddingModel,
    endpoint: VendorEndpoint,
}

/// How one vendor writes a batch and its vectors.
pub(super) struct BatchWire {
    pub(super) path: &'static str,
    pub(super) key_header: (&'static str, &'static str),
    /// Most texts and most bytes of text in one request. A token is at least a byte, so bytes bound tokens.
    pub(super) texts: usize,
    pub(super) bytes: usize,
    pub(super) body: fn(&HostedEmbedder, &[&str]) -> Value,
    /// The rows, in the order of the texts, or what is wrong with the form.
    pub(super) rows: fn(&Value) -> Result<Vec<&Value>, &'static str>,
    /// Where the number of tokens is.
    pub(super) tokens: &'static str,
}

/// For one batch.
const DEADLINE: Duration = Duration::from_mins(1);
/// A number is at most this long as a vendor writes it.
const BYTES_A_NUMBER: usize = 32;
const ENVELOPE: usize = 256 << 10;

impl HostedEmbedder {
    pub(super) fn new(vendor: Vendor, name: String, dimensions: usize, connection: VendorConnection) -> Self {
        let model = EmbeddingModel {
            name: Cow::Owned(format!("{vendor}/{name}")),
            // The version of our side of the request; the vendor's side is in the model's name.
            version: Cow::Borrowed("1"),
            dimensions,
        };
        Self { vendor, endpoint: VendorEndpoint::new(vendor, &name, connection), name, model }
    }

    pub(super) fn vendor(&self) -> Vendor {
        self.vendor
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    pub(super) fn endpoint(&self) -> &VendorEndpoint {
        &self.endpoint
    }

    pub(super) async fn embed(&self, wire: &BatchWire, texts: &[&str]) -> Result<EmbeddingBatch> {
        let mut vectors = vec![None; texts.len()];
        let mut usage = Usage::default();
        // Vendors answer differently to an empty text; here it has no vector, whichever vendor is used.
        let worded: Vec<usize> = (0..texts.len()).filter(|&index| !texts[index].trim().is_empty()).collect();
        for batch in split_batches(&worded, texts, wire) {
            let asked: Vec<&str> = batch.iter().map(|&index| texts[index]).collect();
            let (answered, cost) =
                // The batches before this one were charged, even if this one failed.
                self.embed_batch(wire, &asked).await.map_err(|error| with_earlier_cost(usage, error))?;
            usage = usage.combine_with(cost);
            for (index, vector) in batch.iter().zip(answered) {
                vectors[*index] = vector;
            }
        }
        Ok(EmbeddingBatch { vectors, usage })
    }

    async fn embed_batch(&self, wire: &BatchWire, texts: &[&str]) -> Result<(Vec<Option<Vector>>, Usage)> {
        let call = EndpointCall {
            path: wire.path,
            key_header: wire.key_header,
            headers: &[],
            body: Some((wire.body)(self, texts)),
            deadline: DEADLINE,
            longest: ENVELOPE + texts.len() * self.model.dimensions * BYTES_A_NUMBER,
        };
        let answer = self.endpoint.send_call(call).await?;
        let malformed = |reason: String| self.endpoint.malformed_error(reason);
        let rows = (wire.rows)(&answer).map_err(|reason| malformed(reason.to_owned()))?;
        // A vector at the wrong text would make search wrong without anyone noticing.
        if rows.len() != texts.len() {
            return Err(malformed(format!("it has {} vectors for {} texts", rows.len(), texts.len())));
        }
        let vectors =
            rows.into_iter().map(|row| self.parse_vector(row)).collect::<Result<Vec<_>, _>>().map_err(malformed)?;
        let input = UsageReport(Some(&answer)).token_count(wire.tokens, "input");
        let usage = input.and_then(|input| Usage { input, ..Usage::default() }.check_limits());
        let usage = usage.map_err(|name| malformed(format!("the {name} it reports cannot be a number of tokens")))?;
        Ok((vectors, usage))
    }

    fn parse_vector(&self, row: &Value) -> Result<Option<Vector>, String> {
        let row = row.as_array().ok_or("a vector is not a list")?;
        // Vectors of another length cannot be compared with those in the store.
        if row.len() != self.model.dimensions {
            return Err(format!("vectors of {} dimensions, not {}", row.len(), self.model.dimensions));
        }
        let number = |number: &Value| number.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
        let numbers =
            row.iter().map(number).collect::<Option<Vec<f32>>>().ok_or("a vector has something else than numbers")?;
        Ok(Vector::new(&numbers))
    }
}

/// Cuts the list of texts to embed where the vendor's limits are.
fn split_batches<'a>(worded: &'a [usize], texts: &[&str], wire: &BatchWire) -> Vec<&'a [usize]> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut bytes = 0;
    for (at, &index) in worded.iter().enumerate() {
        let more = texts[index].len();
        // One text that is longer than the limit goes alone, and the vendor decides.
        if at > start && (at - start == wire.texts || bytes + more > wire.bytes) {
            batches.push(&worded[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += more;
    }
    if start < worded.len() {
        batches.push(&worded[start..]);
    }
    batches
}

/// The error of a later batch, with what the earlier ones cost.
fn with_earlier_cost(earlier: Usage, error: ProviderError) -> ProviderError {
    let spent = match error.spent {
        FailureCost::Nothing if earlier == Usage::default() => FailureCost::Nothing,
        FailureCost::Nothing => FailureCost::Reported(earlier),
        FailureCost::Reported(usage) => FailureCost::Reported(earlier.combine_with(usage)),
        FailureCost::Unknown => FailureCost::Unknown,
    };
    ProviderError { spent, ..error }
}
