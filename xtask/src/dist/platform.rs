//! The systems that a release is made for, and what each package format calls them. A line here is all that a further
//! system needs, beside a machine that builds for it.

use anyhow::{Context as _, Result};

use super::binary_format::{Machine, ProgramFormat, SystemKind};

pub(super) struct ReleasePlatform {
    pub(super) triple: &'static str,
    pub(super) system: SystemKind,
    pub(super) machine: Machine,
    /// Node's `process.platform` and `process.arch`.
    pub(super) node: (&'static str, &'static str),
    pub(super) debian: Option<&'static str>,
    /// The last part of the name of a wheel; `{glibc}` is the oldest library that the program starts with.
    pub(super) wheel_tag: &'static str,
}

pub(super) const PLATFORMS: [ReleasePlatform; 7] = [
    ReleasePlatform {
        triple: "x86_64-unknown-linux-gnu",
        system: SystemKind::LinuxGlibc,
        machine: Machine::X86,
        node: ("linux", "x64"),
        debian: Some("amd64"),
        wheel_tag: "manylinux_{glibc}_x86_64",
    },
    ReleasePlatform {
        triple: "aarch64-unknown-linux-gnu",
        system: SystemKind::LinuxGlibc,
        machine: Machine::Arm,
        node: ("linux", "arm64"),
        debian: Some("arm64"),
        wheel_tag: "manylinux_{glibc}_aarch64",
    },
    ReleasePlatform {
        triple: "x86_64-unknown-linux-musl",
        system: SystemKind::LinuxStatic,
        machine: Machine::X86,
        node: ("linux", "x64"),
        debian: None,
        wheel_tag: "musllinux_1_1_x86_64",
    },
    ReleasePlatform {
        triple: "aarch64-unknown-linux-musl",
        system: SystemKind::LinuxStatic,
        machine: Machine::Arm,
        node: ("linux", "arm64"),
        debian: None,
        wheel_tag: "musllinux_1_1_aarch64",
    },
    // The oldest versions of the system that the Rust toolchain builds for.
    ReleasePlatform {
        triple: "x86_64-apple-darwin",
        system: SystemKind::Mac,
        machine: Machine::X86,
        node: ("darwin", "x64"),
        debian: None,
        wheel_tag: "macosx_10_12_x86_64",
    },
    ReleasePlatform {
        triple: "aarch64-apple-darwin",
        system: SystemKind::Mac,
        machine: Machine::Arm,
        node: ("darwin", "arm64"),
        debian: None,
        wheel_tag: "macosx_11_0_arm64",
    },
    ReleasePlatform {
        triple: "x86_64-pc-windows-msvc",
        system: SystemKind::Windows,
        machine: Machine::X86,
        node: ("win32", "x64"),
        debian: None,
        wheel_tag: "win_amd64",
    },
];

impl ReleasePlatform {
    /// The system that a program was built for.
    pub(super) fn find(format: &ProgramFormat) -> Result<&'static ReleasePlatform> {
        let fits = |platform: &&ReleasePlatform| platform.system == format.system && platform.machine == format.machine;
        PLATFORMS.iter().find(fits).with_context(|| format!("no package is made for {format:?}"))
    }

    pub(super) fn program_file(&self) -> &'static str {
        if self.system == SystemKind::Windows { "epitome.exe" } else { "epitome" }
    }

    pub(super) fn archive_file(&self, product: &super::Product) -> String {
        let ending = if self.system == SystemKind::Windows { "zip" } else { "tar.gz" };
        format!("{}-{}-{}.{ending}", product.name, product.version, self.triple)
    }

    /// `epitome-linux-x64`, `epitome-linux-x64-musl`
    pub(super) fn npm_name(&self, product: &super::Product) -> String {
        let (system, machine) = self.node;
        let library = if self.system == SystemKind::LinuxStatic { "-musl" } else { "" };
        format!("{}-{system}-{machine}{library}", product.name)
    }

    pub(super) fn wheel_tag(&self, format: &ProgramFormat) -> String {
        let (major, minor) = format.glibc.unwrap_or_default();
        self.wheel_tag.replace("{glibc}", &format!("{major}_{minor}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    #[test]
    fn names_of_npm_packages_differ() {
        let product = super::super::Product::read().expect("a manifest");
        let mut names: Vec<String> = PLATFORMS.iter().map(|platform| platform.npm_name(&product)).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), PLATFORMS.len());
    }

    #[test]
    fn a_release_is_made_for_each_system_but_windows() {
        let workflow = fs_err::read_to_string(repository::root().join(".github/workflows/release.yml"));
        let workflow = workflow.expect("the workflow of releases");
        for platform in &PLATFORMS {
            let is_made = workflow.contains(&format!("triple: {},", platform.triple));
            // The program does not compile there yet.
            assert_eq!(is_made, platform.system != SystemKind::Windows, "{}", platform.triple);
        }
        assert_eq!(workflow.matches("triple: ").count(), PLATFORMS.len() - 1);
    }
}
