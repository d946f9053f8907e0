//! Benchmark of the tests that `epitome impact --diff` names: the source part of real commits is applied on their
//! parents, and the test files that these commits changed are looked for among the named ones. The bare repositories lie
//! below `BENCH_MIRROR` (`owner+name/repo`). A test file that changed is a proxy for the right test: a commit rarely
//! changes every test that concerns it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use toml::Table;

use super::{BenchSetup, round_thousandths, workload_number};
use crate::process::{command_in, read_output};

/// Commits of more files are renames and formatting.
const LARGEST_COMMIT: usize = 30;

/// How far back commits are looked for.
const MOST_COMMITS: &str = "--max-count=3000";

/// A commit that changes source and tests.
struct TestedCommit {
    id: String,
    sources: Vec<String>,
    tests: Vec<String>,
}

/// What was named for the commits of one repository.
#[derive(Default)]
struct NamedTests {
    commits: usize,
    recall: f64,
    files: usize,
    first_three: f64,
    /// Commits for which no test was named at all.
    without: usize,
}

pub(crate) fn run(bench: &BenchSetup, workload: &Table) -> Result<Value> {
    let mirror = PathBuf::from(std::env::var_os("BENCH_MIRROR").context("BENCH_MIRROR names no folder")?);
    let commits = workload_number(workload, "commits")?;
    let mut results = serde_json::Map::new();
    for (role, names) in workload.get("repositories").and_then(toml::Value::as_table).context("`repositories`")? {
        for name in names.as_array().into_iter().flatten().filter_map(toml::Value::as_str) {
            let bare = mirror.join(name).join("repo");
            // A repository that is not there is told, so that a smaller set does not look like a better score.
            let measured = if bare.is_dir() { measure_repository(bench, &bare, name, commits)? } else { Value::Null };
            println!("{role} {name}: {measured}");
            results.insert(name.to_owned(), json!({ "role": role, "results": measured }));
        }
    }
    Ok(Value::Object(results))
}

fn measure_repository(bench: &BenchSetup, bare: &Path, name: &str, most: usize) -> Result<Value> {
    let tree = bench.scratch.join("trees").join(name);
    fs_err::create_dir_all(&tree)?;
    let from = bare.display().to_string();
    git(&tree, &["clone", "--quiet", "--no-checkout", &from, "."])?;
    let (mut named, mut by_name) = (NamedTests::default(), NamedTests::default());
    for commit in tested_commits(bare, most)? {
        apply_sources(&tree, &commit)?;
        let mut command = command_in(&tree, &bench.binary, &["impact", "--diff", "--json"]);
        command.env("EPITOME_HOME", bench.scratch.join("home"));
        let reply: Value = serde_json::from_str(&read_output(command)?)?;
        let path = |test: &Value| test["path"].as_str().map(str::to_owned);
        let found: Vec<String> = reply["tests"].as_array().into_iter().flatten().filter_map(path).collect();
        named.count(&commit.tests, &found);
        by_name.count(&commit.tests, &same_stems(&tree, &commit.sources)?);
    }
    ensure!(named.commits > 0, "{name} has no commit that changes source and tests");
    Ok(json!({ "impact": named.to_json(), "same_file_name": by_name.to_json() }))
}

impl NamedTests {
    fn count(&mut self, wanted: &[String], found: &[String]) {
        let share =
            |found: &[String]| wanted.iter().filter(|test| found.contains(test)).count() as f64 / wanted.len() as f64;
        self.commits += 1;
        self.recall += share(found);
        self.first_three += share(&found[..found.len().min(3)]);
        self.files += found.len();
        self.without += usize::from(found.is_empty());
    }

    fn to_json(&self) -> Value {
        let mean = |sum: f64| round_thousandths(sum / self.commits as f64);
        json!({
            "commits": self.commits, "recall": mean(self.recall), "files_named": mean(self.files as f64),
            "recall_in_first_3": mean(self.first_three), "commits_without_a_test": self.without,
        })
    }
}

/// The newest commits that modify source files and test files that were there before.
fn tested_commits(bare: &Path, most: usize) -> Result<Vec<TestedCommit>> {
    let mut found = Vec::new();
    for id in git(bare, &["rev-list", "--no-merges", MOST_COMMITS, "HEAD"])?.lines() {
        if found.len() == most {
            break;
        }
        let changed = git(bare, &["diff-tree", "-r", "--no-commit-id", "--no-renames", "--name-status", id])?;
        let files: Vec<(&str, &str)> =
            changed.lines().filter_map(|line| line.split_once('\t')).filter(|(_, path)| is_code(path)).collect();
        let chosen = |is_wanted: &dyn Fn(&str, &str) -> bool| -> Vec<String> {
            files.iter().filter(|(how, path)| is_wanted(how, path)).map(|(_, path)| (*path).to_owned()).collect()
        };
        let tests = chosen(&|how, path| how == "M" && is_test(path));
        let sources = chosen(&|_, path| !is_test(path));
        let modifies = files.iter().any(|(how, path)| *how == "M" && !is_test(path));
        if modifies && !tests.is_empty() && changed.lines().count() <= LARGEST_COMMIT {
            found.push(TestedCommit { id: id.to_owned(), sources, tests });
        }
    }
    Ok(found)
}

/// Checks out the parent of a commit, with the source files of the commit.
fn apply_sources(tree: &Path, commit: &TestedCommit) -> Result<()> {
    git(tree, &["reset", "--quiet", "--hard"])?;
    git(tree, &["clean", "-fdq"])?;
    git(tree, &["checkout", "--quiet", "--detach", &format!("{}^", commit.id)])?;
    for path in &commit.sources {
        let file = tree.join(path);
        let content = command_in(tree, "git", &["show", &format!("{}:{path}", commit.id)]).output()?;
        if content.status.success() {
            fs_err::create_dir_all(file.parent().context("a file in a folder")?)?;
            fs_err::write(file, content.stdout)?;
        } else if file.exists() {
            fs_err::remove_file(file)?;
        }
    }
    Ok(())
}

/// The baseline: tests with the name of a source file.
fn same_stems(tree: &Path, sources: &[String]) -> Result<Vec<String>> {
    let stems: Vec<String> = sources.iter().map(|path| plain_stem(path)).collect();
    let listed = git(tree, &["ls-files"])?;
    let tests = listed.lines().filter(|path| is_code(path) && is_test(path));
    Ok(tests.filter(|path| stems.contains(&plain_stem(path))).map(str::to_owned).collect())
}

fn plain_stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    stem.trim_start_matches("test_").trim_end_matches("_test").to_lowercase()
}

fn is_code(path: &str) -> bool {
    let extensions = ["py", "ts", "tsx", "js", "jsx", "mts", "mjs", "cjs", "go", "rs", "java", "cs", "rb", "php", "kt"];
    path.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension))
}

fn is_test(path: &str) -> bool {
    let folders = ["test", "tests", "spec", "specs", "__tests__", "testing", "e2e", "integration_tests"];
    let (above, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    above.split('/').any(|name| folders.contains(&name))
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || (stem.len() > 4 && ["Test", "Tests", "Spec"].iter().any(|end| stem.ends_with(end)))
        || file.contains(".test.")
        || file.contains(".spec.")
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    read_output(command_in(folder, "git", arguments))
}
