//! `SecretName`, a name that promises a secret behind it, as the secret scanner reads it: `DB_PASSWORD`, `apiKey`,
//! `--client-secret`, `"access token"`.
//!
//! A name is read as a whole and taken apart into its words, because the same letters mean other things elsewhere:
//! `max_tokens` is a count, `cache-key` an address, `password_min_length` a setting, `compass` an instrument. What is
//! last decides: a name that ends in another word names that other thing.

use super::escape;
use std::ops::Range;

/// What a name promises, and so which values are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretClass {
    /// A password: people make them up, so it may look like anything.
    Password,
    /// The word `pass` alone, which also counts tests and rounds.
    Pass,
    /// A secret, a token or a key: machines make them, so it looks like nothing people write.
    Generated,
}

/// A name that promises a secret.
pub(super) struct SecretName {
    /// Where it stands, without the hyphens of an option.
    pub(super) range: Range<usize>,
    pub(super) class: SecretClass,
    /// `--password`, `-storepass`: the value may follow a blank.
    pub(super) is_option: bool,
    /// `DB_PASSWORD`: no name of a program's variable, so that a bare word behind it is a value.
    pub(super) is_setting: bool,
}

/// Bytes of a name on each side of the keyword.
const MAX_SIDE_BYTES: usize = 48;
/// Words of a name that count, from the last one on.
const MAX_NAME_WORDS: usize = 8;

impl SecretName {
    /// The name around a keyword.
    pub(super) fn read_around(text: &[u8], keyword: Range<usize>) -> Option<Self> {
        let mut start = name_start(text, keyword.start);
        let end = name_end(text, keyword.end);
        let hyphens = text[start..end].iter().take_while(|byte| matches!(byte, b'-' | b'.' | b'_')).count();
        let is_option = hyphens > 0 && text[start + hyphens - 1] == b'-';
        start += hyphens;
        let name = text.get(start..end).filter(|name| !name.is_empty())?;
        let words = NameWords::of(name);
        let class = classify_words(words.as_slice()).or_else(|| {
            // `API key` and `client secret` are two words in prose.
            let [word] = words.as_slice() else { return None };
            classify_words(&[word_before(text, start)?, word])
        })?;
        let is_setting = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
        Some(Self { range: start..end, class, is_option, is_setting })
    }
}

fn is_name_mark(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

fn name_start(text: &[u8], mut at: usize) -> usize {
    let limit = at.saturating_sub(MAX_SIDE_BYTES);
    while at > limit {
        let before = text[at - 1];
        // The letter of an escape (`\nPASSWORD`) belongs to no name.
        let belongs = is_name_mark(before) || (before.is_ascii_alphanumeric() && !escape::starts_word(text, at));
        if !belongs {
            break;
        }
        at -= 1;
    }
    at
}

fn name_end(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + MAX_SIDE_BYTES)];
    let mut length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || is_name_mark(**byte)).count();
    // A full stop or a dash ends a sentence and not a name.
    while length > 0 && matches!(rest[length - 1], b'.' | b'-') {
        length -= 1;
    }
    at + length
}

fn word_before(text: &[u8], start: usize) -> Option<&[u8]> {
    let before = text[..start].strip_suffix(b" ")?;
    let length = before.iter().rev().take(16).take_while(|byte| byte.is_ascii_alphabetic()).count();
    Some(&before[before.len() - length..])
}

/// The last words of a name: cut at marks, at digits, and where capitals show it.
struct NameWords<'n> {
    words: [&'n [u8]; MAX_NAME_WORDS],
    first: usize,
}

impl<'n> NameWords<'n> {
    fn of(name: &'n [u8]) -> Self {
        let mut found = Self { words: [&[]; MAX_NAME_WORDS], first: MAX_NAME_WORDS };
        let mut end = name.len();
        for at in (0..name.len()).rev() {
            let byte = name[at];
            if !byte.is_ascii_alphabetic() {
                found.add_word(&name[at + 1..end]);
                end = at;
                continue;
            }
            let previous = at.checked_sub(1).map_or(b' ', |at| name[at]);
            let next_is_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            let starts_word = byte.is_ascii_uppercase()
                && (previous.is_ascii_lowercase() || (previous.is_ascii_uppercase() && next_is_small));
            if starts_word {
                found.add_word(&name[at..end]);
                end = at;
            }
        }
        found.add_word(&name[..end]);
        found
    }

    fn add_word(&mut self, word: &'n [u8]) {
        if !word.is_empty() && self.first > 0 {
            self.first -= 1;
            self.words[self.first] = word;
        }
    }

    fn as_slice(&self) -> &[&'n [u8]] {
        &self.words[self.first..]
    }
}

/// Words behind the telling one that leave it what it is.
const QUALIFYING_WORDS: [&str; 34] = [
    "prod",
    "production",
    "dev",
    "development",
    "test",
    "testing",
    "staging",
    "stage",
    "live",
    "local",
    "sandbox",
    "base",
    "value",
    "plain",
    "plaintext",
    "text",
    "string",
    "raw",
    "old",
    "new",
    "current",
    "primary",
    "secondary",
    "default",
    "root",
    "admin",
    "user",
    "data",
    "b",
    "hex",
    "v",
    "pem",
    "encoded",
    "str",
];
/// Words before the telling one that make it something else.
const NEGATING_WORDS: [&str; 42] = [
    "public",
    "publishable",
    "pub",
    "max",
    "min",
    "num",
    "number",
    "total",
    "next",
    "prev",
    "previous",
    "page",
    "continuation",
    "count",
    "per",
    "no",
    "is",
    "has",
    "use",
    "show",
    "hide",
    "require",
    "requires",
    "required",
    "forgot",
    "reset",
    "change",
    "invalid",
    "wrong",
    "incorrect",
    "missing",
    "unexpected",
    "expected",
    "csrf",
    "xsrf",
    "with",
    "without",
    "unknown",
    "last",
    "first",
    "hidden",
    "cancellation",
];
/// What may stand before `key` to make it a secret.
const KEY_KINDS: [&str; 25] = [
    "wep",
    "api",
    "secret",
    "private",
    "access",
    "signing",
    "encryption",
    "sign",
    "crypto",
    "master",
    "auth",
    "admin",
    "account",
    "preshared",
    "shared",
    "hmac",
    "jwt",
    "app",
    "session",
    "license",
    "decryption",
    "client",
    "role",
    "cookie",
    "logged",
];
/// What is written together with `pass` and `pwd`.
const PASSWORD_OWNERS: [&str; 26] = [
    "",
    "db",
    "root",
    "admin",
    "user",
    "store",
    "key",
    "my",
    "smtp",
    "mail",
    "ssh",
    "bind",
    "auth",
    "ldap",
    "ftp",
    "sql",
    "mysql",
    "pg",
    "redis",
    "login",
    "default",
    "become",
    "su",
    "sudo",
    "keystore",
    "truststore",
];
/// What is written together with `token` and `key`.
const JOINED_KINDS: [&str; 13] = [
    "auth",
    "access",
    "api",
    "bot",
    "bearer",
    "refresh",
    "session",
    "secret",
    "private",
    "master",
    "signing",
    "oauth",
    "encryption",
];

fn classify_words(words: &[&[u8]]) -> Option<SecretClass> {
    let is_one_of = |word: &[u8], list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    let head = words.iter().rposition(|word| !is_one_of(word, &QUALIFYING_WORDS))?;
    let (before, word) = (&words[..head], words[head]);
    let previous = before.last().copied().unwrap_or_default();
    let is = |known: &str| word.eq_ignore_ascii_case(known.as_bytes());
    let stem = |ending: &str| {
        let stem = word.len().checked_sub(ending.len())?;
        word[stem..].eq_ignore_ascii_case(ending.as_bytes()).then_some(&word[..stem])
    };
    let owns = |ending: &str, kinds: &[&str]| stem(ending).is_some_and(|kind| is_one_of(kind, kinds));
    let class = if is("pass") {
        let has_owner = !previous.is_empty() && (is_one_of(previous, &PASSWORD_OWNERS) || before.len() > 1);
        if has_owner { SecretClass::Password } else { SecretClass::Pass }
    } else if ["password", "passwd", "passphrase", "passcode", "passwort"].iter().any(|ending| stem(ending).is_some())
        || (is("word") || is("phrase")) && previous.eq_ignore_ascii_case(b"pass")
        || is("psk")
        || owns("pw", &PASSWORD_OWNERS)
        || owns("pwd", &PASSWORD_OWNERS)
        || owns("pass", &PASSWORD_OWNERS)
    {
        SecretClass::Password
    } else if is("key") && is_one_of(previous, &KEY_KINDS)
        || owns("key", &JOINED_KINDS)
        || owns("token", &JOINED_KINDS)
        || is_one_of(word, &["token", "salt", "credential"])
        || stem("secret").is_some()
    {
        SecretClass::Generated
    } else {
        return None;
    };
    (!before.iter().any(|word| is_one_of(word, &NEGATING_WORDS))).then_some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_promises_what_its_last_words_say() {
        let class = |name: &str| classify_words(NameWords::of(name.as_bytes()).as_slice());
        for name in ["DB_PASSWORD", "PGPASSWORD", "adminPassword", "spring.datasource.password", "Pwd", "storepass"] {
            assert_eq!(class(name), Some(SecretClass::Password), "{name}");
        }
        for name in ["apiKey", "APIKey", "SECRET_KEY_BASE", "clientSecret", "accessToken", "signing-key", "authtoken"] {
            assert_eq!(class(name), Some(SecretClass::Generated), "{name}");
        }
        for name in [
            "cache-key",
            "key",
            "primaryKey",
            "publicKeyToken",
            "public_key",
            "max_tokens",
            "tokens",
            "token_count",
            "tokenizer",
            "token_type",
            "password_min_length",
            "POSTGRES_PASSWORD_FILE",
            "secretName",
            "compass",
            "bypass",
            "keyboard",
            "nextToken",
            "privateKeyPath",
            "secrets",
            "passing",
            "tokenUrl",
        ] {
            assert_eq!(class(name), None, "{name}");
        }
        assert_eq!(class("pass"), Some(SecretClass::Pass));
        assert_eq!(class("ansible_become_pass"), Some(SecretClass::Password));
    }

    #[test]
    fn a_name_ends_where_its_word_ends() {
        let read = |text: &str, keyword: &str| {
            let at = text.find(keyword).expect("a row has its keyword");
            SecretName::read_around(text.as_bytes(), at..at + keyword.len())
                .map(|name| (text[name.range].to_owned(), name.is_option))
        };
        assert_eq!(read(r"line\nDB_PASSWORD=x", "PASS"), Some(("DB_PASSWORD".to_owned(), false)));
        assert_eq!(read("run --client-secret x", "secret"), Some(("client-secret".to_owned(), true)));
        assert_eq!(read("the API key is x", "key"), Some(("key".to_owned(), false)));
        assert_eq!(read("the key is x", "key"), None);
    }
}
