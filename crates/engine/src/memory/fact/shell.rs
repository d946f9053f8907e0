//! Analyses a shell command without running it: its normalized form, whether it is read-only, and the files it writes
//! or removes. Also parses the file names of patches.
//!
//! No shell grammar is implemented: the forms that agents write day by day are read, and anything else is left alone.

use super::action::{FileAccess, FileTouch};

/// The command by which runs of the same thing are known as such: without the directory it starts from, what is done to
/// its output, and the form of its blanks.
pub(crate) fn command_key(command: &str) -> String {
    let mut line = command.trim();
    // `cd there && the command`
    while let Some(rest) = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        line = rest.1.trim_start();
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let end =
        words.iter().position(|word| *word == "|" || word.starts_with("2>") || *word == "&>").unwrap_or(words.len());
    let mut key = words[..end].join(" ");
    if key.is_empty() {
        key = words.join(" ");
    }
    key
}

/// Programs that only look.
const READ_ONLY_PROGRAMS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "rg", "find", "wc", "pwd", "echo", "which", "tree", "file", "stat", "du",
    "df", "less", "env", "date", "whoami", "sleep", "jq", "awk", "sort", "uniq", "diff", "nl", "type", "printf",
    "true", "cd", "export", "fd", "bat", "test", "ps", "uname", "id", "basename", "dirname", "realpath", "readlink",
    "column", "tr", "cut",
];
const GIT_LOOKS: &[&str] = &["status", "log", "diff", "show", "branch", "blame", "rev-parse", "ls-files", "remote"];

/// Whether a command changes nothing and proves nothing.
pub(crate) fn is_read_only(command: &str) -> bool {
    // A redirection writes, whatever the program does.
    !command.contains('>')
        && command.split(['|', ';', '\n']).flat_map(|piece| piece.split("&&")).all(|piece| {
            let mut words = piece.split_whitespace();
            match words.next() {
                None => true,
                Some("git") => words.next().is_some_and(|word| GIT_LOOKS.contains(&word)),
                Some("sed") => !piece.contains(" -i"),
                Some(program) => READ_ONLY_PROGRAMS.contains(&program.rsplit('/').next().unwrap_or(program)),
            }
        })
}

/// The files that a command writes or removes, as far as it names them.
pub(crate) fn find_touches(command: &str) -> Vec<FileTouch> {
    if command.contains("*** Begin Patch") {
        return parse_patch(command);
    }
    let mut touched = Vec::new();
    // Lines below a heredoc are content, not commands: `rm` in a script that is written removes nothing.
    let lines = command.lines().take(if command.contains("<<") { 1 } else { 200 });
    for piece in lines.flat_map(|line| line.split(['|', ';'])).flat_map(|piece| piece.split("&&")) {
        find_piece_touches(piece, &mut touched);
    }
    touched
}

fn find_piece_touches(piece: &str, touched: &mut Vec<FileTouch>) {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let mut add = |word: &str, how| {
        let path = word.trim_matches(['"', '\'']);
        if is_path(path) {
            touched.push(FileTouch { path: path.to_owned(), how });
        }
    };
    for pair in words.windows(2) {
        if matches!(pair[0], ">" | ">>" | "1>") {
            add(pair[1], FileAccess::Write);
        }
    }
    for word in &words {
        if let Some(path) = word.strip_prefix(">>").or_else(|| word.strip_prefix('>')) {
            add(path, FileAccess::Write);
        }
    }
    let words = if words.first() == Some(&"git") { &words[1..] } else { &words[..] };
    let Some((program, rest)) = words.split_first() else { return };
    let named = || rest.iter().take_while(|word| !word.contains('>')).filter(|word| !word.starts_with('-'));
    match *program {
        "rm" => named().for_each(|path| add(path, FileAccess::Delete)),
        "touch" | "tee" => named().for_each(|path| add(path, FileAccess::Write)),
        "mv" => {
            let paths: Vec<_> = named().collect();
            // With more than two paths the last one is a directory, and the new names are not written out.
            if let [from, to] = paths.as_slice() {
                add(from, FileAccess::Delete);
                add(to, FileAccess::Write);
            }
        }
        "sed" if rest.iter().any(|word| word.starts_with("-i")) => {
            if let Some(path) = named().last() {
                add(path, FileAccess::Edit);
            }
        }
        _ => {}
    }
}

fn is_path(text: &str) -> bool {
    let known = |c: char| c.is_alphanumeric() || "/._-+@~".contains(c);
    let named = text.contains('/') || text.contains('.');
    named
        && text.len() < 300
        // `> /dev/null` writes no file.
        && !text.starts_with("/dev/")
        && text.chars().all(known)
        && text.chars().any(char::is_alphanumeric)
}

/// The files of a patch in the form that several agents use (`*** Update File: a.rs`), or of a unified one.
pub(crate) fn parse_patch(patch: &str) -> Vec<FileTouch> {
    let mut touched: Vec<FileTouch> = Vec::new();
    for line in patch.lines() {
        let found = [
            ("*** Add File: ", FileAccess::Write),
            ("*** Update File: ", FileAccess::Edit),
            ("*** Delete File: ", FileAccess::Delete),
            ("*** Move to: ", FileAccess::Write),
            ("+++ b/", FileAccess::Edit),
        ]
        .into_iter()
        .find_map(|(mark, how)| Some(FileTouch { path: line.strip_prefix(mark)?.trim().to_owned(), how }));
        touched.extend(found);
    }
    touched
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_thing_have_one_key() {
        for same in ["cargo test", "cd /w && cargo test", "cargo  test 2>&1 | tail -20", "cargo test | head"] {
            assert_eq!(command_key(same), "cargo test", "{same}");
        }
        assert_eq!(command_key("2>/dev/null ls"), "2>/dev/null ls");
    }

    #[test]
    fn looking_is_told_from_doing() {
        for look in ["ls -la && cat a.rs | head -5", "git log --oneline", "sed -n 1,5p a.rs", "rg foo src; wc -l x"] {
            assert!(is_read_only(look), "{look}");
        }
        for act in ["cargo test", "git commit -m x", "sed -i s/a/b/ x.rs", "cat > a.txt", "ls && make"] {
            assert!(!is_read_only(act), "{act}");
        }
    }

    #[test]
    fn files_that_a_command_names_are_found() {
        let found = |command: &str| {
            find_touches(command).into_iter().map(|touch| format!("{:?} {}", touch.how, touch.path)).collect::<Vec<_>>()
        };
        assert_eq!(found("rm -rf target/x.d a.txt"), ["Delete target/x.d", "Delete a.txt"]);
        assert_eq!(found("git mv src/a.rs src/b.rs"), ["Delete src/a.rs", "Write src/b.rs"]);
        assert_eq!(found("sed -i 's/a/b/' src/a.rs && cargo fmt"), ["Edit src/a.rs"]);
        assert_eq!(found("cat > notes.md <<'EOF'\nrm everything.txt\nEOF"), ["Write notes.md"]);
        assert_eq!(found("make >build.log 2>/dev/null"), ["Write build.log"]);
        assert_eq!(found("grep -rn foo src"), Vec::<String>::new());
    }
}
