//! Heuristics against false positives of the secret scanner: entropy, stand-ins (`your-api-key`), likeness to words.
//!
//! Rules that know a token by its prefix need none of this. A rule that only knows a name (`api_key = …`) would take
//! every second identifier for a secret. Lists of words to pass over grow without end; the pairs of letters that words
//! are made of do not, so a value is passed over when most of it could be read aloud.

/// Bits a byte, by how often each byte occurs.
pub(super) fn byte_entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    let share = |count: u32| f64::from(count) / value.len() as f64;
    -counts.into_iter().filter(|count| *count > 0).map(|count| share(count) * share(count).log2()).sum::<f64>()
}

/// Words that people write in place of a secret, or in examples of one.
const STAND_INS: [&str; 17] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "redacted",
    "dummy",
    "yourkey",
    "your-",
    "your_",
    "insert",
    "replace_me",
    "replace-me",
    "replaceme",
    "xxxx",
    "****",
    "....",
];

/// Whether a value is a placeholder and not a secret: `your-api-key-here`, `xxxx`.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    // People write `your-api-key-here` in documents, and replacing it would only confuse the reader.
    let holds = |word: &&str| memchr::memmem::find(&lower, word.as_bytes()).is_some();
    STAND_INS.iter().any(holds) || is_sequence(&lower)
}

/// `1234567890abcdef`: most bytes follow their neighbour.
fn is_sequence(value: &[u8]) -> bool {
    let steps = value.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1) || pair[1] == pair[0]).count();
    steps * 3 > value.len() * 2
}

/// Whether most letters of a value belong to words.
pub(super) fn reads_as_words(value: &[u8]) -> bool {
    let marks = value.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    let in_words: usize = letter_runs(value).filter(|word| is_word(word)).map(<[u8]>::len).sum();
    // Half is enough: the letters of a generated token seldom form words.
    in_words * 2 >= marks || is_snake(value, marks)
}

/// `evp_pkey_asn1_method_st`: pieces between marks, most of it in those that are nothing but letters.
fn is_snake(value: &[u8], marks: usize) -> bool {
    let pieces = value.split(|byte| matches!(byte, b'_' | b'.' | b'-' | b'/'));
    let is_plain =
        |piece: &&[u8]| piece.len() < value.len() && letter_runs(piece).any(|word| word.len() == piece.len());
    pieces.filter(is_plain).map(<[u8]>::len).sum::<usize>() * 5 >= marks * 3
}

/// Runs of letters, cut where a capital follows a small letter.
fn letter_runs(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_one = |a: &u8, b: &u8| {
        a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && !(a.is_ascii_lowercase() && b.is_ascii_uppercase())
    };
    value.chunk_by(is_one).filter(|run| run[0].is_ascii_alphabetic())
}

fn is_word(run: &[u8]) -> bool {
    let common = run.windows(2).filter(|pair| is_common_pair(pair[0], pair[1])).count();
    run.len() >= 3 && common * 10 >= (run.len() - 1) * 7
}

/// The letters that often follow each letter in words of prose and of programs.
const FOLLOWERS: [&str; 26] = [
    "bcdgiklmnprstuvy",
    "aeilorsuy",
    "acehiklortu",
    "abeiorsu",
    "acdefgilmnprstvwxy",
    "aefilortu",
    "aehilnrsu",
    "aeioty",
    "abcdefglmnoprstvz",
    "aosu",
    "eisy",
    "adeiloprstuy",
    "abeimopuy",
    "acdefgiknostuvy",
    "abcdfgiklmnoprstuvw",
    "aehiloprstuy",
    "u",
    "acdegiklmnorstuvy",
    "acehiklmopstuwy",
    "acehilorstuwy",
    "abceilmnprst",
    "aeio",
    "aehino",
    "ept",
    "pst",
    "eo",
];

fn is_common_pair(first: u8, second: u8) -> bool {
    let followers = FOLLOWERS[usize::from(first.to_ascii_lowercase() - b'a')];
    followers.as_bytes().contains(&second.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_reads_as_words() {
        let written = [
            "self.next_token1",
            "YOUR_API_KEY_HERE_1234",
            "kubernetes.io/service-account-token",
            "tokenization2",
            "AuthenticationMiddleware",
            "user_session_id_v2",
            "org.apache.http3.client",
            "x-amz-security-token",
        ];
        let random = [
            "sT4x9QpLm2Zr8KvW",
            "9f86d081884c7d659a2feaa0c55ad015",
            "k3j9x0q8z7w2m4n6",
            "ZXhhbXBsZQ5Tq8r2",
            "xkcdqwrtplmnbvzx",
            "c7f3-9a1b.4e2d_77aa",
            "Q2hhbmdlIG1lIHBsZWFzZQ91",
        ];
        for value in written {
            assert!(reads_as_words(value.as_bytes()), "{value}");
        }
        for value in random {
            assert!(!reads_as_words(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn stand_ins_are_no_secrets() {
        let rows =
            ["AKIAIOSFODNN7EXAMPLE", "abcdefghijklmnop1234567890", "00000000000000000000", "ghp_xxxxxxxxxxxxxxxx"];
        for value in rows {
            assert!(is_stand_in(value.as_bytes()), "{value}");
        }
        assert!(!is_stand_in(b"sT4x9QpLm2Zr8KvW"));
    }

    #[test]
    fn entropy_is_of_bytes() {
        let close = |value: &[u8], expected: f64| (byte_entropy(value) - expected).abs() < 1e-9;
        assert!(close(b"aaaa", 0.0) && close(b"abab", 1.0) && close(b"abcd", 2.0));
    }
}
