//! `Message` and `NewMessage`, the data types of conversations: what is kept verbatim, and the hash chain
//! (`ChainHash`) that proves that no message was lost, changed or reordered.

use crate::{
    ContentHash, ConversationId, DigestBuilder, EventTime, MessageId, MessagePart, PartMark, PartMarks, Timestamp,
    TokenCount,
};

/// Speaker of what the agent's program wrote in the place of the user or the agent: reminders, output of commands,
/// files it added.
pub const SPEAKER_PROGRAM: &str = "program";

/// Speaker of a summary that an agent wrote over its own conversation.
pub const SPEAKER_SUMMARY: &str = "summary";

/// Who a message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageRole {
    /// Instructions.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

crate::enum_words! { pub MessageRole { System = "system", User = "user", Assistant = "assistant", Tool = "tool" } }

/// A message as it arrives: everything its source said, nothing we decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMessage {
    /// The source's own id, unique in the conversation; makes a repeated append harmless.
    pub external_id: Option<String>,
    /// Who it comes from.
    pub role: MessageRole,
    /// The speaker's name, where there are several.
    pub speaker: Option<String>,
    /// The sitting it belongs to, where a conversation has several.
    pub session: Option<String>,
    /// When it happened.
    pub at: Option<EventTime>,
    /// What its source says about it, as the text of a JSON object: the model, its tokens, the time it took.
    pub metadata: Option<String>,
    /// Its parts; at least one.
    pub parts: Vec<MessagePart>,
    /// What its source says about single parts.
    pub part_marks: PartMarks,
}

impl NewMessage {
    /// The words of all parts, one part below the other: what `history` shows and `grep` searches.
    pub fn content(&self) -> String {
        content_of(&self.parts)
    }

    /// Whether a person said it, and not a program in their place.
    pub fn is_by_person(&self) -> bool {
        let by_program = |speaker: &str| matches!(speaker, SPEAKER_PROGRAM | SPEAKER_SUMMARY);
        // A host puts its own reminders into messages of the user, as parts that it marks as its own.
        let is_aside = |place: usize| self.part_marks.get(place).is_some_and(PartMark::is_aside);
        let has_own_words = self.part_marks.is_empty() || (0..self.parts.len()).any(|place| !is_aside(place));
        self.role == MessageRole::User && !self.speaker.as_deref().is_some_and(by_program) && has_own_words
    }

    /// The hash of everything the source said.
    pub fn content_hash(&self) -> ContentHash {
        let text = |field: &Option<String>| field.clone().map(String::into_bytes);
        // The time is hashed as the source wrote it: the instant is our reading of it, and may be read better later.
        // A message without metadata or marks is hashed as it was before there were any: what was acknowledged stays
        // valid.
        let kind = match &self.metadata {
            _ if !self.part_marks.is_empty() => {
                let digest = DigestBuilder::new("message with part marks");
                self.part_marks.update_digest(digest.add_optional(text(&self.metadata).as_deref()))
            }
            None => DigestBuilder::new("message"),
            Some(metadata) => DigestBuilder::new("message with metadata").add_field(metadata.as_bytes()),
        };
        let head = kind
            .add_optional(text(&self.external_id).as_deref())
            .add_field(self.role.as_str().as_bytes())
            .add_optional(text(&self.speaker).as_deref())
            .add_optional(text(&self.session).as_deref())
            .add_optional(self.at.as_ref().map(|at| at.text.as_bytes()));
        self.parts.iter().fold(head, |digest, part| part.update_digest(digest)).finish()
    }
}

/// The words of all parts, one part below the other.
pub fn content_of(parts: &[MessagePart]) -> String {
    parts.iter().flat_map(MessagePart::searchable_texts).collect::<Vec<_>>().join("\n")
}

/// The hash of a message together with all messages before it in the conversation.
///
/// A lost, changed or reordered row breaks every link after it, so `verify` can prove that nothing is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainHash(pub ContentHash);

impl ChainHash {
    /// The link that stands before the first message of a conversation.
    pub fn for_conversation(conversation: &ConversationId) -> Self {
        Self(DigestBuilder::new("chain").add_field(conversation.as_str().as_bytes()).finish())
    }

    /// The link after this one, for a message with the given content hash.
    pub fn next_link(self, seq: u64, content: ContentHash) -> Self {
        // The place is part of the link, so that two messages that changed places break the chain even if both are
        // intact.
        let link = DigestBuilder::new("link")
            .add_field(self.0.as_bytes())
            .add_field(&seq.to_le_bytes())
            .add_field(content.as_bytes());
        Self(link.finish())
    }
}

/// The id of the message at `seq`, from its source's own id where it has one, so that importing again names it the
/// same.
pub fn message_id(conversation: &ConversationId, seq: u64, external_id: Option<&str>) -> MessageId {
    let digest = DigestBuilder::new("message id").add_field(conversation.as_str().as_bytes());
    // The two words keep an external id of digits apart from a place.
    MessageId::from_hash(match external_id {
        Some(id) => digest.add_field(b"external").add_field(id.as_bytes()).finish(),
        None => digest.add_field(b"seq").add_field(&seq.to_le_bytes()).finish(),
    })
}

/// A stored message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its place: 1, 2, 3, … without gaps.
    pub seq: u64,
    /// The message as its source gave it.
    pub body: NewMessage,
    /// Tokens of its content.
    pub tokens: TokenCount,
    /// Its link of the chain.
    pub hash: ChainHash,
    /// When it was stored.
    pub stored: Timestamp,
}

impl Message {
    /// When it happened, as far as its source is to be believed: what orders conversations and results.
    pub fn happened(&self) -> Timestamp {
        believed_time(self.body.at.as_ref().and_then(|at| at.instant), self.stored)
    }
}

/// When something happened that was stored at a moment: at the time its source says, unless that cannot be. A clock
/// that jumped must not make a conversation the newest for a century, nor one that was silent for as long.
pub fn believed_time(said: Option<Timestamp>, stored: Timestamp) -> Timestamp {
    /// Clocks of two machines may differ, and time zones are forgotten.
    const MAX_CLOCK_DIFFERENCE_MS: i64 = 24 * 60 * 60 * 1_000;
    /// The year 1990: no conversation with a program is older.
    const OLDEST_BELIEVED_MS: i64 = 631_152_000_000;
    said.filter(|said| (OLDEST_BELIEVED_MS..=stored.0.saturating_add(MAX_CLOCK_DIFFERENCE_MS)).contains(&said.0))
        .unwrap_or(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> NewMessage {
        NewMessage {
            external_id: None,
            role: MessageRole::User,
            speaker: None,
            session: None,
            at: None,
            metadata: None,
            parts: vec![MessagePart::Text { text: text.to_owned() }],
            part_marks: PartMarks::default(),
        }
    }

    #[test]
    fn any_field_changes_the_hash() {
        let base = said("hello");
        let mut speaker = base.clone();
        speaker.speaker = Some(String::new());
        let mut reasoning = base.clone();
        reasoning.parts = vec![MessagePart::Reasoning { text: "hello".to_owned() }];
        let mut split = base.clone();
        split.parts = vec![MessagePart::Text { text: "hel".to_owned() }, MessagePart::Text { text: "lo".to_owned() }];
        let mut described = base.clone();
        described.metadata = Some("{}".to_owned());
        let marked = |place: usize, mark: PartMark| NewMessage {
            part_marks: PartMarks::from_iter([(place, mark)]),
            ..split.clone()
        };
        let ignored = PartMark { is_ignored: Some(true), ..PartMark::default() };
        let hashes = [
            base.content_hash(),
            speaker.content_hash(),
            reasoning.content_hash(),
            split.content_hash(),
            described.content_hash(),
            marked(0, ignored.clone()).content_hash(),
            marked(1, ignored.clone()).content_hash(),
            marked(0, PartMark { is_ignored: Some(false), ..PartMark::default() }).content_hash(),
            marked(0, PartMark { is_synthetic: Some(true), ..PartMark::default() }).content_hash(),
            marked(0, PartMark { metadata: Some("{}".to_owned()), ..PartMark::default() }).content_hash(),
            NewMessage { metadata: Some("{}".to_owned()), ..marked(0, ignored) }.content_hash(),
        ];
        for (i, a) in hashes.iter().enumerate() {
            assert!(hashes[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn a_message_without_marks_has_the_hash_it_always_had() {
        // Stored by a version that knew no marks.
        let plain = "a8ca63919eefa57b86e8557206f22a232756d35952a27a3cb7353558e6b8fb37";
        assert_eq!(said("hello").content_hash().to_string(), plain);
        let metadata = Some("{\"a\":1}".to_owned());
        let described = "042d8d02bf6b658275b458580c14f3008527d55720698f913214573f4fd855b5";
        assert_eq!(NewMessage { metadata, ..said("hello") }.content_hash().to_string(), described);
    }

    #[test]
    fn a_message_of_parts_that_a_program_wrote_is_by_no_person() {
        let synthetic = PartMark { is_synthetic: Some(true), ..PartMark::default() };
        let mut message = said("remember the rules");
        message.part_marks = PartMarks::from_iter([(0, synthetic)]);
        assert!(!message.is_by_person());
        message.parts.push(MessagePart::Text { text: "fix it".to_owned() });
        assert!(message.is_by_person(), "the second part has no mark");
        message.part_marks = PartMarks::from_iter([(0, PartMark { is_synthetic: Some(false), ..PartMark::default() })]);
        assert!(message.is_by_person());
    }

    #[test]
    fn a_file_of_a_patch_never_reads_like_the_next_part() {
        let patch =
            |files: &[&str]| MessagePart::Patch { hash: None, files: files.iter().map(|f| (*f).to_owned()).collect() };
        let mut one = said("");
        let mut two = said("");
        one.parts = vec![patch(&["text", "hello"])];
        two.parts = vec![patch(&[]), MessagePart::Text { text: "hello".to_owned() }];
        assert_ne!(one.content_hash(), two.content_hash());
    }

    #[test]
    fn a_clock_that_jumped_is_not_believed() {
        const CENTURY: i64 = 100 * 365 * 24 * 60 * 60 * 1_000;
        let stored = Timestamp(1_767_225_600_000);
        let believed = |said: i64| believed_time(Some(Timestamp(said)), stored).0;
        assert_eq!(believed(stored.0 - 1_000), stored.0 - 1_000);
        assert_eq!(believed(stored.0 + 1_000), stored.0 + 1_000);
        assert_eq!(believed(stored.0 + CENTURY), stored.0);
        assert_eq!(believed(stored.0 - CENTURY), stored.0);
        assert_eq!(believed(i64::MIN), stored.0);
        assert_eq!(believed_time(None, stored), stored);
    }

    #[test]
    fn a_chain_depends_on_order() {
        let conversation = ConversationId::from_hash(ContentHash::hash_bytes(b"c"));
        let a = said("a").content_hash();
        let b = said("b").content_hash();
        let start = ChainHash::for_conversation(&conversation);
        assert_ne!(start.next_link(1, a).next_link(2, b), start.next_link(1, b).next_link(2, a));
    }

    #[test]
    fn content_is_the_words_of_all_parts() {
        let mut message = said("run it");
        message.parts.push(MessagePart::Tool {
            call_id: Some("call_1".to_owned()),
            name: Some("bash".to_owned()),
            status: None,
            input: Some(r#"{"command":"ls"}"#.to_owned()),
            output: Some("a.txt".to_owned()),
            error: None,
            title: None,
        });
        assert_eq!(message.content(), "run it\nbash\n{\"command\":\"ls\"}\na.txt");
    }
}
