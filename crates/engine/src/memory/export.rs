//! A transcript out again, byte for byte as it came in, except for the secrets that were replaced.

use super::existing;
use crate::{Engine, Error, Result};
use model::ContentHash;
use std::ops::ControlFlow;
use store::{Generation, Origin};

/// What was given back.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The generation whose bytes they were: the newest one of the conversation.
    pub generation: Generation,
    /// Lines that differ from the file by a secret, in order.
    pub scrubbed: Vec<Replaced>,
    /// Other places and earlier generations that the conversation was read from.
    pub others: Vec<Generation>,
}

/// A line in which something was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Which line, counted from 0.
    pub line: u64,
    /// How many bytes it had, without its newline.
    pub original_bytes: u64,
    /// The hash of those.
    pub original_hash: ContentHash,
}

/// Frames read at a time.
const PAGE: u32 = 8;

pub(crate) async fn export_transcript(
    engine: &Engine,
    conversation: &str,
    take: &mut (dyn FnMut(&[u8]) -> ControlFlow<()> + Send),
) -> Result<Exported> {
    let id = existing(engine, conversation).await?;
    let mut others = engine.store.generations_of(&id).await?;
    let generation = others.pop().ok_or_else(|| Error::NotFound {
        what: "transcript of conversation",
        id: conversation.to_owned(),
        hint: Some("it was not imported from a file; epitome history shows its messages".to_owned()),
    })?;
    others.retain(|other| other.origin != Origin::Moved);
    let (mut next, mut lines, mut scrubbed) = (0, 0, Vec::new());
    'pages: loop {
        let frames = engine.store.frames(generation.id, next, PAGE).await?;
        if frames.is_empty() {
            if let Some(tail) = engine.store.tail(generation.id).await? {
                let _ = take(&tail);
            }
            break;
        }
        next += frames.len() as u64;
        for frame in frames {
            scrubbed.extend(frame.mark.scrubbed.iter().map(|line| Replaced {
                line: lines + line.line,
                original_bytes: line.original_bytes,
                original_hash: line.original_hash,
            }));
            lines += frame.mark.lines;
            if take(&frame.content).is_break() {
                break 'pages;
            }
        }
    }
    Ok(Exported { generation, scrubbed, others })
}
