//! Tests of environment variables as a configuration layer: names, older names, precedence, and errors for invalid
//! values.

use expect_test::{Expect, expect};

use super::*;
use crate::config::sample_tests::{ConfigSample, render_sample};

fn check(environment: &[(&str, &str)], expected: &Expect) {
    let sample = ConfigSample { environment: environment.to_vec(), ..ConfigSample::default() };
    expected.assert_eq(&render_sample(&sample).text);
}

#[test]
fn every_key_has_a_variable_of_its_own() {
    let mut variables: Vec<String> = keys::all_keys().iter().map(variable_name).collect();
    variables.extend(NOT_KEYS.iter().map(|&name| name.to_owned()));
    let all = variables.len();
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), all, "two keys share a variable: {variables:?}");
}

#[test]
fn the_older_names_work_and_the_new_ones_win() {
    let older = [
        ("LCM_ENABLED", "false"),
        ("LCM_CONTEXT_THRESHOLD", "0.5"),
        ("LCM_FRESH_TAIL_COUNT", "4"),
        ("LCM_LEAF_TARGET_TOKENS", "500"),
        ("LCM_CONDENSED_TARGET_TOKENS", "800"),
        ("LCM_MAX_EXPAND_TOKENS", "3000"),
        ("LCM_AUTOCOMPACT_DISABLED", "true"),
        ("LCM_DATABASE_URL", "postgres://ada:s3cret@db/lcm"),
        ("LCM_INCREMENTAL_MAX_DEPTH", "0"),
        ("LCM_DATABASE_PATH", "/home/ada/.claude/lcm.db"),
        ("LCM_SUMMARY_PROVIDER", "claude-process"),
        ("LCM_SUMMARY_MODEL", "haiku"),
    ];
    check(
        &older,
        &expect![[r#"
            database.url = "postgres://ada:***@db/lcm"  # environment LCM_DATABASE_URL
            database.folder = "/home/ada/.claude"  # environment LCM_DATABASE_PATH
            memory.enabled = false  # environment LCM_ENABLED
            memory.context_threshold = 0.5  # environment LCM_CONTEXT_THRESHOLD
            memory.fresh_tail = 4  # environment LCM_FRESH_TAIL_COUNT
            memory.leaf_target_tokens = 500  # environment LCM_LEAF_TARGET_TOKENS
            memory.condensed_target_tokens = 800  # environment LCM_CONDENSED_TARGET_TOKENS
            memory.expand_tokens = 3000  # environment LCM_MAX_EXPAND_TOKENS
            memory.incremental_depth = 0  # environment LCM_INCREMENTAL_MAX_DEPTH
            memory.autocompact = false  # environment LCM_AUTOCOMPACT_DISABLED
            providers.chain = ["claude-cli"]  # environment LCM_SUMMARY_PROVIDER
            providers.claude_cli_model = "haiku"  # environment LCM_SUMMARY_MODEL
        "#]],
    );
    let newer = [("EPITOME_DATABASE_URL", ""), ("EPITOME_MEMORY_FRESH_TAIL", "12"), ("LCM_FRESH_TAIL_COUNT", "4")];
    check(
        &newer,
        &expect![[r#"
            database.url = ""  # environment EPITOME_DATABASE_URL
            memory.fresh_tail = 12  # environment EPITOME_MEMORY_FRESH_TAIL
        "#]],
    );
}

#[test]
fn who_writes_summaries_is_taken_over_from_lcm() {
    let provider = |name: &'static str, expected| check(&[("LCM_SUMMARY_PROVIDER", name)], &expected);
    provider(
        "auto",
        expect![[r#"
        # every key has its default
    "#]],
    );
    provider(
        "disabled",
        expect![[r#"
        providers.chain = []  # environment LCM_SUMMARY_PROVIDER
    "#]],
    );
    provider(
        "codex-process",
        expect![[r#"
        providers.chain = ["codex-cli"]  # environment LCM_SUMMARY_PROVIDER
    "#]],
    );
    provider(
        "gemini",
        expect![[r#"
        error: cannot set providers.chain to "gemini" (environment LCM_SUMMARY_PROVIDER): expected one of auto, claude-process, codex-process, anthropic, openai, disabled
    "#]],
    );
    check(
        &[("LCM_SUMMARY_PROVIDER", "openai"), ("LCM_SUMMARY_MODEL", "gpt-x")],
        &expect![[r#"
        providers.chain = ["openai"]  # environment LCM_SUMMARY_PROVIDER
        providers.openai_model = "gpt-x"  # environment LCM_SUMMARY_MODEL
    "#]],
    );
    check(
        &[("LCM_SUMMARY_MODEL", "haiku")],
        &expect![[r#"
        # every key has its default
        warning: LCM_SUMMARY_MODEL (environment) was ignored: LCM_SUMMARY_PROVIDER names no provider that has a model
    "#]],
    );
    check(
        &[("LCM_SUMMARY_PROVIDER", "disabled"), ("LCM_SUMMARY_MODEL", "haiku")],
        &expect![[r#"
        providers.chain = []  # environment LCM_SUMMARY_PROVIDER
        warning: LCM_SUMMARY_MODEL (environment) was ignored: LCM_SUMMARY_PROVIDER names no provider that has a model
    "#]],
    );
}

#[test]
fn the_place_and_the_depth_of_lcm_are_checked() {
    check(
        &[("LCM_DATABASE_PATH", "lcm.db")],
        &expect![[r#"
        error: cannot set database.folder to "lcm.db" (environment LCM_DATABASE_PATH): expected empty text, or the absolute path of a folder
    "#]],
    );
    check(
        &[("LCM_DATABASE_PATH", "")],
        &expect![[r#"
        # every key has its default
    "#]],
    );
    check(
        &[("LCM_INCREMENTAL_MAX_DEPTH", "-1")],
        &expect![[r#"
        memory.incremental_depth = -1  # environment LCM_INCREMENTAL_MAX_DEPTH
    "#]],
    );
    check(
        &[("LCM_INCREMENTAL_MAX_DEPTH", "-2")],
        &expect![[r#"
        error: cannot set memory.incremental_depth to "-2" (environment LCM_INCREMENTAL_MAX_DEPTH): expected a whole number from -1 to 4294967295
    "#]],
    );
    check(
        &[("LCM_INCREMENTAL_MAX_DEPT", "1"), ("MEMTRACE_MODE", "map"), ("LCM_SECRET", "x")],
        &expect![[r#"
        # every key has its default
        warning: unknown variable LCM_INCREMENTAL_MAX_DEPT (environment) was ignored
        hint: did you mean LCM_INCREMENTAL_MAX_DEPTH?
        warning: unknown variable LCM_SECRET (environment) was ignored
        warning: unknown variable MEMTRACE_MODE (environment) was ignored
    "#]],
    );
}

#[test]
fn unknown_and_invalid_variables_are_told_by_name() {
    let mistyped = [
        ("EPITOME_DATABSE_URL", "x"),
        ("EPITOME_COLOUR_SCHEME", "x"),
        ("EPITOME_HOME_", "x"),
        ("EPITOME_TEST_POSTGRES_URL", "x"),
        ("UNRELATED", "x"),
    ];
    check(
        &mistyped,
        &expect![[r"
            # every key has its default
            warning: unknown variable EPITOME_COLOUR_SCHEME (environment) was ignored
            warning: unknown variable EPITOME_DATABSE_URL (environment) was ignored
            hint: did you mean EPITOME_DATABASE_URL?
            warning: unknown variable EPITOME_HOME_ (environment) was ignored
            hint: did you mean EPITOME_HOME?
        "]],
    );
    check(
        &[("LCM_AUTOCOMPACT_DISABLED", "maybe")],
        &expect![[r#"
            error: cannot set memory.autocompact to "maybe" (environment LCM_AUTOCOMPACT_DISABLED): expected true or false
        "#]],
    );
    check(
        &[("EPITOME_INDEX_LANGUAGES", "latin, greek"), ("EPITOME_CONTEXT_BUDGET", "")],
        &expect![[r#"
            error: cannot set context.budget to "" (environment EPITOME_CONTEXT_BUDGET): expected a whole number from 1 to 4294967295
        "#]],
    );
}

#[test]
fn how_to_read_is_taken_over_from_memtrace() {
    let mode = |name: &'static str, value: &'static str, expected| check(&[(name, value)], &expected);
    mode(
        "MEMTRACE_DEFAULT_MODE",
        "aggressive",
        expect![[r#"
        read.mode = "aggressive"  # environment MEMTRACE_DEFAULT_MODE
    "#]],
    );
    mode(
        "MEMTRACE_ADAPTIVE_MODES",
        "1",
        expect![[r#"
        read.adaptive = true  # environment MEMTRACE_ADAPTIVE_MODES
    "#]],
    );
    mode(
        "MEMTRACE_ADAPTIVE_MODES",
        "0",
        expect![[r"
        # every key has its default
    "]],
    );
    check(
        &[("MEMTRACE_DEFAULT_MODE", "map"), ("MEMTRACE_ADAPTIVE_MODES", "1")],
        &expect![[r#"
        read.mode = "map"  # environment MEMTRACE_DEFAULT_MODE
        read.adaptive = true  # environment MEMTRACE_ADAPTIVE_MODES
    "#]],
    );
}

#[test]
fn the_default_mode_has_the_short_name_that_documents_give_it() {
    check(
        &[("EPITOME_DEFAULT_MODE", "map")],
        &expect![[r#"
        read.mode = "map"  # environment EPITOME_DEFAULT_MODE
    "#]],
    );
    check(
        &[("EPITOME_DEFAULT_MODE", "map"), ("EPITOME_READ_MODE", "")],
        &expect![[r#"
        read.mode = ""  # environment EPITOME_READ_MODE
    "#]],
    );
    check(
        &[("EPITOME_DEFAULT_MODE", "tiny")],
        &expect![[r#"
        error: cannot set read.mode to "tiny" (environment EPITOME_DEFAULT_MODE): expected empty text, or one of raw, lightweight, aggressive, map, auto
    "#]],
    );
}
