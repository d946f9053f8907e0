//! Reads Aider's chat history, a Markdown file, into messages. The prefix of a line shows its author: `####` the
//! person, `>` the program (both end with two spaces), `# aider chat started at` a new session, all else the model.
//! Adjacent lines of one author are one message. There are no ids, times or files per session: a file is one
//! conversation, and each message names its session.

use std::path::{Path, PathBuf};

use model::{
    AgentName, LineKind, MessagePart, MessageRole, NewMessage, ProjectedLine, ProjectedMessage, Projection,
    TranscriptHead,
};

use crate::transcript::author::Author;
use crate::transcript::blocks;
use crate::transcript::external_ids::{name_at, short_hash};

/// The name of such a file.
pub(crate) const FILE: &str = ".aider.chat.history.md";

pub(crate) fn build_projection(path: &Path) -> Box<dyn Projection> {
    let head = TranscriptHead {
        agent: AgentName("aider".into()),
        conversation: name_at(path, ""),
        title: None,
        // Aider writes its history into the root of the project that it is about.
        project_dir: path.parent().filter(|folder| folder.is_absolute()).map(|folder| folder.display().to_string()),
        descent: None,
    };
    Box::new(AiderProjection {
        head,
        place: Some(path.to_owned()),
        sitting: None,
        last: None,
        next: 0,
        open: None,
        given: None,
    })
}

/// Whether a text begins like such a file.
pub(crate) fn matches_format(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with(SITTING))
}

const SITTING: &str = "# aider chat started at ";
const TYPED: &str = "#### ";
const PRINTED: &str = "> ";
/// What the last line of something typed or printed ends with.
const END: &str = "  ";

/// Who wrote a line, given the author of the line before it, if there is one.
fn find_author(line: &str, before: Option<Author>) -> Author {
    let is_ended = line.ends_with(END);
    // A heading of the model's answer may begin with `#### ` too, but has no two spaces at its end.
    if line.starts_with(TYPED) && is_ended {
        Author::Person
    } else if line.starts_with(PRINTED) && (is_ended || before != Some(Author::Model)) {
        Author::Host(MessageRole::System)
    } else {
        Author::Model
    }
}

struct AiderProjection {
    head: TranscriptHead,
    /// Where it lies, until its first message says which conversation it is.
    place: Option<PathBuf>,
    sitting: Option<String>,
    last: Option<String>,
    next: u64,
    open: Option<OpenMessage>,
    /// Who spoke last in what was given out at a pause, and under which name: more of it may come.
    given: Option<(Author, String)>,
}

/// Lines of one author that follow each other.
struct OpenMessage {
    author: Author,
    /// By its first line: more may come.
    name: String,
    text: String,
    lines: Vec<u64>,
}

impl Projection for AiderProjection {
    fn feed_line(&mut self, line: &[u8]) -> ProjectedLine {
        let number = self.next;
        self.next += 1;
        let text = String::from_utf8_lossy(line);
        // The words are kept with replacement characters, and the line is reported: nothing is dropped silently.
        let damage = str::from_utf8(line).err().map(|error| format!("not UTF-8 after byte {}", error.valid_up_to()));
        let mut messages = Vec::new();
        let kind = self.process_line(number, text.trim_end_matches(['\r', '\n']), &mut messages);
        ProjectedLine { kind: damage.map_or(kind, LineKind::Malformed), messages }
    }

    fn pause(&mut self) -> Vec<ProjectedMessage> {
        let mut messages = Vec::new();
        let author = self.open.as_ref().map(|open| open.author);
        self.close_message(&mut messages);
        if let (Some(author), Some(given)) = (author, messages.last()) {
            // The next piece of the same message continues the first one, even if there were several pauses.
            let begun = given.continues.clone().or_else(|| given.message.external_id.clone());
            self.given = begun.map(|name| (author, name));
        }
        messages
    }

    fn head(&self) -> &TranscriptHead {
        &self.head
    }
}

impl AiderProjection {
    fn process_line(&mut self, number: u64, line: &str, out: &mut Vec<ProjectedMessage>) -> LineKind {
        if let Some(time) = line.strip_prefix(SITTING) {
            self.close_message(out);
            self.given = None;
            self.sitting = Some(time.trim().to_owned());
            return LineKind::Event("sitting".into());
        }
        if line.trim().is_empty() {
            // An empty line inside of the model's answer is part of it; elsewhere it only separates.
            if let Some(open) = self.open.as_mut().filter(|open| open.author == Author::Model) {
                open.text.push('\n');
            }
            return LineKind::Blank;
        }
        let author = find_author(line, self.open.as_ref().map(|open| open.author));
        let words = match author {
            Author::Person => line.strip_prefix(TYPED).unwrap_or(line).trim_end(),
            Author::Host(_) => line.strip_prefix(PRINTED).map_or(line, str::trim),
            Author::Model | Author::Tool | Author::Summary(_) => line,
        };
        // Aider writes `<blank>` where the person pressed only the Enter key.
        if (author == Author::Person && words == "<blank>") || words.is_empty() {
            self.close_message(out);
            self.given = None;
            return LineKind::Event("nothing typed".into());
        }
        if self.open.as_ref().is_some_and(|open| open.author != author) {
            self.close_message(out);
        }
        // The file has no id, so the conversation is named by its place and its first words.
        if let Some(place) = self.place.take() {
            self.head.conversation = name_at(&place, words);
        }
        let open = self.open.get_or_insert_with(|| {
            // Aider repeats no message, so line number and words make a name that a second import finds again.
            let name = format!("at-{number}-{:016x}", short_hash(words));
            OpenMessage { author, name, text: String::new(), lines: Vec::new() }
        });
        if !open.lines.is_empty() {
            open.text.push('\n');
        }
        open.text.push_str(words);
        open.lines.push(number);
        LineKind::Message
    }

    fn close_message(&mut self, out: &mut Vec<ProjectedMessage>) {
        let Some(OpenMessage { author, name, text, lines }) = self.open.take() else { return };
        let given = self.given.take().filter(|(before, _)| *before == author).map(|(_, name)| name);
        let parts = vec![MessagePart::Text { text: text.trim_end().to_owned() }];
        let parts = if author == Author::Model { parts } else { blocks::remove_own(parts) };
        if parts.is_empty() {
            return;
        }
        // The next message follows the one that was begun, not the piece that continues it.
        let parent = given.clone().or_else(|| self.last.replace(name.clone()));
        out.push(ProjectedMessage {
            parent,
            message: NewMessage {
                external_id: Some(name),
                role: author.role(),
                speaker: author.speaker(),
                session: self.sitting.clone(),
                at: None,
                parts,
            },
            lines,
            thread: None,
            continues: given,
        });
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::transcript::projection_snapshot::render_projection;

    #[test]
    fn the_kind_of_a_line_shows_who_speaks() {
        let lines = "\n# aider chat started at 2026-05-22 07:02:20\n\n> Aider v0.86.0  \n> Git repo: .git with 3 files  \n\n#### add a limiter  \n#### in a.rs  \n\nI add it to `a.rs`:\n\n```rust\nfn limit() {}\n```\n\n#### Why\n\n> quoted\n\n> Applied edit to a.rs  \n\n#### <blank>  \n\n#### /run make  \n";
        expect![[r#"
            0 blank
            1 event sitting
            2 blank
            3 message
            4 message
            5 blank
            6 message
            7 message
            8 blank
            9 message
            10 blank
            11 message
            12 message
            13 message
            14 blank
            15 message
            16 blank
            17 message
            18 blank
            19 message
            20 blank
            21 event nothing typed
            22 blank
            23 message
            # at-3-0c9e1be41c13a1fe system by program [3, 4]
                text "Aider v0.86.0\nGit repo: .git with 3 files"
            # at-6-af31a2df3564a23e user under at-3-0c9e1be41c13a1fe [6, 7]
                text "add a limiter\nin a.rs"
            # at-9-e719616765e1bf8a assistant under at-6-af31a2df3564a23e [9, 11, 12, 13, 15, 17]
                text "I add it to `a.rs`:\n\n```rust\nfn limit() {}\n```\n\n#### Why\n\n> quoted"
            # at-19-c330f37a3fc73871 system by program under at-9-e719616765e1bf8a [19]
                text "Applied edit to a.rs"
            # at-23-0975b0379495dba0 user under at-19-c330f37a3fc73871 [23]
                text "/run make"
            = aider .aider.chat.history-a1d64225 «-» in -
        "#]]
        .assert_eq(&render_projection(build_projection(Path::new(FILE)).as_mut(), lines));
    }

    #[test]
    fn what_goes_on_after_a_pause_says_so() {
        let mut projection = build_projection(Path::new(FILE));
        projection.feed_line(b"# aider chat started at 2026-05-22 07:02:20");
        projection.feed_line(b"I add it.");
        let first = projection.pause();
        projection.feed_line(b"It works.");
        let second = projection.pause();
        assert_eq!(second[0].continues, first[0].message.external_id);
        assert_eq!(projection.pause(), []);
    }
}
