//! Lists configuration values for `epitome config list`, `get` and `path`, each with its origin and without passwords;
//! and the keys for the reference page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::diagnostics::ConfigError;
use super::directories::AppDirectories;
use super::env::variable_names;
use super::keys::{self, ConfigKey};
use super::layers::{FileLayer, SettingOrigin, require_key};
use super::{EffectiveSetting, LoadedConfig, PROJECT_FILE};

/// One key as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigEntry {
    pub(crate) key: &'static str,
    /// TOML text, passwords hidden.
    pub(crate) value: String,
    pub(crate) origin: String,
    pub(crate) about: String,
}

/// Every key, in the order of `defaults.toml`.
pub(crate) fn list_entries(loaded: &LoadedConfig) -> Vec<ConfigEntry> {
    loaded.settings.iter().map(build_entry).collect()
}

/// What the file of the project has a say in, by key, with the values in force.
pub(crate) fn project_settings(loaded: &LoadedConfig) -> BTreeMap<String, String> {
    let is_own = |origin: &SettingOrigin| matches!(origin, SettingOrigin::File { layer: FileLayer::Project, .. });
    let own = loaded.settings.iter().filter(|setting| setting.origins.iter().any(is_own));
    own.map(|setting| (setting.key.name.clone(), setting.value.render_masked())).collect()
}

/// One key, or an error with the nearest name.
pub(crate) fn find_entry(loaded: &LoadedConfig, key: &str) -> Result<ConfigEntry, ConfigError> {
    let key = require_key(key)?;
    let setting = loaded.settings.iter().find(|setting| std::ptr::eq(setting.key, key));
    Ok(build_entry(setting.expect("there is a setting for every key")))
}

/// One key as the reference documents it.
pub(crate) struct KeyReference {
    pub(crate) key: &'static str,
    /// TOML text of the default.
    pub(crate) value: String,
    pub(crate) variables: Vec<String>,
    pub(crate) about: String,
}

/// Every key with its default and the variables that set it, in the order of `defaults.toml`.
pub(crate) fn list_references() -> Vec<KeyReference> {
    let document = |key: &'static ConfigKey| KeyReference {
        key: &key.name,
        value: key.default.render_masked(),
        variables: variable_names(key),
        about: key.help_text(),
    };
    keys::all_keys().iter().map(document).collect()
}

/// Every file and directory the configuration names, whether or not it exists.
pub(crate) fn config_paths(directories: &AppDirectories, project_root: Option<&Path>) -> Vec<(&'static str, PathBuf)> {
    let mut paths = vec![("user file", directories.user_file())];
    paths.extend(project_root.map(|root| ("project file", root.join(PROJECT_FILE))));
    paths.extend([
        ("config", directories.config.clone()),
        ("data", directories.data.clone()),
        ("cache", directories.cache.clone()),
        ("state", directories.state.clone()),
    ]);
    paths
}

fn build_entry(setting: &EffectiveSetting) -> ConfigEntry {
    ConfigEntry {
        key: &setting.key.name,
        value: setting.value.render_masked(),
        origin: setting.origin_text(),
        about: setting.key.help_text(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::config::sample_tests::{ConfigSample, load_sample};

    #[test]
    fn an_entry_shows_value_origin_and_meaning_but_no_password() {
        let sample = ConfigSample {
            flags: &["database.url=postgres://ada:s3cret@db/epitome", "context.budget=500"],
            ..ConfigSample::default()
        };
        let loaded = load_sample(&sample).expect("the sample is valid");
        expect![[r#"
            ConfigEntry {
                key: "database.url",
                value: "\"postgres://ada:***@db/epitome\"",
                origin: "flag",
                about: "Where conversations are kept: empty for the embedded SQLite file, or postgres://user:password@host/database",
            }
        "#]]
        .assert_debug_eq(&find_entry(&loaded, "database.url").expect("the key exists"));
        assert_eq!(loaded.config.database.url.postgres_url(), Some("postgres://ada:s3cret@db/epitome"));
        assert!(!format!("{loaded:?}").contains("s3cret"), "the debug form shows the password");
        assert_eq!(list_entries(&loaded).len(), crate::config::keys::all_keys().len());
    }

    #[test]
    fn an_unknown_key_is_an_error_with_the_nearest_name() {
        let loaded = load_sample(&ConfigSample::default()).expect("the defaults are valid");
        let message = |key| find_entry(&loaded, key).expect_err("unknown").to_string();
        expect![[r"
            unknown configuration key memory.fresh_tial
            hint: did you mean memory.fresh_tail?"]]
        .assert_eq(&message("memory.fresh_tial"));
        expect![[r"
            unknown configuration key colour
            hint: `epitome config list` shows every key"]]
        .assert_eq(&message("colour"));
    }

    #[test]
    fn paths_name_both_files_and_the_four_directories() {
        let environment = [("EPITOME_HOME", "/srv")].into_iter().collect();
        let directories = AppDirectories::from_environment(&environment, &mut Vec::new()).expect("absolute");
        let lines = config_paths(&directories, Some(Path::new("/code"))).into_iter();
        let lines: Vec<_> = lines.map(|(name, path)| format!("{name}: {}", path.display())).collect();
        expect![[r"
            user file: /srv/config/config.toml
            project file: /code/.epitome.toml
            config: /srv/config
            data: /srv/data
            cache: /srv/cache
            state: /srv/state"]]
        .assert_eq(&lines.join("\n"));
    }
}
