//! Tests of configuration loading as a whole: the precedence of the layers, and value rules against the typed fields.

use expect_test::{Expect, expect};

use super::sample_tests::{ConfigSample, load_sample, render_sample};
use super::value_rule::ValueRule;
use super::*;

#[test]
fn defaults_and_typed_fields_are_the_same_keys() {
    let loaded =
        load_sample(&ConfigSample::default()).expect("a key of defaults.toml has no field in Config, or the reverse");
    assert_eq!(loaded.config.memory.context_threshold.to_bits(), 0.75_f64.to_bits());
    assert_eq!(loaded.config.database.url.postgres_url(), None);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn every_default_satisfies_its_own_rule() {
    for key in keys::all_keys() {
        assert!(ValueRule::for_key(key).accepts(&key.default), "{} = {}", key.name, key.default);
    }
}

#[test]
fn what_a_rule_accepts_fits_the_typed_field() {
    for key in keys::all_keys() {
        let texts = match ValueRule::for_key(key) {
            ValueRule::Whole { least } => vec![least.to_string(), u32::MAX.to_string()],
            ValueRule::OneOf(words) | ValueRule::OneOrNone(words) => {
                words.iter().map(|&word| word.to_owned()).collect()
            }
            ValueRule::Share => vec!["0".to_owned(), "1".to_owned()],
            ValueRule::Dollars => vec!["0".to_owned(), "1000000".to_owned()],
            ValueRule::KeyPlace => vec!["env:NAME".to_owned(), "file:/path".to_owned()],
            ValueRule::Providers => vec!["ollama,codex-cli".to_owned()],
            ValueRule::Prices => vec!["a/b=1/2,c/*=0.1/0.2/0/0".to_owned()],
            ValueRule::Address => vec!["[::1]:0".to_owned()],
            ValueRule::Links => vec!["off".to_owned(), "zed://file{path}:{line}".to_owned()],
            ValueRule::Patterns => vec![r"badge: EMP-\d{6}".to_owned()],
            ValueRule::Folder => vec!["/srv/epitome".to_owned(), String::new()],
            ValueRule::Text | ValueRule::Name => vec!["any words".to_owned()],
            ValueRule::Switch | ValueRule::DatabaseUrl | ValueRule::List => {
                continue;
            }
        };
        for text in texts {
            let flag = format!("{}={text}", key.name);
            let flags = [flag.as_str()];
            load_sample(&ConfigSample { flags: &flags, ..ConfigSample::default() }).expect("accepted by the rule");
        }
    }
}

#[test]
fn a_higher_layer_wins_over_a_lower_one() {
    let mut sample = ConfigSample { user: Some(b"context.budget = 3000"), ..ConfigSample::default() };
    let check = |sample: &ConfigSample<'_>, expected: Expect| expected.assert_eq(&render_sample(sample).text);
    check(
        &sample,
        expect![[r"
            context.budget = 3000  # user file USER:1
        "]],
    );
    sample.project = Some(b"context.budget = 2000");
    check(
        &sample,
        expect![[r"
            context.budget = 2000  # project file PROJECT:1
        "]],
    );
    sample.environment = vec![("EPITOME_CONTEXT_BUDGET", "9000")];
    check(
        &sample,
        expect![[r"
            context.budget = 9000  # environment EPITOME_CONTEXT_BUDGET
        "]],
    );
    sample.flags = &["context.budget=1", " context.budget =8000"];
    check(
        &sample,
        expect![[r"
            context.budget = 8000  # flag
        "]],
    );
}

#[test]
fn flags_are_refused_with_the_nearest_name() {
    let check = |flag: &str, expected: Expect| {
        expected.assert_eq(&render_sample(&ConfigSample { flags: &[flag], ..ConfigSample::default() }).text);
    };
    check(
        "context.budget",
        expect![[r"
            error: cannot read the override context.budget: expected key=value
        "]],
    );
    check(
        "context.bugdet=3",
        expect![[r"
            error: unknown configuration key context.bugdet
            hint: did you mean context.budget?
        "]],
    );
    check(
        "context.budget=-3",
        expect![[r#"
            error: cannot set context.budget to "-3" (flag): expected a whole number from 1 to 4294967295
        "#]],
    );
    check(
        "database.url=mysql://ada:s3\"cret@db",
        expect![[r#"
            error: cannot set database.url to "mysql://ada:***@db" (flag): expected empty text, or an address that starts with postgres:// or postgresql://
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(PROJECT_FILE);
    std::os::unix::fs::symlink(&path, &path).expect("linked to itself");
    let environment: Environment = [("EPITOME_HOME", folder.path())].into_iter().collect();
    let sources = ConfigSources { environment: &environment, project_root: Some(folder.path()), flags: &[] };
    let error = super::load_config(sources).map_err(anyhow::Error::from).expect_err("unreadable");
    let text = format!("{error:#}").replace(&folder.path().display().to_string(), "DIR");
    let place = "cannot read the configuration: failed to query resolved metadata `DIR/.epitome.toml`: ";
    assert!(text.starts_with(place), "{text}");
}
