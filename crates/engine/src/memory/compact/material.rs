//! What a summary is made of, read from the store, and the summary that is made of it.

use crate::memory::active::messages_in;
use crate::memory::fold::{Item, Step};
use crate::memory::summarize::{Draft, Outline, Piece};
use crate::{Engine, Error, Result, index};
use model::{ConversationId, Message, SeqRange, Summary, SummaryId, SummaryMethod, Timestamp, Tokens, Trigger};
use std::collections::HashMap;

/// The items of a window with their texts, in order.
pub(super) struct Material {
    stretches: Vec<Stretch>,
}

pub(super) enum Stretch {
    Messages(Vec<Message>),
    Summary(Box<Summary>),
}

/// A summary that is not kept yet.
pub(super) struct Written {
    pub(super) draft: Draft,
    pub(super) method: SummaryMethod,
}

impl Material {
    /// Reads the items of a window.
    /// Summaries that are only shown, and so in no store, are in `shown`.
    pub(super) async fn read(
        engine: &Engine,
        conversation: &ConversationId,
        window: &[Item],
        shown: &HashMap<SummaryId, Summary>,
    ) -> Result<Self> {
        let mut stretches = Vec::new();
        for run in window.chunk_by(|a, b| matches!((a, b), (Item::Message(_), Item::Message(_)))) {
            stretches.push(match &run[0] {
                Item::Summary(node) => {
                    let found = match shown.get(&node.id) {
                        Some(summary) => Some(summary.clone()),
                        None => engine.store.summary(&node.id).await?,
                    };
                    let missing = || Error::NotFound { what: "summary", id: node.id.to_string(), hint: None };
                    Stretch::Summary(Box::new(found.ok_or_else(missing)?))
                }
                Item::Message(first) => {
                    let range = SeqRange { first: first.seq, last: run[run.len() - 1].range().last };
                    Stretch::Messages(messages_in(engine, conversation, range).await?)
                }
            });
        }
        Ok(Self { stretches })
    }

    /// Reads what a summary covers.
    pub(super) async fn of(engine: &Engine, summary: &Summary) -> Result<Self> {
        let (mut stretches, mut next) = (Vec::new(), summary.range.first);
        for id in &summary.covers {
            let missing = || Error::NotFound { what: "summary", id: id.to_string(), hint: None };
            let covered = engine.store.summary(id).await?.ok_or_else(missing)?;
            if next < covered.range.first {
                let range = SeqRange { first: next, last: covered.range.first - 1 };
                stretches.push(Stretch::Messages(messages_in(engine, &summary.conversation, range).await?));
            }
            next = covered.range.last + 1;
            stretches.push(Stretch::Summary(Box::new(covered)));
        }
        if next <= summary.range.last {
            let range = SeqRange { first: next, last: summary.range.last };
            stretches.push(Stretch::Messages(messages_in(engine, &summary.conversation, range).await?));
        }
        Ok(Self { stretches })
    }

    pub(super) fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Everything a summary of it could say, and the built-in one.
    pub(super) async fn outlined(self, target: Tokens) -> Result<(Self, Outline, Draft)> {
        index::blocking("summarizing", move || {
            let pieces: Vec<Piece<'_>> = self.stretches.iter().map(Stretch::piece).collect();
            let outline = Outline::of(&pieces);
            let draft = outline.draft(target);
            (self, outline, draft)
        })
        .await
    }

    /// The summary of it.
    pub(super) fn summary(
        &self,
        conversation: &ConversationId,
        step: &Step,
        written: Written,
        trigger: Trigger,
        now: Timestamp,
    ) -> Summary {
        let covers: Vec<SummaryId> =
            self.stretches.iter().filter_map(Stretch::summary).map(|it| it.id.clone()).collect();
        let Draft { content, tokens, kept } = written.draft;
        Summary {
            id: Summary::id_of(conversation, step.range, &covers, &content),
            conversation: conversation.clone(),
            range: step.range,
            covers,
            depth: step.depth,
            content,
            tokens,
            source_tokens: self.stretches.iter().map(Stretch::tokens).sum(),
            from: self.stretches.first().and_then(Stretch::from),
            until: self.stretches.last().and_then(Stretch::until),
            method: written.method,
            trigger,
            kept,
            redoes: None,
            created: now,
        }
    }
}

impl Stretch {
    fn piece(&self) -> Piece<'_> {
        match self {
            Self::Messages(messages) => Piece::Messages(messages),
            Self::Summary(summary) => Piece::Summary(&summary.content),
        }
    }

    fn summary(&self) -> Option<&Summary> {
        match self {
            Self::Messages(_) => None,
            Self::Summary(summary) => Some(summary),
        }
    }

    fn tokens(&self) -> Tokens {
        match self {
            Self::Messages(messages) => messages.iter().map(|message| message.tokens).sum(),
            Self::Summary(summary) => summary.source_tokens,
        }
    }

    fn from(&self) -> Option<String> {
        match self {
            Self::Messages(messages) => messages.iter().find_map(when),
            Self::Summary(summary) => summary.from.clone(),
        }
    }

    fn until(&self) -> Option<String> {
        match self {
            Self::Messages(messages) => messages.iter().rev().find_map(when),
            Self::Summary(summary) => summary.until.clone(),
        }
    }
}

fn when(message: &Message) -> Option<String> {
    message.body.at.as_ref().map(|at| at.text.clone())
}
