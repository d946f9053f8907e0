//! Computes the static ranking features of a file, which do not depend on the question: tests, generated or third-party
//! code, prose, length, and how many files use or import it.

use super::catalog::CatalogFile;
use super::features::FileFeature;
use super::path_kind::PathTraits;
use super::path_table::FileCentrality;
use syntax::ContentKind;

/// Number of features that say what a file is; they are the last ones.
pub(super) const STATIC_FEATURE_COUNT: usize = super::features::FEATURES - FileFeature::Test as usize;

/// The values of those features, in their order; as if the question did not ask for tests or documents, and as if
/// headers repeated what their sources say.
pub(super) type StaticFeatures = [f32; STATIC_FEATURE_COUNT];

/// Whether nothing heavy speaks against a file, but for being a header, which is no matter where headers hold the code.
pub(super) fn is_unblamed(nature: &StaticFeatures) -> bool {
    let is = |feature: FileFeature| nature[feature as usize - FileFeature::Test as usize] > 0.0;
    !PENALTY_FEATURES.into_iter().any(|feature| feature != FileFeature::Header && is(feature))
}

/// The features that count against a file, in order: the first that applies counts alone.
const PENALTY_FEATURES: [FileFeature; 8] = [
    FileFeature::Test,
    FileFeature::Generated,
    FileFeature::Legacy,
    FileFeature::Vendored,
    FileFeature::Prose,
    FileFeature::Example,
    FileFeature::Header,
    FileFeature::Data,
];

/// The static features of a file: from its path and content, and from its users.
pub(super) fn static_feature_values(file: &CatalogFile, standing: FileCentrality, defines: bool) -> StaticFeatures {
    let mut nature = [0.0; STATIC_FEATURE_COUNT];
    let mut set = |feature: FileFeature, value: f32| nature[feature as usize - FileFeature::Test as usize] = value;
    let mut sign = |feature: FileFeature, is: bool| set(feature, f32::from(u8::from(is)));
    let is_prose = file.holds == ContentKind::Prose;
    let is_header = [".h", ".hh", ".hpp"].iter().any(|ending| file.path.ends_with(ending));
    let PathTraits { test, example, vendored, generated, legacy, internal } = file.signs;
    let is = [test, generated, legacy, vendored, is_prose, example, is_header, file.holds == ContentKind::Data];
    // At most one of these counts: `docs/README.md` would be pushed down twice, as prose and as an example.
    if let Some((feature, _)) = PENALTY_FEATURES.into_iter().zip(is).find(|(_, is)| *is) {
        sign(feature, true);
    }
    sign(FileFeature::Internal, internal);
    // A file of which two fifths are imports, or a short one without definitions, re-exports what others define.
    // Documents are exempt, however short.
    let is_imports = standing.import_lines * 5 >= file.lines * 2 && file.lines > 0;
    sign(FileFeature::PassesOn, !is_prose && (is_imports || !defines && file.lines < 60));
    // Logarithms, divided so that a large file, a file with many users and one with many importers come near 1.
    set(FileFeature::Length, (1.0 + file.terms as f32).ln() / 8.0);
    set(FileFeature::Users, (1.0 + standing.users as f32).ln() / 5.0);
    set(FileFeature::Importers, (1.0 + standing.importers as f32).ln() / 4.0);
    nature
}
