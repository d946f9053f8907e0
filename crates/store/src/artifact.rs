//! `ArtifactStore`, the store trait for artifacts, and their data types. An artifact is large content that is kept
//! outside of its message, once, however many messages mention it.

use crate::Result;
use async_trait::async_trait;
use model::{ArtifactId, ContentHash, ConversationId, MessageId, SeqRange, Timestamp, TokenCount};

/// Large content on its way in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewArtifact {
    /// The bytes.
    pub content: Vec<u8>,
    /// Their media type.
    pub media_type: String,
    /// What their source calls them.
    pub name: Option<String>,
    /// Tokens of them, where they are text.
    pub tokens: Option<TokenCount>,
    /// What is in them, in brief.
    pub summary: String,
}

impl NewArtifact {
    /// The id of its content.
    pub fn artifact_id(&self) -> ArtifactId {
        ArtifactId::from_hash(ContentHash::hash_bytes(&self.content))
    }
}

/// An artifact without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its id.
    pub id: ArtifactId,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many there are.
    pub bytes: u64,
    /// Their media type.
    pub media_type: String,
    /// What its source calls it.
    pub name: Option<String>,
    /// Tokens of it, where it is text.
    pub tokens: Option<TokenCount>,
    /// What is in it, in brief.
    pub summary: String,
    /// When it was first stored.
    pub stored: Timestamp,
}

/// Artifacts. They are written with the messages that mention them.
#[async_trait]
pub trait ArtifactStore: Send + Sync {
    /// One artifact, if it exists.
    async fn load_artifact(&self, id: &ArtifactId) -> Result<Option<Artifact>>;

    /// Every artifact, ordered by id.
    async fn list_artifacts(&self) -> Result<Vec<Artifact>>;

    /// The bytes of an artifact; `Corrupt` when they differ from the stored bytes.
    async fn artifact_content(&self, id: &ArtifactId) -> Result<Option<Vec<u8>>>;

    /// The messages that mention an artifact, in the order in which they were stored.
    async fn artifact_messages(&self, id: &ArtifactId) -> Result<Vec<MessageId>>;

    /// The artifacts that messages of a conversation mention, at places of a range; in the order in which they are first
    /// mentioned.
    async fn artifacts_within(&self, conversation: &ConversationId, range: SeqRange) -> Result<Vec<Artifact>>;

    /// Where the bytes of an artifact are kept, for people and programs that look for them there.
    fn artifact_place(&self, artifact: &Artifact) -> String;

    /// Names of files in the folder of artifacts that belong to none: left by a writer that did not finish. Never
    /// deleted by itself.
    async fn stray_artifacts(&self) -> Result<Vec<String>>;
}
