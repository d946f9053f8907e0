//! Finds the value behind a name that promises a secret, for the secret scanner: `password = "…"`, `"apiKey": "…"`,
//! `--token …`, `<password>…</password>`, `the password is …`.
//!
//! A value is what stands behind the name's own separator, on the same line and in the same string: a quote that ends a
//! string of JSON is never stepped over, so that neither the next name nor its value is taken for the value of this one.
//! How name and value are joined decides how much a value has to look like a secret ([`ValueJoint`]).

use super::escape::{self, UnescapedView};
use super::secret_name::{SecretClass, SecretName};
use super::value_test::{self, ValueJoint};
use std::ops::Range;

/// Blanks between a name, its sign and its value.
const MAX_GAP_BYTES: usize = 24;
/// What may stand between the name of an entry and the word `value`.
const MAX_PAIR_GAP_BYTES: usize = 48;
/// Words between a name and its value in a sentence.
const MAX_TOLD_BYTES: usize = 120;
/// A longer value is no secret that a person or a vendor hands out.
const MAX_VALUE_BYTES: usize = 4_096;

/// What stands behind a telling name.
pub(super) struct NamedValue {
    pub(super) range: Range<usize>,
    pub(super) class: SecretClass,
    pub(super) is_secret: bool,
}

/// The value of the name around a keyword.
pub(super) fn find_value(text: &[u8], keyword: Range<usize>) -> Option<NamedValue> {
    let name = SecretName::read_around(text, keyword)?;
    let place = ValuePlace::find_behind(text, &name).or_else(|| ValuePlace::find_in_pair(text, &name))?;
    let range = place.read_value(text, name.class)?;
    let view = UnescapedView::new(text, range.clone());
    let shown_name = &text[name.range.clone()];
    let is_quoted = place.quote.is_some();
    let is_secret = value_test::is_secret(view.as_bytes(), shown_name, name.class, place.joint, is_quoted);
    Some(NamedValue { range, class: name.class, is_secret })
}

/// Where a value starts, and how it is joined to its name.
struct ValuePlace {
    start: usize,
    joint: ValueJoint,
    /// The quote before the value, and how many backslashes stand before that.
    quote: Option<(u8, usize)>,
}

impl ValuePlace {
    fn find_behind(text: &[u8], name: &SecretName) -> Option<Self> {
        let mut at = name.range.end;
        let opening = name.range.start.checked_sub(1).map(|before| text[before]);
        let mut is_quoted_name = false;
        if let Some((quote @ (b'"' | b'\'' | b'`'), next)) = escape::read_unescaped(text, at) {
            // A quote behind the name is its own, or the text ends here.
            if opening != Some(quote) {
                return None;
            }
            is_quoted_name = true;
            at = next;
            // `os.environ["API_TOKEN"] = …`
            if text.get(at) == Some(&b']') {
                at += 1;
            }
        }
        let behind_name = skip_gap(text, at);
        let (sign, next) = escape::read_unescaped(text, behind_name)?;
        let followed_by = |mark: u8| text.get(next) == Some(&mark);
        let has_blank = behind_name > at;
        match sign {
            b'=' if followed_by(b'>') => Self::at_value(text, next + 1, ValueJoint::Assigned),
            b'=' if followed_by(b'=') || followed_by(b'~') => None,
            b'=' => {
                let is_setting = name.is_setting || name.is_option || matches!(opening, Some(b'&' | b'?' | b';'));
                let is_close = !has_blank && !is_gap(text, next);
                let joint = match (is_close, is_setting) {
                    (true, true) => ValueJoint::Setting,
                    // `password=pw1` among the arguments of a call names a variable.
                    (true, false) if !is_in_call(text, name.range.start) => ValueJoint::Paired,
                    _ => ValueJoint::Assigned,
                };
                Self::at_value(text, next, joint)
            }
            b':' if followed_by(b':') => None,
            b':' | b'?' if followed_by(b'=') => Self::at_value(text, next + 1, ValueJoint::Assigned),
            // The default of a variable of the shell: `${DB_PASSWORD:-…}`.
            b':' if followed_by(b'-') => Self::at_value(text, next + 1, ValueJoint::Setting),
            b':' if has_blank && !is_quoted_name && !is_gap(text, next) => None,
            b':' => {
                let joint = if name.is_setting { ValueJoint::Setting } else { ValueJoint::Told };
                Self::at_typed_value(text, next).or_else(|| Self::at_value(text, next, joint))
            }
            b'|' | b'?' if followed_by(sign) => {
                Self::at_value(text, next + 1, ValueJoint::Assigned).filter(|place| place.quote.is_some())
            }
            b'|' if has_blank && name.class == SecretClass::Password => Self::at_value(text, next, ValueJoint::Near),
            b'>' if opening == Some(b'<') => Some(Self { start: next, joint: ValueJoint::Element, quote: None }),
            b',' if is_quoted_name && is_argument(text, name.range.start) => {
                Self::at_value(text, next, ValueJoint::Argument).filter(|place| place.quote.is_some())
            }
            b'(' if !is_quoted_name && is_setter(text, &name.range) => {
                Self::at_value(text, next, ValueJoint::Argument).filter(|place| place.quote.is_some())
            }
            // `keyPassword "…"`, `PASSWORD '…'`
            b'"' | b'\'' | b'`' if has_blank && !is_quoted_name => {
                Self::at_value(text, behind_name, ValueJoint::Argument)
            }
            _ if has_blank && !is_quoted_name => Self::behind_blank(text, name, behind_name),
            _ => None,
        }
    }

    /// The value of an entry that has its name as a value of its own: `name: DB_PASSWORD`, then `value: …`; also the
    /// default of a declared variable, and the field of a form.
    fn find_in_pair(text: &[u8], name: &SecretName) -> Option<Self> {
        let mut at = name.range.end;
        let mut breaks = 0;
        for _ in 0..MAX_PAIR_GAP_BYTES {
            let (byte, next) = escape::read_unescaped(text, at)?;
            match byte {
                b'\n' => breaks += 1,
                // Numbers of lines and marks of a difference stand at the start of a line.
                b'0'..=b'9' | b'+' | 0x80.. if breaks > 0 => {}
                b'"' | b'\'' | b' ' | b'\t' | b'\r' | b',' | b'{' => {}
                _ => break,
            }
            at = next;
        }
        let rest = &text[at..];
        let word = ["value", "default"]
            .iter()
            .find(|word| rest.len() > word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes()));
        if let Some(word) = word {
            let mut at = at + word.len();
            if let Some((b'"' | b'\'', next)) = escape::read_unescaped(text, at) {
                at = next;
            }
            let at = skip_gap(text, at);
            return match escape::read_unescaped(text, at)? {
                (b':' | b'=', next) => Self::at_value(text, next, ValueJoint::Setting),
                _ => None,
            };
        }
        // An empty line stands before the value of a form's field.
        let is_field = breaks == 2 && matches!(text.get(name.range.end), Some(b'"' | b'\\'));
        is_field.then_some(Self { start: at, joint: ValueJoint::Paired, quote: None })
    }

    /// A value behind a sign: quoted, in a constructor, or bare.
    fn at_value(text: &[u8], behind_sign: usize, joint: ValueJoint) -> Option<Self> {
        let at = skip_emphasis(text, skip_gap(text, behind_sign));
        let (first, next) = escape::read_unescaped(text, at)?;
        if matches!(first, b'"' | b'\'' | b'`') {
            return Some(Self { start: next, joint, quote: Some((first, next - at - 1)) });
        }
        let at = skip_constructor(text, at);
        match escape::read_unescaped(text, at) {
            Some((quote @ (b'"' | b'\''), next)) => {
                Some(Self { start: next, joint, quote: Some((quote, next - at - 1)) })
            }
            // The string or the line ends here.
            None | Some((b'\n' | b'\r', _)) => None,
            // A password of ODBC stands in braces: `PWD={…}`.
            Some((b'{', next)) if !is_gap(text, next) && text.get(next) != Some(&b'{') => {
                Some(Self { start: next, joint: ValueJoint::Element, quote: None })
            }
            Some(_) => Some(Self { start: at, joint, quote: None }),
        }
    }

    /// `password: string = "…"`: a type stands between.
    fn at_typed_value(text: &[u8], behind_colon: usize) -> Option<Self> {
        let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"_&<>[]|'.? ".contains(&byte);
        let mut at = behind_colon;
        for _ in 0..40 {
            match escape::read_unescaped(text, at)? {
                (b'=', next) if at > behind_colon && text[at - 1] == b' ' => {
                    return Self::at_value(text, next, ValueJoint::Assigned).filter(|place| place.quote.is_some());
                }
                (byte, next) if is_type(byte) => at = next,
                _ => return None,
            }
        }
        None
    }

    /// Without a sign: the value of an option, or of a sentence.
    fn behind_blank(text: &[u8], name: &SecretName, at: usize) -> Option<Self> {
        if name.is_option {
            return Some(Self { start: at, joint: ValueJoint::Given, quote: None });
        }
        let rest = &text[at..text.len().min(at + MAX_TOLD_BYTES)];
        let words = [
            "is now ",
            "is still ",
            "is: ",
            "is set to ",
            "is ",
            "was changed to ",
            "was set to ",
            "has been changed to ",
            "has been set to ",
            "changed to ",
            "was ",
            "set to ",
            "to ",
        ];
        let told = words.iter().find_map(|word| rest.starts_with(word.as_bytes()).then_some(word.len()));
        match told.or_else(|| told_later(rest)) {
            Some(length) => Self::at_value(text, at + length, ValueJoint::Said),
            None if name.class == SecretClass::Password => {
                Some(Self { start: at, joint: ValueJoint::Beside, quote: None })
            }
            None => None,
        }
    }

    fn read_value(&self, text: &[u8], class: SecretClass) -> Option<Range<usize>> {
        let end = match self.quote {
            Some((quote, depth)) => quoted_end(text, self.start, quote, depth),
            None if self.joint == ValueJoint::Element => element_end(text, self.start)?,
            None => bare_end(text, self.start, self.joint, class),
        };
        (end > self.start).then_some(self.start..end)
    }
}

/// Where the value stands behind words that say whose secret it is: "the password for the staging database is …".
fn told_later(rest: &[u8]) -> Option<usize> {
    const FIRST_WORDS: [&str; 13] =
        ["for", "of", "to", "on", "in", "at", "here", "there", "now", "di", "de", "del", "von"];
    const MAX_WORDS: usize = 12;
    const MAX_INSERT_BYTES: usize = 48;
    let in_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'\'' | b'/' | b'.' | b'@');
    let mut at = 0;
    for number in 0..MAX_WORDS {
        if rest[at..].starts_with("è ".as_bytes()) {
            return Some(at + 3);
        }
        // "the password on that machine (the old one) is …"
        if rest[at..].starts_with(b"(") {
            at += rest[at..].iter().take(MAX_INSERT_BYTES).position(|byte| *byte == b')')? + 1;
            match rest.get(at)? {
                b':' | b'=' => return Some(at + 1),
                b' ' => at += 1,
                _ => return None,
            }
            continue;
        }
        let length = rest[at..].iter().take_while(in_word).count();
        let word = &rest[at..at + length];
        let is_first = FIRST_WORDS.iter().any(|first| word.eq_ignore_ascii_case(first.as_bytes()));
        if length == 0 || (number == 0 && !is_first) {
            return None;
        }
        at += length;
        match rest.get(at)? {
            b':' | b'=' => return Some(at + 1),
            b' ' if number > 0 && word == b"is" => {
                let told =
                    ["now ", "set to ", "still "].iter().find(|told| rest[at + 1..].starts_with(told.as_bytes()));
                return Some(at + 1 + told.map_or(0, |told| told.len()));
            }
            b' ' if rest[at + 1..].starts_with(b"= ") => return Some(at + 2),
            b' ' if rest[at + 1..].starts_with(b"=> ") || rest[at + 1..].starts_with(b"-> ") => return Some(at + 3),
            b' ' => at += 1,
            _ => return None,
        }
    }
    None
}

/// Where a quoted value ends: at its quote, with no more backslashes than the first one had. A quote of the value itself
/// has more, since it is escaped once more.
fn quoted_end(text: &[u8], start: usize, quote: u8, depth: usize) -> usize {
    let limit = text.len().min(start + MAX_VALUE_BYTES);
    let mut at = start;
    while at < limit {
        let backslashes = text[at..limit].iter().take_while(|byte| **byte == b'\\').count();
        let (byte, next) = escape::read_unescaped(text, at).expect("the place is in the text");
        let ends = (byte == quote && backslashes <= depth) || (byte == b'"' && backslashes < depth);
        // A line break ends what was never closed.
        if ends || byte == b'\n' {
            return at;
        }
        at = next;
    }
    start
}

fn element_end(text: &[u8], start: usize) -> Option<usize> {
    let stretch = &text[start..text.len().min(start + MAX_VALUE_BYTES)];
    let length = stretch.iter().position(|byte| matches!(byte, b'<' | b'}' | b'\n' | b'"'))?;
    matches!(stretch[length], b'<' | b'}').then_some(start + length)
}

/// Where a value without quotes ends: at a blank or a quote, or before the next value of a list, and without the signs
/// that close what stands around it.
fn bare_end(text: &[u8], start: usize, joint: ValueJoint, class: SecretClass) -> usize {
    let limit = text.len().min(start + MAX_VALUE_BYTES);
    let mut at = start;
    while at < limit {
        let (byte, next) = escape::read_unescaped(text, at).expect("the place is in the text");
        let ends = ends_bare(byte)
            || (byte == b'|' && matches!(joint, ValueJoint::Given | ValueJoint::Near))
            || (matches!(byte, b'&' | b';' | b',') && at > start && starts_next_pair(text, next, byte, class));
        if ends {
            break;
        }
        at = next;
    }
    let view = UnescapedView::new(text, start..at);
    let run = view.as_bytes();
    let mut length = run.len();
    while let Some(last) = run[..length].last() {
        let closes = match last {
            b',' | b';' | b':' | b'\\' => true,
            b'.' | b'*' => joint != ValueJoint::Setting && length > 1,
            b')' => !run[..length].contains(&b'('),
            b']' => !run[..length].contains(&b'['),
            b'}' => !run[..length].contains(&b'{'),
            _ => false,
        };
        if !closes {
            break;
        }
        length -= 1;
    }
    view.source_offset(length)
}

fn ends_bare(byte: u8) -> bool {
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b'<')
}

/// Whether behind a sign of a list `name=` follows: the next value of an address, a connection string, a list.
fn starts_next_pair(text: &[u8], behind_sign: usize, sign: u8, class: SecretClass) -> bool {
    let rest = &text[behind_sign..text.len().min(behind_sign + MAX_PAIR_GAP_BYTES)];
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let name = rest.iter().take_while(in_name).count();
    match escape::read_unescaped(text, behind_sign + name) {
        Some((b'=' | b':', _)) => name > 0,
        Some((byte, _)) if !ends_bare(byte) => false,
        // A parameter of an address may come without a value; a sign that a person put into a password may not be cut.
        _ if sign == b'&' => class == SecretClass::Generated && rest[..name].iter().all(u8::is_ascii_lowercase),
        _ => name == 0,
    }
}

fn is_gap(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// The place behind blanks and colours.
fn skip_gap(text: &[u8], mut at: usize) -> usize {
    for _ in 0..MAX_GAP_BYTES {
        match escape::read_unescaped(text, at) {
            Some((b' ' | b'\t', next)) => at = next,
            Some((0x1B, next)) if text.get(next) == Some(&b'[') => {
                let codes = text[next + 1..].iter().take(12).take_while(|byte| !byte.is_ascii_alphabetic()).count();
                at = (next + 2 + codes).min(text.len());
            }
            _ => break,
        }
    }
    at
}

/// `**Password:** …`
fn skip_emphasis(text: &[u8], at: usize) -> usize {
    let stars = text[at..].iter().take(3).take_while(|byte| **byte == b'*').count();
    if stars == 2 && is_gap(text, at + 2) { skip_gap(text, at + 2) } else { at }
}

/// Skips what programs write around a text to make a value of it, up to the quote.
fn skip_constructor(text: &[u8], at: usize) -> usize {
    const CONSTRUCTORS: [&str; 14] = [
        "Some(",
        "Ok(",
        "String::from(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "SecretStr(",
        "ConvertTo-SecureString ",
        "Buffer.from(",
        "new String(",
        "b",
        "r",
        "u",
        "@",
    ];
    let rest = &text[at..];
    let fits = |word: &&&str| {
        rest.starts_with(word.as_bytes())
            && escape::read_unescaped(text, at + word.len()).is_some_and(|(byte, _)| matches!(byte, b'"' | b'\''))
    };
    CONSTRUCTORS.iter().find(fits).map_or(at, |word| at + word.len())
}

/// Whether a quoted name is the first argument of a call: `define('DB_PASSWORD', '…')`.
fn is_argument(text: &[u8], name_start: usize) -> bool {
    let before = text[..name_start - 1].trim_ascii_end();
    let before = before.strip_suffix(b"\\").map_or(before, |before| before.trim_ascii_end());
    before.last() == Some(&b'(')
}

/// Whether a bracket was opened before a place on its line.
fn is_in_call(text: &[u8], at: usize) -> bool {
    let before = text[at.saturating_sub(200)..at].iter().rev();
    before.take_while(|byte| **byte != b'\n').any(|byte| *byte == b'(')
}

/// Whether a call hands a secret over: `setPassword(…)`, `.password(…)`; a call of another name asks for one.
fn is_setter(text: &[u8], name: &Range<usize>) -> bool {
    let shown = &text[name.clone()];
    let is_method = name.start > 0 && text[name.start - 1] == b'.';
    let lower = shown.to_ascii_lowercase();
    let last = lower.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    last.starts_with(b"set") || last.starts_with(b"with") || is_method || last.len() < lower.len()
}
