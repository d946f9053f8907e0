//! Builds the briefing, one page about a project for a newcomer within a token budget: its languages, entry points,
//! central files, and how it is built and tested, from the graph, manifests and README.

use super::commands::{self, ProjectCommand};
use super::entry_points::{EntryPoint, NamedProgram, find_entry_points};
use super::truncate_text;
use crate::base::{Project, Result, confined_file, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::Graph;
use crate::code::graph::NodeId;
use crate::code::graph::is_test_file;
use crate::code::graph::page_ranks;
use crate::code::graph_load::load_graph;
use model::{SymbolKind, TokenCount, count_tokens, show_name};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// How long it may be.
#[derive(Clone, Copy, Debug)]
pub struct BriefingRequest {
    /// Tokens of its text.
    pub budget: TokenCount,
}

/// A language and how much of the project is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct LanguageShare {
    /// Its name.
    pub name: String,
    /// Files.
    pub files: usize,
    /// Lines.
    pub lines: u64,
}

/// One page about a project.
#[derive(Clone, Debug)]
pub struct ProjectBriefing {
    /// The first words of its README.
    pub about: Option<String>,
    /// Code first, then most lines first.
    pub languages: Vec<LanguageShare>,
    /// Where it starts.
    pub entries: Vec<EntryPoint>,
    /// The files that most of it depends on, with their definitions.
    pub central: Vec<(String, Vec<String>)>,
    /// How it is built, tested and run.
    pub commands: Vec<ProjectCommand>,
    /// Files of all kinds.
    pub files: usize,
    /// Files that are tests.
    pub tests: usize,
    /// Everything, as one text within the budget.
    pub text: String,
    /// Of that text.
    pub tokens: TokenCount,
}

const MOST_LANGUAGES: usize = 8;
const MOST_CENTRAL: usize = 12;
const MOST_NAMES: usize = 6;
const MOST_COMMANDS: usize = 16;

/// Bytes of the first paragraph of the README.
const LONGEST_WORDS: usize = 400;

/// A manifest larger than this is generated.
const LARGEST_MANIFEST: u64 = 1 << 20;

/// Manifests deeper than this belong to examples and fixtures.
const DEEPEST_MANIFEST: usize = 2;

/// Directories of code that demonstrates or measures the rest, or was copied from elsewhere.
const AUXILIARY_DIRECTORIES: &[&str] = &[
    "examples",
    "example",
    "docs",
    "doc",
    "benches",
    "benchmarks",
    "bench",
    "demo",
    "samples",
    "vendor",
    "third_party",
    "third-party",
    "external",
];

pub(crate) async fn build_briefing(
    code: &CodeContext,
    project: &Project,
    request: BriefingRequest,
) -> Result<ProjectBriefing> {
    let graph = load_graph(code, project).await?;
    let root = project.root.clone();
    let wanted: Vec<String> = graph
        .file_nodes()
        .map(|file| graph.path(file).to_owned())
        .filter(|path| path.matches('/').count() <= DEEPEST_MANIFEST)
        // A program that runs the tests lies among them; any other manifest there is a fixture.
        .filter(|path| !is_test_file(path) || commands::is_test_runner(path))
        .filter(|path| commands::is_manifest(path) || is_readme(path))
        .collect();
    let texts = run_blocking("reading manifests", move || {
        let read = |path: &String| {
            let file = confined_file::open_file(&root, Path::new(path)).ok()?;
            let small = file.metadata().ok()?.len() <= LARGEST_MANIFEST;
            let mut bytes = Vec::new();
            // The file may have grown since.
            small.then(|| file.take(LARGEST_MANIFEST).read_to_end(&mut bytes).ok())??;
            Some((path.clone(), String::from_utf8_lossy(&bytes).into_owned()))
        };
        wanted.iter().filter_map(read).collect::<Vec<_>>()
    })
    .await?;
    let mut briefing = compose_briefing(&graph, &texts);
    briefing.fit_budget(request.budget);
    Ok(briefing)
}

fn is_readme(path: &str) -> bool {
    let stem = path.split('.').next().unwrap_or(path);
    stem.eq_ignore_ascii_case("readme")
}

fn compose_briefing(graph: &Graph, texts: &[(String, String)]) -> ProjectBriefing {
    let mut said = commands::ManifestCommands::default();
    let mut programs = Vec::new();
    let mut ordered: Vec<&(String, String)> = texts.iter().collect();
    // Manifests at the top describe the whole project, so their commands come first; those of documents and examples
    // say nothing about it.
    ordered.sort_by_key(|(path, _)| (path.matches('/').count(), path.clone()));
    let is_own = |path: &str| !is_aside(path) || commands::is_test_runner(path);
    if ordered.iter().any(|(path, _)| is_own(path) && commands::is_manifest(path)) {
        ordered.retain(|(path, _)| is_own(path) || is_readme(path));
    }
    for (path, text) in &ordered {
        let mut more = commands::parse_manifest(path, text, &|path| graph.find_file(path).is_some());
        // Members of a workspace repeat the commands of its root.
        more.commands.retain(|new| said.commands.iter().all(|known| known.command != new.command));
        said.commands.append(&mut more.commands);
        programs.push(NamedProgram { manifest: path, entries: more.entries, library: more.library });
    }
    said.commands.truncate(MOST_COMMANDS);
    let about = ordered.iter().find(|(path, _)| is_readme(path)).and_then(|(_, text)| first_words(text));
    ProjectBriefing {
        about,
        languages: language_shares(graph),
        entries: find_entry_points(graph, &programs, is_aside),
        central: list_central_files(graph),
        commands: said.commands,
        files: graph.file_nodes().count(),
        tests: graph.file_nodes().filter(|file| is_test_file(graph.path(*file))).count(),
        text: String::new(),
        tokens: TokenCount(0),
    }
}

fn language_shares(graph: &Graph) -> Vec<LanguageShare> {
    let mut shares: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for file in graph.file_nodes() {
        let share = shares.entry(graph.language(file).unwrap_or("text")).or_default();
        *share = (share.0 + 1, share.1 + u64::from(graph.lines(file).end));
    }
    let mut shares: Vec<LanguageShare> = shares
        .into_iter()
        .map(|(name, (files, lines))| LanguageShare { name: name.to_owned(), files, lines })
        .collect();
    // A newcomer asks what the project is written in; translations and data are often most of its lines.
    shares.sort_by_key(|share| (!syntax::is_central(&share.name), std::cmp::Reverse(share.lines), share.name.clone()));
    shares.truncate(MOST_LANGUAGES);
    shares
}

/// The files that most of the project depends on, without tests.
fn list_central_files(graph: &Graph) -> Vec<(String, Vec<String>)> {
    let ranks = page_ranks(graph);
    let mut files: Vec<NodeId> = graph
        .file_nodes()
        .filter(|file| graph.symbols_of(*file).len() > 0 && graph.language(*file).is_some())
        // A file that nothing links to has rank all the same, from the damping of the walk.
        .filter(|file| {
            !is_aside(graph.path(*file)) && graph.symbols_of(*file).any(|symbol| !graph.links_to(symbol).is_empty())
        })
        .collect();
    files.sort_by(|a, b| {
        ranks[b.file_number() as usize].total_cmp(&ranks[a.file_number() as usize]).then_with(|| a.cmp(b))
    });
    files.truncate(MOST_CENTRAL);
    let names = |file: NodeId| {
        let mut top: Vec<NodeId> = graph.member_nodes(file).collect();
        // A module around a whole file is often around all files, and does not distinguish them.
        while let [only] = top[..]
            && graph.kind(only) == Some(SymbolKind::Module)
            && graph.member_nodes(only).next().is_some()
        {
            top = graph.member_nodes(only).collect();
        }
        // The symbols that are used most say most about a file.
        top.sort_by_key(|node| (std::cmp::Reverse(graph.links_to(*node).len()), *node));
        top.iter().take(MOST_NAMES).map(|node| graph.name(*node).to_owned()).collect()
    };
    files.into_iter().map(|file| (graph.path(file).to_owned(), names(file))).collect()
}

/// Code that is not the project itself: tests, examples, documentation, copied code.
fn is_aside(path: &str) -> bool {
    is_test_file(path) || path.split('/').any(|part| AUXILIARY_DIRECTORIES.contains(&part))
}

/// The first paragraph of prose: no heading, badge, quotation or markup.
fn first_words(text: &str) -> Option<String> {
    let is_prose = |paragraph: &&str| {
        let start = paragraph.trim_start();
        start.starts_with(|c: char| c.is_alphanumeric() || "*_`".contains(c)) && start.split_whitespace().count() > 4
    };
    // A heading that is underlined begins like prose.
    let unruled =
        |paragraph: &&str| !paragraph.lines().any(|line| line.len() > 2 && line.chars().all(|c| "=-~^".contains(c)));
    let text = text.replace("\r\n", "\n");
    let paragraph = text.split("\n\n").filter(unruled).find(is_prose)?;
    let mut words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    truncate_text(&mut words, LONGEST_WORDS);
    Some(words)
}

impl ProjectBriefing {
    /// Renders the text, with less of everything until it fits.
    fn fit_budget(&mut self, budget: TokenCount) {
        loop {
            self.text = self.render_text();
            self.tokens = count_tokens(&self.text);
            if self.tokens.0 <= budget.0 || !self.shorten_once() {
                return;
            }
        }
    }

    /// Removes one entry from the longest list, or at last the paragraph of the README.
    fn shorten_once(&mut self) -> bool {
        let longest = [self.central.len(), self.commands.len(), self.entries.len(), self.languages.len()];
        match longest.iter().max() {
            Some(0) | None => self.about.take().is_some(),
            Some(most) if *most == self.central.len() => self.central.pop().is_some(),
            Some(most) if *most == self.commands.len() => self.commands.pop().is_some(),
            Some(most) if *most == self.entries.len() => self.entries.pop().is_some(),
            Some(_) => self.languages.pop().is_some(),
        }
    }

    fn render_text(&self) -> String {
        let mut text = String::new();
        let mut part = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                text.push_str(&format!("{title}:\n"));
                for line in lines {
                    text.push_str(&format!("  {}\n", show_name(&line)));
                }
            }
        };
        part("About", self.about.iter().cloned().collect());
        let share = |share: &LanguageShare| {
            let files = if share.files == 1 { "file" } else { "files" };
            format!("{} {} {files}, {} lines", share.name, share.files, share.lines)
        };
        part("Languages", self.languages.iter().map(share).collect());
        part("Starts at", self.entries.iter().map(|entry| format!("{} ({})", entry.id, entry.why)).collect());
        let file = |(path, names): &(String, Vec<String>)| format!("{path}: {}", names.join(", "));
        part("Leans on", self.central.iter().map(file).collect());
        let command = |command: &ProjectCommand| format!("{}  ({})", command.command, command.source);
        part("Build, test, run", self.commands.iter().map(command).collect());
        if self.tests > 0 {
            part("Tests", vec![format!("{} file{}", self.tests, if self.tests == 1 { "" } else { "s" })]);
        }
        text
    }
}
