//! Examples for the `--help` of commands that are no operations. Operations have theirs with their other help; these
//! stand together, so that a person who writes one sees the others.

/// Each command with how it is called, and what for.
const COMMAND_EXAMPLES: &[(&str, &str)] = &[
    (
        "init",
        "  epitome init --dry-run                 what would be written, and where
  epitome init --agent claude-code --yes",
    ),
    ("disconnect", "  epitome disconnect --dry-run\n  epitome disconnect --agent codex"),
    (
        "doctor",
        "  epitome doctor
  epitome doctor --fix                   mend what can be mended
  epitome doctor --online                ask each provider whether it answers",
    ),
    ("git-hooks", "  epitome git-hooks install\n  epitome git-hooks status"),
    (
        "config",
        "  epitome config list
  epitome config get context.budget
  epitome config set memory.archive_days 60",
    ),
    (
        "completions",
        "  epitome completions bash > ~/.local/share/bash-completion/completions/epitome
  epitome completions zsh > ~/.zfunc/_epitome",
    ),
    ("upgrade", "  epitome upgrade\n  epitome upgrade --json"),
    ("man", "  epitome man > ~/.local/share/man/man1/epitome.1"),
    ("reference", "  epitome reference\n  epitome reference --check"),
    ("export", "  epitome export latest > session.jsonl\n  epitome export a6a3f1b2"),
    (
        "mcp",
        "  epitome mcp                            what an agent starts; `epitome init` writes this for you
  epitome mcp --profile lcm --subagents-only",
    ),
    (
        "serve",
        "  epitome serve --address 127.0.0.1:0    any free port
  epitome serve token                    the token that requests carry",
    ),
    ("watch", "  epitome watch\n  epitome watch --json                   one line for each update"),
    ("daemon", "  epitome daemon status\n  epitome daemon stop"),
    ("hook", "  echo '{\"session_id\":\"s\",\"prompt\":\"hi\"}' | epitome hook UserPromptSubmit --agent claude-code"),
    ("drain", "  epitome drain"),
    (
        "sensitive",
        "  epitome sensitive list
  epitome sensitive add badge 'EMP-[0-9]{6}'
  epitome sensitive test < notes.txt     what would be replaced
  epitome sensitive scan",
    ),
    ("backup", "  epitome backup create ~/epitome.backup\n  epitome backup load ~/epitome.backup"),
    (
        "database",
        "  epitome database init postgres://owner@db/epitome
  epitome database tenant \"$URL\" team-a",
    ),
    ("salvage", "  epitome salvage --out ~/salvaged"),
];

/// A command with its examples behind its options.
pub(super) fn add_examples(command: clap::Command) -> clap::Command {
    let known = COMMAND_EXAMPLES.iter().find(|(name, _)| *name == command.get_name());
    let Some((_, examples)) = known else { return command };
    let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    command.after_help(format!("{before}Examples:\n{examples}"))
}

#[cfg(test)]
mod tests {
    use crate::cli::command_tree::root_command;

    #[test]
    fn the_help_of_every_command_has_an_example_that_it_takes() {
        let root = root_command();
        for command in root.get_subcommands() {
            let help = command.clone().render_long_help().to_string();
            let shown = help.rsplit("\nExample").next().filter(|shown| shown.len() < help.len());
            let examples: Vec<&str> =
                shown.unwrap_or_default().lines().filter(|line| line.contains("epitome ")).collect();
            let of_command = format!("epitome {}", command.get_name());
            assert!(examples.iter().any(|line| line.contains(&of_command)), "{}: {help}", command.get_name());
        }
    }
}
