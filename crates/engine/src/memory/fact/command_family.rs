//! Classifies shell commands by program and subcommand: whether two commands are runs of the same thing, whether one
//! builds, tests or checks the project, and whether one changes the machine (installs, configures, starts something).

/// Words in front of the program that say how to run it.
const LAUNCHERS: &str = "\
        sudo npx time env nice timeout xvfb-run bunx command";
/// Programs that run another one named behind a word: `uv run pytest`.
const RUNNERS: &[&str] =
    &["uv run", "poetry run", "pipenv run", "bundle exec", "pnpm exec", "npm exec", "python -m", "python3 -m"];
/// Programs whose next word says what they do.
const WITH_SUBCOMMAND: &str = "\
        apt apt-get brew bun cargo composer conda deno docker dotnet gem git go gradle gradlew helm just \
        kubectl make mvn node npm php pip pip3 pnpm poetry python python3 rails ruby rustup systemctl \
        terraform uv yarn";

/// The program of a command and what it is told to do, without paths, options and what only launches it.
fn command_family(command: &str) -> (String, Option<String>) {
    let mut words = command
        .split_whitespace()
        .skip_while(|word| has_word(LAUNCHERS, word) || is_assignment(word) || word.chars().all(|c| c.is_ascii_digit()))
        .peekable();
    let mut program = base_name(words.next().unwrap_or_default());
    let launch = words.peek().copied().unwrap_or_default();
    // `uv run pytest` and `pytest` are runs of the same thing, so the runner is passed over like a launcher.
    if RUNNERS.iter().any(|runner| runner.split_once(' ') == Some((program, launch))) {
        words.next();
        program = base_name(words.next().unwrap_or_default());
    }
    // Options before a subcommand (`git -C dir push`, `cargo +nightly test`) say how and not what.
    let mut plain = words.filter(|word| !word.starts_with('-') && !word.starts_with('+'));
    let task = has_word(WITH_SUBCOMMAND, program).then(|| plain.next()).flatten();
    // `npm run build`: the task is the name of the script, `run` is said for all of them.
    let task = if task == Some("run") { plain.next() } else { task };
    (program.to_owned(), task.map(str::to_owned))
}

/// Whether a list of words, separated by spaces, has a word.
fn has_word(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
    })
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether two commands run the same thing, perhaps with other options or on other files.
pub(super) fn is_same_family(one: &str, other: &str) -> bool {
    one == other || command_family(one) == command_family(other)
}

/// Whether a command builds, tests or checks the project.
pub(crate) fn is_check(command: &str) -> bool {
    const PROGRAMS: &str = "\
        ava bats cmake ctest cypress eslint flake8 gcc golangci-lint gradle gradlew jest make mocha mvn mypy \
        nextest ninja nox phpstan phpunit playwright pyright pytest rspec rubocop ruff rustc shellcheck \
        stylelint swiftlint tox tsc unittest vitest";
    const TASKS: &str = "\
        bench build check ci clippy compile doc fmt lint nextest test tests tsc type-check typecheck types \
        validate verify vet";
    let (program, task) = command_family(command);
    // Scripts are named `test:unit` or `build-all`, where the first word says what they do.
    let is_task = |task: &str| has_word(TASKS, task.split([':', '-']).next().unwrap_or(task)) || has_word(TASKS, task);
    has_word(PROGRAMS, program.as_str()) || task.as_deref().is_some_and(is_task)
}

/// Whether a command changes the machine or its settings: installs, configures, starts something.
pub(super) fn changes_environment(command: &str) -> bool {
    const PROGRAMS: &str = "\
        chmod chown createdb export ln mkdir nvm systemctl ufw usermod";
    const TASKS: &str = "\
        add ci config compose enable install link migrate pull reload remove restart start stop sync target \
        tidy toolchain uninstall update upgrade up";
    const INSTALLERS: &str = "\
        apt apt-get brew bun cargo composer conda docker gem go npm pip pip3 pnpm poetry rustup systemctl uv \
        yarn";
    let (program, task) = command_family(command);
    let task = task.as_deref().unwrap_or_default();
    has_word(PROGRAMS, program.as_str())
        || (has_word(INSTALLERS, program.as_str()) && has_word(TASKS, task))
        || (program == "git" && matches!(task, "config" | "checkout" | "reset" | "stash" | "submodule" | "remote"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_thing_are_one_family() {
        let same = [
            ("cargo test", "cargo test --workspace -p store"),
            ("npm run build", "npm run build -- --watch"),
            ("uv run pytest tests/a.py", "pytest"),
            ("CI=1 npx vitest run", "vitest"),
            ("python -m pytest -q", "./venv/bin/pytest tests"),
        ];
        for (one, other) in same {
            assert!(is_same_family(one, other), "{one} | {other}");
        }
        for (one, other) in [("cargo test", "cargo build"), ("npm run build", "npm run test"), ("git push", "git pull")]
        {
            assert!(!is_same_family(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn checks_and_changes_of_the_machine_are_told_apart() {
        for check in ["cargo clippy --all", "npm test", "npm run test:unit", "make", "uv run pytest", "go vet ./..."] {
            assert!(is_check(check), "{check}");
        }
        for other in ["curl localhost", "git push", "python serve.py", "rm -rf x"] {
            assert!(!is_check(other), "{other}");
        }
        for change in ["sudo apt-get install -y jq", "git config user.name x", "pip install flask", "chmod +x a.sh"] {
            assert!(changes_environment(change), "{change}");
        }
        for other in ["cargo test", "git commit -m x", "cat a"] {
            assert!(!changes_environment(other), "{other}");
        }
    }
}
