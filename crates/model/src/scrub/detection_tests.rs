//! Recall test of the secret scanner: at least 99 of 100 generated secrets must be found, ten made from each rule's
//! own regex, written the way secrets reach a transcript.
//!
//! The generator draws uniformly from what a pattern allows, so some of what it makes no vendor ever would; what is
//! missed is missed for its look (too few different characters, or letters that happen to read as words).

use super::rules::{BUILT_IN, RuleForm, SecretRule};
use super::{ScrubKey, Scrubber};
use expect_test::expect;
use regex::bytes::RegexBuilder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

const OF_EACH: usize = 10;

/// A small generator of our own: the same numbers in every version of every library.
struct XorShift(u64);

impl XorShift {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// A text that fits a pattern, and the groups in it.
#[derive(Default)]
struct PatternSample {
    text: Vec<u8>,
    groups: Vec<std::ops::Range<usize>>,
}

impl PatternSample {
    fn from_pattern(pattern: &str, random: &mut XorShift) -> Self {
        let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
        let parsed = parsed.expect("a pattern of the table");
        let regex = RegexBuilder::new(pattern).unicode(false).build().expect("a pattern of the table");
        loop {
            let mut sample = Self::default();
            sample.add_node(&parsed, random);
            // What is drawn knows nothing of the edges of words.
            if regex.is_match(&sample.text) {
                return sample;
            }
        }
    }

    fn add_node(&mut self, pattern: &Hir, random: &mut XorShift) {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.extend_from_slice(&literal.0),
            HirKind::Class(class) => {
                let printable =
                    (b' '..0x7F).chain([b'\n']).filter(|byte| class_allows(class, *byte)).collect::<Vec<_>>();
                self.text.push(printable[random.next_below(printable.len())]);
            }
            HirKind::Repetition(repeated) => {
                let most = repeated.max.unwrap_or(repeated.min + 20).min(repeated.min + 100);
                for _ in 0..repeated.min as usize + random.next_below((most - repeated.min) as usize + 1) {
                    self.add_node(&repeated.sub, random);
                }
            }
            HirKind::Capture(group) => {
                let start = self.text.len();
                self.add_node(&group.sub, random);
                self.groups.push(start..self.text.len());
            }
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add_node(part, random)),
            HirKind::Alternation(ways) => self.add_node(&ways[random.next_below(ways.len())], random),
        }
    }
}

fn class_allows(class: &Class, byte: u8) -> bool {
    match class {
        Class::Bytes(class) => class.iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        Class::Unicode(class) => class.iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte))),
    }
}

/// The text around a secret that makes it one, and the secret.
fn build_secret(rule: &SecretRule, keyword: &str, random: &mut XorShift) -> (String, String) {
    const NAMES: [&str; 4] = ["{k}_key = \"{s}\"", "\"{k}Token\": \"{s}\"", "export {K}={s}", "{k}.secret: '{s}'"];
    const TELLING: [&str; 4] =
        ["db_password = \"{s}\"", "\"clientSecret\": \"{s}\"", "export API_TOKEN={s}", "access-key: '{s}'"];
    let pattern = match rule.form {
        RuleForm::Pem => {
            r"-----BEGIN (?:RSA |EC |OPENSSH )?PRIVATE KEY-----\n(?:[A-Za-z0-9+/]{64}\n){3,30}[A-Za-z0-9+/]{20}==\n-----END PRIVATE KEY-----"
        }
        RuleForm::Prefixed => r"[a-z]{2,8}_[A-Za-z0-9]{36,48}",
        RuleForm::Telling => r"[A-Za-z][\w!#%^*+.-]{9,30}[0-9]",
        RuleForm::Url => r"[a-z]{3,8}://[a-z]{3,9}:([\w!#%^&*+=.-]{8,40})@[a-z]{3,9}",
        RuleForm::Token | RuleForm::Inside | RuleForm::Phrase | RuleForm::Near | RuleForm::Named => rule.pattern,
    };
    let sample = PatternSample::from_pattern(pattern, random);
    let secret = sample.groups.last().map_or(&sample.text[..], |group| &sample.text[group.clone()]);
    let secret = String::from_utf8(secret.to_vec()).expect("samples are ASCII");
    let text = String::from_utf8(sample.text).expect("samples are ASCII");
    let text = match rule.form {
        RuleForm::Telling => TELLING[random.next_below(TELLING.len())].replace("{s}", &secret),
        RuleForm::Named => {
            let name = NAMES[random.next_below(NAMES.len())];
            name.replace("{k}", keyword).replace("{K}", &keyword.to_uppercase()).replace("{s}", &secret)
        }
        RuleForm::Near => format!("{keyword} {text} "),
        RuleForm::Token | RuleForm::Inside | RuleForm::Phrase | RuleForm::Prefixed | RuleForm::Url | RuleForm::Pem => {
            text
        }
    };
    (text, secret)
}

/// The text as the content of a JSON string.
fn quote_json(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('=', "\\u003d");
    format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#)
}

#[test]
fn at_least_99_of_100_generated_secrets_are_found() {
    let scrubber = Scrubber::new(ScrubKey::new([1; 32]), &[]);
    let mut random = XorShift(0x9E37_79B9_7F4A_7C15);
    let mut made = 0;
    let mut found = 0;
    let mut missed: Vec<String> = Vec::new();
    for (rule, keyword) in BUILT_IN.iter().zip(super::rules::first_keywords()) {
        for round in 0..OF_EACH {
            let (text, secret) = build_secret(rule, &keyword, &mut random);
            let text = match round % 4 {
                0 => format!("Please use {text} for the test run.\n"),
                1 => format!("$ cat notes.txt\n{text}\n$ echo done\n"),
                2 => quote_json(&format!("first line\n{text}\nlast line")),
                _ => quote_json(&quote_json(&format!("first line\n{text}"))),
            };
            made += 1;
            let (clean, _) = scrubber.scrub_text(&text);
            // A secret is gone when its middle is: ends may be escaped, or look like what stands around them.
            let middle = &secret[secret.len() / 4..secret.len() - secret.len() / 4];
            let plain = clean.replace("\\\\", "\\").replace("\\u003d", "=").replace("\\n", "\n").replace("\\\"", "\"");
            if clean.contains(middle) || plain.contains(middle) {
                missed.push(rule.name.to_string());
            } else {
                found += 1;
            }
        }
    }
    assert!(found * 100 >= made * 99, "{found} of {made}, missed: {missed:?}");
    let report = format!("{found} of {made} found, missed:\n{}\n", missed.join("\n"));
    expect![[r#"
        3876 of 3910 found, missed:
        vendor-token
        cookie
        mysql-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        command-password
        snmp-password
        command-password
        command-password
        netrc
        netrc
        netrc
        netrc
        netrc
        netrc
        netrc
        kubernetes-secret
        kubernetes-secret
        kubernetes-secret
        kubernetes-secret
        freemius-secret-key
        sumologic-access-id
    "#]]
    .assert_eq(&report);
}
