//! Parses the command-line arguments of `epitome hook` by hand. No argument is refused: an agent that is newer or older
//! than this program may pass others.

use std::ffi::{OsStr, OsString};

/// The command line of a hook, as far as it is understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HookArguments {
    /// Empty if none was given.
    pub(super) event: String,
    pub(super) agent: String,
    /// Whether all of it is understood.
    pub(super) is_plain: bool,
    /// Whether a hook that had no time left it behind.
    pub(super) is_left_behind: bool,
}

/// Options that every command has, and that are followed by a value.
const WITH_VALUE: [&str; 3] = ["--project", "--set", "--color"];
/// What only we say.
const LEFT_BEHIND: &str = "--left-behind";
/// Options that every command has, and that stand alone.
const GLOBAL_FLAGS: [&str; 3] = ["--json", "--quiet", "-q"];

impl HookArguments {
    /// The arguments that leave the same behind.
    pub(super) fn left_behind(&self) -> [&OsStr; 5] {
        ["hook", &self.event, "--agent", &self.agent, LEFT_BEHIND].map(OsStr::new)
    }

    /// Reads any arguments behind the word `hook`; none where it is not the command, or help is asked for.
    pub(super) fn parse_words(words: &[OsString]) -> Option<Self> {
        let mut words = words.iter();
        let mut line =
            Self { event: String::new(), agent: agents::USUAL_AGENT.to_owned(), is_plain: true, is_left_behind: false };
        let mut is_hook = false;
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            let known = |options: &[&str]| options.contains(&&*text);
            // Help is for people, so the usual command line answers it.
            if known(&["--help", "-h"]) || (!is_hook && known(&["--version", "-V"])) {
                return None;
            } else if known(&WITH_VALUE) {
                words.next();
            } else if is_hook && text == "--agent" {
                line.take_agent(words.next().map(|name| name.to_string_lossy()).as_deref());
            } else if let (true, Some(name)) = (is_hook, text.strip_prefix("--agent=")) {
                line.take_agent(Some(name));
            } else if is_hook && text == LEFT_BEHIND {
                // The agent no longer waits, so no process reads an answer.
                (line.is_left_behind, line.is_plain) = (true, false);
            } else if text.starts_with('-') {
                let has_value = WITH_VALUE.iter().any(|option| text.starts_with(&format!("{option}=")));
                line.is_plain &= known(&GLOBAL_FLAGS) || has_value;
            } else if !is_hook {
                is_hook = true;
                // The first word is another command: the usual command line takes over.
                if text != "hook" {
                    return None;
                }
            } else if text.is_empty() {
                line.is_plain = false;
            } else if line.event.is_empty() {
                line.event = text.clone().into_owned();
                line.is_plain &= word.to_str().is_some();
            } else {
                line.is_plain = false;
            }
        }
        line.is_plain &= !line.event.is_empty();
        is_hook.then_some(line)
    }

    fn take_agent(&mut self, name: Option<&str>) {
        match name.filter(|name| !name.is_empty()) {
            Some(name) => name.clone_into(&mut self.agent),
            None => self.is_plain = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, &str, bool)>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let read = HookArguments::parse_words(&words);
        let read = read.as_ref().map(|line| (line.event.as_str(), line.agent.as_str(), line.is_plain));
        assert_eq!(read, expected, "{line}");
    }

    #[test]
    fn any_arguments_of_a_hook_are_read() {
        check("hook Stop", Some(("Stop", "claude-code", true)));
        check("hook Stop --agent codex", Some(("Stop", "codex", true)));
        check("--project . --quiet hook --agent=codex Stop --json", Some(("Stop", "codex", true)));
        check("hook Stop --bogus", Some(("Stop", "claude-code", false)));
        check("--bogus hook Stop extra", Some(("Stop", "claude-code", false)));
        check("hook", Some(("", "claude-code", false)));
        check("hook Stop --agent", Some(("Stop", "claude-code", false)));
    }

    #[test]
    fn what_is_left_behind_is_the_same_event() {
        for line in ["hook Stop --agent codex", "hook"] {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let line = HookArguments::parse_words(&words).expect("a hook");
            let left = HookArguments::parse_words(&line.left_behind().map(OsStr::to_owned)).expect("a hook");
            assert_eq!((left.event, left.agent), (line.event, line.agent));
            assert!(left.is_left_behind && !left.is_plain);
        }
    }

    #[test]
    fn other_commands_and_help_are_left_to_the_command_line() {
        for line in ["", "search hook", "--quiet search hook --bogus", "hook --help", "hook Stop -h", "--version"] {
            check(line, None);
        }
    }
}
