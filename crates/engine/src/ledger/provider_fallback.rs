//! Generates a text with a model provider: the one that the caller names, else each of the configured fallback list
//! until one answers. If none does, the operation continues with what is built in, and a `Degradation` says why.

use super::spend_contract::{CallPurpose, CallRefusal, call_generator, model_name};
use crate::base::{Error, Result};
use crate::ledger::LedgerContext;
use providers::{Embedder, FailureRemedy, GenerateRequest, Generator, StopReason, Vendor};
use std::fmt;
use std::sync::Arc;
use store::LedgerFigures;

/// The providers that are configured, each behind its circuit breaker, in the order in which they are asked.
#[derive(Clone, Default)]
pub struct ProviderSet {
    /// Providers that write text.
    pub generators: Vec<Arc<dyn Generator>>,
    /// Why other providers of the fallback list cannot be used.
    pub unusable: Vec<Degradation>,
    /// Providers that embed; the built-in one last.
    pub embedders: Vec<Arc<dyn Embedder>>,
    /// Why another embedder cannot be used.
    pub unusable_embedders: Vec<Degradation>,
}

/// A part of an operation that failed or was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degradation {
    /// Why.
    pub reason: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl fmt::Display for Degradation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        self.fix.as_ref().map_or(Ok(()), |fix| write!(f, " (fix: {fix})"))
    }
}

impl From<&CallRefusal> for Degradation {
    fn from(refused: &CallRefusal) -> Self {
        let (reason, fix) = refused.reason_and_fix();
        Self { reason, fix }
    }
}

/// The generated text, if any, and what prevented it.
pub(crate) struct GenerationOutcome {
    pub(crate) text: Option<String>,
    /// The model that wrote it.
    pub(crate) model: Option<String>,
    /// The booked cost of all calls, including those without an answer.
    pub(crate) cost: LedgerFigures,
    /// Providers that were called, or would have been, without an answer.
    pub(crate) missed: Vec<Degradation>,
    /// Whether another request may succeed where this one did not.
    pub(crate) others_may: bool,
}

/// Generates a text under the spend contract.
///
/// A text that ends for lack of room counts as none: a caller that stored the beginning of a summary as the summary
/// would keep something false.
pub(crate) async fn generate_text(
    ledger: &LedgerContext,
    purpose: CallPurpose<'_>,
    choice: Option<&str>,
    request: &GenerateRequest,
) -> Result<GenerationOutcome> {
    let fallbacks = &ledger.providers.generators;
    let generators = select_providers(fallbacks, choice, |known| (known.model().vendor, model_name(known.model())))?;
    let mut written = GenerationOutcome {
        text: None,
        model: None,
        cost: LedgerFigures::default(),
        missed: Vec::new(),
        others_may: false,
    };
    // To a caller that names a provider the others do not matter.
    if choice.is_none() {
        written.missed.clone_from(&ledger.providers.unusable);
    }
    if generators.is_empty() && written.missed.is_empty() {
        let fix = "name a provider in providers.chain, and its model".to_owned();
        written.missed.push(Degradation { reason: "no provider of models is configured".to_owned(), fix: Some(fix) });
    }
    for generator in generators {
        let called = call_generator(ledger, purpose, &*generator, request).await?;
        // A call without an answer may cost as well.
        written.cost = written.cost + called.cost;
        match called.answer {
            Ok(generated) if generated.stop == StopReason::End => {
                written.text = Some(generated.text);
                written.model = Some(model_name(generator.model()));
                return Ok(written);
            }
            // Another model may have more room, so the next one is called.
            Ok(_) => {
                let reason = format!("{} ran out of room before it was done", model_name(generator.model()));
                written.missed.push(Degradation { reason, fix: None });
                written.others_may = true;
            }
            Err(refused) => {
                written.missed.push(Degradation::from(&refused));
                written.others_may |= matches!(&refused, CallRefusal::Provider(error) if error.failure.remedy() == FailureRemedy::Rephrase);
                // The remaining providers would be refused for the same reason.
                if refused.is_final() {
                    break;
                }
            }
        }
    }
    Ok(written)
}

/// The provider that is named as `vendor` or `vendor/model`, or the whole fallback list.
pub(crate) fn select_providers<P: ?Sized>(
    fallbacks: &[Arc<P>],
    choice: Option<&str>,
    named: impl Fn(&P) -> (Vendor, String),
) -> Result<Vec<Arc<P>>> {
    let Some(choice) = choice else { return Ok(fallbacks.to_vec()) };
    let is_chosen = |provider: &&Arc<P>| {
        let (vendor, name) = named(provider);
        vendor.name() == choice || name == choice
    };
    if let Some(provider) = fallbacks.iter().find(is_chosen) {
        return Ok(vec![Arc::clone(provider)]);
    }
    let known: Vec<String> = fallbacks.iter().map(|known| named(known).1).collect();
    let known = if known.is_empty() { "none is".to_owned() } else { format!("there is {}", known.join(", ")) };
    let reason = format!("names `{choice}`, which is not configured: {known}");
    Err(Error::Parameter { field: "provider", reason })
}
