//! What a repository is known by, wherever it lies: cheap to find out, and without running git.
//!
//! In this order: an id we left in its git directory; the place it is fetched from; a new id left there. So worktrees,
//! moves and clones of one remote are one project, and a repository that gets its remote only later stays what it was.
//! An id is left only where there is no remote, one small file beside git's own, which moves with the repository. Where
//! nothing can be left, the path of the git directory has to do.

use model::{ContentHash, Digest};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The file in the git directory that holds the id we gave.
const ID_FILE: &str = "epitome-project";

/// What the repository with this git directory is known by.
pub(super) fn identity(git: &Path) -> ContentHash {
    if let Some(id) = left_id(git) {
        return Digest::new("left id").field(id.as_bytes()).finish();
    }
    if let Some(remote) = fs_err::read_to_string(git.join("config")).ok().and_then(|config| remote(&config)) {
        return Digest::new("remote").field(remote.as_bytes()).finish();
    }
    match leave_id(git) {
        Some(id) => Digest::new("left id").field(id.as_bytes()).finish(),
        None => Digest::new("git directory").field(git.as_os_str().as_encoded_bytes()).finish(),
    }
}

/// The git directory shared by all worktrees: `.git` itself, or where the `.git` file of a worktree points.
pub(super) fn common_git_directory(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let pointer = fs_err::read_to_string(&dot_git).ok()?;
    let private = root.join(pointer.strip_prefix("gitdir:")?.trim());
    let shared = match fs_err::read_to_string(private.join("commondir")) {
        Ok(relative) => private.join(relative.trim()),
        Err(_) => private,
    };
    fs_err::canonicalize(shared).ok()
}

fn left_id(git: &Path) -> Option<String> {
    let text = fs_err::read_to_string(git.join(ID_FILE)).ok()?;
    let id = text.trim();
    (!id.is_empty()).then(|| id.to_owned())
}

/// Leaves a new id; of two processes that do so at once the first one's counts for both.
fn leave_id(git: &Path) -> Option<String> {
    let metadata = fs_err::metadata(git).ok()?;
    // Nothing that another repository could share: where this one was seen first, and when its directory was made.
    let made = Digest::new("new id")
        .field(git.as_os_str().as_encoded_bytes())
        .field(&metadata.ino().to_le_bytes())
        .field(&metadata.ctime_nsec().to_le_bytes())
        .field(&metadata.ctime().to_le_bytes())
        .finish();
    let id = made.to_string()[..32].to_owned();
    let draft = git.join(format!("{ID_FILE}.{}", std::process::id()));
    let written = fs_err::File::create(&draft).and_then(|mut file| writeln!(file, "{id}"));
    let linked = written.and_then(|()| fs_err::hard_link(&draft, git.join(ID_FILE)));
    let _ = fs_err::remove_file(&draft);
    match linked {
        Ok(()) => Some(id),
        Err(_) => left_id(git),
    }
}

/// Host and path of `origin`, or of the first remote there is, from the text of git's configuration.
fn remote(config: &str) -> Option<String> {
    let mut section = None;
    let mut found: Option<(&str, String)> = None;
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let name = header.strip_prefix("remote").map(|rest| rest.trim_matches([' ', '\t', '"', ']']));
            section = name.filter(|_| header.ends_with(']'));
        } else if let (Some(name), Some((key, url))) = (section, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("url")
            && (name == "origin" || found.is_none())
            && let Some(place) = place(url.trim().trim_matches('"'))
        {
            found = Some((name, place));
            if name == "origin" {
                break;
            }
        }
    }
    found.map(|(_, place)| place)
}

/// Host and path of a URL, the same however it is written and whoever asks; none for a path on this machine.
fn place(url: &str) -> Option<String> {
    let (authority, path) = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/')?,
        // `git@host:path`; a path of this machine has its slash first, or a drive of one letter.
        None => url.split_once(':').filter(|(host, _)| !host.contains('/') && host.len() > 1)?,
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.split_once(':').map_or(host, |(host, _port)| host);
    let path = path.trim_matches('/');
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
            assert_eq!(place(url).as_deref(), Some("github.com/owner/name"), "{url}");
        }
        for here in ["/srv/git/name.git", "../name", "file:///srv/name", "C:/x", "", "https://github.com/"] {
            assert_eq!(place(here), None, "{here}");
        }
    }

    #[test]
    fn origin_counts_then_any_remote() {
        let fork = "[remote \"fork\"]\n\turl = git@a:b/c\n";
        let origin = "[remote \"origin\"]\n\tfetch = +x\n\tURL = https://d/e/f.git\n";
        assert_eq!(remote(&format!("[core]\n\tbare = false\n{fork}")), Some("a/b/c".to_owned()));
        assert_eq!(remote(&format!("{fork}{origin}")), Some("d/e/f".to_owned()));
        assert_eq!(remote("[core]\n\turl = https://d/e/f\n[branch \"remote\"]\n\tremote = origin\n"), None);
        assert_eq!(remote("[remote \"origin\"]\n\turl = /srv/git/x\n"), None);
    }
}
