//! Lists the clients of model vendors: one file per vendor, one line each here, each behind the feature of its family.

#[cfg(feature = "hosted")]
pub mod anthropic;
#[cfg(feature = "builtin")]
pub mod builtin;
#[cfg(feature = "commands")]
pub mod claude_cli;
#[cfg(feature = "commands")]
pub mod codex_cli;
#[cfg(feature = "hosted")]
mod hosted_embedder;
#[cfg(feature = "hosted")]
mod hosted_generator;
#[cfg(feature = "hosted")]
pub mod ollama;
#[cfg(feature = "hosted")]
pub mod ollama_embed;
#[cfg(feature = "hosted")]
pub mod openai_chat;
#[cfg(feature = "hosted")]
pub mod openai_embed;
#[cfg(feature = "hosted")]
pub mod openai_responses;
