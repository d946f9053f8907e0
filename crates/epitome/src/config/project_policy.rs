//! Security policy for configuration files of a project: they may narrow settings, never widen them. A project file
//! arrives with a cloned repository and is not trusted: it can make Epitome look at less and answer with less, and
//! cannot name a database, a server or anything that runs. "Less" is measured against the defaults and the user file;
//! environment and flags are the user's own and still come after.

use super::EffectiveSetting;
use super::diagnostics::ConfigWarning;
use super::keys::ConfigKey;
use super::layers::{KeyAssignment, SettingOrigin};
use super::toml_file::printable_line;
use super::value::ConfigValue;

/// The key of the rules for secrets. A project adds some, which are followed within bounds.
pub(super) const RULES: &str = "sensitive.patterns";

/// How many rules a project may add. Each costs time whenever something is stored, and a project file applies before
/// the user has read it.
pub(super) const MOST_RULES: usize = 32;

/// How a key can be narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NarrowingRule {
    /// A list of things left out: the project adds its own.
    Add,
    /// A list of things let in, where empty means everything: the project keeps some.
    Keep,
    /// A bound: the project lowers it.
    Lower,
}

/// How a project file may narrow `key`, or `None` when the key is not its business.
pub(crate) fn narrowing_rule(key: &ConfigKey) -> Option<NarrowingRule> {
    match key.name.as_str() {
        "index.ignore" | RULES => Some(NarrowingRule::Add),
        "index.include" | "index.languages" => Some(NarrowingRule::Keep),
        "index.max_file_bytes" | "context.budget" | "search.limit" => Some(NarrowingRule::Lower),
        _ => None,
    }
}

/// Narrows `setting` by the values of a project file; a value that would widen it is left out and reported.
pub(crate) fn narrow_setting(setting: &mut EffectiveSetting, asked: KeyAssignment, warnings: &mut Vec<ConfigWarning>) {
    let way = narrowing_rule(asked.key).expect("reading a project file leaves only keys that narrow");
    match (way, &mut setting.value, asked.value) {
        (NarrowingRule::Add, ConfigValue::List(current), ConfigValue::List(more)) => {
            // The default was an empty list, so only the project's line is an origin of the value now.
            if current.is_empty() {
                setting.origins.clear();
            }
            setting.added = more.len();
            current.extend(more);
            setting.origins.push(asked.origin);
        }
        // An empty list means everything, so any list of the project narrows it.
        (NarrowingRule::Keep, ConfigValue::List(current), ConfigValue::List(wanted)) if current.is_empty() => {
            *current = wanted;
            setting.origins = vec![asked.origin];
        }
        (NarrowingRule::Keep, ConfigValue::List(current), ConfigValue::List(wanted)) => {
            let (kept, refused): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|word| current.contains(word));
            // An empty list would mean everything, which is the widest setting of all.
            if !refused.is_empty() || kept.is_empty() {
                warnings.push(widening_warning(setting, &ConfigValue::List(refused), asked.origin.clone()));
            }
            if !kept.is_empty() {
                setting.value = ConfigValue::List(kept);
                setting.origins = vec![asked.origin];
            }
        }
        // A larger number is wider: the user's value stays, and the warning names both.
        (_, ConfigValue::Integer(current), ConfigValue::Integer(asked_for)) if asked_for > *current => {
            warnings.push(widening_warning(setting, &ConfigValue::Integer(asked_for), asked.origin));
        }
        (_, current, value) => {
            *current = value;
            setting.origins = vec![asked.origin];
        }
    }
}

fn widening_warning(setting: &EffectiveSetting, found: &ConfigValue, origin: SettingOrigin) -> ConfigWarning {
    let limit = format!("{} ({})", setting.value, setting.origin_text());
    ConfigWarning::Wider { key: &setting.key.name, found: printable_line(&found.to_string()), origin, limit }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::config::sample_tests::{ConfigSample, render_sample};

    fn check(user: &str, project: &str, expected: &Expect) {
        let sample =
            ConfigSample { user: Some(user.as_bytes()), project: Some(project.as_bytes()), ..ConfigSample::default() };
        expected.assert_eq(&render_sample(&sample).text);
    }

    #[test]
    fn a_project_file_adds_to_what_is_ignored() {
        check(
            "index.ignore = ['*.min.js']",
            "index.ignore = ['vendor/']",
            &expect![[r#"
                index.ignore = ["*.min.js", "vendor/"]  # user file USER:1, project file PROJECT:1
            "#]],
        );
        check(
            "",
            "index.ignore = ['vendor/']",
            &expect![[r#"
                index.ignore = ["vendor/"]  # project file PROJECT:1
            "#]],
        );
    }

    #[test]
    fn a_project_file_keeps_some_of_the_languages_and_adds_none() {
        check(
            "",
            "index.languages = ['latin']",
            &expect![[r#"
                index.languages = ["latin"]  # project file PROJECT:1
            "#]],
        );
        check(
            "index.languages = ['latin', 'greek']",
            "index.languages = ['greek', 'norse']",
            &expect![[r#"
                index.languages = ["greek"]  # project file PROJECT:1
                warning: index.languages = ["norse"] (project file PROJECT:1) was ignored because a project file may only narrow what is in force: ["latin", "greek"] (user file USER:1)
            "#]],
        );
    }

    #[test]
    fn an_empty_list_of_languages_cannot_widen_to_all() {
        let user = "index.languages = ['latin']";
        let expected = expect![[r#"
            index.languages = ["latin"]  # user file USER:1
            warning: index.languages = [] (project file PROJECT:1) was ignored because a project file may only narrow what is in force: ["latin"] (user file USER:1)
        "#]];
        check(user, "index.languages = []", &expected);
        check(
            user,
            "index.languages = ['norse']",
            &expect![[r#"
                index.languages = ["latin"]  # user file USER:1
                warning: index.languages = ["norse"] (project file PROJECT:1) was ignored because a project file may only narrow what is in force: ["latin"] (user file USER:1)
            "#]],
        );
    }

    #[test]
    fn a_project_file_lowers_bounds_and_cannot_raise_them() {
        check(
            "context.budget = 8000\nsearch.limit = 5",
            "context.budget = 6000\nsearch.limit = 6\nindex.max_file_bytes = 1048576",
            &expect![[r"
                index.max_file_bytes = 1048576  # project file PROJECT:3
                context.budget = 6000  # project file PROJECT:1
                search.limit = 5  # user file USER:2
                warning: search.limit = 6 (project file PROJECT:2) was ignored because a project file may only narrow what is in force: 5 (user file USER:2)
            "]],
        );
    }
}
