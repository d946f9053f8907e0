//! Made-up characters, passwords and words, all from one seed.

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = "!#$%^&*+-_.?~@";

/// Words that people take as passwords, without a digit or a sign.
const WEAK_PASSWORDS: [&str; 12] = [
    "dragon",
    "sunflower",
    "letmeinplease",
    "monkeyhouse",
    "trustnobody",
    "blueberry",
    "starwars",
    "football",
    "princess",
    "superman",
    "hunter",
    "mustang",
];
const NAMES: [&str; 12] = [
    "Summer", "Winter", "Berlin", "Falcon", "Tiger", "Rocket", "Orange", "Sakura", "Matrix", "Copper", "Velvet",
    "Harbor",
];
/// Some of the words that recovery phrases are made of.
const PHRASE_WORDS: [&str; 40] = [
    "abandon", "ability", "absorb", "acoustic", "adjust", "alien", "amateur", "anchor", "apology", "arctic", "awkward",
    "bachelor", "bamboo", "blossom", "bracket", "cactus", "canyon", "cereal", "coconut", "crater", "dinosaur",
    "dolphin", "embark", "fabric", "fiscal", "galaxy", "gesture", "hammer", "jungle", "kidney", "lizard", "marble",
    "nephew", "olympic", "pelican", "quantum", "ripple", "saddle", "twist", "velvet",
];

/// A generator of pseudo-random numbers (splitmix64): small, and the same everywhere.
pub(super) struct MadeUp(u64);

impl MadeUp {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next_below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % bound as u64).expect("a remainder of a usize is one")
    }

    fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.next_below(choices.len())]
    }

    fn characters(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length).map(|_| char::from(alphabet[self.next_below(alphabet.len())])).collect()
    }

    /// A password of a generator: a letter first, then anything, at least one sign among it.
    fn strong_password(&mut self, length: usize) -> String {
        let everything = format!("{LOWER}{UPPER}{DIGITS}{DIGITS}{SYMBOLS}");
        let first = self.characters(&format!("{LOWER}{UPPER}"), 1);
        let sign = self.characters(SYMBOLS, 1);
        let place = 1 + self.next_below(length - 3);
        let mut password = first + &self.characters(&everything, length - 3);
        password.insert_str(place, &sign);
        // Quoting, sentence ends and shell operators are not what is measured here: the last one is a letter or digit.
        password + &self.characters(&format!("{LOWER}{DIGITS}"), 1)
    }

    /// A password as people think them up.
    fn human_password(&mut self, signs: &str) -> String {
        let name = self.pick(&NAMES);
        let number = 10 + self.next_below(2016);
        match self.next_below(3) {
            0 => format!("{name}{number}{}", self.characters(signs, 1)),
            1 => format!("{name}{}{number}", self.characters(signs, 1)),
            _ => format!("{}{number}x", name.to_lowercase()),
        }
    }

    fn phrase(&mut self, words: usize) -> String {
        (0..words).map(|_| self.pick(&PHRASE_WORDS)).collect::<Vec<_>>().join(" ")
    }
}

/// Fills the marks of a form: `‹x40›` with forty hexadecimal digits, `⏎` with a line break, and so on.
pub(super) fn fill_form(form: &str, made_up: &mut MadeUp) -> String {
    let mut filled = String::with_capacity(form.len() * 2);
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('‹') {
        let (mark, behind) = after.split_once('›').expect("a mark that opens is closed");
        filled.push_str(before);
        filled.push_str(&fill_mark(mark, made_up));
        rest = behind;
    }
    filled.push_str(rest);
    filled.replace('⏎', "\n").replace('⇥', "\t")
}

fn fill_mark(mark: &str, made_up: &mut MadeUp) -> String {
    match mark {
        "uuid" => fill_form("‹x8›-‹x4›-4‹x3›-a‹x3›-‹x12›", made_up),
        "jwt" => fill_form("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI‹an60›.‹u43›", made_up),
        "human" => made_up.human_password("!#$%*?"),
        "human_url" => made_up.human_password("!*-_"),
        "weak" => made_up.pick(&WEAK_PASSWORDS).to_owned(),
        // The first part of a bot's token is its number, in base 64.
        "discord" => encode_digits(&made_up.characters(DIGITS, 18)),
        "esc" => "\u{1b}".to_owned(),
        sized => {
            let split = sized.rfind(|character: char| !character.is_ascii_digit()).map_or(0, |last| last + 1);
            let (class, length) = sized.split_at(split);
            fill_class(class, length.parse().expect("a class is followed by its length"), made_up)
        }
    }
}

/// The base 64 of digits, whose number is a multiple of three.
fn encode_digits(digits: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = digits.as_bytes().chunks_exact(3);
    let bits = groups.map(|group| group.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)));
    bits.flat_map(|bits| [18, 12, 6, 0].map(|shift| char::from(ALPHABET[bits >> shift & 63]))).collect()
}

fn fill_class(class: &str, length: usize, made_up: &mut MadeUp) -> String {
    let letters_and_digits = format!("{LOWER}{UPPER}{DIGITS}");
    let alphabet = match class {
        "d" => DIGITS.to_owned(),
        "x" => "0123456789abcdef".to_owned(),
        "X" => "0123456789ABCDEF".to_owned(),
        "a" => LOWER.to_owned(),
        "aA" => format!("{LOWER}{UPPER}"),
        "an" => letters_and_digits,
        "l" => format!("{LOWER}{DIGITS}"),
        "U" => format!("{UPPER}{DIGITS}"),
        "b" => letters_and_digits + "+/",
        "u" => letters_and_digits + "-_",
        "cr" => letters_and_digits + "./",
        "b32_" => format!("{UPPER}234567"),
        "b58_" => letters_and_digits.replace(['0', 'O', 'I', 'l'], ""),
        "bech" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
        "pw" => return made_up.strong_password(length),
        "bip" => return made_up.phrase(length),
        "b64_" => {
            let padding = "=".repeat((3 - length % 3) % 3);
            let characters = (length * 4).div_ceil(3);
            return made_up.characters(&(letters_and_digits + "+/"), characters) + &padding;
        }
        unknown => panic!("‹{unknown}{length}› is no class of characters"),
    };
    // The first and the last character are no signs, as in most tokens.
    let plain: String = alphabet.chars().filter(char::is_ascii_alphanumeric).collect();
    match length {
        0 => String::new(),
        1 => made_up.characters(&plain, 1),
        _ => {
            made_up.characters(&plain, 1) + &made_up.characters(&alphabet, length - 2) + &made_up.characters(&plain, 1)
        }
    }
}
