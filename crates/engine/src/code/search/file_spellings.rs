//! An index of files by the ways a question may write them: by file name, or by the end of the path.
//!
//! Files are looked up by these keys instead of being compared one by one, so that the cost depends on the question and
//! not on the number of files.

use super::key_index::KeyIndex;
use super::question::{CodeQuestion, name_key, split_words};

#[derive(Clone, Default)]
pub(super) struct FileSpellings {
    /// Files by what they are called.
    pub(super) called: KeyIndex,
    /// Files by the key of their name, and by that of the last step of their path.
    pub(super) ends: KeyIndex,
}

impl FileSpellings {
    /// Adds a file that is called by some keys.
    pub(super) fn add_file(&mut self, file: u32, path: &str, keys: &[String]) {
        for key in keys {
            self.called.add_number(key, file);
        }
        let own = name_key(file_name(path));
        let last = path_steps(path).pop().unwrap_or_default();
        // They are equal where a name has no extension (`Makefile`), which would make the file a candidate twice.
        if last != own {
            self.ends.add_number(&last, file);
        }
        self.ends.add_number(&own, file);
    }

    /// Turns everything into the shared base.
    pub(super) fn freeze_base(&mut self) {
        self.called.freeze_base();
        self.ends.freeze_base();
    }

    /// Files that are called by a key.
    pub(super) fn files_with_key(&self, key: &str) -> impl Iterator<Item = u32> {
        self.called.numbers_of(key)
    }

    /// Files whose path the question may spell: they end as something in it does.
    pub(super) fn files_with_ending(&self, question: &CodeQuestion) -> impl Iterator<Item = u32> {
        let ends = question.joined_names.iter().flat_map(|joined_name| {
            // The first word of a joined name is never the second of two steps.
            let steps = split_words(joined_name).map(name_key).skip(1);
            steps.chain([name_key(last_step(joined_name))])
        });
        ends.flat_map(|end| self.ends.numbers_of(&end).collect::<Vec<_>>())
    }
}

impl CodeQuestion {
    /// Whether it has a file's name with its extension, or the last two steps of its path.
    pub(super) fn spells_path(&self, path: &str) -> bool {
        let name = file_name(path);
        let steps = path_steps(path);
        self.joined_names.iter().any(|joined_name| {
            let parts: Vec<String> = split_words(joined_name).map(name_key).collect();
            let spells_steps = steps.len() >= 2
                && parts.windows(2).any(|pair| pair[0] == steps[steps.len() - 2] && pair[1] == steps[steps.len() - 1]);
            // `Makefile` alone has no extension and is a word like any other.
            (last_step(joined_name) == name && name.contains('.')) || spells_steps
        })
    }
}

/// The end of a joined name, without the line that may stand behind it.
fn last_step(joined_name: &str) -> &str {
    let last = joined_name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Keys of the steps of a path, without the extension and without a last step that says nothing.
fn path_steps(path: &str) -> Vec<String> {
    let bare = path.rsplit_once('.').map_or(path, |(bare, _)| bare);
    let mut steps: Vec<String> = bare.split('/').map(name_key).collect();
    // `http/mod.rs` is spelled `http`, or `net::http`, in a question.
    if steps.len() > 1 && steps.last().is_some_and(|last| ["init", "index", "mod"].contains(&last.as_str())) {
        steps.pop();
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_spells_is_among_what_it_is_found_by() {
        let paths =
            ["src/http/mod.rs", "src/http/client.rs", "lib/a.b/LICENSE", "web/index.d.ts", "client.rs", "x/y_z.c"];
        let mut spellings = FileSpellings::default();
        for (file, path) in (0..).zip(paths) {
            spellings.add_file(file, path, &[]);
        }
        spellings.freeze_base();
        let check = |text: &str, expected: &[&str]| {
            let question = CodeQuestion::new(text);
            let found: Vec<u32> = spellings.files_with_ending(&question).collect();
            for (file, path) in (0..).zip(paths) {
                assert_eq!(question.spells_path(path), expected.contains(&path), "{text}: {path}");
                assert!(!question.spells_path(path) || found.contains(&file), "{text}: {path} is not found");
            }
        };
        check("why does http/client.rs:12 fail", &["src/http/client.rs", "client.rs"]);
        check("src.http", &["src/http/mod.rs"]);
        check("x.YZ", &["x/y_z.c"]);
        check("see web/index.d.ts", &["web/index.d.ts"]);
        check("the client", &[]);
    }
}
