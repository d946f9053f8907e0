//! Finds or installs the programs of a PostgreSQL server (`initdb`, `pg_ctl`, `postgres`). No cluster and no service:
//! the tests start their own, and stop it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::install_packages;
use crate::process;

const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];
/// Where the tests look for the pooler.
const POOLERS: [&str; 3] = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
/// Debian keeps the server's programs off the search path, one folder per major version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder with the server's programs, installed if need be.
pub(crate) fn ensure_programs() -> Result<PathBuf> {
    if let Some(folder) = find_programs() {
        return Ok(folder);
    }
    install_packages(&["postgresql"], "a PostgreSQL server (initdb, pg_ctl, postgres)")?;
    find_programs().with_context(|| format!("the package postgresql is installed, but {VERSIONS} has no initdb"))
}

/// The pooler that tests put in front of a server, installed if need be, or why there is none: their only tests that
/// are skipped without it, since not every distribution has it.
pub(crate) fn ensure_pooler() -> String {
    let found = || POOLERS.iter().find(|program| Path::new(program).is_file()).map(|program| (*program).to_owned());
    found().unwrap_or_else(|| match install_packages(&["pgbouncer"], "the pooler pgbouncer") {
        Ok(()) => found().unwrap_or_else(|| "the package is installed, but not the program".to_owned()),
        Err(error) => format!("not installed, its tests are skipped: {error}"),
    })
}

fn find_programs() -> Option<PathBuf> {
    let on_path = process::find_program("initdb").and_then(|initdb| initdb.parent().map(Path::to_owned));
    on_path.filter(|folder| is_complete(folder)).or_else(|| newest_programs(Path::new(VERSIONS)))
}

fn newest_programs(versions: &Path) -> Option<PathBuf> {
    let folders = fs_err::read_dir(versions).ok()?.filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
    });
    // Compared as numbers: as text, 9 would be newer than 16.
    folders.filter(|(_, folder)| is_complete(folder)).max().map(|(_, folder)| folder)
}

fn is_complete(folder: &Path) -> bool {
    PROGRAMS.iter().all(|program| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_complete_version_is_taken() {
        let root = std::env::temp_dir().join(format!("xtask-postgres-{}", std::process::id()));
        for (version, programs) in
            [("9", &PROGRAMS[..]), ("15", &PROGRAMS), ("16", &PROGRAMS[..1]), ("common", &PROGRAMS)]
        {
            let folder = root.join(version).join("bin");
            fs_err::create_dir_all(&folder).expect("a temporary folder");
            for program in programs {
                fs_err::write(folder.join(program), "").expect("a temporary file");
            }
        }
        let found = newest_programs(&root);
        fs_err::remove_dir_all(&root).expect("the temporary folder goes away");
        assert_eq!(found, Some(root.join("15").join("bin")));
    }
}
