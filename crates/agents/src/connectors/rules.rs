//! The instructions about Epitome that connectors write into the rules file of an agent (`AGENTS.md`, `GEMINI.md`), as
//! a marked block. Only where nothing better reaches the model: an agent that shows the instructions of MCP servers
//! gets no rules, because every line of them is paid for in every session.

use super::Graft;

const RULES: &str = "\
## Epitome

The MCP server `epitome` knows the code of this machine's projects and keeps conversations verbatim.
- Its tool `context` answers a question about the code with cited source text within a token budget.
- Its tool `epitome` runs every other operation; `{\"operation\": \"recall\", \"arguments\": {\"query\": …}}` finds what \
was said and decided before.
";

/// The rules as a block of a Markdown file.
pub(crate) fn rules_graft() -> Vec<Graft> {
    vec![Graft::Text { text: RULES.to_owned() }]
}
