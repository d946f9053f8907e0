//! Finds code related to a given symbol, file or message ("more like this"): similar by words, similar by embedding,
//! and near in the symbol graph, fused by rank.
//!
//! The scores of the three rankings cannot be compared, and rank fusion needs no scores.

use super::{SearchReport, SearchRequest};
use crate::Engine;
use crate::base::run_blocking;
use crate::base::{Error, Project, Result};
use crate::code::graph::find_node;
use crate::code::graph_load::load_graph;
use crate::code::read::shown_lines;
use crate::code::search::{self, CodeSearch, SearchAim};
use crate::entities::text_of;
use crate::memory::{DescribedItem, describe_item};
use model::{FactId, MessageId, SummaryId};

/// Only so much of a text is searched with: the rest does not change what it is about.
const MAX_SEARCHED_BYTES: usize = 8 << 10;

/// Places related to a symbol, a file, a requirement, an entity, or what was said.
pub(super) async fn search_related(
    engine: &Engine,
    project: &Project,
    id: &str,
    request: &SearchRequest,
) -> Result<SearchReport> {
    let SearchRequest { filters, threshold, initiative, .. } = request;
    let limit = request.limit as usize;
    if id.trim().is_empty() {
        return Err(Error::Parameter { field: "related", reason: "is empty".to_owned() });
    }
    // The forms of ids do not overlap (`msg_…`, `sum_…`, `fact_…`), so what parses as none of them is looked up as
    // code.
    let of_talk = MessageId::parse(id).is_ok() || SummaryId::parse(id).is_ok() || FactId::parse(id).is_ok();
    let (text, own) = if of_talk {
        (conversation_text(engine, id).await?, None)
    } else {
        match code_text(engine, project, id).await {
            // What is no code may be what a document requires, or what somebody named.
            Err(error @ Error::NotFound { .. }) => match text_of(engine, project, id).await? {
                Some(text) => (text, None),
                None => return Err(error),
            },
            found => found?,
        }
    };
    let text = &without_filler(&text[..text.floor_char_boundary(MAX_SEARCHED_BYTES)]);
    // The file of the symbol itself would come first; it is dropped below, so one more result is asked for.
    let limit_with_own = limit + usize::from(own.is_some());
    let weights = Some([1.0; 3]);
    let around = own.is_some().then_some(id);
    let wanted = CodeSearch {
        text,
        guess: None,
        filters,
        limit: limit_with_own,
        aim: SearchAim::Files,
        weights,
        around,
        threshold: *threshold,
        initiative: *initiative,
    };
    let mut files = search::search_code(&engine.code, project, &wanted).await?;
    // The text is quoted from the project or a message, so a rare name in it is no typo to be reported.
    files.corrected.clear();
    let mut reply = SearchReport::from(files);
    reply.hits.retain(|hit| Some(&hit.path) != own.as_ref());
    reply.hits.truncate(limit);
    Ok(reply)
}

/// A text without keywords, which stand in nearly all code; a text of nothing but keywords stays as it is.
fn without_filler(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        if !FILLER.contains(&format!(" {} ", piece.to_lowercase())) {
            told.push_str(piece);
        }
        rest = after;
    }
    if told.contains(char::is_alphanumeric) { told } else { text.to_owned() }
}

/// Keywords and names of plain types, in the languages that most code is written in.
const FILLER: &str = " abstract and as async await bool boolean break case catch char class cls const constructor continue crate \
    def default delete do double elif else elsif end enum except export extends extern false final finally \
    float fn for from fun func function if impl implements import in int interface internal is lambda let \
    long mut namespace new nil none not null or override pass private protected pub public raise return \
    returns self short static str string struct super switch then this throw throws trait true try typedef \
    undefined unsafe unsigned use using val var virtual void when where while with yield ";

/// The words of a message, summary or fact.
async fn conversation_text(engine: &Engine, id: &str) -> Result<String> {
    Ok(match describe_item(&engine.memory, id).await? {
        DescribedItem::Message { message, .. } => message.body.content(),
        DescribedItem::Summary { summary, .. } => summary.content,
        DescribedItem::Fact(described) => described.fact.subject,
        DescribedItem::Memory(memory, _) => memory.body.content,
        DescribedItem::Artifact(_) | DescribedItem::Conversation { .. } => {
            let hint = Some("give the id of a message, a summary or a fact".to_owned());
            return Err(Error::NotFound { what: "message", id: id.to_owned(), hint });
        }
    })
}

/// The text of a symbol or file, and its path.
async fn code_text(engine: &Engine, project: &Project, id: &str) -> Result<(String, Option<String>)> {
    let graph = load_graph(&engine.code, project).await?;
    let node = find_node(&graph, project, id)?;
    let path = graph.path(node).to_owned();
    let lines = graph.lines(node);
    let project = project.clone();
    let shown = path.clone();
    let text = run_blocking("reading a file", move || shown_lines(&project, &shown, lines)).await??;
    Ok((format!("{path}\n{text}"), Some(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_code_says_is_left_out_and_names_stay() {
        let check = |text: &str, expected: &str| assert_eq!(without_filler(text), expected);
        check("def check(self, salt: str):\n    return self.key", " check(, salt: ):\n     .key");
        check("class_of String selfish", "class_of  selfish");
        check("return None", "return None");
    }
}
