//! The list of ranking features of a file (`FileFeature`) and the table of their weights, for the linear score.
//!
//! A score is the sum of features times weights and nothing else, so that every place in a ranking can be explained.
//! Lexical features are shares of the question (1 = all of it), which makes one table of weights serve every size of
//! project. The weights are fitted; `docs/guides/ranking.md` says on what.

/// One reason to rank a file higher or lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileFeature {
    /// How well its best unit fits, by words.
    BestUnit,
    /// The same of its second best unit.
    SecondUnit,
    /// How well all of it fits, by words.
    WholeFile,
    /// How much of the question one unit has.
    Coverage,
    /// How much of its name the question spells.
    FileName,
    /// How much of the question its directories spell.
    Directories,
    /// How well the best of its names fits the question.
    SymbolName,
    /// It defines a type that the question names.
    NamedType,
    /// It defines a function that the question names.
    NamedFunction,
    /// How much of it is what the question names.
    NamedShare,
    /// It is called what the question names.
    NamedFile,
    /// It is called like neighbouring words of the question.
    JoinedName,
    /// The question spells its path.
    SpelledPath,
    /// How near its best unit is in meaning.
    UnitMeaning,
    /// How near all of it is in meaning.
    FileMeaning,
    /// How near its path is in meaning.
    PathMeaning,
    /// It is a test, and no tests were asked for.
    Test,
    /// It is an example, or a script beside the product.
    Example,
    /// It is third-party code.
    Vendored,
    /// A tool made it.
    Generated,
    /// It is kept for compatibility.
    Legacy,
    /// It is internal to its package.
    Internal,
    /// It is a header that repeats what its source says.
    Header,
    /// It re-exports what other files define.
    PassesOn,
    /// It is a document, and no documents were asked for.
    Prose,
    /// It is data or configuration.
    Data,
    /// How long it is.
    Length,
    /// How many files use what it defines.
    Users,
    /// How many files import it.
    Importers,
}

/// Number of features.
pub(crate) const FEATURES: usize = FileFeature::ALL.len();

/// The value of each feature for a file.
pub(crate) type FeatureValues = [f32; FEATURES];

/// How much more words count in a question of many.
const LONG_QUESTION_FACTOR: f32 = 4.0;

/// The conditions that choose the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeightCase {
    /// Whether meaning is compared.
    pub(crate) has_vectors: bool,
    /// Whether the question describes or reports something at length.
    pub(crate) is_wordy: bool,
    /// Whether names of files say what is in them.
    pub(crate) names_tell: bool,
}

impl FileFeature {
    /// Every feature with its word and its weights: with vectors, without, and with vectors where files' names say
    /// nothing.
    pub(crate) const ALL: [(Self, &'static str, f32, f32, f32); 29] = [
        (Self::BestUnit, "best_unit", 0.34, 1.12, 0.22),
        (Self::SecondUnit, "second_unit", 0.56, 0.91, 0.56),
        (Self::WholeFile, "whole_file", 0.57, 0.75, 0.38),
        (Self::Coverage, "coverage", 1.31, 1.52, 1.95),
        // The last column is for projects with files such as `f0012.py`: names of files count for nothing there, unless
        // the question spells one (`named_file`, `spelled_path`).
        (Self::FileName, "file_name", 1.07, 2.10, 0.00),
        (Self::Directories, "directories", 1.06, 3.28, 1.16),
        (Self::SymbolName, "symbol_name", 2.41, 2.26, 4.31),
        (Self::NamedType, "named_type", 1.14, 1.16, 1.61),
        (Self::NamedFunction, "named_function", 1.80, 1.49, 1.31),
        (Self::NamedShare, "named_share", 0.98, 1.98, 2.49),
        (Self::NamedFile, "named_file", 0.82, 1.21, 0.82),
        (Self::JoinedName, "joined_name", 1.28, 1.85, 0.00),
        (Self::SpelledPath, "spelled_path", 1.50, 1.00, 1.50),
        // Without vectors meaning is 0, and most of the words weigh more instead.
        (Self::UnitMeaning, "unit_meaning", 3.48, 0.00, 4.62),
        (Self::FileMeaning, "file_meaning", 4.41, 0.00, 8.22),
        (Self::PathMeaning, "path_meaning", 3.17, 0.00, 0.00),
        // Of the heavy penalties a file has at most one (see `static_features`), so none of them adds to another.
        (Self::Test, "test", -4.03, -3.89, -3.67),
        (Self::Example, "example", -3.54, -3.77, -2.55),
        (Self::Vendored, "vendored", -3.65, -3.15, -3.56),
        (Self::Generated, "generated", -4.08, -4.19, -4.08),
        (Self::Legacy, "legacy", -4.08, -3.27, -3.62),
        (Self::Internal, "internal", -0.83, -0.91, -1.17),
        (Self::Header, "header", -4.14, -3.59, -3.64),
        (Self::PassesOn, "passes_on", -0.97, -0.30, -1.57),
        (Self::Prose, "prose", -3.43, -2.50, -5.29),
        (Self::Data, "data", -3.09, -2.50, -3.56),
        (Self::Length, "length", 1.61, 0.61, 0.32),
        (Self::Users, "users", 1.48, 0.63, 1.96),
        (Self::Importers, "importers", 0.48, 1.16, 1.29),
    ];

    /// Its weight. In descriptions and reports of many words, the words count for more.
    pub(crate) fn weight(self, case: WeightCase) -> f32 {
        let (.., with, without, nameless) = Self::ALL[self as usize];
        let weight = match case {
            WeightCase { has_vectors: false, .. } => without,
            WeightCase { names_tell: true, .. } => with,
            WeightCase { names_tell: false, .. } => nameless,
        };
        let by_words = matches!(
            self,
            Self::BestUnit
                | Self::SecondUnit
                | Self::WholeFile
                | Self::Coverage
                | Self::SymbolName
                | Self::NamedType
                | Self::NamedFunction
                | Self::NamedShare
        );
        if case.is_wordy && by_words { LONG_QUESTION_FACTOR * weight } else { weight }
    }
}

/// The kinds of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvidenceKind {
    /// Words, names and paths.
    Words,
    /// Meaning.
    Meaning,
    /// Static properties of a file, whatever the question is.
    Nature,
}

impl FileFeature {
    /// What kind of evidence it is.
    pub(crate) fn evidence_kind(self) -> EvidenceKind {
        if matches!(self, Self::UnitMeaning | Self::FileMeaning | Self::PathMeaning) {
            EvidenceKind::Meaning
        // The order of the enum decides: features of words come before those of meaning, static ones behind.
        } else if (self as usize) < Self::UnitMeaning as usize {
            EvidenceKind::Words
        } else {
            EvidenceKind::Nature
        }
    }
}

/// The weight of each feature.
pub(crate) fn feature_weights(case: WeightCase) -> FeatureValues {
    FileFeature::ALL.map(|(feature, ..)| feature.weight(case))
}

/// The score of these values, summed in the order of the features.
pub(crate) fn weighted_sum(values: &FeatureValues, weights: &FeatureValues) -> f32 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_listed_in_the_order_of_their_numbers() {
        for (at, (feature, ..)) in FileFeature::ALL.iter().enumerate() {
            assert_eq!(*feature as usize, at);
        }
    }
}
