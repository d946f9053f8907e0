//! Splits a user prompt from a transcript into what the person wrote and what the host (the agent program) added for
//! the model. Hosts add reminders, editor state and text of hooks, in fences (`<name>…</name>`) of their own. Our own
//! texts are left out; all other texts of the host are kept as the host's.

use model::MessagePart;

use super::blocks;

/// A prompt by its authors.
pub(crate) struct PromptParts {
    /// What the person wrote.
    pub(crate) own: Vec<MessagePart>,
    /// What the host added.
    pub(crate) added: Vec<MessagePart>,
}

impl PromptParts {
    /// Takes parts apart by the names of the host's fences, `<name>…</name>`, where they stand around the person's words.
    pub(crate) fn from_parts(parts: Vec<MessagePart>, fences: &[&str]) -> Self {
        let mut prompt = Self { own: Vec::new(), added: Vec::new() };
        for part in blocks::remove_own(parts) {
            let MessagePart::Text { text } = part else {
                prompt.own.push(part);
                continue;
            };
            let own = prompt.peel_fences(&text, fences);
            // Nothing was peeled off: the text stays as it is, blanks at its ends included.
            if own.len() == text.len() {
                prompt.own.push(MessagePart::Text { text });
            } else if !own.is_empty() {
                prompt.own.push(MessagePart::Text { text: own.to_owned() });
            }
        }
        prompt
    }

    /// The same where the host wrote down what the person saw on the screen: the other texts are the host's.
    pub(crate) fn from_displayed(parts: Vec<MessagePart>, shown: &str, fences: &[&str]) -> Self {
        let Self { own, mut added } = Self::from_parts(parts, fences);
        let shown = model::remove_injected(shown);
        let mut kept: Vec<MessagePart> = Vec::new();
        for part in own {
            let MessagePart::Text { text } = &part else {
                kept.push(part);
                continue;
            };
            // The prompt that the model received contains the displayed words as well; they are stored once.
            if text.trim() != shown.trim() {
                added.push(part);
            }
        }
        if !shown.trim().is_empty() {
            kept.insert(0, MessagePart::Text { text: shown.into_owned() });
        }
        Self { own: kept, added }
    }

    /// Moves the fenced texts before and behind the person's words to what was added; gives those words.
    fn peel_fences<'t>(&mut self, text: &'t str, fences: &[&str]) -> &'t str {
        let mut own = text;
        // Several fences may stand one behind the other, each of another part of the host.
        loop {
            let begun = own.trim_start();
            let Some(end) = fences.iter().find_map(|name| leading_fence(begun, name)) else { break };
            self.add_fenced(&begun[..end]);
            own = begun[end..].trim_start();
        }
        loop {
            let ended = own.trim_end();
            let Some(start) = fences.iter().find_map(|name| trailing_fence(ended, name)) else { break };
            self.add_fenced(&ended[start..]);
            own = ended[..start].trim_end();
        }
        own
    }

    /// A fence that holds nothing any more held what was ours.
    fn add_fenced(&mut self, fenced: &str) {
        let inside = fenced.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</"));
        if inside.is_none_or(|(words, _)| !words.trim().is_empty()) {
            self.added.push(MessagePart::Text { text: fenced.to_owned() });
        }
    }
}

/// Where the fenced text ends that a text begins with.
fn leading_fence(text: &str, name: &str) -> Option<usize> {
    // Only a fence at the very beginning is the host's: inside of the words it may be quoted by the person.
    text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let close = format!("</{name}>");
    text.find(&close).map(|at| at + close.len())
}

/// Where the fenced text begins that a text ends with.
fn trailing_fence(text: &str, name: &str) -> Option<usize> {
    text.strip_suffix(&format!("</{name}>"))?;
    text.rfind(&format!("<{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(parts: &[MessagePart]) -> Vec<String> {
        parts.iter().flat_map(MessagePart::searchable_texts).map(str::to_owned).collect()
    }

    fn check(text: &str, own: &[&str], added: &[&str]) {
        let prompt = PromptParts::from_parts(vec![MessagePart::Text { text: text.to_owned() }], &["note", "ide"]);
        assert_eq!((texts(&prompt.own), texts(&prompt.added)), (strings(own), strings(added)), "{text}");
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn what_stands_in_fences_around_the_words_is_the_hosts() {
        check("<note>a</note>\n\nGo on.\n<ide>b</ide>", &["Go on."], &["<note>a</note>", "<ide>b</ide>"]);
        check("<note>a</note><note>b</note>", &[], &["<note>a</note>", "<note>b</note>"]);
        check(" as it is\n", &[" as it is\n"], &[]);
    }

    #[test]
    fn fences_inside_of_the_words_and_open_ones_are_the_persons() {
        for text in ["what is <note>a</note> for?", "<note>never closed", "closed</note>", "<other>a</other> b"] {
            check(text, &[text], &[]);
        }
    }

    #[test]
    fn what_we_gave_the_host_is_nobodys() {
        check("<epitome>\nnever push\n</epitome>\nGo on.", &["Go on."], &[]);
        check("<note><epitome>\nnever push\n</epitome></note>", &[], &[]);
    }

    #[test]
    fn where_the_screen_is_known_other_texts_are_the_hosts() {
        let parts = ["read @a", "--- content of a", "x"].map(|text| MessagePart::Text { text: text.to_owned() });
        let prompt = PromptParts::from_displayed(parts.to_vec(), "read @a", &[]);
        assert_eq!(texts(&prompt.own), ["read @a"]);
        assert_eq!(texts(&prompt.added), ["--- content of a", "x"]);
    }
}
