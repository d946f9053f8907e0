//! What the guides show is what the program prints: every `sh` block of one `epitome` line is run in the example, and
//! the `text` block after it is compared. `UPDATE_EXPECT=1` writes what was printed instead.

use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/epitome is two levels down").to_owned()
}

#[test]
fn the_outputs_in_the_guides_are_what_the_commands_print() {
    let guides = fs_err::read_dir(repository().join("docs/guides")).expect("the guides");
    let mut checked = 0;
    for guide in guides {
        let path = guide.expect("an entry").path();
        let text = fs_err::read_to_string(&path).expect("a guide");
        let (fresh, commands) = refreshed(&text);
        checked += commands;
        #[expect(clippy::disallowed_methods, reason = "the switch that expect-test has, for the same purpose")]
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs_err::write(&path, fresh).expect("a guide can be written");
        } else {
            assert_eq!(text, fresh, "{}: UPDATE_EXPECT=1 writes it anew", path.display());
        }
    }
    assert!(checked > 5, "only {checked} commands found in the guides");
}

#[test]
fn the_versions_in_the_guide_are_those_that_are_tried() {
    let guide = fs_err::read_to_string(repository().join("docs/guides/hosts.md")).expect("the guide");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows: Vec<(&str, &str)> = rows.collect();
    for connector in agents::CONNECTORS {
        let Some(tried) = connector.tried() else { continue };
        let row = rows.iter().find(|(title, _)| *title == connector.title).expect(connector.title);
        assert_eq!(row.1.split(" | ").next(), Some(tried.version.to_string().as_str()), "{}", connector.title);
    }
}

/// The guide with the outputs as they are now, and how many there are.
fn refreshed(guide: &str) -> (String, usize) {
    let home = tempfile::tempdir().expect("a temporary directory");
    let mut fresh = String::new();
    let mut rest = guide;
    let mut commands = 0;
    while let Some((before, after)) = rest.split_once("```sh\nepitome ") {
        let (line, after) = after.split_once("\n```\n\n").expect("a block of output after a command");
        let (fence, after) = after.split_once("text\n").expect("a block of output after a command");
        assert!(fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`'), "no block of output after `{line}`");
        let (_, after) = after.split_once(&format!("\n{fence}\n")).expect("the end of the output");
        let printed = run(home.path(), line);
        // Longer than any fence in the output, which would end the block.
        let longest = printed.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        fresh.push_str(&format!("{before}```sh\nepitome {line}\n```\n\n{fence}text\n{printed}{fence}\n"));
        rest = after;
        commands += 1;
    }
    fresh.push_str(rest);
    (fresh, commands)
}

fn run(home: &Path, line: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_epitome"))
        .args(words(line))
        .args(["--project", "examples/shop"])
        .current_dir(repository())
        .env_clear()
        .env("EPITOME_HOME", home)
        .output()
        .expect("the binary starts");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let printed = printed.replace(&repository().display().to_string(), "~/epitome");
    // Times differ from run to run.
    let lines = printed.lines().map(|line| match line.split_once(' ') {
        Some(("took", _)) => "took …",
        Some(("day", rest)) if rest.ends_with("(UTC)") => "day            … (UTC)",
        _ => line,
    });
    // The day on which a memory was seen is today, and its id holds that of the project.
    let without_day = |line: &str| match line.split_once("last seen ") {
        Some((before, _)) => format!("{before}last seen …\n"),
        None => format!("{line}\n"),
    };
    let without_id = |line: String| match line.split_once("mem_") {
        Some((before, after)) => format!("{before}mem_…{}", after.get(16..).unwrap_or_default()),
        None => line,
    };
    lines.map(without_day).map(without_id).collect()
}

/// The words of a command, as a shell would part them; quotes hold some together.
fn words(line: &str) -> Vec<String> {
    // In single quotes a shell leaves backticks alone.
    let quote = if line.contains(" '") { '\'' } else { '"' };
    let pieces = line.split(quote).enumerate();
    let parted = pieces.flat_map(|(number, piece)| match number % 2 {
        0 => piece.split_whitespace().map(str::to_owned).collect(),
        _ => vec![piece.to_owned()],
    });
    parted.collect()
}
