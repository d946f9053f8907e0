//! `PartMark`: what a source says about one part of a message besides its content. Marks stand beside the parts and not
//! in them, because few messages have any, and a message without marks must stay the message it was.

use crate::DigestBuilder;
use std::collections::BTreeMap;

/// What a source says about one part besides its content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartMark {
    /// Whether the source kept the part from its model.
    pub is_ignored: Option<bool>,
    /// Whether the source's program wrote the part in the place of a person or a model.
    pub is_synthetic: Option<bool>,
    /// What else it says, as the text of a JSON object.
    pub metadata: Option<String>,
}

/// The marks of a message's parts. A part of which its source says nothing has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartMarks(BTreeMap<usize, PartMark>);

impl PartMarks {
    /// The mark of the part at a place, from 0.
    pub fn get(&self, place: usize) -> Option<&PartMark> {
        self.0.get(&place)
    }

    /// Whether no part has one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What the marks hold of texts, to be changed before it is kept.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.values_mut().filter_map(|mark| mark.metadata.as_mut())
    }

    /// Adds all of them and their places to a digest: two sets of marks with equal digests are equal.
    pub(crate) fn update_digest(&self, digest: DigestBuilder) -> DigestBuilder {
        // The number comes first, so that a mark never reads like what is added after it.
        let digest = digest.add_field(&(self.0.len() as u64).to_le_bytes());
        self.0
            .iter()
            .fold(digest, |digest, (place, mark)| mark.update_digest(digest.add_field(&(*place as u64).to_le_bytes())))
    }
}

impl FromIterator<(usize, PartMark)> for PartMarks {
    fn from_iter<I: IntoIterator<Item = (usize, PartMark)>>(marks: I) -> Self {
        // A mark that says nothing and no mark are one message, and so they have to be one value: a table of rows cannot
        // tell them apart.
        Self(marks.into_iter().filter(|(_, mark)| *mark != PartMark::default()).collect())
    }
}

impl PartMark {
    /// Whether neither a person nor a model said the part to the other.
    pub fn is_aside(&self) -> bool {
        self.is_ignored == Some(true) || self.is_synthetic == Some(true)
    }

    fn update_digest(&self, digest: DigestBuilder) -> DigestBuilder {
        let flag = |digest: DigestBuilder, is: Option<bool>| {
            digest.add_optional(is.map(|is| [u8::from(is)]).as_ref().map(|b| &b[..]))
        };
        let digest = flag(flag(digest, self.is_ignored), self.is_synthetic);
        digest.add_optional(self.metadata.as_ref().map(String::as_bytes))
    }
}
