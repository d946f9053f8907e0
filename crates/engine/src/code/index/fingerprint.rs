//! Computes the fingerprint of what made the index records of a file (settings, language data, embedding model, record
//! format): a file version is identified by path, content and fingerprint.
//!
//! When a setting or a release would give other records for a file, its fingerprint differs, and the next run extracts
//! that file again, and only that file. So the user need not know when an index is out of date.

use super::settings::{IndexDepth, IndexSettings};
use model::{ContentHash, DigestBuilder};
use providers::LocalEmbedder;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use store::Fingerprint;
use syntax::ExtractLimits;

/// Counts changes of what is made of a file beside its language's data and samples, which count by themselves: how
/// terms are cut and postings, symbols, uses and documents are written.
const NUMBER: u32 = 8;

/// Computes the fingerprint of any file under some settings.
pub(super) struct Fingerprinter {
    pub(super) limits: ExtractLimits,
    pub(super) depth: IndexDepth,
    pub(super) embedder: Option<Arc<dyn LocalEmbedder>>,
    wanted: Vec<String>,
    /// For each language, and for files of none: small and large.
    fingerprints: HashMap<Option<&'static str>, [Fingerprint; 2]>,
}

impl Fingerprinter {
    pub(super) fn new(settings: &IndexSettings, embedder: Option<Arc<dyn LocalEmbedder>>) -> Self {
        let limits = ExtractLimits { max_bytes: settings.max_file_bytes as usize, ..ExtractLimits::default() };
        let model =
            embedder.as_ref().map(|embedder| embedder.model()).map(|model| format!("{} {}", model.name, model.version));
        let wanted = settings.languages.clone();
        let fingerprints = HashMap::new();
        let mut making = Self { limits, depth: settings.depth, embedder, wanted, fingerprints };
        let languages = language_fingerprints();
        let base = DigestBuilder::new("facts")
            .add_field(languages.known_by.as_bytes())
            .add_field(&NUMBER.to_le_bytes())
            .add_field(&[u8::from(settings.depth == IndexDepth::Full)])
            .add_field(&limits.parse_millis.to_le_bytes())
            .add_field(&limits.max_depth.to_le_bytes())
            .add_optional(model.as_ref().map(String::as_bytes))
            .finish();
        let of = |own: Option<ContentHash>, is_wanted: bool| {
            // Files over the size limit are not parsed, so another limit makes only the files between the two limits
            // stale.
            [0, 1].map(|size| {
                let digest = DigestBuilder::new("made")
                    .add_field(base.as_bytes())
                    .add_optional(own.as_ref().map(|own| &own.as_bytes()[..]));
                to_fingerprint(digest.add_field(&[u8::from(is_wanted), size]).finish())
            })
        };
        // A file of no language has no symbols that a setting could leave out.
        making.fingerprints.insert(None, of(None, true));
        for (name, own) in &languages.fingerprints {
            let made = of(Some(*own), making.wants_language(Some(name)));
            making.fingerprints.insert(Some(name), made);
        }
        making
    }

    /// The fingerprint for a file of this language and size; `None` for a language that is no longer known.
    pub(super) fn extractor_fingerprint(&self, language: Option<&str>, bytes: u64) -> Option<Fingerprint> {
        let [small, large] = self.fingerprints.get(&language)?;
        Some(if bytes > self.limits.max_bytes as u64 { *large } else { *small })
    }

    /// Whether the symbols of a language are wanted.
    pub(super) fn wants_language(&self, language: Option<&str>) -> bool {
        self.wanted.is_empty() || language.is_none_or(|name| self.wanted.iter().any(|wanted| wanted == name))
    }
}

/// The fingerprints of the languages; constant while the process runs.
struct LanguageFingerprints {
    /// By what files are recognized: which language a file has depends on all of them.
    known_by: ContentHash,
    fingerprints: Vec<(&'static str, ContentHash)>,
}

fn language_fingerprints() -> &'static LanguageFingerprints {
    static LANGUAGES: OnceLock<LanguageFingerprints> = OnceLock::new();
    LANGUAGES.get_or_init(|| {
        let all = syntax::all_languages();
        let known_by =
            all.fold(DigestBuilder::new("languages"), |digest, it| digest.add_field(it.known_by().as_bytes()));
        let fingerprints = syntax::all_languages().map(|language| (language.name(), language.fingerprint())).collect();
        LanguageFingerprints { known_by: known_by.finish(), fingerprints }
    })
}

/// The first bytes of a hash.
pub(super) fn to_fingerprint(hash: ContentHash) -> Fingerprint {
    let first = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    Fingerprint(i64::from_le_bytes(*first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn making(max_file_bytes: u64, languages: &[&str]) -> Fingerprinter {
        let languages = languages.iter().map(|&name| name.to_owned()).collect();
        Fingerprinter::new(&IndexSettings { max_file_bytes, languages, ..IndexSettings::default() }, None)
    }

    #[test]
    fn a_setting_changes_what_it_touches_and_nothing_else() {
        let plain = making(100, &[]);
        let other = making(200, &[]);
        for (bytes, same) in [(100, true), (101, false), (200, false), (201, true)] {
            assert_eq!(
                plain.extractor_fingerprint(Some("python"), bytes)
                    == other.extractor_fingerprint(Some("python"), bytes),
                same,
                "{bytes}"
            );
        }
        let some = making(100, &["python"]);
        for (language, same) in [(Some("python"), true), (Some("go"), false), (None, true)] {
            assert_eq!(
                plain.extractor_fingerprint(language, 1) == some.extractor_fingerprint(language, 1),
                same,
                "{language:?}"
            );
        }
        assert_ne!(plain.extractor_fingerprint(Some("python"), 1), plain.extractor_fingerprint(Some("go"), 1));
        assert_eq!(plain.extractor_fingerprint(Some("klingon"), 1), None);
    }
}
