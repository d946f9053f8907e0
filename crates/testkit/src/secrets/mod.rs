//! Made-up secrets and texts that resemble them: what a scrubber is measured with.
//!
//! The three lists beside this file name kinds and their forms; they were written from the documentation of vendors and
//! formats, not from the rules that look for them. Kinds that are marked as held out were not looked at while rules
//! were written, so what is found of them says what to expect of formats that no rule was written for. Every value
//! comes from a seeded generator: the same seed gives the same corpus, and no line of the lists is itself a secret.

mod carrier;
mod made_up;

use carrier::{carry_text, wrap_token};
use made_up::{MadeUp, fill_form};

const KNOWN: &str = include_str!("known.txt");
const CONTEXTUAL: &str = include_str!("contextual.txt");
const LOOK_ALIKES: &str = include_str!("lookalikes.txt");

/// How many samples a kind of secret gives at least: in other surroundings each time.
const MIN_SAMPLES_PER_KIND: usize = 3;
/// In how many surroundings each form of a look-alike stands.
const LOOK_ALIKE_SURROUNDINGS: usize = 2;

/// What a sample is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleFamily {
    /// A token whose form says whose it is.
    Known,
    /// A value that its surroundings make a secret.
    Contextual,
    /// No secret.
    LookAlike,
}

/// A text, and the secrets in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSample {
    /// What it is about.
    pub family: SampleFamily,
    /// Its kind, as the list names it.
    pub kind: &'static str,
    /// Whether the kind was not looked at while rules were written.
    pub held_out: bool,
    /// The text.
    pub text: String,
    /// Every secret of the text as it stands in it; empty for a look-alike.
    pub secrets: Vec<String>,
}

impl SecretSample {
    /// Whether anything of a secret is left in what a scrubber made of the text: eight characters in a row of one line,
    /// or the whole of a shorter one.
    #[must_use]
    pub fn leaks_into(&self, scrubbed: &str) -> bool {
        let rest = without_placeholders(scrubbed);
        self.secrets.iter().any(|secret| leaks(secret, &rest))
    }
}

/// The corpus of a seed: each kind of the three lists, in the order of the lists.
#[must_use]
pub fn generate_corpus(seed: u64) -> Vec<SecretSample> {
    let mut samples = Vec::new();
    for (family, list) in
        [(SampleFamily::Known, KNOWN), (SampleFamily::Contextual, CONTEXTUAL), (SampleFamily::LookAlike, LOOK_ALIKES)]
    {
        let mut made_up = MadeUp::new(seed ^ (family as u64 + 1));
        for (place, kind) in read_kinds(list).into_iter().enumerate() {
            let count = match family {
                SampleFamily::LookAlike => kind.forms.len() * LOOK_ALIKE_SURROUNDINGS,
                SampleFamily::Known | SampleFamily::Contextual => kind.forms.len().max(MIN_SAMPLES_PER_KIND),
            };
            for index in 0..count {
                let form = kind.forms[index % kind.forms.len()];
                // Kinds and forms move through the surroundings, so that each of these is met in every family.
                let surroundings = place + index / kind.forms.len() + index % kind.forms.len();
                samples.push(make_sample(family, &kind, form, surroundings, &mut made_up));
            }
        }
    }
    samples
}

struct ListedKind {
    name: &'static str,
    held_out: bool,
    forms: Vec<&'static str>,
}

fn read_kinds(list: &'static str) -> Vec<ListedKind> {
    let mut kinds: Vec<ListedKind> = Vec::new();
    for line in list.lines().filter(|line| !line.starts_with('#') || line.starts_with("##")) {
        if let Some(title) = line.strip_prefix("== ") {
            let (name, held_out) = title.strip_suffix(" (held out)").map_or((title, false), |name| (name, true));
            kinds.push(ListedKind { name, held_out, forms: Vec::new() });
        } else if let Some(kind) = kinds.last_mut() {
            kind.forms.push(line);
        }
    }
    kinds
}

fn make_sample(
    family: SampleFamily,
    kind: &ListedKind,
    form: &str,
    surroundings: usize,
    made_up: &mut MadeUp,
) -> SecretSample {
    let filled = fill_form(form, made_up);
    let marked = match family {
        SampleFamily::Known if !filled.contains('⟦') => wrap_token(&filled, surroundings),
        SampleFamily::Known | SampleFamily::Contextual | SampleFamily::LookAlike => carry_text(&filled, surroundings),
    };
    let mut secrets = Vec::new();
    let mut text = String::with_capacity(marked.len());
    let mut rest = marked.as_str();
    while let Some((before, after)) = rest.split_once('⟦') {
        let (secret, behind) = after.split_once('⟧').expect("a mark that opens is closed in the same form");
        text.push_str(before);
        text.push_str(secret);
        secrets.push(secret.to_owned());
        rest = behind;
    }
    text.push_str(rest);
    SecretSample { family, kind: kind.name, held_out: kind.held_out, text, secrets }
}

/// A placeholder names its rule, which may be the first word of a token (`rubygems`).
fn without_placeholders(scrubbed: &str) -> String {
    let mut rest = String::with_capacity(scrubbed.len());
    for (number, piece) in scrubbed.split("[secret:").enumerate() {
        let behind = if number == 0 { Some(piece) } else { piece.split_once(']').map(|(_, behind)| behind) };
        rest.push_str(behind.unwrap_or(piece));
    }
    rest
}

fn leaks(secret: &str, scrubbed: &str) -> bool {
    const LEAK_CHARACTERS: usize = 8;
    // A line break inside of a secret is `\n` in a JSON string, and line numbers or marks of a diff stand behind it.
    secret.split(['\n', '\\']).filter(|line| line.len() > 1).any(|line| {
        let characters: Vec<char> = line.chars().collect();
        let run = characters.len().min(LEAK_CHARACTERS);
        characters.windows(run).any(|window| scrubbed.contains(&window.iter().collect::<String>()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_corpus_is_the_same_for_a_seed_and_another_for_another() {
        assert_eq!(generate_corpus(7), generate_corpus(7));
        assert_ne!(generate_corpus(7), generate_corpus(8));
    }

    #[test]
    fn the_corpus_is_as_large_as_it_is_said_to_be() {
        let corpus = generate_corpus(1);
        let secrets: usize = corpus.iter().map(|sample| sample.secrets.len()).sum();
        let kinds: BTreeSet<_> =
            corpus.iter().filter(|sample| sample.family != SampleFamily::LookAlike).map(|sample| sample.kind).collect();
        let look_alikes = corpus.iter().filter(|sample| sample.family == SampleFamily::LookAlike).count();
        assert!(secrets >= 400 && kinds.len() >= 140, "{secrets} secrets of {} kinds", kinds.len());
        assert!(look_alikes >= 400, "{look_alikes} look-alikes");
        for family in [SampleFamily::Known, SampleFamily::Contextual, SampleFamily::LookAlike] {
            let held_out: BTreeSet<_> = corpus
                .iter()
                .filter(|sample| sample.family == family && sample.held_out)
                .map(|sample| sample.kind)
                .collect();
            assert_eq!(held_out.len(), 10, "{family:?}: {held_out:?}");
        }
    }

    #[test]
    fn every_secret_stands_in_its_text_and_every_mark_was_filled() {
        for sample in generate_corpus(3) {
            assert_eq!(sample.secrets.is_empty(), sample.family == SampleFamily::LookAlike, "{sample:?}");
            assert!(sample.secrets.iter().all(|secret| sample.text.contains(secret.as_str())), "{sample:?}");
            assert!(!sample.text.contains(['‹', '›', '⟦', '⟧', '⏎', '⇥']), "{sample:?}");
            assert!(sample.secrets.is_empty() || sample.leaks_into(&sample.text), "{sample:?}");
        }
    }
}
