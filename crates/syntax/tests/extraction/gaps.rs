//! What a language is known to miss, in a `gaps.toml` beside its query:
//!
//! ```toml
//! [[gap]]
//! what = "functions made by a macro"
//! code = "make_function!(f);"
//! missing = "function f"
//! ```
//!
//! `missing` is how a line of `sample.facts` would start. A gap that is none any more has to be taken out of the list.

use crate::folders::{list, root};
use crate::samples::told;
use serde::Deserialize;
use syntax::{ExtractLimits, all_languages, extract};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gaps {
    gap: Vec<Gap>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gap {
    what: String,
    code: String,
    missing: String,
}

#[test]
fn every_known_gap_is_still_one() {
    for folder in list(&root()) {
        let Ok(text) = fs_err::read_to_string(folder.join("gaps.toml")) else { continue };
        let name = folder.file_name().and_then(|name| name.to_str()).expect("folders have plain names");
        let language = all_languages().find(|language| language.name() == name).expect("folders are languages");
        let extension = language.file_extensions().next().expect("a language with gaps has an extension");
        let gaps: Gaps = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for Gap { what, code, missing } in gaps.gap {
            let extracted = extract(&format!("gap.{extension}"), code.as_bytes(), &ExtractLimits::default());
            let told = told(&extracted).expect("a string takes all");
            let found = told.lines().any(|line| line.starts_with(&missing));
            assert!(!found, "{name}: `{what}` is found now, so it is no gap any more");
        }
    }
}
