//! Tidy rule: no published file contains a path of a developer's machine, such as a home directory.

use super::super::TidyFinding;
use super::super::tree::SourceTree;
use super::super::words;

// Written in two pieces, so that this file is not its own first finding.
const HOME: &str = concat!("/ho", "me/");
const FOLDERS: [&str; 2] = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// Made-up user names, allowed in examples.
const EXAMPLE_USER_NAMES: [&str; 6] = ["ada", "alice", "bob", "dev", "me", "user"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for source in tree.sources() {
        for (index, line) in source.text.lines().enumerate() {
            if let Some(path) = machine_path(line) {
                findings.push(source.build_finding(
                    index + 1,
                    format!("path `{path}`"),
                    "it exists on one machine only, and tells whose",
                    "use a relative path, a temporary folder, or the home of `user` in an example",
                ));
            }
        }
    }
    findings
}

fn machine_path(line: &str) -> Option<String> {
    let folder = FOLDERS.into_iter().find(|folder| line.match_indices(folder).any(|(at, _)| starts_path(line, at)));
    folder.map(str::to_owned).or_else(|| {
        let homes = line.match_indices(HOME).filter(|(at, _)| starts_path(line, *at));
        homes.map(|(at, _)| &line[at + HOME.len()..]).find_map(|rest| {
            let (name, _) = rest.split_once('/')?;
            // A home without a name, as in a pattern, belongs to no developer.
            let is_somebody = !name.is_empty() && name.chars().all(|c| words::is_word(c) || c == '-' || c == '.');
            (is_somebody && !EXAMPLE_USER_NAMES.contains(&name)).then(|| format!("{HOME}{name}/"))
        })
    })
}

/// Not the middle of a longer path, a URL or a variable's tail.
fn starts_path(line: &str, at: usize) -> bool {
    let before = line[..at].chars().next_back();
    !before.is_some_and(|c| words::is_word(c) || ['.', '~', '}', '-', '*'].contains(&c))
}

#[cfg(test)]
mod tests {
    use super::super::sample::accepts;
    use super::*;

    #[test]
    fn paths_of_a_machine_are_found() {
        let text = format!("cd {}main\n\"{HOME}jane/src\"\nfile://{}x", FOLDERS[0], FOLDERS[1]);
        let found: Vec<(usize, String)> = check(&SourceTree::of(&[("README.md", &text)]))
            .into_iter()
            .map(|finding| (finding.line, finding.what))
            .collect();
        let expected = [FOLDERS[0].to_owned(), format!("{HOME}jane/"), FOLDERS[1].to_owned()];
        assert_eq!(found, [1, 2, 3].into_iter().zip(expected.map(|path| format!("path `{path}`"))).collect::<Vec<_>>());
    }

    #[test]
    fn examples_and_longer_paths_pass() {
        let text = format!("{HOME}user/project\nsrc{}a\n$HOME{HOME}\n~{}b\n", FOLDERS[0], FOLDERS[0]);
        accepts(check, &[("docs/guide.md", &text)]);
    }
}
