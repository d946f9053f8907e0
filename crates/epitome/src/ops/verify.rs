//! `verify`: the certificate that nothing stored is missing or changed.

use super::{Call, Exit, Kind, Operation, Reply, count};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

pub(crate) struct Verify;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct VerifyReply {
    ok: bool,
    conversations: u64,
    messages: u64,
    /// Places in conversations where a message is missing
    gaps: u64,
    problems: Vec<Problem>,
}

#[derive(Serialize, JsonSchema)]
struct Problem {
    /// An id, or `database`
    subject: String,
    what: String,
}

impl Operation for Verify {
    const NAME: &'static str = "verify";
    const SUMMARY: &'static str = "Prove that nothing stored is missing or changed";
    const KIND: Kind = Kind::Read;
    type Params = Params;
    type Reply = VerifyReply;

    async fn run(call: &Call<'_>, _params: Params) -> Result<VerifyReply, engine::Error> {
        let report = call.engine.verify(call.observer).await?;
        let problems =
            report.problems.into_iter().map(|problem| Problem { subject: problem.subject, what: problem.what });
        let problems: Vec<Problem> = problems.collect();
        Ok(VerifyReply {
            ok: problems.is_empty() && report.gaps == 0,
            conversations: report.conversations,
            messages: report.messages,
            gaps: report.gaps,
            problems,
        })
    }
}

impl Reply for VerifyReply {
    fn text(&self) -> String {
        let verdict = if self.ok { "ok" } else { "NOT OK" };
        let mut text = format!(
            "{verdict}: {} in {} checked against their hashes, {}\n",
            count(self.messages, "message"),
            count(self.conversations, "conversation"),
            count(self.gaps, "gap")
        );
        for problem in &self.problems {
            let _ = writeln!(text, "  {}: {}", problem.subject, problem.what);
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.ok { Exit::Ok } else { Exit::Integrity }
    }
}
