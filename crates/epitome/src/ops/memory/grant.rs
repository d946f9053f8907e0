//! The `grant` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! permits a delegate (a sub-agent) to expand some summaries, with limits on depth, tokens and time.

use crate::ops::{CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply};
use clap::Args;
use engine::GrantRequest;
use model::TokenCount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub(crate) struct GrantOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrantParams {
    /// Conversations it is for, by name or id
    #[arg(long = "conversation", value_name = "CONVERSATION")]
    #[serde(default)]
    conversations: Vec<String>,
    /// Summaries it is for, with all they cover; none for all of its conversations
    #[arg(long = "summary", value_name = "SUMMARY")]
    #[serde(default)]
    summaries: Vec<String>,
    /// Most levels that an expansion may go down
    #[arg(long, default_value_t = 3)]
    #[serde(default = "default_depth")]
    max_depth: u32,
    /// Tokens it is good for
    #[arg(long, default_value_t = 4_000)]
    #[serde(default = "default_tokens")]
    tokens: u32,
    /// Seconds it lasts
    #[arg(long, default_value_t = 300)]
    #[serde(default = "default_seconds")]
    seconds: u64,
    /// Who gives it
    #[arg(long, default_value = "user")]
    #[serde(default = "default_issuer")]
    issuer: String,
    /// The grant that the caller itself works under, if it does: no other can be given then
    #[arg(long)]
    under: Option<String>,
    /// Show how this grant stands instead
    #[arg(long, value_name = "GRANT", conflicts_with = "revoke")]
    show: Option<String>,
    /// Take this grant back instead
    #[arg(long, value_name = "GRANT")]
    revoke: Option<String>,
}

fn default_depth() -> u32 {
    3
}

fn default_tokens() -> u32 {
    4_000
}

fn default_seconds() -> u64 {
    300
}

fn default_issuer() -> String {
    "user".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GrantReply {
    /// What to bring when expanding
    grant: String,
    issuer: String,
    conversations: Vec<String>,
    /// None: all summaries of its conversations
    summaries: Vec<String>,
    max_depth: u32,
    tokens: u32,
    tokens_used: u32,
    /// Milliseconds since 1970
    expires_at: i64,
    revoked: bool,
}

impl Operation for GrantOperation {
    const NAME: &'static str = "grant";
    const SUMMARY: &'static str = "Let a delegate expand some summaries, within tokens and time";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Plumbing;
    const HELP: &'static str = "\
A delegate that holds a grant may expand the named conversations or summaries, and nothing else, until tokens or time are \
used up.

Examples:
  epitome grant --conversation latest --tokens 4000 --seconds 300
  epitome grant --show GRANT
  epitome grant --revoke GRANT";
    type Params = GrantParams;
    type Reply = GrantReply;

    async fn run(call: &OperationCall<'_>, params: GrantParams) -> Result<GrantReply, engine::Error> {
        let request = match (params.show, params.revoke) {
            // `show` wins over `revoke`: of two contradicting parameters the one without effect is the safe reading.
            (Some(id), _) => GrantRequest::Show { id },
            (None, Some(id)) => GrantRequest::Revoke { id },
            (None, None) => GrantRequest::Give {
                conversations: params.conversations.iter().map(|name| call.conversation_name(name)).collect(),
                summaries: params.summaries,
                max_depth: params.max_depth,
                tokens: TokenCount(params.tokens),
                lasts: Duration::from_secs(params.seconds),
                issuer: params.issuer,
                under: params.under,
            },
        };
        let grant = call.engine.manage_grant(request).await?;
        Ok(GrantReply {
            grant: grant.id.to_string(),
            issuer: grant.issuer,
            conversations: grant.conversations.iter().map(ToString::to_string).collect(),
            summaries: grant.summaries.iter().map(ToString::to_string).collect(),
            max_depth: grant.max_depth,
            tokens: grant.cap.0,
            tokens_used: grant.used.0,
            expires_at: grant.expires.0,
            revoked: grant.revoked.is_some(),
        })
    }
}

impl OperationReply for GrantReply {
    fn to_text(&self) -> String {
        let state = if self.revoked { "taken back" } else { "given" };
        format!(
            "{}\n{state} by {} for {}, depth {}, {} of {} tokens used\n",
            self.grant,
            self.issuer,
            if self.summaries.is_empty() { self.conversations.join(" ") } else { self.summaries.join(" ") },
            self.max_depth,
            self.tokens_used,
            self.tokens
        )
    }
}
