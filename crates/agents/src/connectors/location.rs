//! Resolves the paths of agents' settings files on each operating system: `FileLocation` (below home, the configuration
//! or application folder, or a variable) becomes a path.

use std::path::PathBuf;

/// An operating system, as far as paths go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatingSystem {
    /// Linux and its like.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl OperatingSystem {
    /// The one this program was built for.
    pub const BUILD_TARGET: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Mac
    } else {
        Self::Linux
    };
}

/// A file or folder, by what it is relative to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileLocation {
    /// Below the home directory.
    Home(&'static str),
    /// Below a folder that a variable names, or else one below the home directory.
    Variable(&'static str, &'static str, &'static str),
    /// Below `~/.config`, on every system.
    Config(&'static str),
    /// Where programs with windows keep their settings: another place on each system.
    Application(&'static str),
}

impl FileLocation {
    pub(crate) fn resolve_path(
        self,
        home: &std::path::Path,
        system: OperatingSystem,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> PathBuf {
        let folder = |name: &str, below_home: &str| {
            // The XDG specification says that a relative path in such a variable has to be ignored.
            let named = variable(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
            named.unwrap_or_else(|| home.join(below_home))
        };
        match (self, system) {
            (Self::Home(path), _) => home.join(path),
            (Self::Variable(name, below_home, path), _) => folder(name, below_home).join(path),
            (Self::Config(path), _) | (Self::Application(path), OperatingSystem::Linux) => {
                folder("XDG_CONFIG_HOME", ".config").join(path)
            }
            (Self::Application(path), OperatingSystem::Mac) => home.join("Library/Application Support").join(path),
            (Self::Application(path), OperatingSystem::Windows) => folder("APPDATA", "AppData/Roaming").join(path),
        }
    }
}
