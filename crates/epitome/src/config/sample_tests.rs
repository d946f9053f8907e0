//! Snapshot tests of configuration loading over the sample files under `tests/config`, and a loader of plain values for
//! other tests. `valid/*.toml` must load without a warning, `invalid/*.toml` must give an error or a warning; the exact
//! output is in the `.expected` file beside each (`UPDATE_EXPECT=1` rewrites them). A sample named `project-…` is a
//! project file, any other a user file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::listing::list_entries;
use super::{ConfigError, ConfigSources, Environment, LoadedConfig, PROJECT_FILE};

/// The layers of a configuration, as values.
#[derive(Default)]
pub(crate) struct ConfigSample<'a> {
    pub(crate) user: Option<&'a [u8]>,
    pub(crate) project: Option<&'a [u8]>,
    pub(crate) environment: Vec<(&'a str, &'a str)>,
    pub(crate) flags: &'a [&'a str],
}

pub(crate) fn load_sample(sample: &ConfigSample<'_>) -> Result<LoadedConfig, ConfigError> {
    load_in(&tempfile::tempdir().expect("a temporary folder"), sample)
}

/// The values that are not defaults with their origins, then the warnings, or the error.
pub(crate) struct RenderedConfig {
    pub(crate) text: String,
    loaded_without_a_word: bool,
}

pub(crate) fn render_sample(sample: &ConfigSample<'_>) -> RenderedConfig {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let result = load_in(&folder, sample);
    let mut text = String::new();
    match &result {
        Ok(loaded) => {
            for entry in list_entries(loaded).iter().filter(|entry| entry.origin != "default") {
                writeln!(text, "{} = {}  # {}", entry.key, entry.value, entry.origin).expect("writing to a string");
            }
            // An empty text would be no evidence in a snapshot that the sample was loaded at all.
            if text.is_empty() {
                writeln!(text, "# every key has its default").expect("writing to a string");
            }
            for warning in &loaded.warnings {
                writeln!(text, "warning: {warning}").expect("writing to a string");
            }
        }
        Err(error) => writeln!(text, "error: {error}").expect("writing to a string"),
    }
    let (user, project) = layer_paths(folder.path());
    // Temporary paths differ between runs, and snapshots are compared byte for byte.
    let text = text.replace(&user.display().to_string(), "USER").replace(&project.display().to_string(), "PROJECT");
    RenderedConfig { text, loaded_without_a_word: result.is_ok_and(|loaded| loaded.warnings.is_empty()) }
}

fn load_in(folder: &tempfile::TempDir, sample: &ConfigSample<'_>) -> Result<LoadedConfig, ConfigError> {
    let (user, project) = layer_paths(folder.path());
    for (path, bytes) in [(&user, sample.user), (&project, sample.project)] {
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("created");
        if let Some(bytes) = bytes {
            fs_err::write(path, bytes).expect("written");
        }
    }
    let home = [("EPITOME_HOME", folder.path().to_str().expect("a path in UTF-8"))];
    let environment: Environment = home.iter().chain(&sample.environment).copied().collect();
    let flags: Vec<String> = sample.flags.iter().map(|&flag| flag.to_owned()).collect();
    super::load_config(ConfigSources { environment: &environment, project_root: project.parent(), flags: &flags })
}

fn layer_paths(folder: &Path) -> (PathBuf, PathBuf) {
    (folder.join("config/config.toml"), folder.join("project").join(PROJECT_FILE))
}

fn check_folder(name: &str, valid: bool, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config").join(name);
    let entries = fs_err::read_dir(&folder).expect("the folder of samples");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    assert!(paths.len() >= least, "{} samples in {}", paths.len(), folder.display());
    for path in paths {
        let bytes = fs_err::read(&path).expect("a sample");
        let project = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("project-"));
        let (user, project) = if project { (None, Some(&*bytes)) } else { (Some(&*bytes), None) };
        let rendered = render_sample(&ConfigSample { user, project, ..ConfigSample::default() });
        assert_eq!(rendered.loaded_without_a_word, valid, "{}:\n{}", path.display(), rendered.text);
        expect_file![path.with_extension("expected")].assert_eq(&rendered.text);
    }
}

#[test]
fn valid_samples_load_without_a_word() {
    check_folder("valid", true, 6);
}

#[test]
fn invalid_samples_give_the_message_beside_them() {
    check_folder("invalid", false, 10);
}
