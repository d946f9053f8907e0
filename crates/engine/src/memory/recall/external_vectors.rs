//! Computes and caches embedding vectors of messages from the external model that the user configured, and compares
//! them with the question; they replace those of the built-in static model.
//!
//! A message never changes, so its vector is stored under its place. Vectors are used when the question and every
//! searched message have one: no answer mixes two models.

use super::corpus::Corpus;
use super::meaning::MAX_EMBEDDED_PASSAGES;
use super::passage::{split_passages, without_speaker};
use super::scope::CorpusScope;
use super::searchable_text::OwnCalls;
use crate::base::{NullObserver, Observer, Project, Result};
use crate::ledger::embed::EmbedProgress;
use crate::ledger::embed::{
    EmbedRun, EmbeddingRole, FillReport, MOST_AT_QUESTION, VectorSource, embed_question, tell_fallback, with_prefix,
};
use crate::ledger::{CallInitiative, CallPurpose, Degradation};
use crate::memory::MemoryContext;
use crate::memory::damage::readable_messages;
use foldhash::HashMap;
use model::{ContentHash, ConversationId, DigestBuilder, Message, ProjectId};
use search::{ByteScale, QueryVector, quantize, vector_length};
use std::sync::{Arc, Mutex, PoisonError};
use store::VectorSpace;

/// Messages whose texts are held at a time.
const MESSAGES: usize = 512;

/// The vectors that were read lately, all of one model.
#[derive(Default)]
pub(crate) struct MessageVectors(Mutex<KeptVectors>);

#[derive(Default)]
struct KeptVectors {
    space: Option<VectorSpace>,
    /// By the key of a message; `None` where the model gives no vector for its text.
    vectors: HashMap<ContentHash, Option<Arc<SmallVector>>>,
}

/// A vector in bytes, and its length.
struct SmallVector {
    numbers: Vec<i8>,
    length: f32,
}

/// The cosine of each message of a scope with a question; `None` where the configured model cannot be used, and then
/// `degraded` says why.
pub(super) async fn message_nearness(
    memory: &MemoryContext,
    project: &Project,
    (corpus, scope): (&Corpus, &CorpusScope),
    (question, initiative): (&str, CallInitiative),
    degraded: &mut Vec<String>,
) -> Result<Option<Vec<f32>>> {
    let source = match VectorSource::select_source(&memory.ledger, initiative) {
        None => return Ok(None),
        Some(Err(unusable)) => {
            degraded.push(tell_fallback(&unusable));
            return Ok(None);
        }
        Some(Ok(source)) => source,
    };
    let messages = searched_messages(corpus, scope);
    // Before any call: embedding the question alone would cost money for nothing.
    if messages.is_empty() {
        return Ok(None);
    }
    let purpose = CallPurpose { operation: "recall", project: Some(&project.id), session: None, initiative };
    let conversations = all_conversations();
    let run = source.start_run(&memory.ledger, &conversations, purpose, &NullObserver);
    let found = find_vectors(memory, &run, &messages, MOST_AT_QUESTION).await?;
    // One message without a vector would rank behind all others for a reason that has nothing to do with it.
    if found.progress.missing_count() > 0 {
        degraded.extend(found.describe_shortfall(&run).iter().map(tell_fallback));
        return Ok(None);
    }
    // Vectors of messages are kept for all conversations, that of the question for its project, where searches find it
    // too.
    let of_project = EmbedRun { project: &project.id, ..run };
    let asked = match embed_question(&of_project, &[question]).await? {
        Ok(mut vectors) => vectors.pop().flatten(),
        Err(missed) => {
            degraded.push(tell_fallback(&missed));
            return Ok(None);
        }
    };
    let asked = asked.and_then(|vector| QueryVector::new(&quantize(&vector, ByteScale::Largest).collect::<Vec<_>>()));
    let mut near = vec![0.0; corpus.messages.len()];
    if let Some(asked) = asked {
        for (message, small) in found.vectors {
            near[message as usize] = asked.cosine(&small.numbers, small.length);
        }
    }
    Ok(Some(near))
}

/// Embeds all messages of a scope, and returns how many; does nothing where no embedder can be used.
pub(super) async fn embed_all(
    memory: &MemoryContext,
    project: &Project,
    (corpus, scope): (&Corpus, &CorpusScope),
    (initiative, observer): (CallInitiative, &dyn Observer),
) -> Result<EmbedProgress> {
    let Some(Ok(source)) = VectorSource::select_source(&memory.ledger, initiative) else {
        return Ok(EmbedProgress::default());
    };
    let purpose = CallPurpose { operation: "embed", project: Some(&project.id), session: None, initiative };
    let conversations = all_conversations();
    let run = source.start_run(&memory.ledger, &conversations, purpose, observer);
    Ok(find_vectors(memory, &run, &searched_messages(corpus, scope), usize::MAX).await?.progress)
}

/// The owner under which vectors of messages are stored: a conversation may belong to no project.
fn all_conversations() -> ProjectId {
    ProjectId::from_hash(ContentHash::hash_bytes(b"conversations"))
}

/// The messages of a scope that have words, each with its place.
fn searched_messages(corpus: &Corpus, scope: &CorpusScope) -> Vec<(u32, ConversationId, u64)> {
    let messages = (0..).zip(&corpus.messages);
    let searched = messages.filter(|(message, entry)| {
        scope.contains_conversation(entry.talk) && scope.contains_message(*message) && corpus.has_words(*message)
    });
    searched
        .map(|(message, _)| {
            let (conversation, seq) = corpus.message_place(message);
            (message, conversation, seq)
        })
        .collect()
}

fn vector_key(conversation: &ConversationId, seq: u64) -> ContentHash {
    DigestBuilder::new("message vector")
        .add_field(conversation.as_str().as_bytes())
        .add_field(&seq.to_le_bytes())
        .finish()
}

/// Vectors of messages, as far as there are any.
struct FoundVectors {
    vectors: Vec<(u32, Arc<SmallVector>)>,
    progress: EmbedProgress,
}

impl FoundVectors {
    fn describe_shortfall(&self, run: &EmbedRun<'_>) -> Vec<Degradation> {
        if !self.progress.degraded.is_empty() {
            return self.progress.degraded.clone();
        }
        let left = self.progress.missing_count();
        let texts = self.progress.texts;
        let model = &run.embedder.model().name;
        let reason = format!("{model} has embedded {} of {texts} messages that are searched", texts - left);
        vec![Degradation { reason, fix: Some("epitome index embeds those of its project".to_owned()) }]
    }
}

/// Looks up the vectors of messages, and embeds missing ones, unless they are more than `most`.
async fn find_vectors(
    memory: &MemoryContext,
    run: &EmbedRun<'_>,
    messages: &[(u32, ConversationId, u64)],
    most: usize,
) -> Result<FoundVectors> {
    let space = run.vector_space();
    let kept = &memory.message_vectors;
    let keys: Vec<ContentHash> = messages.iter().map(|(_, conversation, seq)| vector_key(conversation, *seq)).collect();
    let unread = kept.missing_keys(&space, &keys);
    // In chunks: a store of a million messages must not be one statement and one answer.
    for keys in unread.chunks(MESSAGES) {
        kept.insert_vectors(&space, run.load_known(&space, keys).await?);
    }
    let missing = kept.missing_keys(&space, &keys);
    let texts = keys.len() as u64;
    let mut progress = EmbedProgress { texts, known: texts - missing.len() as u64, ..EmbedProgress::default() };
    if missing.len() <= most {
        let places: HashMap<ContentHash, (ConversationId, u64)> = keys
            .iter()
            .zip(messages)
            .map(|(key, (_, conversation, seq))| (*key, (conversation.clone(), *seq)))
            .collect();
        for keys in missing.chunks(MESSAGES) {
            let some: Vec<_> = keys.iter().map(|key| places[key].clone()).collect();
            let read = readable_messages(&*memory.store, &some).await?.messages;
            let text = |message: &Option<Message>| {
                // A damaged message gets the vector of an empty text: it is not shown anyway, and must not block the
                // others for ever.
                message.as_ref().map_or_else(String::new, |message| embedded_text(run, message))
            };
            let read: Vec<String> = read.iter().map(text).collect();
            let before = progress.known + progress.embedded;
            let wanted = keys.iter().copied().zip(read.iter().map(String::as_str)).collect();
            let FillReport { vectors, refused, .. } = run.embed_missing(wanted, |done| (before + done, texts)).await?;
            progress.embedded += vectors.len() as u64;
            kept.insert_vectors(&space, vectors);
            // The next batch would be refused for the same reason: no money left, or no network.
            if let Some(refused) = &refused {
                progress.degraded.push(refused.into());
                break;
            }
        }
    }
    let vectors = kept.cached_vectors(&keys).into_iter().zip(messages);
    let vectors = vectors.filter_map(|(small, (message, ..))| Some((*message, small?)));
    Ok(FoundVectors { vectors: vectors.collect(), progress })
}

/// The text of a message that is embedded: its beginning, as for the model inside the program.
fn embedded_text(run: &EmbedRun<'_>, message: &Message) -> String {
    let content = message.body.content();
    let searched = OwnCalls::default().blank_unsearched(&message.body, &content);
    let text = without_speaker(&searched, message.body.speaker.as_deref());
    let cut = split_passages(text);
    let early = cut[..cut.len().min(MAX_EMBEDDED_PASSAGES)].last().map_or(0, |range| range.end);
    with_prefix(run.embedder, EmbeddingRole::Document, &text[..early]).into_owned()
}

impl MessageVectors {
    /// The keys that are not in memory; all of them, where those in memory are of another model.
    fn missing_keys(&self, space: &VectorSpace, keys: &[ContentHash]) -> Vec<ContentHash> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = kept.space.as_ref() == Some(space);
        keys.iter().filter(|key| !(is_same && kept.vectors.contains_key(*key))).copied().collect()
    }

    fn insert_vectors(
        &self,
        space: &VectorSpace,
        vectors: std::collections::HashMap<ContentHash, Option<providers::Vector>>,
    ) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another model replaces everything: vectors of two models must not lie in one map.
        if kept.space.as_ref() != Some(space) {
            *kept = KeptVectors { space: Some(space.clone()), vectors: HashMap::default() };
        }
        let small = |vector: providers::Vector| {
            let numbers: Vec<i8> = quantize(&vector, ByteScale::Largest).collect();
            Arc::new(SmallVector { length: vector_length(&numbers), numbers })
        };
        kept.vectors.extend(vectors.into_iter().map(|(key, vector)| (key, vector.map(small))));
    }

    fn cached_vectors(&self, keys: &[ContentHash]) -> Vec<Option<Arc<SmallVector>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| kept.vectors.get(key).cloned().flatten()).collect()
    }
}
