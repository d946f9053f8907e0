//! Computes precision and recall of extracted facts: how many are true and worth telling, and how many of the things a
//! reader found are among them. Some kinds are labelled whole and others by a sample, so the overall precision weighs
//! the precision of each kind by how many facts of it there are.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::label_set::{FactLabel, FactVerdict, HEAD_WORDS, LabelledSession, TextPlace, WantedItem};
use super::told_session::{ToldFact, ToldSession};
use super::word_list::{contained_share, hash_words, jaccard_similarity};
use crate::bench::round_thousandths;

/// What one half of the sessions gives.
#[derive(Default)]
pub(super) struct HalfScores {
    sessions: usize,
    kinds: BTreeMap<String, KindScores>,
    rules: KindScores,
    /// Items by type and role: wanted, told as that type, told as anything.
    items: BTreeMap<(String, String), [usize; 3]>,
}

#[derive(Default)]
struct KindScores {
    told: usize,
    labelled: usize,
    /// True, worth telling, and told as what it is.
    useful: usize,
    /// True, and told as what it is.
    not_wrong: usize,
    /// Of those that are useful, the ones that held until the end.
    holding: usize,
}

/// Words that a fact and a label share at least, of the words of both.
const SAME_TEXT: f64 = 0.6;
/// Words of an item that a fact has at least.
const SAME_ITEM: f64 = 0.6;

impl HalfScores {
    /// Counts a session; gives the told facts without a label.
    pub(super) fn add_session<'t>(&mut self, labelled: &LabelledSession, told: &'t ToldSession) -> Vec<&'t ToldFact> {
        self.sessions += 1;
        let labels: Vec<(&FactLabel, Option<&[String]>)> =
            labelled.labels.iter().map(|label| (label, label.place.find_words(told))).collect();
        let mut unlabelled = Vec::new();
        for fact in told.facts.iter().filter(|fact| fact.is_told) {
            let label = find_label(fact, &labels);
            if label.is_none() {
                unlabelled.push(fact);
            }
            self.kinds.entry(fact.kind.clone()).or_default().add_fact(fact, label);
            if fact_family(&fact.kind) == "rule" {
                self.rules.add_rule(label);
            }
        }
        for item in &labelled.items {
            let words = item.place.find_words(told);
            let counts = self.items.entry((item.is.clone(), item.role.clone())).or_default();
            counts[0] += 1;
            let mut found = told.facts.iter().filter(|fact| is_item(fact, item, words)).peekable();
            counts[2] += usize::from(found.peek().is_some());
            counts[1] += usize::from(found.any(|fact| fact_family(&fact.kind) == item_family(&item.is)));
        }
        unlabelled
    }

    pub(super) fn to_json(&self) -> Value {
        let items: Map<String, Value> = self
            .items
            .iter()
            .map(|((is, role), [wanted, found, mentioned])| {
                let shares = json!({
                    "wanted": wanted, "found": share(*found, *wanted), "found_as_any_kind": share(*mentioned, *wanted),
                });
                (format!("{is} of the {role}"), shares)
            })
            .collect();
        let kinds: Map<String, Value> = self.kinds.iter().map(|(kind, it)| (kind.clone(), it.to_json())).collect();
        json!({
            "sessions": self.sessions,
            "told": self.weigh_kinds(|_| true),
            // Files are many and easy: beside them nothing else would be seen.
            "told_without_files": self.weigh_kinds(|kind| kind != "file"),
            "rules": self.rules.to_json(),
            "kinds": kinds,
            "items": items,
        })
    }

    /// The precision of some kinds, each weighed by how many facts of it are told.
    fn weigh_kinds(&self, is_meant: fn(&str) -> bool) -> Value {
        let mut told = 0;
        let mut labelled = 0;
        let mut useful = 0.0;
        let mut not_wrong = 0.0;
        for (_, kind) in self.kinds.iter().filter(|(name, kind)| is_meant(name) && kind.labelled > 0) {
            let weight = kind.told as f64 / kind.labelled as f64;
            (told, labelled) = (told + kind.told, labelled + kind.labelled);
            useful += kind.useful as f64 * weight;
            not_wrong += kind.not_wrong as f64 * weight;
        }
        let all = |sum: f64| round_thousandths(sum / (told as f64).max(1.0));
        json!({ "facts": told, "labelled": labelled, "useful": all(useful), "true": all(not_wrong) })
    }
}

impl KindScores {
    fn add_fact(&mut self, fact: &ToldFact, label: Option<&FactLabel>) {
        self.told += 1;
        let Some(label) = label else { return };
        let family = fact_family(&fact.kind);
        // What was told as another kind then may be told as what it is now.
        let is_same = family == fact_family(&label.kind);
        let is_mended = !is_same && family == fact_family(&label.is) && label.holds;
        self.count(
            is_mended || (is_same && label.verdict == FactVerdict::Useful),
            is_mended || (is_same && label.verdict != FactVerdict::Wrong),
            label,
        );
    }

    /// A rule is right where it is one, not where it is something else that is worth telling.
    fn add_rule(&mut self, label: Option<&FactLabel>) {
        self.told += 1;
        if let Some(label) = label {
            let is_rule = label.is == "rule";
            self.count(
                is_rule && label.verdict == FactVerdict::Useful,
                is_rule && label.verdict != FactVerdict::Wrong,
                label,
            );
        }
    }

    fn count(&mut self, is_useful: bool, is_true: bool, label: &FactLabel) {
        self.labelled += 1;
        self.useful += usize::from(is_useful);
        self.not_wrong += usize::from(is_true);
        self.holding += usize::from(is_useful && label.holds);
    }

    fn to_json(&self) -> Value {
        json!({
            "told": self.told,
            "labelled": self.labelled,
            "useful": share(self.useful, self.labelled),
            "true": share(self.not_wrong, self.labelled),
            "useful_and_holding": share(self.holding, self.labelled),
        })
    }
}

/// Kinds that mean the same to a reader.
pub(super) fn fact_family(kind: &str) -> &str {
    match kind {
        "constraint" => "rule",
        "command" | "failure" | "test" | "stands" => "failing",
        "todo" => "task",
        other => other,
    }
}

fn item_family(is: &str) -> &str {
    match is {
        "open" => "task",
        "answer" => "decision",
        other => other,
    }
}

/// The label of a fact: of the same text, or, where it is put together from a call, of the same call and beginning.
fn find_label<'l>(fact: &ToldFact, labels: &[(&'l FactLabel, Option<&[String]>)]) -> Option<&'l FactLabel> {
    let hash = hash_words(&fact.words);
    let same =
        labels.iter().find(|(label, _)| label.place.hash == hash && (label.kind == "fix") == (fact.kind == "fix"));
    let near = || {
        let similar = |(label, words): &(&'l FactLabel, Option<&[String]>)| {
            Some((*label, jaccard_similarity(&fact.words, (*words)?)))
        };
        let best = labels.iter().filter_map(similar).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (best.1 >= SAME_TEXT).then_some(best.0)
    };
    let begun = || {
        let fits = |label: &FactLabel| label.kind == "decision" && fact_family(&fact.kind) == "decision";
        labels.iter().map(|(label, _)| *label).find(|label| fits(label) && begins_alike(fact, &label.place))
    };
    same.map(|(label, _)| *label).or_else(near).or_else(begun)
}

/// Whether a fact tells an item.
fn is_item(fact: &ToldFact, item: &WantedItem, words: Option<&[String]>) -> bool {
    match words {
        Some(words) => {
            !["file", "command", "failure", "test", "fix"].contains(&fact.kind.as_str())
                && contained_share(words, &fact.words) >= SAME_ITEM
        }
        None => hash_words(&fact.words) == item.place.hash || begins_alike(fact, &item.place),
    }
}

fn begins_alike(fact: &ToldFact, place: &TextPlace) -> bool {
    let head = &fact.words[..fact.words.len().min(HEAD_WORDS)];
    fact.message == place.message && hash_words(head) == place.head
}

pub(super) fn share(part: usize, whole: usize) -> Value {
    if whole == 0 { Value::Null } else { json!(round_thousandths(part as f64 / whole as f64)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::facts::label_set::load_labels;
    use crate::bench::facts::word_list::split_words;

    const MESSAGE_TEXT: &str = "Never push to main. Add a button to the form. Let's use tabs.";

    fn told(facts: &[(&str, &str)]) -> ToldSession {
        let fact = |(kind, text): &(&str, &str)| ToldFact {
            kind: (*kind).to_owned(),
            text: (*text).to_owned(),
            words: split_words(text),
            message: 1,
            is_told: true,
        };
        ToldSession {
            messages: [(1, split_words(MESSAGE_TEXT))].into_iter().collect(),
            facts: facts.iter().map(fact).collect(),
        }
    }

    /// Three labels and two items in the words of [`MESSAGE_TEXT`].
    fn labelled(folder: &std::path::Path) -> LabelledSession {
        let hash = |text: &str| hash_words(&split_words(text));
        let label = |kind: &str, words: &str, text: &str, rest: &str| {
            format!("s\t1\t{kind}\t{words}\t{}\t-\t{rest}\t-\t-\n", hash(text))
        };
        let item = |is: &str, words: &str, text: &str| format!("s\t1\tuser\t{is}\t-\t{words}\t{}\t-\n", hash(text));
        let labels = label("constraint", "0+4", "Never push to main", "useful\trule\tholds")
            + &label("constraint", "4+6", "Add a button to the form", "wrong\ttask\tholds");
        let items = item("rule", "0+4", "Never push to main") + &item("decision", "10+4", "Let's use tabs");
        fs_err::create_dir_all(folder).expect("a folder");
        fs_err::write(folder.join("sessions.tsv"), "head\ns\ttune\ta\t1\tr\tc\tp\tb\n").expect("sessions");
        fs_err::write(folder.join("labels.tsv"), format!("head\n{labels}")).expect("labels");
        fs_err::write(folder.join("items.tsv"), format!("head\n{items}")).expect("items");
        load_labels(folder).expect("labels").pop().expect("a session")
    }

    #[test]
    fn facts_are_scored_by_the_label_of_their_text() {
        let folder = std::env::temp_dir().join(format!("fact-scores-{}", std::process::id()));
        let labelled = labelled(&folder);
        fs_err::remove_dir_all(&folder).expect("removed");
        let score = |facts: &[(&str, &str)]| {
            let told = told(facts);
            let mut scores = HalfScores::default();
            let unlabelled = scores.add_session(&labelled, &told).len();
            let scores = scores.to_json();
            (unlabelled, scores["told"]["useful"].clone(), scores["rules"]["useful"].clone(), scores["items"].clone())
        };
        let (unlabelled, told, rules, items) = score(&[
            ("constraint", "never push to main!"),
            ("constraint", "Add a button to the form."),
            ("decision", "We keep the old name."),
        ]);
        assert_eq!((unlabelled, told, rules), (1, json!(0.5), json!(0.5)));
        assert_eq!(items["rule of the user"]["found"], json!(1.0));
        assert_eq!(items["decision of the user"]["found"], json!(0.0));
        // The task is right when it is told as one, and leaves the rules right.
        let (_, told, rules, items) = score(&[
            ("rule", "Never push to main."),
            ("task", "Add a button to the form."),
            ("rule", "Let's use tabs."),
        ]);
        assert_eq!((told, rules), (json!(1.0), json!(1.0)));
        assert_eq!(items["decision of the user"], json!({ "wanted": 1, "found": 0.0, "found_as_any_kind": 1.0 }));
    }
}
