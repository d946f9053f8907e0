//! Reads Aider's chat history, a Markdown file, into messages. The prefix of a line shows its author: `####` the
//! person, `>` the program (both end with two spaces), `# aider chat started at` a new session, all else the model.
//! Programs that format Markdown take the two spaces away; then who spoke before shows it.
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
        is_adjacent: false,
        given: None,
    })
}

/// Whether a text begins like such a file.
pub(crate) fn matches_format(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with(SESSION_START_PREFIX))
}

const SESSION_START_PREFIX: &str = "# aider chat started at ";
const USER_LINE_PREFIX: &str = "#### ";
const HOST_LINE_MARK: char = '>';
/// What the last line of something typed or printed ends with.
const BLOCK_END_SUFFIX: &str = "  ";
/// An empty line of the person among others.
const USER_BLANK_LINE: &str = "####";
/// What the program prints behind an answer of the model.
const HOST_REPORTS: [&str; 6] =
    ["> Tokens: ", "> Added ", "> Applied edit to ", "> Commit ", "> Dropping all files", "> Removed "];

/// Who wrote a line, given the author of the line before it, if there is one.
fn find_author(line: &str, before: Option<Author>) -> Author {
    // A heading or a quotation in an answer begins like the words of others, and has no two spaces at its end.
    let is_other = line.ends_with(BLOCK_END_SUFFIX) || before != Some(Author::Model);
    if (line.starts_with(USER_LINE_PREFIX) || line.trim_end() == USER_BLANK_LINE) && is_other {
        Author::Person
    } else if line.starts_with(HOST_LINE_MARK)
        && (is_other || HOST_REPORTS.iter().any(|report| line.starts_with(report)))
    {
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
    /// Whether no empty line stands between the last line and the next one.
    is_adjacent: bool,
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
        if let Some(time) = line.strip_prefix(SESSION_START_PREFIX) {
            self.close_message(out);
            self.given = None;
            self.sitting = Some(time.trim().to_owned());
            return LineKind::Event("sitting".into());
        }
        if line.trim().is_empty() {
            self.is_adjacent = false;
            // An empty line inside of the model's answer is part of it; elsewhere it only separates.
            if let Some(open) = self.open.as_mut().filter(|open| open.author == Author::Model) {
                open.text.push('\n');
            }
            return LineKind::Blank;
        }
        let before = self.open.as_ref().map(|open| open.author);
        // Only the first line of what the program prints at once has a mark.
        let is_continued = self.is_adjacent && line.ends_with(BLOCK_END_SUFFIX);
        let author = match before {
            Some(host @ Author::Host(_)) if is_continued && !line.starts_with(USER_LINE_PREFIX) => host,
            _ => find_author(line, before),
        };
        self.is_adjacent = true;
        let words = match author {
            Author::Person => line.strip_prefix(USER_LINE_PREFIX).map_or("", str::trim_end),
            Author::Host(_) => line.strip_prefix(HOST_LINE_MARK).unwrap_or(line).trim(),
            Author::Model | Author::Tool | Author::Summary(_) => line,
        };
        // An empty line of a text that the person pasted.
        let is_pasted = words.is_empty() && author == Author::Person;
        if let Some(open) = self.open.as_mut().filter(|open| is_pasted && open.author == author) {
            open.text.push('\n');
            return LineKind::Blank;
        }
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
                metadata: None,
                parts,
                part_marks: model::PartMarks::default(),
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
    fn a_file_that_was_formatted_has_no_spaces_at_its_ends() {
        let lines = "# aider chat started at 2026-05-22 07:02:20\n\n> Aider v0.50.1\n\n#### /add a.rs\n\n> Added a.rs to the chat\n\n#### it fails:\n####\n#### no such host\n\nI look at it.\n\n#### Why\n\nIt has no name.\n\n> Tokens: 10,018 sent, 62 received.\nCost: $0.01 message.  \n\n#### add one\n\nDone.\n";
        expect![[r#"
            0 event sitting
            1 blank
            2 message
            3 blank
            4 message
            5 blank
            6 message
            7 blank
            8 message
            9 blank
            10 message
            11 blank
            12 message
            13 blank
            14 message
            15 blank
            16 message
            17 blank
            18 message
            19 message
            20 blank
            21 message
            22 blank
            23 message
            # at-2-0e60b53e760f719f system by program [2]
                text "Aider v0.50.1"
            # at-4-bcde3e58b16866ee user under at-2-0e60b53e760f719f [4]
                text "/add a.rs"
            # at-6-a62a58f11dc2f1a8 system by program under at-4-bcde3e58b16866ee [6]
                text "Added a.rs to the chat"
            # at-8-613675a489d570bc user under at-6-a62a58f11dc2f1a8 [8, 10]
                text "it fails:\n\nno such host"
            # at-12-af28ce536b1dbb25 assistant under at-8-613675a489d570bc [12, 14, 16]
                text "I look at it.\n\n#### Why\n\nIt has no name."
            # at-18-0b01adad2a5cfa17 system by program under at-12-af28ce536b1dbb25 [18, 19]
                text "Tokens: 10,018 sent, 62 received.\nCost: $0.01 message."
            # at-21-870a739b6d103695 user under at-18-0b01adad2a5cfa17 [21]
                text "add one"
            # at-23-2ad90e902005e3f5 assistant under at-21-870a739b6d103695 [23]
                text "Done."
            = aider .aider.chat.history-a60d5f53 «-» in -
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
