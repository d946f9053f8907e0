//! What a file is, whatever is asked: the part of its score that is known before the question.

use super::catalog::Entry;
use super::features::Feature;
use super::paths::Standing;
use syntax::Holds;

/// Number of features that say what a file is; they are the last ones.
pub(super) const NATURE: usize = super::features::FEATURES - Feature::Test as usize;

/// The values of those features, in their order; as if nobody asked for tests or documents, and as if headers repeated
/// what their sources say.
pub(super) type Nature = [f32; NATURE];

/// What a file is, by itself and by who uses it.
pub(super) fn nature(file: &Entry, standing: Standing, defines: bool) -> Nature {
    let mut nature = [0.0; NATURE];
    let mut set = |feature: Feature, value: f32| nature[feature as usize - Feature::Test as usize] = value;
    let mut sign = |feature: Feature, is: bool| set(feature, f32::from(u8::from(is)));
    sign(Feature::Test, file.signs.test);
    sign(Feature::Example, file.signs.example);
    sign(Feature::Vendored, file.signs.vendored);
    sign(Feature::Generated, file.signs.generated);
    sign(Feature::Legacy, file.signs.legacy);
    sign(Feature::Internal, file.signs.internal);
    sign(Feature::Header, [".h", ".hh", ".hpp"].iter().any(|ending| file.path.ends_with(ending)));
    // It mostly passes on what others define.
    let is_imports = standing.import_lines * 5 >= file.lines * 2 && file.lines > 0;
    sign(Feature::PassesOn, is_imports || !defines && file.lines < 60);
    sign(Feature::Prose, file.holds == Holds::Prose);
    sign(Feature::Data, file.holds == Holds::Data);
    set(Feature::Length, (1.0 + file.terms as f32).ln() / 8.0);
    set(Feature::Users, (1.0 + standing.users as f32).ln() / 5.0);
    set(Feature::Importers, (1.0 + standing.importers as f32).ln() / 4.0);
    nature
}
