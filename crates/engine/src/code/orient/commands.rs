//! Reads the build, test and run commands of a project from its manifests (`package.json`, `Makefile`, …) by the rules
//! in `manifests.toml`, for the briefing.

use std::sync::OnceLock;
use toml::Table;

/// A command that a file of the project names or implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectCommand {
    /// What to type.
    pub command: String,
    /// The file that names the command.
    pub source: String,
}

/// The commands of one manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ManifestCommands {
    pub(super) commands: Vec<ProjectCommand>,
    /// Names of programs it builds, with their places.
    pub(super) entries: Vec<(String, String)>,
    /// Where it may name the file that others import.
    pub(super) library: Vec<String>,
}

/// One entry of `manifests.toml`; keys are as there.
struct ManifestRule(Table);

impl ManifestRule {
    fn text_value(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(toml::Value::as_str)
    }

    /// Commands with a condition: the place in the file that must exist.
    fn conditional_commands(&self) -> impl Iterator<Item = (&str, &str)> {
        let when = self.0.get("when").and_then(toml::Value::as_table);
        when.into_iter().flatten().filter_map(|(pointer, command)| Some((pointer.as_str(), command.as_str()?)))
    }

    /// How a command of it is run; `exists` knows the files beside it and at the top.
    fn find_runner(&self, exists: &dyn Fn(&str) -> bool) -> String {
        let runner = self.text_value("runner").unwrap_or("{}");
        let others = self.0.get("runners").and_then(toml::Value::as_table).into_iter().flatten();
        let other = others.filter(|(file, _)| exists(file)).find_map(|(_, program)| program.as_str());
        match (other, runner.split_once(' ')) {
            (Some(program), Some((_, rest))) => format!("{program} {rest}"),
            _ => runner.to_owned(),
        }
    }

    fn matches_file(&self, name: &str) -> bool {
        let file = self.text_value("file").unwrap_or_default();
        match file.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == file,
        }
    }
}

/// How many scripts of one file are listed: a newcomer needs no more at first.
const MAX_LISTED_SCRIPTS: usize = 12;

/// Names that come first where there are more than are listed.
const PREFERRED_SCRIPT_NAMES: &[&str] =
    &["build", "test", "check", "lint", "start", "dev", "run", "all", "install", "fmt", "format"];

/// Whether a file may name commands.
pub(super) fn is_manifest(path: &str) -> bool {
    manifest_rules().iter().any(|manifest| manifest.matches_file(name_of(path)))
}

/// Whether a file is a program that runs the tests.
pub(super) fn is_test_runner(path: &str) -> bool {
    name_of(path) == "runtests.py"
}

/// The commands of a file; `exists` knows the files beside it.
pub(super) fn parse_manifest(path: &str, text: &str, exists: &dyn Fn(&str) -> bool) -> ManifestCommands {
    let beside = |name: &str| match path.rsplit_once('/') {
        Some((directory, _)) => exists(&format!("{directory}/{name}")),
        None => exists(name),
    };
    let fits = |manifest: &&ManifestRule| {
        // `./gradlew build` is a command only where the project has the wrapper beside its build file.
        manifest.matches_file(name_of(path)) && manifest.text_value("only_with").is_none_or(&beside)
    };
    let Some(manifest) = manifest_rules().iter().find(fits) else { return ManifestCommands::default() };
    let mut said = ManifestCommands::default();
    let mut add = |command: String| said.commands.push(ProjectCommand { command, source: path.to_owned() });
    for command in ["build", "test", "run"].into_iter().filter_map(|key| manifest.text_value(key)) {
        add(command.replace("{path}", path));
    }
    let value = parse_document(path, text);
    for (pointer, command) in manifest.conditional_commands() {
        if value.as_ref().is_some_and(|value| value.pointer(pointer).is_some()) {
            add(command.to_owned());
        }
    }
    let mut names = Vec::new();
    if let Some(scripts) =
        manifest.text_value("scripts").and_then(|pointer| value.as_ref()?.pointer(pointer)?.as_object())
    {
        names.extend(scripts.keys().cloned());
    }
    if manifest.0.contains_key("targets") {
        names.extend(parse_targets(text));
    }
    // A stable sort: names without priority keep their order.
    names.sort_by_key(|name| {
        PREFERRED_SCRIPT_NAMES.iter().position(|first| first == name).unwrap_or(PREFERRED_SCRIPT_NAMES.len())
    });
    let runner = manifest.find_runner(&|name| beside(name) || exists(name));
    names.iter().take(MAX_LISTED_SCRIPTS).for_each(|name| add(runner.replace("{}", name)));
    let entries = manifest.text_value("entries").and_then(|pointer| value.as_ref()?.pointer(pointer));
    match entries {
        Some(serde_json::Value::Object(entries)) => {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            said.entries.extend(entries.iter().map(|(name, place)| (name.clone(), text(place))));
        }
        Some(serde_json::Value::String(place)) => said.entries.push((String::new(), place.clone())),
        // Cargo lists programs one by one, each with its name and path.
        Some(serde_json::Value::Array(entries)) => {
            let text = |entry: &serde_json::Value, key: &str| entry.get(key)?.as_str().map(str::to_owned);
            said.entries.extend(entries.iter().filter_map(|entry| Some((text(entry, "name")?, text(entry, "path")?))));
        }
        _ => {}
    }
    let places = manifest.0.get("library").and_then(toml::Value::as_array).into_iter().flatten();
    let places = places.filter_map(|pointer| value.as_ref()?.pointer(pointer.as_str()?)?.as_str());
    said.library = places.map(str::to_owned).collect();
    said
}

fn manifest_rules() -> &'static [ManifestRule] {
    static ALL: OnceLock<Vec<ManifestRule>> = OnceLock::new();
    ALL.get_or_init(|| {
        let data: Table = include_str!("manifests.toml").parse().expect("a test reads it");
        let entries = data.get("manifest").and_then(toml::Value::as_array).expect("it is a list");
        entries.iter().filter_map(|entry| entry.as_table().cloned().map(ManifestRule)).collect()
    })
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// JSON or TOML, by the file's name; `None` for another format or a broken file.
fn parse_document(path: &str, text: &str) -> Option<serde_json::Value> {
    match path.rsplit_once('.')?.1 {
        "json" => serde_json::from_str(text).ok(),
        "toml" => toml::from_str(text).ok(),
        _ => None,
    }
}

/// Names at the start of lines before a colon that assigns nothing: targets of a Makefile.
fn parse_targets(text: &str) -> Vec<String> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
    };
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let name = name.split_whitespace().next()?;
        // `NAME := value` is an assignment, and an indented line belongs to a recipe.
        (!line.starts_with(char::is_whitespace) && !rest.starts_with('=') && is_name(name)).then(|| name.to_owned())
    };
    let mut names: Vec<String> = Vec::new();
    for name in text.lines().filter_map(target) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(path: &str, text: &str, expected: &Expect) {
        let said = parse_manifest(path, text, &|path| path == "app/gradlew");
        let commands: Vec<&str> = said.commands.iter().map(|command| command.command.as_str()).collect();
        expected.assert_eq(&format!("{commands:?} {:?}", said.entries));
    }

    #[test]
    fn files_of_a_build_say_how() {
        check(
            "web/package.json",
            r#"{"scripts": {"prepare": "x", "test": "jest", "build": "tsc"}, "bin": {"tool": "bin/tool.js"}}"#,
            &expect![[r#"["npm run build", "npm run test", "npm run prepare"] [("tool", "bin/tool.js")]"#]],
        );
        check(
            "pyproject.toml",
            "[project.scripts]\nserve = 'shop.main:run'\n[tool.pytest.ini_options]\n",
            &expect![[r#"["pytest"] [("serve", "shop.main:run")]"#]],
        );
        check(
            "Makefile",
            "CC := gcc\n.PHONY: all\nall: build\nbuild test: x\n\techo a: b\nclean:\n",
            &expect![[r#"["make build", "make all", "make clean"] []"#]],
        );
        check("app/build.gradle", "", &expect![[r#"["./gradlew build", "./gradlew test"] []"#]]);
        check("build.gradle", "", &expect![[r#"["gradle build", "gradle test"] []"#]]);
        check(
            "Cargo.toml",
            "[[bin]]\nname = 'rg'\npath = 'crates/core/main.rs'\n[[bin]]\nname = 'other'\n",
            &expect![[r#"["cargo build", "cargo test"] [("rg", "crates/core/main.rs")]"#]],
        );
        check("tests/runtests.py", "", &expect![[r#"["python tests/runtests.py"] []"#]]);
        let said = parse_manifest(
            "packages/a/package.json",
            r#"{"scripts": {"test": "x"}, "main": "dist/a.js", "exports": {".": {"import": "./src/a.ts"}}}"#,
            &|path| path == "pnpm-lock.yaml",
        );
        assert_eq!(
            (said.commands[0].command.as_str(), said.library.join(" ").as_str()),
            ("pnpm run test", "./src/a.ts dist/a.js")
        );
        check("package.json", "{broken", &expect!["[] []"]);
        assert!(is_manifest("a/b.sln") && !is_manifest("a/b.rs"));
    }
}
