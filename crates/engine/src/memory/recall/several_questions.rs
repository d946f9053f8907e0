//! Looks for several things that one message asks at once one by one: `what did we decide about retries and who owns the
//! backups?` is two questions, and the one with more matches would push the other out.

use super::candidates::RecallCandidates;
use super::corpus::Corpus;
use super::fusion::{RankedMessage, fuse_candidates};
use super::lexical::WordPostings;
use super::meaning::MessageNearness;
use super::question::RecallQuestion;
use super::scope::CorpusScope;
use super::score::PassageScorer;
use super::words::{WordPurpose, each_word, word_purpose};
use crate::base::Result;
use crate::base::question_split::split_questions;

/// Lifts the best message of each part of a question to the best of the whole. `find_part` gives where the words of a
/// part stand, and how near each message is to it in meaning.
pub(super) fn lift_parts(
    corpus: &Corpus,
    scope: &CorpusScope,
    query: &str,
    wants: impl Fn(u32) -> bool,
    find_part: impl Fn(&RecallQuestion) -> Result<(WordPostings, MessageNearness)>,
    ranked: &mut [RankedMessage],
) -> Result<()> {
    let parts = split_questions(query, count_content_words);
    let Some(best) = ranked.first().map(RankedMessage::score).filter(|_| parts.len() > 1) else { return Ok(()) };
    for part in parts {
        let question = RecallQuestion::new(part, corpus, scope);
        let (found, near) = find_part(&question)?;
        let scorer = PassageScorer::new(corpus, scope, &question, &found);
        let candidates = RecallCandidates::new(corpus, scope, &question, &wants, &scorer, near);
        let answers = fuse_candidates(corpus, &question, &candidates);
        // A part that no word leads to has no best message.
        let Some(answer) = answers.first().filter(|answer| answer.matched.words > 0.0) else { continue };
        let in_whole = ranked.iter_mut().find(|known| known.matched.message == answer.matched.message);
        if let Some(known) = in_whole {
            known.part = (best - known.score()).max(0.0);
        }
    }
    ranked.sort_by(|a, b| b.score().total_cmp(&a.score()));
    Ok(())
}

fn count_content_words(part: &str) -> usize {
    let mut count = 0;
    each_word(part, |written, _| count += usize::from(word_purpose(written) == WordPurpose::Content));
    count
}
