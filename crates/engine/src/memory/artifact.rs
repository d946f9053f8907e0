//! Moves large content (long texts, tool arguments, embedded files) out of messages into artifacts, which have no size
//! limit, and reads artifacts page by page.
//!
//! A message keeps both ends of a long text, cut by rules that never change: other words in another release would make
//! a revision at the next rebuild. Of a file that is quoted in a text only the content leaves, and what is in it stands
//! in its place, because nothing else of it stays.

mod file_blocks;

pub(crate) use file_blocks::name_quoted_files;

use super::explore::{ContentHint, explore_content};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use model::scrub::{RuleName, Scrubber};
use model::{ArtifactId, MessageId, MessagePart, NewMessage, TokenCount, count_tokens};
use std::ops::Range;
use store::{Artifact, NewArtifact, NewRow};
use syntax::ContentKind;

/// Some of an artifact's bytes.
#[derive(Clone, Debug)]
pub struct ArtifactPage {
    /// The artifact.
    pub artifact: Artifact,
    /// The messages that mention it, in the order in which they were stored.
    pub messages: Vec<MessageId>,
    /// Which bytes these are.
    pub range: Range<u64>,
    /// The bytes, exactly.
    pub bytes: Vec<u8>,
    /// The target that continues behind this page.
    pub continue_with: Option<String>,
    /// Where all of the bytes are kept.
    pub place: String,
}

/// Bytes of the beginning and of the end that stay in the message.
const KEPT_HEAD_BYTES: usize = 1_000;
const KEPT_TAIL_BYTES: usize = 500;

/// Bytes that an argument may have to stay.
const FIELD: usize = 500;

/// Tokens of the summary of what is in an artifact.
const SUMMARY: TokenCount = TokenCount(200);

/// Bytes of a page where the caller names no range.
const PAGE: u64 = 16 << 10;

/// Reads an artifact: `art_…` from its beginning, or the bytes that `art_…:START-END` names.
pub(super) async fn read_page(memory: &MemoryContext, target: &str) -> Result<ArtifactPage> {
    let (id, range) = target.split_once(':').map_or((target, None), |(id, range)| (id, Some(range)));
    let invalid = |reason: String| Error::Parameter { field: "id", reason };
    let id = ArtifactId::parse(id).map_err(|error| invalid(format!("is wrong: {error}")))?;
    let missing = || Error::NotFound { what: "artifact", id: id.to_string(), hint: None };
    let artifact = memory.store.load_artifact(&id).await?.ok_or_else(missing)?;
    let range = match range {
        None => 0..PAGE,
        Some(range) => {
            let bounds = range.split_once('-').and_then(|(start, end)| Some(start.parse().ok()?..end.parse().ok()?));
            bounds.filter(|bounds| bounds.start <= bounds.end).ok_or_else(|| {
                invalid(format!("has `{range}` for its bytes: give the first and the one after the last, `0-1000`"))
            })?
        }
    };
    // Read whole even for a page: its hash is over all bytes, and bytes that were not compared are never shown.
    let content = memory.store.artifact_content(&id).await?.ok_or_else(missing)?;
    let asked = range.end - range.start;
    let range = range.start.min(artifact.bytes)..range.end.min(artifact.bytes);
    let range = whole_characters(&content, range);
    let bytes = content[range.start as usize..range.end as usize].to_vec();
    let messages = memory.store.artifact_messages(&id).await?;
    // At least a byte further: an empty range would lead to itself.
    let next = range.end..(range.end + asked.max(1)).min(artifact.bytes);
    let continue_with = (!next.is_empty()).then(|| format!("{id}:{}-{}", next.start, next.end));
    let place = memory.store.artifact_place(&artifact);
    Ok(ArtifactPage { artifact, messages, range, bytes, continue_with, place })
}

/// The range a little shorter, where it would end inside of a character.
fn whole_characters(content: &[u8], range: Range<u64>) -> Range<u64> {
    let is_inside = |at: u64| content.get(at as usize).is_some_and(|byte| byte & 0xc0 == 0x80);
    let end = (range.start..=range.end).rev().take(4).find(|at| !is_inside(*at)).unwrap_or(range.end);
    range.start..if end > range.start { end } else { range.end }
}

/// By which rules content is taken out of messages.
#[derive(Clone, Copy)]
pub(super) struct ArtifactExtractor<'a> {
    /// Takes secrets out of text that was wrapped when messages were scrubbed.
    pub(super) scrubber: &'a Scrubber,
    /// More tokens than these are too many.
    pub(super) threshold: TokenCount,
}

/// A message as it is stored.
pub(super) struct ExtractedMessage {
    pub(super) row: NewRow,
    /// The artifacts taken out of it.
    pub(super) artifacts: Vec<NewArtifact>,
    /// The rules by which secrets were replaced in what was taken out.
    pub(super) secrets: Vec<RuleName>,
}

impl ArtifactExtractor<'_> {
    /// Makes a message a row: large content goes out of it, and its tokens are counted.
    pub(super) fn extract_row(self, body: NewMessage) -> ExtractedMessage {
        let mut taken = ArtifactCollector { taking: self, artifacts: Vec::new(), secrets: Vec::new(), attached: None };
        let parts = body.parts.into_iter().map(|part| taken.extract_part(part)).collect();
        let body = NewMessage { parts, ..body };
        let artifacts = taken.artifacts.iter().map(NewArtifact::artifact_id).collect();
        let row = NewRow { tokens: count_tokens(&body.content()), body, artifacts };
        ExtractedMessage { row, artifacts: taken.artifacts, secrets: taken.secrets }
    }
}

struct ArtifactCollector<'a> {
    taking: ArtifactExtractor<'a>,
    artifacts: Vec<NewArtifact>,
    secrets: Vec<RuleName>,
    /// The file that the part before names, whose content is the text that follows.
    attached: Option<AttachedFile>,
}

/// What a part says of a file whose content is the text behind it.
struct AttachedFile {
    name: Option<String>,
    media_type: Option<String>,
}

impl AttachedFile {
    /// What the text behind it is, as the part says. Agents call every text `text/plain`, and a picture is not in the text.
    fn said_type(&self) -> Option<&str> {
        const OTHER_TYPES: [&str; 6] = ["text/plain", "image/", "audio/", "video/", "font/", "application/pdf"];
        self.media_type.as_deref().filter(|said| !OTHER_TYPES.iter().any(|other| said.starts_with(other)))
    }

    /// What it is by its name, where that is code.
    fn code_type(&self, text: &[u8]) -> Option<String> {
        let language = syntax::language_of(self.name.as_deref()?, text)?.name();
        (syntax::content_kind_of(language) == ContentKind::Code).then(|| format!("text/x-{language}"))
    }
}

impl ArtifactCollector<'_> {
    fn extract_part(&mut self, part: MessagePart) -> MessagePart {
        let attached = self.attached.take();
        match part {
            MessagePart::Text { text } => {
                let text = self.extract_blocks(text);
                MessagePart::Text { text: self.shorten_attached(text, attached.as_ref()) }
            }
            MessagePart::Reasoning { text } => MessagePart::Reasoning { text: self.shorten_text(text) },
            MessagePart::Tool { call_id, name, status, input, output, error, title } => MessagePart::Tool {
                input: input.map(|input| self.shorten_input(input)),
                output: output.map(|output| self.shorten_text(output)),
                error: error.map(|error| self.shorten_text(error)),
                call_id,
                name,
                status,
                title,
            },
            MessagePart::File { mime, name, url } => {
                let is_content = url.as_deref().is_some_and(|url| url.starts_with("data:"));
                let names_file = !is_content && (name.is_some() || mime.is_some());
                self.attached = names_file.then(|| AttachedFile { name: name.clone(), media_type: mime.clone() });
                self.extract_file(mime, name, url)
            }
            MessagePart::Subtask { prompt, description, agent } => {
                MessagePart::Subtask { prompt: prompt.map(|prompt| self.shorten_text(prompt)), description, agent }
            }
            MessagePart::Retry { error } => MessagePart::Retry { error: error.map(|error| self.shorten_text(error)) },
            MessagePart::Patch { .. }
            | MessagePart::Compaction { .. }
            | MessagePart::StepStart
            | MessagePart::StepFinish { .. }
            | MessagePart::Snapshot { .. }
            | MessagePart::Agent { .. } => part,
        }
    }

    /// A text without the content of quoted files that is too long; what is in it stands in its place.
    fn extract_blocks(&mut self, text: String) -> String {
        let blocks = file_blocks::find_blocks(&text);
        let mut kept = String::new();
        let mut copied = 0;
        for block in blocks {
            let content = &text[block.content.clone()];
            let Some(tokens) = self.too_long(content) else { continue };
            let hint = ContentHint { media_type: block.media_type, name: block.name };
            kept.push_str(&text[copied..block.content.start]);
            let id = self.add_artifact(content.as_bytes().to_vec(), hint, Some(tokens));
            kept.push_str(&describe_block(&id, block.name, self.artifacts.last()));
            copied = block.content.end;
        }
        if copied == 0 {
            return text;
        }
        kept.push_str(&text[copied..]);
        kept
    }

    /// A text, or its beginning and its end around a mark when it is too long.
    fn shorten_text(&mut self, text: String) -> String {
        self.shorten_attached(text, None)
    }

    /// The same for a text that may be the content of a file.
    fn shorten_attached(&mut self, text: String, file: Option<&AttachedFile>) -> String {
        let Some(tokens) = self.too_long(&text) else { return text };
        let bytes = text.len();
        let head = text.floor_char_boundary(KEPT_HEAD_BYTES);
        let tail = text.floor_char_boundary(bytes - KEPT_TAIL_BYTES);
        let beginning = text[..head].to_owned();
        let end = text[tail..].to_owned();
        // The whole text, not the middle: the same output pasted twice is one artifact, and byte ranges count from its
        // start.
        let by_name = file.and_then(|file| file.code_type(text.as_bytes()));
        let hint = ContentHint {
            media_type: file.and_then(AttachedFile::said_type).or(by_name.as_deref()),
            name: file.and_then(|file| file.name.as_deref()),
        };
        let id = self.add_artifact(text.into_bytes(), hint, Some(tokens));
        format!("{beginning}\n…{id}:{head}-{tail} of {bytes} bytes\n{end}")
    }

    /// Arguments stay JSON, with those that are short: which file was written matters more than what.
    fn shorten_input(&mut self, input: String) -> String {
        let Some(tokens) = self.too_long(&input) else { return input };
        let bytes = input.len();
        let hint = ContentHint { media_type: Some("application/json"), name: None };
        let mut kept = match serde_json::from_str(&input) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        // Facts read the path of an edit from here, so the short arguments have to survive.
        kept.retain(|_, value| value.to_string().len() <= FIELD);
        let id = self.add_artifact(input.into_bytes(), hint, Some(tokens));
        kept.insert("artifact".to_owned(), id.as_str().into());
        kept.insert("bytes".to_owned(), bytes.into());
        serde_json::Value::Object(kept).to_string()
    }

    /// A file that is its own address is kept as what it is, if nothing of the address is lost by that.
    fn extract_file(&mut self, mime: Option<String>, name: Option<String>, url: Option<String>) -> MessagePart {
        let Some((media_type, content)) = url.as_deref().and_then(decode_data_url) else {
            return MessagePart::File { mime, name, url };
        };
        let content = self.scrub_content(content);
        let media_type = media_type.to_owned();
        let hint = ContentHint { media_type: Some(&media_type), name: name.as_deref() };
        let mut url = format!("artifact:{}", self.add_artifact(content, hint, None));
        let mime = mime.or_else(|| (!media_type.is_empty()).then(|| media_type.clone()));
        if mime.as_ref() != Some(&media_type) {
            // Only where the part says otherwise: the address must be restorable to the byte.
            url = format!("{url};{media_type}");
        }
        MessagePart::File { mime, name, url: Some(url) }
    }

    /// Scrubs content that was encoded when the message was scrubbed.
    fn scrub_content(&mut self, content: Vec<u8>) -> Vec<u8> {
        let text = match String::from_utf8(content) {
            Ok(text) => text,
            Err(error) => return error.into_bytes(),
        };
        let (clean, found) = self.taking.scrubber.scrub_text(&text);
        self.secrets.extend(found.into_iter().map(|found| found.rule));
        clean.into_owned().into_bytes()
    }

    /// The tokens of a text that has too many. A token has at least a byte, so most need not be counted.
    fn too_long(&self, text: &str) -> Option<TokenCount> {
        let is_candidate =
            text.len() > self.taking.threshold.0 as usize && text.len() > KEPT_HEAD_BYTES + KEPT_TAIL_BYTES;
        is_candidate.then(|| count_tokens(text)).filter(|tokens| *tokens > self.taking.threshold)
    }

    fn add_artifact(&mut self, content: Vec<u8>, hint: ContentHint<'_>, tokens: Option<TokenCount>) -> ArtifactId {
        let explored = explore_content(&content, hint, SUMMARY);
        let media_type = explored.media_type.into_owned();
        let name = hint.name.map(str::to_owned);
        let artifact = NewArtifact { content, media_type, name, tokens, summary: explored.summary };
        let id = artifact.artifact_id();
        self.artifacts.push(artifact);
        id
    }
}

/// What stands in the place of a quoted file.
fn describe_block(id: &ArtifactId, name: Option<&str>, artifact: Option<&NewArtifact>) -> String {
    let Some(artifact) = artifact else { return id.to_string() };
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let bytes = group_digits(artifact.content.len() as u64);
    let tokens = group_digits(artifact.tokens.unwrap_or_default().0.into());
    let summary = artifact.summary.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    format!("[{id}{name} {} {bytes} bytes, {tokens} tokens: {summary}]", artifact.media_type)
}

/// A number with a comma before every third digit from its end.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// The media type and the bytes of an address that is the file itself. Encoding them again gives the same
/// address, or it is left alone: the decoder refuses every other spelling.
fn decode_data_url(url: &str) -> Option<(&str, Vec<u8>)> {
    let (described, encoded) = url.strip_prefix("data:")?.split_once(',')?;
    Some((described.strip_suffix(";base64")?, BASE64_STANDARD.decode(encoded).ok()?))
}

#[cfg(test)]
mod tests;
