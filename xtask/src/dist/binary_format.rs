//! Reads from the first bytes of a program which system and processor it is for, and from its list of needed symbols how
//! new the C library must be. A package then says what the program needs, and not what somebody believed.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SystemKind {
    LinuxGlibc,
    /// Linked with all that it needs, as with musl.
    LinuxStatic,
    Mac,
    Windows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Machine {
    X86,
    Arm,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ProgramFormat {
    pub(super) system: SystemKind,
    pub(super) machine: Machine,
    /// The oldest version of glibc that has every symbol.
    pub(super) glibc: Option<(u32, u32)>,
}

/// `SHT_GNU_verneed`: which versions of which libraries are needed.
const SECTION_VERSIONS_NEEDED: u64 = 0x6fff_fffe;

impl ProgramFormat {
    pub(super) fn read(path: &Path) -> Result<ProgramFormat> {
        let bytes = fs_err::read(path)?;
        Self::parse(&bytes).with_context(|| format!("cannot say which system {} is for", path.display()))
    }

    fn parse(bytes: &[u8]) -> Result<ProgramFormat> {
        let start = bytes.get(..64).context("it is too short for a program")?;
        if start.starts_with(b"\x7fELF\x02\x01") {
            let machine = match number(bytes, 18, 2)? {
                62 => Machine::X86,
                183 => Machine::Arm,
                other => bail!("its processor has the number {other}"),
            };
            let glibc = find_glibc(bytes)?;
            let system = if glibc.is_some() { SystemKind::LinuxGlibc } else { SystemKind::LinuxStatic };
            return Ok(ProgramFormat { system, machine, glibc });
        }
        if start.starts_with(&0xfeed_facf_u32.to_le_bytes()) {
            let machine = match number(bytes, 4, 4)? {
                0x0100_0007 => Machine::X86,
                0x0100_000c => Machine::Arm,
                other => bail!("its processor has the number {other}"),
            };
            return Ok(ProgramFormat { system: SystemKind::Mac, machine, glibc: None });
        }
        if start.starts_with(b"MZ") {
            let header = number(bytes, 60, 4)?;
            let machine = match number(bytes, header + 4, 2)? {
                0x8664 => Machine::X86,
                0xaa64 => Machine::Arm,
                other => bail!("its processor has the number {other}"),
            };
            return Ok(ProgramFormat { system: SystemKind::Windows, machine, glibc: None });
        }
        bail!("it is no program of 64 bits for Linux, macOS or Windows")
    }
}

/// A little-endian number.
fn number(bytes: &[u8], at: usize, width: usize) -> Result<usize> {
    let digits = at.checked_add(width).and_then(|end| bytes.get(at..end)).context("it ends within its own tables")?;
    Ok(digits.iter().rev().fold(0, |sum, byte| (sum << 8) | usize::from(*byte)))
}

/// The highest `GLIBC_x.y` among the versions that are needed.
fn find_glibc(bytes: &[u8]) -> Result<Option<(u32, u32)>> {
    let (table, width, count) = (number(bytes, 40, 8)?, number(bytes, 58, 2)?, number(bytes, 60, 2)?);
    let section = |index: usize| {
        ensure!(index < count, "section {index} of {count}");
        Ok(table + index * width)
    };
    for index in 0..count {
        let header = section(index)?;
        if number(bytes, header + 4, 4)? as u64 != SECTION_VERSIONS_NEEDED {
            continue;
        }
        let names = number(bytes, section(number(bytes, header + 40, 4)?)? + 24, 8)?;
        let mut versions = needed_versions(bytes, number(bytes, header + 24, 8)?, names)?;
        versions.sort_unstable();
        return Ok(versions.pop());
    }
    Ok(None)
}

/// Walks the libraries, and the versions of each: two linked lists.
fn needed_versions(bytes: &[u8], mut library: usize, names: usize) -> Result<Vec<(u32, u32)>> {
    let mut versions = Vec::new();
    loop {
        let mut version = library + number(bytes, library + 8, 4)?;
        for _ in 0..number(bytes, library + 2, 2)? {
            let name = names + number(bytes, version + 8, 4)?;
            let rest = bytes.get(name..).context("a name lies behind the end")?;
            let name = rest.split(|byte| *byte == 0).next().unwrap_or_default();
            versions.extend(parse_glibc(&String::from_utf8_lossy(name)));
            version += number(bytes, version + 12, 4)?;
        }
        match number(bytes, library + 12, 4)? {
            0 => return Ok(versions),
            next => library += next,
        }
    }
}

/// `GLIBC_2.35` or `GLIBC_2.2.5`
fn parse_glibc(name: &str) -> Option<(u32, u32)> {
    let mut parts = name.strip_prefix("GLIBC_")?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_the_name_of_symbols() {
        assert_eq!(parse_glibc("GLIBC_2.35"), Some((2, 35)));
        assert_eq!(parse_glibc("GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(parse_glibc("GLIBC_PRIVATE"), None);
        assert_eq!(parse_glibc("GCC_4.2.0"), None);
    }

    #[test]
    fn programs_of_other_systems_are_known() {
        let mut mac = [0; 64];
        mac[..8].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]);
        let mut windows = [0; 128];
        windows[..2].copy_from_slice(b"MZ");
        windows[60] = 64;
        windows[68..70].copy_from_slice(&[0x64, 0x86]);
        let known = |bytes: &[u8]| ProgramFormat::parse(bytes).map(|it| (it.system, it.machine)).expect("a program");
        assert_eq!(known(&mac), (SystemKind::Mac, Machine::Arm));
        assert_eq!(known(&windows), (SystemKind::Windows, Machine::X86));
    }

    #[test]
    fn a_text_is_no_program() {
        let error = ProgramFormat::parse(&[b'#'; 80]).expect_err("a text").to_string();
        assert_eq!(error, "it is no program of 64 bits for Linux, macOS or Windows");
        assert!(ProgramFormat::parse(b"\x7fELF\x02\x01").is_err());
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn the_program_of_these_tests_is_known() {
        let format =
            ProgramFormat::read(&std::env::current_exe().expect("a program")).expect("a program of this system");
        assert_eq!(format.system, SystemKind::LinuxGlibc);
        assert!(format.glibc >= Some((2, 17)), "{format:?}");
    }
}
