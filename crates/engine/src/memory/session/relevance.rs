//! Decides whether an earlier message is worth injecting with a user's prompt, although the agent did not search for
//! it.
//!
//! Pure, by the form of sentences and by which words are new: a prompt that asks and orders nothing gets no text, and
//! what adds no word to a prompt does not answer it. In doubt nothing is injected: an agent that wants more can search.

use crate::memory::fact::announces_step;
use crate::memory::recall::{WordPurpose, word_purpose};
use model::MessageRole;
use model::terms::each_term;
use search::StemRules;

/// A prompt, as what was said before is compared with it.
pub(super) struct RecallPrompt {
    text: String,
    folded: String,
    /// Every word, in lower case.
    words: Vec<String>,
    /// The stems of those words.
    stems: Vec<String>,
    /// The stems of those that say what it is about.
    subjects: Vec<String>,
}

impl RecallPrompt {
    /// `None` for a sentence that neither asks nor orders anything.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let words: Vec<String> = split_words(text).collect();
        let mut subjects: Vec<String> =
            words.iter().filter(|word| is_subject(word)).map(|word| word_stem(word)).collect();
        subjects.sort_unstable();
        subjects.dedup();
        let stems = words.iter().map(|word| word_stem(word)).collect();
        let prompt = Self { text: text.to_lowercase(), folded: normalize_text(text), words, stems, subjects };
        (!is_acknowledgement(text)).then_some(prompt)
    }

    /// The words by which something that was said says more than the prompt about what the prompt is about; none where
    /// it does not.
    pub(super) fn new_words(&self, said: &str, by: MessageRole) -> Vec<String> {
        // The same prompt from an earlier session says nothing new.
        if normalize_text(said) == self.folded {
            return Vec::new();
        }
        let statements: Vec<&str> =
            said.split_inclusive(['.', '!', '?', ':', '\n']).filter(|it| is_statement(it)).collect();
        // The words must be in statements: a question of an earlier day answers nothing.
        if !self.is_covered_by(&statements.concat()) {
            return Vec::new();
        }
        statements.iter().flat_map(|sentence| self.words_beyond(sentence, by)).collect()
    }

    /// Whether a text says enough of what was asked: two of its words that are not everywhere, and half of them.
    pub(super) fn is_covered_by(&self, text: &str) -> bool {
        let mut said = Vec::new();
        // Parts of identifiers count: `parse_header` is about headers.
        each_term(text, |term| said.push(word_stem(term)));
        let found = self.subjects.iter().filter(|subject| said.iter().any(|stem| share_stem(subject, stem))).count();
        found >= 2 && found * 2 >= self.subjects.len()
    }

    /// Whether it asks about the past: an output of then cannot be had again, or only by running the tool again.
    pub(super) fn asks_about_past(&self) -> bool {
        let asks = self.text.contains('?') || self.words.first().is_some_and(|word| is_one_of(QUESTION_WORDS, word));
        asks && self.words.iter().any(|word| is_one_of(PAST_REFERENCE_WORDS, word))
    }

    /// The meaningful words of a sentence that are not in the prompt.
    fn words_beyond(&self, sentence: &str, by: MessageRole) -> Vec<String> {
        let all: Vec<String> = split_words(sentence).collect();
        let mut new: Vec<String> = all
            .iter()
            .filter(|word| !is_function_word(word))
            .filter(|word| {
                let stem = word_stem(word);
                !self.stems.iter().any(|known| share_stem(known, &stem))
            })
            .cloned()
            .collect();
        if by == MessageRole::User
            && let Some(verb) = ordering_verb(&all)
        {
            // An earlier order says what was to be done and to what; with a single further word it still tells the
            // model nothing.
            new.retain(|word| word != verb);
            if new.len() < 2 {
                new.clear();
            }
        }
        new
    }
}

/// Whether a sentence says how something is: it does not ask, announce or acknowledge.
fn is_statement(sentence: &str) -> bool {
    !sentence.trim_end().ends_with('?') && !announces_step(sentence) && !is_acknowledgement(sentence)
}

/// Whether a text only acknowledges what was done: it thanks or agrees, and says at most how it found it.
fn is_acknowledgement(text: &str) -> bool {
    // A question mark is a question, however politely it begins.
    if text.contains('?') {
        return false;
    }
    let clauses: Vec<Vec<String>> = text
        .split(['.', '!', ',', ';', ':', '\n', '–', '—'])
        .map(|clause| split_words(clause).collect::<Vec<_>>())
        .filter(|clause| !clause.is_empty())
        .collect();
    clauses.iter().any(|clause| is_courteous(clause))
        && clauses.iter().all(|clause| is_courteous(clause) || is_comment(clause))
}

/// Whether a clause thanks or greets, or agrees in a few words.
fn is_courteous(clause: &[String]) -> bool {
    let goes_on = clause.iter().any(|word| is_one_of(GOING_ON, word));
    let first = clause.first().map(String::as_str).unwrap_or_default();
    let is_short = clause.len() <= MAX_AGREEMENT_WORDS;
    !goes_on && (is_one_of(THANKS, first) || is_short && is_one_of(AGREEMENT, first))
}

/// Whether a clause says of what was just done how it is, and finds no fault with it.
fn is_comment(clause: &[String]) -> bool {
    let mut words = clause.iter().map(String::as_str);
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let points = is_one_of("that this it these those you everything all", first);
    let is_verb = is_one_of("is s was are re were looks look works work will seems did helps helped", second);
    points && is_verb && !clause.iter().any(|word| is_one_of(GOING_ON, word) || is_one_of(FAULTS, word))
}

/// The verb of a sentence that orders a piece of work: it stands first, with what it is to be done to behind it.
fn ordering_verb(words: &[String]) -> Option<&String> {
    let mut words = words.iter().skip_while(|word| is_one_of("please now then and also so ok okay just", word));
    let (first, second) = (words.next()?, words.next()?);
    (!is_function_word(first) && !is_one_of(PREPOSITIONS, first) && is_one_of(OBJECTS, second)).then_some(first)
}

fn split_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// A text without case, punctuation and spacing: who asks for the same again tells nothing new.
fn normalize_text(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_subject(word: &str) -> bool {
    word.chars().count() >= MIN_WORD_CHARS
        && word_purpose(word) != WordPurpose::Stop
        && !is_one_of(GENERIC_WORK_WORDS, word)
}

/// Whether a word holds sentences together and says nothing by itself.
fn is_function_word(word: &str) -> bool {
    let is_stop = word_purpose(word) == WordPurpose::Stop && !is_one_of(MEANINGFUL_STOP_WORDS, word);
    is_stop || is_one_of(COURTESIES, word)
}

fn word_stem(word: &str) -> String {
    let mut stem = String::new();
    StemRules::English.stem_word(word, &mut stem);
    stem
}

/// Whether two stems are of one word, or one of a short form of the other (`config`, `configur`).
fn share_stem(one: &str, other: &str) -> bool {
    let is_short_form =
        |short: &str, long: &str| short.chars().count() >= MIN_SHORT_FORM_CHARS && long.starts_with(short);
    one == other || is_short_form(one, other) || is_short_form(other, one)
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Shorter words are in every text, as stop words are.
const MIN_WORD_CHARS: usize = 4;
/// Letters that a short form of a word has at least.
const MIN_SHORT_FORM_CHARS: usize = 5;
/// Words of a clause that only agrees.
const MAX_AGREEMENT_WORDS: usize = 3;

/// Words of all work on code: a prompt that has only these asks for work, not for what was said.
const GENERIC_WORK_WORDS: &str = "\
    added address again allow another apply back branch build change changed changes check clean code comment \
    comments commit commits continue create current delete docs doing done error errors everything fail failing fails \
    feedback file files find first fixed fixes following function give going good great help implement instead issue \
    issues keep know last lets like line lines lint linter look main many merge method move much need next open option \
    pass plan please problem project pull push read ready rebase refactor remove rename reply repo request review right \
    running same seems show simple start still summary sure take task test tests thanks thing think time update used \
    using version want well work working works write wrong";

/// Stop words of a search that say something in an answer: they turn a sentence round, or say where to, when or how much
/// (`rounded up`, `not before`).
const MEANINGFUL_STOP_WORDS: &str = "\
    after all any before between both down during each few more most no nor not once only other out over own same some \
    such through too under until up";

/// Words that no search drops and no answer consists of.
const COURTESIES: &str = "re ve ll doing please well ok okay thank thanks";

const PREPOSITIONS: &str = "\
    after along among around before behind below beside between during except inside like near off onto out outside \
    over per since through under until unlike up via within without all both each every most some no not never only";

/// Words between a verb and its object.
const OBJECTS: &str =
    "the a an this that these those my our your its their me us it them all every each some any both more";

const THANKS: &str = "thank thanks thx cheers hi hello hey bye goodbye merci danke gracias";
const AGREEMENT: &str = "\
    ok okay yes yeah yep sure right alright great good nice perfect excellent wonderful awesome cool fine well \
    understood got agreed exactly super enough welcome you no done";
/// After these a clause goes on to something else.
const GOING_ON: &str = "now then but please and next can could should must need needs instead";
const FAULTS: &str = "not no never wrong broken fails failed failing error errors missing t still only why how";
const QUESTION_WORDS: &str = "\
    are can could did do does explain how is remind should show tell was were what when where which who whose why";
const PAST_REFERENCE_WORDS: &str = "\
    did was were had earlier before previously previous last ago yesterday remember remind said showed shown printed \
    looked gave";

#[cfg(test)]
mod tests {
    use super::*;

    fn told(prompt: &str, said: &str, by: MessageRole) -> Vec<String> {
        RecallPrompt::from_text(prompt).map(|prompt| prompt.new_words(said, by)).unwrap_or_default()
    }

    #[test]
    fn a_span_is_told_when_it_says_half_of_what_was_asked() {
        let check = |prompt: &str, expected: bool| {
            let span = "The header parser counts bytes instead of characters.";
            assert_eq!(!told(prompt, span, MessageRole::Assistant).is_empty(), expected, "{prompt}");
        };
        check("Why does the header parser fail?", true);
        check("What did we say about parsers of headers?", true);
        check("commit the changes and push them for review", false);
        check("parser", false);
        check("Thanks, that would be very nice, have a good night!", false);
        check("Deploy the staging cluster with the new parser configuration tonight", false);
    }

    #[test]
    fn announcements_and_questions_are_no_statements() {
        let check = |said: &str, expected: bool| {
            let found = told("Why does the header parser fail?", said, MessageRole::Assistant);
            assert_eq!(!found.is_empty(), expected, "{said}: {found:?}");
        };
        check("I see. Now let me look at the header parser.\nLet me check what the parser does with headers:", false);
        check("The header parser counts bytes. Let me mend that.", true);
        check("Why does the header parser fail on Mondays?", false);
    }

    #[test]
    fn a_prompt_that_only_acknowledges_asks_nothing() {
        let check =
            |prompt: &str, expected: bool| assert_eq!(RecallPrompt::from_text(prompt).is_none(), expected, "{prompt}");
        check("Thank you, that is enough of part 9.", true);
        check("Perfect! That was the right header parser.", true);
        check("Great, it works. Thanks for the header parser!", true);
        check("ok", true);
        check("Thanks, now fix the header parser.", false);
        check("Thanks. What did the header parser do?", false);
        check("That is wrong: the header parser counts bytes.", false);
        check("Great, but it is not what we decided about discounts.", false);
        check("It is broken on empty headers.", false);
        check("Go on with the header parser.", false);
    }

    #[test]
    fn what_adds_no_word_to_a_prompt_does_not_answer_it() {
        let check = |prompt: &str, said: &str, by: MessageRole, expected: &[&str]| {
            assert_eq!(told(prompt, said, by), expected, "{prompt} / {said}");
        };
        let table = "What did the long table look like?";
        check(table, "That was the long table.", MessageRole::Assistant, &[]);
        check(table, "Print the long table.", MessageRole::User, &[]);
        check(table, "Please show me the long tables.", MessageRole::User, &[]);
        check(table, "The long table has twelve hundred rows.", MessageRole::Assistant, &["twelve", "hundred", "rows"]);
        check("how are discounts rounded", "Discounts are rounded up.", MessageRole::User, &["up"]);
        check(
            "how many digits has the rounded discount",
            "Discounts are rounded to 2 digits.",
            MessageRole::User,
            &["2"],
        );
        check(
            "how are discounts rounded",
            "Change the discount to be rounded half up.",
            MessageRole::User,
            &["half", "up"],
        );
        check("Which database do orders use?", "Postgres is the database of orders.", MessageRole::User, &["postgres"]);
        check("Print the long table again", "Print the middle table, which is long.", MessageRole::User, &[]);
        check("Where was the header parser?", "Thanks, that was the header parser of Monday.", MessageRole::User, &[]);
    }

    #[test]
    fn only_questions_about_the_past_are_answered_with_outputs() {
        let check = |prompt: &str, expected: bool| {
            assert_eq!(
                RecallPrompt::from_text(prompt).is_some_and(|prompt| prompt.asks_about_past()),
                expected,
                "{prompt}"
            );
        };
        check("What did the long table look like?", true);
        check("Remind me what the benchmark printed", true);
        check("What does the header parser do?", false);
        check("Run the benchmark as before", false);
    }
}
