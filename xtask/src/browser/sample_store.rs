//! Stores for looking at pages: a full one (the example shop with some of our own source, its session, further
//! conversations that were folded, memories, reads), an empty one, and one in which everything is hostile.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::hostile_text::{hostile_files, hostile_text};
use crate::process::{self, command_in};
use crate::repository;
use crate::served_process::ServedProcess;

/// What the search of the shop must do, some of it without code or tests.
const REQUIREMENTS: &str = "---\ntitle: Search of the shop\nowner: Ada\n---\n# Search\n\n## Ranking\n\n\
    - REQ-1: What is rarer must say more: `bm25.idf`.\n  Status: done\n\
    - REQ-2: A vector must take one byte a number, see `vectors.quantize`.\n  Priority: high\n\
    - REQ-3: A result should say why it was found.\n  Status: open\n\
    - REQ-4: Postings of a term must be read one by one with `each_posting`.\n\n## Users\n\n\
    As a customer, I want to find what I spelt wrong so that I can buy it.\n\nAcceptance criteria:\n\n- one wrong letter is forgiven\n- a \
    name is never changed without a word\n\n## Open questions\n\n- Who decides which products come first?\n";

/// A home of its own with a project.
pub(crate) struct SampleStore {
    name: &'static str,
    binary: PathBuf,
    folder: PathBuf,
    /// The directory of the project, whose name pages show.
    project: PathBuf,
    question: &'static str,
    symbol: &'static str,
}

impl SampleStore {
    /// Everything a page can show, of a project that is worth looking at.
    pub(crate) fn make_full(binary: &Path, folder: &Path) -> Result<Self> {
        let question = "how are the postings of several segments merged";
        let store = Self::open("full", binary, folder, "shop", question, "merge_postings")?;
        let root = repository::root();
        copy_tree(&root.join("examples").join("shop"), &store.project)?;
        // The shop is small; with one of our own crates beside it the graph has something to walk over.
        copy_tree(&root.join("crates").join("search").join("src"), &store.project.join("search").join("src"))?;
        fs_err::create_dir_all(store.project.join("docs"))?;
        fs_err::write(store.project.join("docs").join("requirements.md"), REQUIREMENTS)?;
        store.run(&["index"], None)?;
        let session = root.join("examples").join("session");
        store.run(&["import", &session.to_string_lossy()], None)?;
        for (at, talk) in TALKS.iter().enumerate() {
            store.run(&["ingest", "--conversation", talk.title], Some(&talk.to_lines(at)))?;
        }
        store.run(&["compact", "--all", "--until", "800"], None)?;
        for text in ["prices are whole cents", "run the tests of the cart before the server's", "never log a token"] {
            store.run(&["remember", text, "--tag", "team"], None)?;
        }
        store.run(&["promote", "--all"], None)?;
        for (text, relevance) in [("prices never are floats", "0.9"), ("the importer stays under 200 MB", "0.4")] {
            store.run(&["tier", "add", text, "--type", "constraint", "--relevance", relevance], None)?;
        }
        store.run(&["tier", "spill", "--count", "1"], None)?;
        let state = r#"{"query":"port the prices","plan":["read","write","test"],"currentStepIndex":1}"#;
        store.run(&["checkpoint", "save", "--state", state, "--description", "half of the types"], None)?;
        store.run(&["subscription", "add", "search/src/*.rs"], None)?;
        for path in ["search/src/postings.rs", "search/src/vectors.rs", "search/src/view.rs", "search/src/bm25.rs"] {
            for mode in ["map", "aggressive", "lightweight"] {
                // In a session, as the calls of an agent are: what a person types is in no sum of the ledger.
                let mut read = store.command(&["read", path, "--mode", mode]);
                read.env("EPITOME_LEDGER_SESSION", format!("reads-in-mode-{mode}"));
                // A file that is called otherwise by now only makes the ledger shorter.
                let _ = read.output();
            }
        }
        Ok(store)
    }

    /// Nothing at all.
    pub(crate) fn make_empty(binary: &Path, folder: &Path) -> Result<Self> {
        Self::open("empty", binary, folder, "new-project", "how are passwords checked", "check_password")
    }

    /// Names, messages, files and memories that try to be obeyed.
    pub(crate) fn make_hostile(binary: &Path, folder: &Path) -> Result<Self> {
        let store = Self::open("hostile", binary, folder, "<img src=x>", "<script> check password", "check_password")?;
        for (path, content) in hostile_files() {
            let file = store.project.join(path);
            fs_err::create_dir_all(file.parent().context("a file has a folder")?)?;
            fs_err::write(file, content)?;
        }
        store.run(&["index"], None)?;
        let hostile = hostile_text();
        let said = format!("Let's use {hostile} because {hostile}. Never {hostile}.");
        let mut lines = String::new();
        for at in 0..30 {
            for (role, content) in [("user", &said), ("assistant", &hostile), ("tool", &hostile)] {
                let message = json!({ "role": role, "content": format!("{at} {content}") });
                lines.push_str(&format!("{message}\n"));
            }
        }
        store.run(&["ingest", "--conversation", &hostile.replace('\u{1b}', "")], Some(&lines))?;
        store.run(&["compact", "--all", "--until", "3000"], None)?;
        store.run(&["remember", &hostile, "--tag", "<i>"], None)?;
        store.run(&["promote", "--all"], None)?;
        store.run(&["tier", "add", &hostile, "--type", "<i>"], None)?;
        let state = json!({ "query": hostile, "plan": [hostile] }).to_string();
        store.run(&["checkpoint", "save", "--state", &state, "--description", "<b>half</b>"], None)?;
        store.run(&["subscription", "add", "<script>*"], None)?;
        store.run(&["read", "src/evil.py", "--mode", "map"], None)?;
        Ok(store)
    }

    fn open(
        name: &'static str,
        binary: &Path,
        folder: &Path,
        project: &str,
        question: &'static str,
        symbol: &'static str,
    ) -> Result<Self> {
        let project = folder.join(project);
        fs_err::create_dir_all(&project)?;
        fs_err::create_dir_all(folder.join("user"))?;
        // Below a repository, the folder would belong to that one, and its pages would show all of it.
        process::read_output(command_in(&project, "git", &["init", "--quiet"]))?;
        Ok(Self { name, binary: binary.to_owned(), folder: folder.to_owned(), project, question, symbol })
    }

    /// Serves the dashboard of the store; its first line has the link that signs in.
    pub(crate) fn serve_pages(&self) -> Result<ServedProcess> {
        let serve = self.command(&["dashboard", "--no-browser", "--json"]);
        ServedProcess::start(serve, self.folder.join("server.log"))
    }

    /// The store for the script that looks at it.
    pub(crate) fn describe(&self, server: &ServedProcess) -> Result<Value> {
        let link = server.ready_text("link")?;
        let token = self.run(&["serve", "token"], None)?;
        Ok(json!({
            "name": self.name, "link": link, "file": "cart/src/lib.rs", "token": token.trim(), "question": self.question, "symbol": self.symbol,
        }))
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    /// Has a command use this store, and no home of anybody.
    pub(crate) fn give_homes(&self, command: &mut Command) {
        command.env("EPITOME_HOME", self.folder.join("home")).env("HOME", self.folder.join("user"));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(&self.project, &self.binary, arguments);
        self.give_homes(&mut command);
        command
    }

    /// Runs a command of the program to its end, and gives what it printed.
    fn run(&self, arguments: &[&str], input: Option<&str>) -> Result<String> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {}", self.binary.display()))?;
        let mut stdin = child.stdin.take().context("standard input is a pipe")?;
        stdin.write_all(input.unwrap_or_default().as_bytes())?;
        drop(stdin);
        let output = child.wait_with_output()?;
        let talk = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`epitome {}` of the {} store failed: {talk}", arguments[0], self.name);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A conversation of the full store.
struct SampleTalk {
    title: &'static str,
    first: &'static str,
    answer: &'static str,
    turns: usize,
}

const TALKS: [SampleTalk; 3] = [
    SampleTalk {
        title: "Discounts rounded down",
        first: "A discount of 5 percent on 1,999 cents gives 1,899. Always round discounts down, never up.",
        answer: "`discounted` in cart/src/lib.rs divides before it subtracts; I changed the order and added a test.",
        turns: 60,
    },
    SampleTalk {
        title: "Where sessions are kept",
        first: "Let's use SQLite for sessions because it needs no server. Please do not add a cache yet.",
        answer: "Sessions are in SQLite now; server/auth.py opens the file once and reads by the hash of the token.",
        turns: 24,
    },
    SampleTalk {
        title: "Slow checkout page",
        first: "The checkout takes two seconds. Find out why before you change anything.",
        answer: "web/checkout.ts asked for the total once for every line of the cart.",
        turns: 10,
    },
];

impl SampleTalk {
    /// The messages as lines for `ingest`, on a day of their own.
    fn to_lines(&self, day: usize) -> String {
        let mut lines = String::new();
        for turn in 0..self.turns {
            let at = format!("2026-03-{:02}T{:02}:{:02}:00Z", 14 + day, 8 + turn / 30, turn % 30 * 2);
            let asked = if turn == 0 {
                self.first.to_owned()
            } else {
                format!("Step {turn}: look at what still differs, and say which file has it.")
            };
            let told = if turn == 0 {
                self.answer.to_owned()
            } else {
                format!("In step {turn} I read cart/src/lib.rs and server/auth.py again. {}", self.answer)
            };
            for (role, content) in [("user", asked), ("assistant", told)] {
                lines.push_str(&format!("{}\n", json!({ "role": role, "content": content, "at": at })));
            }
        }
        lines
    }
}

fn copy_tree(from: &Path, into: &Path) -> Result<()> {
    fs_err::create_dir_all(into)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        let target = into.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs_err::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
