//! `enum_words!`, a macro that gives an enum its string form in both directions (`as_str`, `parse`, `ALL`), for enums
//! that are shown and stored as words.
//!
//! One list gives the words in both directions. The match over the variants is exhaustive, so a variant without a word
//! does not compile, and no fallback can give the word of another.

/// Gives an enum without data its words: `ALL`, `as_str` and `parse`.
///
/// `Fall = "fall" | "autumn"` also reads a word of an earlier version.
/// The variants are listed in the order of the enum, which is checked: `ALL[variant as usize]` is the variant itself.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// pub enum Season {
///     Summer,
///     Winter,
/// }
/// model::enum_words! { pub Season { Summer = "summer", Winter = "winter" } }
///
/// assert_eq!(Season::Winter.as_str(), "winter");
/// assert_eq!(Season::parse("summer"), Some(Season::Summer));
/// assert_eq!(Season::parse("Summer"), None);
/// assert_eq!(Season::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! enum_words {
    ($vis:vis $name:ident { $($variant:ident = $word:literal $(| $former:literal)*),+ $(,)? }) => {
        impl $name {
            /// Every variant with its word, in the order of the enum.
            $vis const ALL: [(Self, &'static str); [$($word),+].len()] = [$((Self::$variant, $word)),+];

            /// The word, as shown and stored.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// The variant with this word, or with one that meant it in an earlier version.
            $vis fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word $(| $former)* => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        const _: () = {
            let mut at = 0;
            while at < $name::ALL.len() {
                assert!($name::ALL[at].0 as usize == at, "the words are listed in the order of the enum");
                at += 1;
            }
        };
    };
}
