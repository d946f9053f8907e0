//! Tells a secret from the other things that stand behind a telling name, for the secret scanner: placeholders,
//! references, types, words.
//!
//! How name and value are joined says how far a value is believed. `DB_PASSWORD=…` in a file of settings is a password
//! whatever it is; behind `password:` stand as many types, rules and sentences as passwords.

use super::inspect;
use super::secret_name::SecretClass;

/// How a name and its value are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueJoint {
    /// `DB_PASSWORD=…`, `--password=…`
    Setting,
    /// `password=…`
    Paired,
    /// `password = …`, `password := …`, `'password' => …`
    Assigned,
    /// `password: …`, also in JSON
    Told,
    /// `<password>…</password>`
    Element,
    /// `define("PASSWORD", "…")`, `setPassword("…")`, `PASSWORD '…'`
    Argument,
    /// `--password …`
    Given,
    /// The cell of a table.
    Near,
    /// `the password is …`
    Said,
    /// `with password …`
    Beside,
}

/// Whether a value is a secret; it comes without its quotes. Bare words of programs are references, quoted ones texts.
pub(super) fn is_secret(value: &[u8], name: &[u8], class: SecretClass, joint: ValueJoint, is_quoted: bool) -> bool {
    let look = ValueLook::of(value, is_quoted);
    if look.marks == 0 || is_placeholder(value, name) || is_reference(value) || is_place(value) {
        return false;
    }
    match class {
        SecretClass::Password if look.blanks > 0 && is_quoted => is_phrase(value, name, joint),
        SecretClass::Password if names_phrase(name) && is_joined_phrase(value) => true,
        SecretClass::Password => is_password(value, &look, joint),
        SecretClass::Pass => look.digits > 0 && look.letters() > 0 && is_password(value, &look, joint),
        SecretClass::Generated => is_generated(value, name, &look, joint) && !is_key_id(value, name),
    }
}

/// What a value is made of.
struct ValueLook {
    lower: usize,
    upper: usize,
    digits: usize,
    /// Letters and digits.
    marks: usize,
    /// Signs that names, numbers and sentences do not have.
    signs: usize,
    blanks: usize,
    /// The longest run of digits.
    longest_number: usize,
    is_quoted: bool,
}

impl ValueLook {
    fn of(value: &[u8], is_quoted: bool) -> Self {
        let count = |fits: fn(&u8) -> bool| value.iter().filter(|byte| fits(byte)).count();
        let numbers = value.split(|byte| !byte.is_ascii_digit()).map(<[u8]>::len);
        Self {
            lower: count(u8::is_ascii_lowercase),
            upper: count(u8::is_ascii_uppercase),
            digits: count(u8::is_ascii_digit),
            marks: count(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80),
            signs: count(|byte| b"!#$%^&*+?~@=|\\;".contains(byte)),
            blanks: count(u8::is_ascii_whitespace),
            longest_number: numbers.max().unwrap_or(0),
            is_quoted,
        }
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

fn is_password(value: &[u8], look: &ValueLook, joint: ValueJoint) -> bool {
    let is_short = value.len() < if matches!(joint, ValueJoint::Beside | ValueJoint::Said) { 6 } else { 4 };
    if is_short || is_algorithm(value) || is_rule_of_form(value) {
        return false;
    }
    let is_only_letters = look.digits == 0 && look.signs == 0;
    let is_mixed = look.digits > 0 && look.letters() > 0;
    match joint {
        ValueJoint::Setting | ValueJoint::Element => true,
        ValueJoint::Argument | ValueJoint::Given | ValueJoint::Near | ValueJoint::Said | ValueJoint::Beside
            if is_only_letters =>
        {
            value.len() >= 8 && !inspect::reads_as_words(value)
        }
        // No variable stands behind an option.
        ValueJoint::Given if is_mixed && value.len() >= 6 => !is_code(value, look),
        ValueJoint::Said | ValueJoint::Told if is_made_up(value, look, joint) => true,
        ValueJoint::Beside => is_mixed && !is_name_of_program(value, look),
        ValueJoint::Paired | ValueJoint::Assigned | ValueJoint::Told if is_only_letters => {
            look.is_quoted || value.len() >= 8 && !inspect::reads_as_words(value)
        }
        ValueJoint::Paired if is_mixed => !is_code(value, look),
        ValueJoint::Paired
        | ValueJoint::Assigned
        | ValueJoint::Told
        | ValueJoint::Argument
        | ValueJoint::Given
        | ValueJoint::Near
        | ValueJoint::Said => {
            if look.letters() == 0 {
                look.longest_number >= 6 && look.digits + 2 >= value.len()
            } else {
                look.is_quoted || !is_name_of_program(value, look)
            }
        }
    }
}

/// `Sommer-Wind-82`: words with capitals, digits and dashes, as no name in a program is written. In a sentence that says
/// what a password is, capitals and digits are enough.
fn is_made_up(value: &[u8], look: &ValueLook, joint: ValueJoint) -> bool {
    let is_varied = look.lower > 0 && look.upper > 0 && look.digits > 0 && value.len() >= 8;
    is_varied && (joint == ValueJoint::Said || value.contains(&b'-')) && !is_code(value, look)
}

/// Whether a value of several words is a passphrase: behind a name that says so, small letters only; or a password with
/// blanks in it, which has digits and signs as no sentence has; in a file of settings digits are enough.
fn is_phrase(value: &[u8], name: &[u8], joint: ValueJoint) -> bool {
    let look = ValueLook::of(value, true);
    let is_plain = value.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
    let has_marks = look.digits > 0 && (look.signs > 1 || joint == ValueJoint::Setting);
    // A setting of that name holds one: a hint in its place would have no digits.
    let is_set_phrase = joint == ValueJoint::Setting && look.digits > 0;
    (names_phrase(name) && (is_plain && look.blanks >= 2 || is_set_phrase))
        || (has_marks && !inspect::reads_as_words(value))
}

fn names_phrase(name: &[u8]) -> bool {
    name.to_ascii_lowercase().ends_with(b"phrase")
}

/// `correct-horse-battery-staple`
fn is_joined_phrase(value: &[u8]) -> bool {
    let mut words = value.split(|byte| *byte == b'-');
    words.clone().count() >= 4 && words.all(|word| word.len() > 2 && word.iter().all(u8::is_ascii_lowercase))
}

/// The id of a key that signs commits: `user.signingkey=…`.
fn is_key_id(value: &[u8], name: &[u8]) -> bool {
    let is_hex = value.iter().all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte));
    name.to_ascii_lowercase().ends_with(b"signingkey") && is_hex && matches!(value.len(), 8 | 16 | 40)
}

fn is_generated(value: &[u8], name: &[u8], look: &ValueLook, joint: ValueJoint) -> bool {
    if value.len() < 8 || look.blanks > 0 || look.letters() == 0 || is_algorithm(value) || is_rule_of_form(value) {
        return false;
    }
    // `SESSION_SECRET=keyboardcat`: a secret that a person made up.
    if joint == ValueJoint::Setting && name.to_ascii_lowercase().ends_with(b"secret") {
        return true;
    }
    let is_mixed = look.lower > 0 && look.upper > 0;
    let is_dense = look.digits > 0 || look.signs > 0 || (is_mixed && value.len() >= 16) || value.len() >= 24;
    let is_loose = matches!(joint, ValueJoint::Said | ValueJoint::Given | ValueJoint::Near | ValueJoint::Beside);
    let least = if is_loose { 12 } else { 8 };
    is_dense && value.len() >= least && !inspect::reads_as_words(value) && (look.is_quoted || !is_code(value, look))
}

/// Words that stand where a secret would, where it is not filled in yet, or to say what belongs there.
const BLANK_FORMS: [&str; 63] = [
    "password",
    "passwd",
    "pass",
    "passphrase",
    "secret",
    "token",
    "string",
    "str",
    "text",
    "value",
    "varchar",
    "char",
    "bytes",
    "required",
    "optional",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "undefined",
    "hidden",
    "masked",
    "todo",
    "tbd",
    "test",
    "sample",
    "demo",
    "default",
    "empty",
    "unset",
    "missing",
    "invalid",
    "wrong",
    "incorrect",
    "prompt",
    "confirmed",
    "hashed",
    "encrypted",
    "bcrypt",
    "scrypt",
    "plaintext",
    "yes",
    "any",
    "unknown",
    "number",
    "object",
    "boolean",
    "bool",
    "integer",
    "passwort",
    "kennwort",
    "contraseña",
    "senha",
    "wachtwoord",
    "hasło",
    "пароль",
    "密码",
    "パスワード",
    "비밀번호",
    "inherit",
    "read",
    "write",
];

fn is_placeholder(value: &[u8], name: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let holds = |part: &str| memchr::memmem::find(&lower, part.as_bytes()).is_some();
    let is_only = |marks: &[u8]| value.iter().all(|byte| marks.contains(byte));
    let is_number = value.len() <= 10 && value.starts_with(b"0x");
    is_number
        || inspect::is_stand_in(value)
        || is_only(b"*xX.-_#?\xE2\x80\xA2\xA6")
        || holds("...")
        || holds("…")
        || holds("[secret:")
        || holds("change-this")
        || holds("replace-")
        || holds("replace_")
        || BLANK_FORMS.iter().any(|form| lower == form.as_bytes())
        || is_telling_name(&lower, name)
}

/// `db_password`, `MY_SECRET_TOKEN`, `accessToken`: a name of what belongs there.
fn is_telling_name(lower: &[u8], name: &[u8]) -> bool {
    const TELLING_WORDS: [&str; 7] = ["password", "passwd", "secret", "token", "api_key", "apikey", "api-key"];
    let plain = |byte: &&u8| byte.is_ascii_alphanumeric();
    let is_same = lower.iter().filter(plain).eq(name.to_ascii_lowercase().iter().filter(plain));
    let is_words =
        lower.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.' | b' ' | b':'));
    is_same || (is_words && TELLING_WORDS.iter().any(|word| memchr::memmem::find(lower, word.as_bytes()).is_some()))
}

/// Whether a value names where the secret is: a variable, a template, a vault.
fn is_reference(value: &[u8]) -> bool {
    const REFERENCE_STARTS: [&str; 20] = [
        "<",
        "{{",
        "${",
        "$(",
        "%(",
        "#{",
        "@{",
        "{%",
        "[[",
        "op://",
        "vault:",
        "arn:aws:",
        "env:",
        "env.",
        "file:",
        "!ref",
        "!vault",
        "process.env",
        "os.environ",
        "secrets.",
    ];
    let lower = value.to_ascii_lowercase();
    let holds = |part: &str| memchr::memmem::find(value, part.as_bytes()).is_some();
    let is_name = |name: &[u8]| {
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'))
    };
    let between = |open: u8, close: u8| value.strip_prefix(&[open]).and_then(|rest| rest.strip_suffix(&[close]));
    REFERENCE_STARTS.iter().any(|start| lower.starts_with(start.as_bytes()))
        || holds("${")
        || holds("{{")
        || holds("$(")
        || value.strip_prefix(b"$").is_some_and(|name| is_name(name) && !name[0].is_ascii_digit() || name.len() < 3)
        || value.strip_prefix(b":").is_some_and(is_name)
        || between(b'%', b'%').is_some_and(is_name)
        || between(b'{', b'}').is_some_and(is_name)
        || (value.len() <= 3 && value[0] == b'%')
}

/// Whether a value is a place: an address or a path.
fn is_place(value: &[u8]) -> bool {
    let is_drive = value.len() > 2 && value[0].is_ascii_alphabetic() && value[1] == b':' && value[2] == b'\\';
    let starts = |prefix: &str| value.starts_with(prefix.as_bytes());
    let is_path = starts("/") || starts("./") || starts("../") || starts("~/");
    let has_slash = value.contains(&b'/') && !value.contains(&b'+') && !value.ends_with(b"=");
    is_drive
        || starts("http://")
        || starts("https://")
        || (is_path && (inspect::reads_as_words(value) || memchr::memchr_iter(b'/', value).count() > 2))
        || (has_slash && inspect::reads_as_words(value))
}

/// Names of ways to hash and to encode, which have digits as passwords do.
fn is_algorithm(value: &[u8]) -> bool {
    const ALGORITHM_STEMS: [&str; 26] = [
        "sha", "aes", "rsa", "md", "hmac", "ed", "x", "utf", "base", "argon", "pbkdf", "http", "oauth", "oidc", "ipv",
        "es", "hs", "rs", "ps", "crc", "blake", "secp", "p", "bcrypt", "iso", "v",
    ];
    let stem = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = &value[stem..];
    let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"_")).unwrap_or(rest);
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let tail = &rest[digits..];
    let is_tail = tail.len() < 16 && tail.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    let lower = value[..stem].to_ascii_lowercase();
    (1..=5).contains(&digits) && is_tail && ALGORITHM_STEMS.iter().any(|known| lower == known.as_bytes())
}

/// `required|min:8`, `string|null`: a rule of what a value must be.
fn is_rule_of_form(value: &[u8]) -> bool {
    let mut pieces = value.split(|byte| matches!(byte, b'|' | b':' | b',')).filter(|piece| !piece.is_empty());
    let is_plain = |piece: &[u8]| {
        piece.iter().all(u8::is_ascii_alphabetic) || (piece.len() < 4 && piece.iter().all(u8::is_ascii_digit))
    };
    value.contains(&b'|') && pieces.all(is_plain)
}

/// A variable, a member or an expression: `user.password`, `arg1`, `!password`, `a==b`.
fn is_name_of_program(value: &[u8], look: &ValueLook) -> bool {
    if is_code(value, look) {
        return true;
    }
    let words = value.split(|byte| !byte.is_ascii_alphabetic()).filter(|piece| piece.len() >= 3);
    let in_words: usize = words.filter(|piece| inspect::reads_as_words(piece)).map(<[u8]>::len).sum();
    let is_wordy = in_words * 10 >= look.letters() * 6 || value.len() < 6;
    let has_name_marks = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-:/>?!&*[]".contains(byte));
    // Names seldom end in a number of more than two digits, passwords do.
    let is_name = has_name_marks && look.longest_number < 3;
    is_wordy && (is_name && !has_sign_of_password(value) || look.digits == 0 && look.signs > 0 && is_expression(value))
}

/// `Tiger!7`: a sign in the middle or at the end that names in programs do not have there.
fn has_sign_of_password(value: &[u8]) -> bool {
    let inner = &value[1..value.len().max(2) - 1];
    inner.iter().any(|byte| b"!?*&".contains(byte)) && value.iter().any(u8::is_ascii_digit)
        || (value.ends_with(b"!") && value.iter().any(u8::is_ascii_digit))
}

fn is_expression(value: &[u8]) -> bool {
    let signs = value.iter().filter(|byte| b"!#$%^&*+?~@=|".contains(byte)).count();
    signs <= 2 || memchr::memmem::find(value, b"&&").is_some() || memchr::memmem::find(value, b"||").is_some()
}

/// A call, an index or a type: `get_password(user)`, `keys[0]`, `Vec<u8>`.
fn is_code(value: &[u8], look: &ValueLook) -> bool {
    let start = usize::from(matches!(value.first(), Some(b'!' | b'&' | b'*')));
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'$' | b'?');
    let name = value[start..].iter().take_while(in_name).count();
    let next = value.get(start + name);
    let is_call = name > 1 && next.is_some_and(|byte| matches!(byte, b'(' | b'[' | b'{'));
    let path = value.windows(2).any(|pair| pair == b"::" || pair == b"->" || pair == b"?.");
    is_call || (path && look.signs <= 1 && inspect::reads_as_words(value))
}
