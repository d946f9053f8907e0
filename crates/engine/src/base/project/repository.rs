//! Computes the identity of a repository (the project id) from files of its git directory, without running git: the id
//! that we wrote there, else the URL of the remote, else a new id in a file beside git's own (if that cannot be
//! written, the path). So worktrees, moves and clones of one remote are one project, and adding a remote later changes
//! nothing. Only a git directory that is proven to be the project's is used ([`proof`](super::proof)).

use model::{ContentHash, DigestBuilder};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// The file in the git directory with the id that we gave.
const ID_FILE: &str = "epitome-project";

/// Longer files of these names are not written by git or by us.
const MOST_BYTES: u64 = 1 << 20;

/// The identity of the repository with this git directory.
pub(super) fn repository_identity(git: &Path) -> ContentHash {
    // The written id comes before the remote, so that a remote which is added later changes nothing.
    if let Some(id) = left_id(git) {
        return DigestBuilder::new("left id").add_field(id.as_bytes()).finish();
    }
    if let Some(remote) = read_own_file(&git.join("config")).and_then(|config| parse_remote(&config)) {
        return DigestBuilder::new("remote").add_field(remote.as_bytes()).finish();
    }
    match leave_id(git) {
        Some(id) => DigestBuilder::new("left id").add_field(id.as_bytes()).finish(),
        None => DigestBuilder::new("git directory").add_field(git.as_os_str().as_encoded_bytes()).finish(),
    }
}

/// The text of a regular file. A link is not followed, because it could lead to the file of another project, and a pipe
/// is not opened, because opening it blocks until another process writes to it.
pub(super) fn read_own_file(path: &Path) -> Option<String> {
    let metadata = fs_err::symlink_metadata(path).ok()?;
    if !metadata.is_file() {
        return None;
    }
    let mut text = String::new();
    fs_err::File::open(path).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn left_id(git: &Path) -> Option<String> {
    let text = read_own_file(&git.join(ID_FILE))?;
    let id = text.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

/// Writes a new id; of two processes that do so at once, the first one's counts for both.
fn leave_id(git: &Path) -> Option<String> {
    let metadata = fs_err::metadata(git).ok()?;
    // No other repository can have the same: the first path, and the inode and time of the directory.
    let made = DigestBuilder::new("new id")
        .add_field(git.as_os_str().as_encoded_bytes())
        .add_field(&metadata.ino().to_le_bytes())
        .add_field(&metadata.ctime_nsec().to_le_bytes())
        .add_field(&metadata.ctime().to_le_bytes())
        .finish();
    let id = made.to_string()[..32].to_owned();
    match put_new_file(git, &id) {
        Ok(()) => Some(id),
        // The link exists already where another process was first; its id is the one to use.
        Err(_) => left_id(git),
    }
}

/// Creates the file with the id whole or not at all; an existing file stays.
fn put_new_file(git: &Path, id: &str) -> std::io::Result<()> {
    static DRAFTS: AtomicU32 = AtomicU32::new(0);
    let number = DRAFTS.fetch_add(1, Ordering::Relaxed);
    let draft = git.join(format!("{ID_FILE}.{}.{number}", std::process::id()));
    // A draft that is there already may be a link that leads elsewhere, so it is neither written through nor removed.
    let mut file = fs_err::OpenOptions::new().write(true).create_new(true).open(&draft)?;
    // A hard link, unlike a rename, fails where the file exists, and never shows a half-written file.
    let linked = writeln!(file, "{id}").and_then(|()| fs_err::hard_link(&draft, git.join(ID_FILE)));
    let _ = fs_err::remove_file(&draft);
    linked
}

/// Host and path of `origin`, or of the first remote there is, from the text of git's configuration.
fn parse_remote(config: &str) -> Option<String> {
    let mut section = None;
    let mut found: Option<(&str, String)> = None;
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let name = header.strip_prefix("remote").map(|rest| rest.trim_matches([' ', '\t', '"', ']']));
            section = name.filter(|_| header.ends_with(']'));
        } else if let (Some(name), Some((key, url))) = (section, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("url")
            && (name == "origin" || found.is_none())
            && let Some(place) = normalize_url(url.trim().trim_matches('"'))
        {
            found = Some((name, place));
            // `origin` is decisive; another remote counts only as long as no `origin` follows.
            if name == "origin" {
                break;
            }
        }
    }
    found.map(|(_, place)| place)
}

/// The value of `core.worktree` in the text of git's configuration.
pub(super) fn core_worktree(config: &str) -> Option<String> {
    let mut is_core = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            is_core = header.strip_suffix(']').is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
        } else if let (true, Some((key, value))) = (is_core, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            found = Some(value.trim().trim_matches('"').replace("\\\\", "\\"));
        }
    }
    found
}

/// Host and path of a URL, the same for every spelling and user name; `None` for a path on this machine.
fn normalize_url(url: &str) -> Option<String> {
    let (authority, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:path`; a local path begins with a slash, or with a drive of one letter.
        None => url.split_once(':').filter(|(host, _)| !host.contains('/') && host.len() > 1)?,
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    // A port and a user name say how the host is reached, not which repository it is.
    let host = host.split_once(':').map_or(host, |(host, _port)| host);
    let path = path.trim_matches('/');
    // `host/a/b.git` and `host/a/b` are one repository.
    let path = path.strip_suffix(".git").unwrap_or(path);
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_is_its_host_and_path_however_it_is_written() {
        for url in [
            "https://github.com/Owner/Name.git",
            "https://token:x@github.com/owner/name",
            "git@github.com:owner/name.git",
            "ssh://git@github.com:22/owner/name/",
            "git://GitHub.com/owner/name.git",
        ] {
            assert_eq!(normalize_url(url).as_deref(), Some("github.com/owner/name"), "{url}");
        }
        for here in ["/srv/git/name.git", "../name", "file:///srv/name", "C:/x", "", "https://github.com/"] {
            assert_eq!(normalize_url(here), None, "{here}");
        }
    }

    #[test]
    fn the_worktree_of_a_submodule_is_read_from_its_section() {
        let config = "[core]\n\tbare = false\n\tworktree = ../../../lib\n[remote \"origin\"]\n\turl = x\n";
        assert_eq!(core_worktree(config).as_deref(), Some("../../../lib"));
        assert_eq!(core_worktree("[remote \"core\"]\n\tworktree = /a\n"), None);
        assert_eq!(core_worktree("[core]\n\tbare = true\n"), None);
    }

    #[test]
    fn origin_counts_then_any_remote() {
        let fork = "[remote \"fork\"]\n\turl = git@a:b/c\n";
        let origin = "[remote \"origin\"]\n\tfetch = +x\n\tURL = https://d/e/f.git\n";
        assert_eq!(parse_remote(&format!("[core]\n\tbare = false\n{fork}")), Some("a/b/c".to_owned()));
        assert_eq!(parse_remote(&format!("{fork}{origin}")), Some("d/e/f".to_owned()));
        assert_eq!(parse_remote("[core]\n\turl = https://d/e/f\n[branch \"remote\"]\n\tremote = origin\n"), None);
        assert_eq!(parse_remote("[remote \"origin\"]\n\turl = /srv/git/x\n"), None);
    }
}
