//! The trait `ReadableTranscript`, through which an import reads a transcript file of an agent: its path, its bytes
//! from an offset, and the projection (parser) that turns its lines into messages. The program that embeds the engine
//! implements it.

use model::{AgentName, Projection, TranscriptContainer};
use std::io::Read;
use store::FileIdentity;

/// A transcript that can be read.
pub trait ReadableTranscript: Send + Sync {
    /// The agent that wrote it.
    fn agent_name(&self) -> AgentName;

    /// Its place: a path, and the name inside of the file where one file holds several.
    fn source_path(&self) -> String;

    /// The container of its lines.
    fn container(&self) -> TranscriptContainer;

    /// How many bytes there are to read, about; for progress only.
    fn byte_size(&self) -> u64;

    /// The identity of the file, where the system has one.
    fn file_identity(&self) -> std::io::Result<Option<FileIdentity>>;

    /// Its bytes from a place on; lines end with a newline.
    fn open_at(&self, from: u64) -> std::io::Result<Box<dyn Read + Send>>;

    /// A new projection, which reads it from its first line on.
    fn new_projection(&self) -> Box<dyn Projection>;
}
