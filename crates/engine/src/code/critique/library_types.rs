//! What the classes of a language's own library have as members, so that a type of the project that is made from one of
//! them is known as a whole. A language is one file in `library_types/`, and one line here.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Each begins with a line that names the languages whose library it lists.
const LISTS: [&str; 2] = [include_str!("library_types/python.txt"), include_str!("library_types/javascript.txt")];

static TYPES: LazyLock<HashMap<&str, HashMap<&str, LibraryType>>> = LazyLock::new(|| {
    let listed = LISTS.iter().filter_map(|list| list.split_once('\n'));
    let by_language = |(languages, types): (&'static str, &'static str)| {
        languages.split_whitespace().map(move |language| (language, read_types(types)))
    };
    listed.flat_map(by_language).collect()
});

/// A class of the library.
struct LibraryType {
    bases: Vec<&'static str>,
    members: Vec<&'static str>,
}

fn read_types(text: &'static str) -> HashMap<&'static str, LibraryType> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (head, members) = line.split_once(':')?;
            let (name, bases) = head.trim_end_matches(')').split_once('(').unwrap_or((head, ""));
            let members = members.split_whitespace().collect();
            Some((name, LibraryType { bases: bases.split_whitespace().collect(), members }))
        })
        .collect()
}

/// Whether the library class `name` of `language` has `member`; `None` where that is not known. Names that begin with an
/// underscore are not in the lists.
pub(super) fn has_member(language: &str, name: &str, member: &str) -> Option<bool> {
    if member.starts_with('_') {
        return None;
    }
    let types = TYPES.get(language)?;
    let class = types.get(name)?;
    if class.members.contains(&member) {
        return Some(true);
    }
    for base in &class.bases {
        if has_member(language, base, member)? {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_class_has_what_it_inherits() {
        assert_eq!(has_member("python", "MutableMapping", "setdefault"), Some(true));
        assert_eq!(has_member("python", "MutableMapping", "items"), Some(true), "of Mapping");
        assert_eq!(has_member("python", "MutableMapping", "flush_views"), Some(false));
        assert_eq!(has_member("python", "MutableMapping", "_flush"), None, "private names are not listed");
        assert_eq!(has_member("python", "SQLModel", "items"), None, "a class of another library");
        assert_eq!(has_member("typescript", "IncomingMessage", "emit"), Some(true));
        assert_eq!(has_member("go", "Error", "message"), None);
    }

    #[test]
    fn every_base_in_the_lists_is_in_them() {
        for (language, types) in TYPES.iter() {
            for (name, class) in types {
                for base in &class.bases {
                    assert!(types.contains_key(base), "{language}: {name} is made from {base}");
                }
            }
        }
    }
}
