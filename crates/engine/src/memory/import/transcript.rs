//! A transcript as an import sees it: bytes to read, and somebody who knows what they say.

use model::{AgentName, Container, Projection};
use std::io::Read;
use store::FileIdentity;

/// A transcript that can be read.
pub trait Transcript: Send + Sync {
    /// Who wrote it.
    fn agent(&self) -> AgentName;

    /// Where it lies: a path, and what is inside of it where one file holds several.
    fn path(&self) -> String;

    /// How the lines lie there.
    fn container(&self) -> Container;

    /// How many bytes there are to read, about; for progress only.
    fn bytes(&self) -> u64;

    /// Which file it is, where that can be told.
    fn identity(&self) -> std::io::Result<Option<FileIdentity>>;

    /// Its bytes from a place on; lines end with a newline.
    fn open(&self, from: u64) -> std::io::Result<Box<dyn Read + Send>>;

    /// Somebody who reads it from its first line on.
    fn projection(&self) -> Box<dyn Projection>;
}
