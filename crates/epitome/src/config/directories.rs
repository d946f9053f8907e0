//! Determines Epitome's directories for configuration, data, state and cache: all under `EPITOME_HOME`, or the XDG
//! directories.

use std::path::PathBuf;

use super::diagnostics::{ConfigError, ConfigWarning};
use super::env::Environment;

/// The four places. None of them needs to exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AppDirectories {
    /// The user file.
    pub(crate) config: PathBuf,
    /// What must not be lost: the canonical database and the archive.
    pub(crate) data: PathBuf,
    /// What can be rebuilt: the index databases.
    pub(crate) cache: PathBuf,
    /// State that is kept between runs: the tokens of the server.
    pub(crate) state: PathBuf,
}

impl AppDirectories {
    /// Decides from the environment alone.
    pub(crate) fn from_environment(
        environment: &Environment,
        warnings: &mut Vec<ConfigWarning>,
    ) -> Result<Self, ConfigError> {
        if let Some(home) = absolute_path(environment, "EPITOME_HOME")? {
            let [config, data, cache, state] = ["config", "data", "cache", "state"].map(|name| home.join(name));
            return Ok(Self { config, data, cache, state });
        }
        let mut xdg = |name: &'static str, below_home: &str| {
            match environment.nonempty_variable(name).map(PathBuf::from) {
                Some(path) if path.is_absolute() => return Ok(path.join("epitome")),
                // The XDG specification has relative paths ignored; a data directory that depends on the current folder
                // would lose data.
                Some(path) => warnings.push(ConfigWarning::RelativeDirectory { name, path }),
                None => {}
            }
            Ok(absolute_path(environment, "HOME")?.ok_or(ConfigError::NoHome)?.join(below_home).join("epitome"))
        };
        Ok(Self {
            config: xdg("XDG_CONFIG_HOME", ".config")?,
            data: xdg("XDG_DATA_HOME", ".local/share")?,
            cache: xdg("XDG_CACHE_HOME", ".cache")?,
            state: xdg("XDG_STATE_HOME", ".local/state")?,
        })
    }

    /// The user's own configuration file.
    pub(crate) fn user_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }
}

fn absolute_path(environment: &Environment, name: &'static str) -> Result<Option<PathBuf>, ConfigError> {
    match environment.nonempty_variable(name).map(PathBuf::from) {
        // An error and not a warning: with a relative home every folder would get its own database.
        Some(path) if path.is_relative() => Err(ConfigError::RelativeHome { name, path }),
        path => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;

    fn check(variables: &[(&str, &str)], expected: &Expect) {
        let environment = variables.iter().copied().collect();
        let mut warnings = Vec::new();
        let mut text = match AppDirectories::from_environment(&environment, &mut warnings) {
            Ok(AppDirectories { config, data, cache, state }) => {
                [config, data, cache, state].map(|path| format!("{}\n", path.display())).concat()
            }
            Err(error) => format!("error: {error}\n"),
        };
        for warning in warnings {
            writeln!(text, "warning: {warning}").expect("writing to a string");
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn one_variable_moves_everything() {
        let variables = [("EPITOME_HOME", "/srv/epitome"), ("HOME", "/home/ada"), ("XDG_DATA_HOME", "/xdg/data")];
        check(
            &variables,
            &expect![[r"
                /srv/epitome/config
                /srv/epitome/data
                /srv/epitome/cache
                /srv/epitome/state
            "]],
        );
    }

    #[test]
    fn the_xdg_directories_are_used_each_for_itself() {
        check(
            &[("HOME", "/home/ada"), ("XDG_DATA_HOME", "/xdg/data"), ("EPITOME_HOME", "")],
            &expect![[r"
                /home/ada/.config/epitome
                /xdg/data/epitome
                /home/ada/.cache/epitome
                /home/ada/.local/state/epitome
            "]],
        );
        check(
            &[("HOME", "/home/ada"), ("XDG_CACHE_HOME", "cache")],
            &expect![[r"
                /home/ada/.config/epitome
                /home/ada/.local/share/epitome
                /home/ada/.cache/epitome
                /home/ada/.local/state/epitome
                warning: XDG_CACHE_HOME=cache was ignored because it is not an absolute path
            "]],
        );
    }

    #[test]
    fn without_a_home_the_error_says_what_to_set() {
        check(
            &[("XDG_CONFIG_HOME", "/xdg/config")],
            &expect![[r"
                error: cannot tell where configuration and data belong: HOME is not set
                hint: set HOME, or set EPITOME_HOME to a directory that may hold all of it
            "]],
        );
        check(
            &[("HOME", "ada")],
            &expect![[r"
                error: cannot use HOME=ada: not an absolute path
            "]],
        );
        check(
            &[("EPITOME_HOME", "~/epitome"), ("HOME", "/home/ada")],
            &expect![[r"
                error: cannot use EPITOME_HOME=~/epitome: not an absolute path
            "]],
        );
    }
}
