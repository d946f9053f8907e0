//! Ranking rules for documents (prose such as Markdown) among code results: when they lose their penalty, and the last
//! place that the best one may take. Most searches of a project want its code, so documents rank behind it. Where the
//! question spells the name or a heading of a document, that document is the answer and ranks as code does. A question
//! how something is done or works is helped by a document that has its words, so one is among the first results.

use super::evidence::QuestionEvidence;
use super::features::{FeatureValues, FileFeature};
use super::ranking::RegionRank;
use super::static_features::is_unblamed;
use super::symbol_names::NameKind;
use syntax::ContentKind;

/// A region with so much of a question covers it.
const MIN_COVERED_SHARE: f32 = 0.8;

/// So many results have a document among them.
pub(crate) const MAX_DOCUMENT_RANK: usize = 5;

/// A heading that fits so well is spelled: the question has hardly a telling word more, and hardly one less.
const MIN_HEADING_FIT: f32 = 0.8;

/// The name of a document is spelled where all of its words are, and these are so much of the question.
const OF_QUESTION: f32 = 0.5;

/// Takes away what speaks against a document whose name or heading the question spells.
pub(super) fn waive_prose_penalty(evidence: &QuestionEvidence<'_>, file: u32, values: &mut FeatureValues) {
    if values[FileFeature::Prose as usize] > 0.0 && evidence.spells_document(file) {
        values[FileFeature::Prose as usize] = 0.0;
    }
}

/// Moves a region of a document up to the last of the first places, unless a document is among them. Regions are in order.
pub(super) fn bring_forward(
    document: RegionRank,
    regions: &mut [RegionRank],
    is_document: impl Fn(&RegionRank) -> bool,
) {
    // A caller that wants fewer results than this gets the best ones, documents or not.
    if regions.len() < MAX_DOCUMENT_RANK || regions[..MAX_DOCUMENT_RANK].iter().any(is_document) {
        return;
    }
    let at = regions.iter().position(|region| region.unit == document.unit).unwrap_or_else(|| {
        // The document ranks behind the limit: the last region makes room.
        let last = regions.len() - 1;
        regions[last] = document;
        last
    });
    // The score of the place it takes, so that the list stays sorted.
    regions[at].score = regions[MAX_DOCUMENT_RANK - 1].score;
    regions[MAX_DOCUMENT_RANK - 1..=at].rotate_right(1);
}

impl QuestionEvidence<'_> {
    /// Whether a file is a document.
    pub(super) fn is_document(&self, file: u32) -> bool {
        self.catalog.files[file as usize].holds == ContentKind::Prose
    }

    /// Whether a unit has nearly all of the question.
    pub(super) fn covers_question(&self, unit: u32) -> bool {
        self.units[unit as usize].covered >= MIN_COVERED_SHARE
    }

    /// Whether the question spells a heading of the document, or its name where no code has that name.
    fn spells_document(&self, file: u32) -> bool {
        let is_name = || self.name_of(file).is_some_and(|share| share >= OF_QUESTION) && !self.names_code;
        self.heading_of(file) >= MIN_HEADING_FIT || is_name()
    }

    /// Whether the question spells the name of a file of the product's code, or of something it defines.
    pub(super) fn spells_code(&self) -> bool {
        let is_product = |file: u32| {
            let row = &self.catalog.rows[file as usize];
            self.catalog.files[file as usize].holds == ContentKind::Code && !row.is_gone && is_unblamed(&row.nature)
        };
        let defined = self.exact.keys().map(|number| self.catalog.names.symbol(*number));
        // Headings are names of this kind, and a document's own heading does not make the question one about code;
        // neither does a constant.
        defined.filter(|symbol| symbol.sort != NameKind::Value).any(|symbol| is_product(symbol.file))
            || self.matched_files().any(|file| self.name_of(file).is_some() && is_product(file))
    }
}
