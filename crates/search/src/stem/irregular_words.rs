//! Lookup table from irregular English words and abbreviations to their base form, which no stemming rule joins:
//! `bought` is `buy`, `children` are `child`, `db` is `database`. Forms are data, a line for each plain form.
//!
//! Questions ask `what did she buy?` and answers say what was bought; one writes `config`, the other `configuration`.
//! Left out are forms that are as well another word of their own (`left`, `rose`, `app`).

use foldhash::{HashMap, HashMapExt};
use std::sync::LazyLock;

static FORMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for (plain, others) in include_str!("forms.txt").lines().filter_map(|line| line.split_once(": ")) {
        forms.extend(others.split(' ').map(|form| (form, plain)));
    }
    forms
});

/// The base form of an irregular word.
pub(super) fn base_form(word: &str) -> Option<&'static str> {
    FORMS.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_leads_to_one_plain_form() {
        assert_eq!(base_form("bought"), Some("buy"));
        let written = include_str!("forms.txt").lines().map(|line| line.split(' ').count() - 1).sum::<usize>();
        assert_eq!(FORMS.len(), written, "none is there twice");
        for wanted in FORMS.values() {
            assert_eq!(base_form(wanted), None, "{wanted}");
        }
    }
}
