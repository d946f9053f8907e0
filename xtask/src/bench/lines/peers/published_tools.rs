//! The tools of the comparison: how each indexes a folder, is asked, and prints what it found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::super::product::{self, ComparedLines};
use super::super::tree::TreeLines;
use super::super::{BenchAnswer, LineRegion};
use super::install::InstalledPeers;
use crate::process::{command_in, read_output};

/// Lines that ripgrep shows around a match, as a person asks for them.
const CONTEXT_LINES: u32 = 3;

pub(super) trait PublishedTool {
    fn name(&self) -> &'static str;
    fn version(&self) -> &str;
    /// What of it is asked, for the reader of the table.
    fn describe(&self) -> &'static str;
    /// None where there is no index.
    fn index_command(&self, _root: &Path) -> Option<Command> {
        None
    }
    /// Where its index lies.
    fn data_folder(&self, root: &Path) -> PathBuf;
    fn remove_index(&self, root: &Path) -> Result<()> {
        let folder = self.data_folder(root);
        if folder.is_dir() {
            fs_err::remove_dir_all(folder)?;
        }
        Ok(())
    }
    fn search_command(&self, root: &Path, question: &str) -> Command;
    /// The regions that a search printed, best first.
    fn read_ranking(&self, root: &Path, printed: &str, question: &str) -> Result<Vec<LineRegion>>;
    /// None where the tool packs no answer.
    fn answer_command(&self, _root: &Path, _question: &str, _budget: u64) -> Option<Command> {
        None
    }
    /// The lines that an answer shows; without tokens where what is printed has to be counted.
    fn read_answer(&self, _printed: &str, _tree: &mut TreeLines) -> Result<BenchAnswer> {
        Ok(BenchAnswer { items: Vec::new(), tokens: 0 })
    }
    /// None where it is no MCP server, or cannot be started here.
    fn server_command(&self, _root: &Path) -> Option<Command> {
        None
    }
}

pub(super) fn list_tools(binary: &Path, home: &Path, peers: &InstalledPeers) -> Result<Vec<Box<dyn PublishedTool>>> {
    let version = |mut command: Command| -> Result<String> {
        command.arg("--version");
        Ok(read_output(command)?.lines().next().unwrap_or_default().to_owned())
    };
    let codegraph = CodegraphTool { node: peers.node.clone(), script: peers.codegraph.clone(), version: String::new() };
    Ok(vec![
        Box::new(OwnProgram {
            binary: binary.to_owned(),
            home: home.to_owned(),
            version: version(Command::new(binary))?,
        }),
        Box::new(CodegraphTool { version: version(codegraph.start(home, &[]))?, ..codegraph }),
        Box::new(ProbeTool { program: peers.probe.clone(), version: version(Command::new(&peers.probe))? }),
        Box::new(RipgrepTool { program: peers.ripgrep.clone(), version: version(Command::new(&peers.ripgrep))? }),
    ])
}

struct OwnProgram {
    binary: PathBuf,
    home: PathBuf,
    version: String,
}

impl OwnProgram {
    fn start(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = command_in(root, &self.binary, arguments);
        command.env("EPITOME_HOME", &self.home);
        command
    }
}

impl PublishedTool for OwnProgram {
    fn name(&self) -> &'static str {
        "epitome"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn describe(&self) -> &'static str {
        "search, and context within the budget; each question a new process"
    }

    fn index_command(&self, root: &Path) -> Option<Command> {
        Some(self.start(root, &["index"]))
    }

    fn data_folder(&self, _root: &Path) -> PathBuf {
        self.home.clone()
    }

    fn search_command(&self, root: &Path, question: &str) -> Command {
        self.start(root, &["search", question, "--json", "--limit", &product::RESULTS.to_string()])
    }

    fn read_ranking(&self, _root: &Path, printed: &str, _question: &str) -> Result<Vec<LineRegion>> {
        product::read_results(&serde_json::from_str(printed)?)
    }

    fn answer_command(&self, root: &Path, question: &str, budget: u64) -> Option<Command> {
        Some(self.start(root, &["context", question, "--json", "--budget", &budget.to_string()]))
    }

    fn read_answer(&self, printed: &str, tree: &mut TreeLines) -> Result<BenchAnswer> {
        product::read_answer(&serde_json::from_str(printed)?, tree, &mut ComparedLines::default())
    }

    fn server_command(&self, root: &Path) -> Option<Command> {
        Some(self.start(root, &["mcp"]))
    }
}

struct CodegraphTool {
    node: PathBuf,
    script: PathBuf,
    version: String,
}

impl CodegraphTool {
    fn start(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = command_in(root, &self.node, &[]);
        command.arg(&self.script).args(arguments).env("DO_NOT_TRACK", "1").env("CODEGRAPH_TELEMETRY", "0");
        command
    }
}

impl PublishedTool for CodegraphTool {
    fn name(&self) -> &'static str {
        "codegraph"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn describe(&self) -> &'static str {
        "query, and explore, whose size cannot be told; each question a new process"
    }

    fn index_command(&self, root: &Path) -> Option<Command> {
        Some(self.start(root, &["init"]))
    }

    fn data_folder(&self, root: &Path) -> PathBuf {
        root.join(".codegraph")
    }

    fn search_command(&self, root: &Path, question: &str) -> Command {
        self.start(root, &["query", question, "--json", "--limit", &product::RESULTS.to_string()])
    }

    fn read_ranking(&self, _root: &Path, printed: &str, _question: &str) -> Result<Vec<LineRegion>> {
        // It says in words that nothing was found.
        let Some(begin) = printed.find('[') else { return Ok(Vec::new()) };
        let found: Vec<Value> = serde_json::from_str(&printed[begin..])?;
        let regions = found.iter().map(|hit| &hit["node"]).filter(|node| node["kind"] != "import");
        regions
            .map(|node| {
                LineRegion::from_json(&node["filePath"], &node["startLine"], &node["endLine"]).context("a node")
            })
            .collect()
    }

    fn answer_command(&self, root: &Path, question: &str, _budget: u64) -> Option<Command> {
        Some(self.start(root, &["explore", question]))
    }

    fn read_answer(&self, printed: &str, _tree: &mut TreeLines) -> Result<BenchAnswer> {
        let mut items: Vec<(String, Vec<u32>)> = Vec::new();
        for line in printed.lines() {
            if let Some(path) = line.strip_prefix("**`").and_then(|rest| Some(rest.split_once("`**")?.0)) {
                items.push((path.to_owned(), Vec::new()));
            } else if let Some((_, lines)) = items.last_mut() {
                lines.extend(line.split_once('\t').and_then(|(number, _)| number.trim().parse::<u32>().ok()));
            }
        }
        Ok(BenchAnswer { items, tokens: 0 })
    }

    fn server_command(&self, root: &Path) -> Option<Command> {
        Some(self.start(root, &["serve", "--mcp", "--no-watch"]))
    }
}

struct ProbeTool {
    program: PathBuf,
    version: String,
}

impl ProbeTool {
    fn start(&self, root: &Path, question: &str, limit: &[&str]) -> Command {
        let mut command = command_in(root, &self.program, &["search", "--format", "json"]);
        command.args(limit).args(["--", question, "."]);
        command
    }
}

impl PublishedTool for ProbeTool {
    fn name(&self) -> &'static str {
        "probe"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn describe(&self) -> &'static str {
        "search, without and with --max-tokens; it has no index"
    }

    fn data_folder(&self, root: &Path) -> PathBuf {
        root.join(".probe")
    }

    fn search_command(&self, root: &Path, question: &str) -> Command {
        self.start(root, question, &["--max-results", &product::RESULTS.to_string()])
    }

    fn read_ranking(&self, root: &Path, printed: &str, _question: &str) -> Result<Vec<LineRegion>> {
        // Where nothing was found, some versions say so in words.
        let Some(begin) = printed.find('{') else { return Ok(Vec::new()) };
        let reply: Value = serde_json::from_str(&printed[begin..])?;
        let results = reply["results"].as_array().context("results")?.iter();
        results
            .map(|hit| {
                let path = Path::new(hit["file"].as_str().context("a file")?);
                let path = path.strip_prefix(root).or_else(|_| path.strip_prefix(".")).unwrap_or(path);
                let path = path.display().to_string();
                LineRegion::from_json(&path.into(), &hit["lines"][0], &hit["lines"][1]).context("lines")
            })
            .collect()
    }

    fn answer_command(&self, root: &Path, question: &str, budget: u64) -> Option<Command> {
        Some(self.start(root, question, &["--max-tokens", &budget.to_string()]))
    }

    fn read_answer(&self, printed: &str, tree: &mut TreeLines) -> Result<BenchAnswer> {
        let regions = self.read_ranking(&tree.root, printed, "")?;
        let items = regions.iter().map(|region| (region.path.clone(), region.line_numbers().collect())).collect();
        // Its own count of the code, which is what it keeps to; the JSON around it would be counted against it.
        let counted = printed.rsplit_once("\"total_tokens\":").and_then(|(_, rest)| {
            rest.trim_start().split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        });
        Ok(BenchAnswer { items, tokens: counted.unwrap_or_default() })
    }
}

struct RipgrepTool {
    program: PathBuf,
    version: String,
}

impl PublishedTool for RipgrepTool {
    fn name(&self) -> &'static str {
        "ripgrep"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn describe(&self) -> &'static str {
        "the words of the question with three lines around, places with the most different words first; it has no index and no ranking of its own"
    }

    fn data_folder(&self, root: &Path) -> PathBuf {
        root.join(".ripgrep")
    }

    fn search_command(&self, root: &Path, question: &str) -> Command {
        let mut command = command_in(root, &self.program, &["--line-number", "--no-heading", "--ignore-case"]);
        command.arg("--fixed-strings");
        for word in question_words(question) {
            command.args(["-e", &word]);
        }
        command.args(["--sort", "path", "."]);
        command
    }

    fn read_ranking(&self, _root: &Path, printed: &str, question: &str) -> Result<Vec<LineRegion>> {
        let words = question_words(question);
        let mut places: BTreeMap<(String, u32), BTreeSet<usize>> = BTreeMap::new();
        for line in printed.lines() {
            let mut parts = line.trim_start_matches("./").splitn(3, ':');
            let (Some(path), Some(number), Some(text)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let Ok(number) = number.parse::<u32>() else { continue };
            let text = text.to_lowercase();
            let found = words.iter().enumerate().filter(|(_, word)| text.contains(word.as_str())).map(|(at, _)| at);
            // Matches that a person sees in one view are one place.
            let place = number / (2 * CONTEXT_LINES + 1);
            places.entry((path.to_owned(), place)).or_default().extend(found);
        }
        let mut ranked: Vec<((String, u32), usize)> =
            places.into_iter().map(|(place, words)| (place, words.len())).collect();
        // A stable sort: places with as many words stay in the order of paths and lines.
        ranked.sort_by_key(|(_, words)| std::cmp::Reverse(*words));
        let rows = 2 * CONTEXT_LINES + 1;
        let region = |((path, place), _): ((String, u32), usize)| LineRegion {
            path,
            start: (place * rows).max(1),
            end: place * rows + rows - 1,
        };
        Ok(ranked.into_iter().take(product::RESULTS as usize).map(region).collect())
    }
}

/// The words of a question that say something: four letters or more.
fn question_words(question: &str) -> BTreeSet<String> {
    let words = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| word.chars().count() >= 4).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_print_is_read_as_regions() {
        let graph = CodegraphTool { node: PathBuf::new(), script: PathBuf::new(), version: String::new() };
        let printed = "**Exploration: x**\n\n**`a/b.py`** — f(function)\n\n```python\n7\tdef f():\n8\t    pass\n```\n";
        let mut tree = TreeLines::new(PathBuf::from("."));
        let answer = graph.read_answer(printed, &mut tree).expect("an answer");
        assert_eq!(answer.items, [("a/b.py".to_owned(), vec![7, 8])]);
        let hits =
            "[{\"node\":{\"kind\":\"function\",\"filePath\":\"a/b.py\",\"startLine\":7,\"endLine\":8},\"score\":1}]";
        let region = LineRegion { path: "a/b.py".to_owned(), start: 7, end: 8 };
        assert_eq!(graph.read_ranking(Path::new("."), hits, "").expect("regions"), std::slice::from_ref(&region));
        let probe = ProbeTool { program: PathBuf::new(), version: String::new() };
        let printed = "{\"limits\":{\"total_tokens\":0},\"results\":[{\"file\":\"./a/b.py\",\"lines\":[7,8]}],\n\"summary\":{\"total_tokens\": 17\n}}";
        assert_eq!(probe.read_ranking(Path::new("."), printed, "").expect("regions"), [region]);
        assert_eq!(probe.read_answer(printed, &mut tree).expect("an answer").tokens, 17);
    }

    #[test]
    fn places_with_more_words_of_the_question_come_first() {
        let ripgrep = RipgrepTool { program: PathBuf::new(), version: String::new() };
        let printed = "./a.py:1:parse it\n./b.py:9:parse\n./b.py:10:the header\n";
        let ranked = ripgrep.read_ranking(Path::new("."), printed, "Parse a header").expect("regions");
        assert_eq!((ranked[0].path.as_str(), ranked[0].start, ranked[0].end), ("b.py", 7, 13));
        assert_eq!(ranked.len(), 2);
    }
}
