//! Builds the model providers (text generation, embeddings) of the configured fallback list; no other file knows
//! vendors. A provider that is configured wrongly keeps nothing else from working: it is left out, and the operation
//! that would have asked it says why.

use crate::config::{Credentials, schema};
use engine::Degradation;
use providers::vendors::{
    anthropic::AnthropicGenerator, builtin::BuiltinEmbedder, claude_cli::ClaudeCli, codex_cli::CodexCli,
    ollama::OllamaGenerator, ollama_embed::OllamaEmbedder, openai_chat::OpenAiChat, openai_embed::OpenAiEmbedder,
    openai_responses::OpenAiResponses,
};
use providers::{
    Address, Embedder, Generator, MonotonicClock, NetworkReach, ResilientProvider, Vendor, VendorConnection,
};
use std::sync::Arc;

/// The providers of the fallback list, in its order, and who embeds.
pub(super) fn build_providers(
    config: &schema::ProvidersConfig,
    credentials: &Credentials,
    ticks: &MonotonicClock,
) -> engine::ProviderSet {
    let mut providers = engine::ProviderSet::default();
    for vendor in config.chain.iter().filter_map(|name| Vendor::from_name(name)) {
        match build_generator(vendor, config, credentials) {
            Ok(generator) => {
                providers.generators.push(Arc::new(ResilientProvider::from_generator(generator, Arc::clone(ticks))));
            }
            // A vendor that is set up wrongly is kept with its reason, so that the operation can say why it was not
            // asked.
            Err(unusable) => providers.unusable.push(unusable),
        }
    }
    if let Some(vendor) = Vendor::from_name(&config.embedder) {
        match build_embedder(vendor, config, credentials) {
            Ok(embedder) => {
                providers.embedders.push(Arc::new(ResilientProvider::from_embedder(embedder, Arc::clone(ticks))));
            }
            Err(unusable) => providers.unusable_embedders.push(unusable),
        }
    }
    // The built-in embedder comes last: it always answers, so meaning is never lost because a vendor is down.
    providers.embedders.push(Arc::new(BuiltinEmbedder));
    providers
}

fn build_generator(
    vendor: Vendor,
    config: &schema::ProvidersConfig,
    credentials: &Credentials,
) -> Result<Arc<dyn Generator>, Degradation> {
    let model = config.model_name(vendor);
    // Said here rather than by the vendor's 404, which would cost a call and name no setting.
    if model.is_empty() {
        return Err(unusable_provider(
            vendor,
            "no model is set",
            format!("set {}_model", schema::ProvidersConfig::key_prefix(vendor)),
        ));
    }
    let connection = || build_connection(vendor, config, credentials);
    let command = vendor.command_name().unwrap_or_default();
    Ok(match vendor {
        Vendor::Anthropic => Arc::new(AnthropicGenerator::new(model, connection()?)),
        Vendor::OpenAi => Arc::new(OpenAiResponses::new(model, connection()?)),
        Vendor::Compatible => Arc::new(OpenAiChat::new(model, connection()?)),
        Vendor::Ollama => Arc::new(OllamaGenerator::new(model, connection()?)),
        Vendor::ClaudeCli => Arc::new(ClaudeCli::new(model, command)),
        Vendor::CodexCli => Arc::new(CodexCli::new(model, command)),
        // The built-in model only embeds; in a fallback list for text it would fail at each call.
        Vendor::Builtin => {
            return Err(unusable_provider(vendor, "it writes no text", "take it out of the chain".to_owned()));
        }
    })
}

fn build_embedder(
    vendor: Vendor,
    config: &schema::ProvidersConfig,
    credentials: &Credentials,
) -> Result<Arc<dyn Embedder>, Degradation> {
    let model = config.embedding_model.as_str();
    let dimensions = config.embedding_dimensions as usize;
    if model.is_empty() {
        return Err(unusable_provider(
            vendor,
            "no model that embeds is set",
            "set providers.embedding_model".to_owned(),
        ));
    }
    // The number is part of the space's identity and has to be known before the first vector is made.
    if dimensions == 0 {
        let fix = "set providers.embedding_dimensions to how many numbers a vector of the model has";
        return Err(unusable_provider(vendor, "the dimensions of its model are not set", fix.to_owned()));
    }
    let connection = || build_connection(vendor, config, credentials);
    Ok(match vendor {
        Vendor::Ollama => Arc::new(OllamaEmbedder::new(model, dimensions, connection()?)),
        Vendor::OpenAi => Arc::new(OpenAiEmbedder::new(model, dimensions, connection()?)),
        Vendor::Compatible => Arc::new(OpenAiEmbedder::new_compatible(model, dimensions, connection()?)),
        Vendor::Builtin | Vendor::Anthropic | Vendor::ClaudeCli | Vendor::CodexCli => {
            return Err(unusable_provider(
                vendor,
                "it has no model that embeds",
                "choose another providers.embedder".to_owned(),
            ));
        }
    })
}

/// Where a vendor is and what lets us in, or what is wrong with the settings that say so.
fn build_connection(
    vendor: Vendor,
    config: &schema::ProvidersConfig,
    credentials: &Credentials,
) -> Result<VendorConnection, Degradation> {
    let prefix = schema::ProvidersConfig::key_prefix(vendor);
    let url = Some(config.base_url(vendor)).filter(|url| !url.is_empty()).or_else(|| vendor.default_address());
    let url = url.ok_or_else(|| unusable_provider(vendor, "no address is set", format!("set {prefix}_url")))?;
    let reach = if config.private_network { NetworkReach::Private } else { NetworkReach::Public };
    // Checked here and not at the first call: an address with a mistake is a matter of configuration.
    let address = Address::parse(url, reach)
        .map_err(|error| unusable_provider(vendor, error.reason, format!("correct {prefix}_url")))?;
    let key = credentials.key_for(vendor).map_err(|error| {
        let words = error.to_string();
        let (what, fix) = words.split_once("\nhint: ").unwrap_or((&words, "correct the key, or where it is"));
        unusable_provider(vendor, what, fix.to_owned())
    })?;
    Ok(VendorConnection { address, key: key.cloned() })
}

fn unusable_provider(vendor: Vendor, why: &str, fix: String) -> Degradation {
    Degradation { reason: format!("cannot use {vendor}: {why}"), fix: Some(fix) }
}
