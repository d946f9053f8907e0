//! Embeds a file with the built-in static model, one vector for all of it and one for each unit, and encodes the
//! vectors, quantized so that those of a whole project can be kept and read.
//!
//! Vectors of one model have a fixed length here; records of another model have another fingerprint and are made again,
//! so that vectors of two models are never compared.

use crate::base::int8_vectors::{DIMENSIONS, quantize};
use providers::LocalEmbedder;
use std::borrow::Cow;

/// The vectors of a file as they are kept.
pub(crate) struct FileVectors<'a> {
    pub(crate) whole: &'a [u8],
    pub(crate) units: &'a [u8],
}

/// The vectors of a file, that of the whole file first; empty where the model fails.
pub(super) fn encode_vectors(embedder: &dyn LocalEmbedder, path: &str, units: &[Cow<'_, str>]) -> Vec<u8> {
    let texts: Vec<&str> = units.iter().map(AsRef::as_ref).collect();
    // A file without vectors is still found by its words.
    let Ok(parts) = embedder.embed_parts(&path_words(path), &texts) else { return Vec::new() };
    let mut bytes = Vec::with_capacity((1 + units.len()) * DIMENSIONS);
    for vector in std::iter::once(&parts.whole).chain(&parts.parts) {
        bytes.extend(quantize(vector.as_ref()).map(i8::cast_unsigned));
    }
    bytes
}

impl<'a> FileVectors<'a> {
    /// Reads the vectors of a file with so many units; `None` for bytes of another length.
    pub(crate) fn from_bytes(bytes: &'a [u8], units: usize) -> Option<Self> {
        let (whole, rest) = bytes.split_at_checked(DIMENSIONS)?;
        (rest.len() == units * DIMENSIONS).then_some(Self { whole, units: rest })
    }
}

/// Parts of a path that every project has.
const EMPTY_STEPS: [&str; 9] = ["src", "lib", "main", "org", "com", "Sources", "packages", "index", "mod"];

/// The meaningful words of a path: its last three distinctive parts, without the extension.
pub(crate) fn path_words(path: &str) -> String {
    let bare = match path.rsplit_once('.') {
        Some((bare, extension)) if !bare.is_empty() && !extension.contains('/') => bare,
        _ => path,
    };
    let steps: Vec<&str> = bare.split('/').collect();
    // `src/main/LANGUAGE/…` says the language twice.
    let is_layout = |at: usize| at >= 2 && steps[at - 2] == "src" && ["main", "test"].contains(&steps[at - 1]);
    let is_telling = |(at, step): &(usize, &&str)| !EMPTY_STEPS.contains(*step) && !is_layout(*at);
    let telling: Vec<&str> = steps.iter().enumerate().filter(is_telling).map(|(_, step)| *step).collect();
    telling[telling.len().saturating_sub(3)..].join(" ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_path_is_what_tells_files_apart() {
        assert_eq!(path_words("packages/core/src/http/client.ts"), "core http client\n");
        assert_eq!(path_words("a/b/c/d.e/f"), "c d.e f\n");
        assert_eq!(path_words(".gitignore"), ".gitignore\n");
    }
}
