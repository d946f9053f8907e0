//! Knows the keys of requirements, `REQ-123` and `R1.2`, by their form alone: whether a text of that form is a key, what
//! defines it decides.

/// What keys of requirements begin with by custom; others count where the text beside them demands something.
const KNOWN_PREFIXES: [&str; 20] = [
    "REQ",
    "REQS",
    "REQUIREMENT",
    "RQ",
    "R",
    "FR",
    "NFR",
    "UR",
    "SR",
    "SRS",
    "BR",
    "SWR",
    "SYSREQ",
    "URS",
    "FRS",
    "HLR",
    "LLR",
    "FREQ",
    "NREQ",
    "US",
];
/// Keys of these are of documents and standards elsewhere.
const FOREIGN_PREFIXES: [&str; 15] =
    ["PEP", "RFC", "CVE", "CWE", "ISO", "IEC", "IEEE", "UTF", "SHA", "MD", "AES", "RSA", "BCP", "GHSA", "ES"];
/// A longer word is none.
const LONGEST_KEY: usize = 32;

/// The keys in a text with the bytes where they begin, as they are written.
pub(super) fn find_keys(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || byte >= 0x80;
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at + bytes[at..].iter().position(|byte| is_part(*byte))?;
            let length = bytes[start..].iter().position(|byte| !is_part(*byte)).unwrap_or(bytes.len() - start);
            at = start + length;
            // A boundary: both ends are ASCII, or parts of characters that belong to the word.
            let word = text.get(start..at)?.trim_end_matches(['.', '-', '_']);
            if is_key(word) {
                return Some((start, word));
            }
        }
        None
    })
}

/// Whether a word has the form of a key.
fn is_key(word: &str) -> bool {
    if word.len() > LONGEST_KEY || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let is_number = |text: &str| {
        text.len() <= 9
            && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some((prefix, number)) = word.rsplit_once(['-', '_']) {
        let is_prefix = prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
        return is_prefix && is_number(number) && !FOREIGN_PREFIXES.contains(&first_part(word));
    }
    // Without a dash only with several numbers: `R1` is a name of anything.
    let number = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let prefix = &word[..word.len() - number.len()];
    matches!(prefix, "R" | "FR" | "NFR" | "UR" | "SR") && number.contains('.') && is_number(number)
}

/// Whether keys of this prefix are those of requirements whatever stands beside them.
pub(super) fn has_known_prefix(key: &str) -> bool {
    KNOWN_PREFIXES.contains(&first_part(key))
}

fn first_part(key: &str) -> &str {
    let end = key.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(key.len());
    &key[..end]
}

/// One spelling of a key.
pub(super) fn normalize_key(key: &str) -> String {
    key.replace('_', "-")
}

/// The key with which a block begins, behind marks, and what stands behind it.
pub(super) fn leading_key(text: &str) -> Option<(&str, &str)> {
    let marks = ['*', '_', '`', '[', '(', '|', ' ', '#', '=', '<', '>', '"'];
    let start = text.len() - text.trim_start_matches(marks).len();
    let (at, key) = find_keys(&text[start..]).next()?;
    if at != 0 {
        return None;
    }
    let rest = &text[start + key.len()..];
    // Within a sentence it is the subject of what is said about it, not what is defined here.
    let is_set_off = rest.is_empty()
        || rest
            .trim_start_matches(['*', '_', '`', ']', ')', '"'])
            .starts_with([':', ' ', '|', '.', '-', '–', '—', '(', '\t']);
    // Marks that close behind the key belong to it, those that open further on to what is said.
    let closing = ['*', '_', '`', ']', ')', '"'];
    let behind = rest.trim_start_matches(closing).trim_start_matches([':', '.']).trim_start_matches(closing);
    is_set_off.then_some((key, behind.trim_start_matches([':', '|', '.', '-', '–', '—', ' ', '\t'])))
}
