//! `ArtifactFiles`, a content-addressed file store: compressed files of artifacts in a directory beside the canonical
//! SQLite database, named by the hash of their content.
//!
//! A file is whole under its name or not there: it is written under another one, synced, and renamed. So a row that
//! was committed after it always has its file, and a crash leaves at most a file that no row mentions.

use crate::archive::{compress, decompress};
use crate::private_file::create_private;
use crate::private_folder::make_private;
use fs_err as fs;
use model::ContentHash;
use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Files that this process began.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

#[derive(Clone)]
pub(super) struct ArtifactFiles {
    root: PathBuf,
}

impl ArtifactFiles {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Keeps some contents, durable when this returns. A file that is there and damaged is written anew.
    pub(super) fn write_contents<'a>(&self, contents: impl IntoIterator<Item = &'a [u8]>) -> std::io::Result<()> {
        // The folder and its parent are synced as well: a file in a folder that did not reach the disk is gone after a
        // power cut.
        let mut directories: BTreeSet<PathBuf> = self.root.ancestors().take(2).map(Path::to_owned).collect();
        for content in contents {
            let hash = ContentHash::hash_bytes(content);
            let path = self.file_path(hash);
            let directory = path.parent().unwrap_or(&self.root);
            // A file that is damaged counts as missing and is written again from the content at hand.
            if !self.is_intact(hash) {
                make_private(directory)?;
                // Two processes or threads may bring the same content at once; each writes its own unfinished file.
                let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
                let unfinished = directory.join(format!("{hash}.{}.{number}.part", std::process::id()));
                let mut file = create_private(&unfinished)?;
                file.write_all(&compress(content))?;
                // Synced before the rename: otherwise the name could reach the disk before the bytes.
                file.sync_all()?;
                fs::rename(&unfinished, &path)?;
            }
            // The rename of another writer, which made this file intact, may not have reached the disk yet either.
            directories.insert(directory.to_owned());
        }
        directories.iter().try_for_each(|directory| fs::File::open(directory)?.sync_all())
    }

    /// Whether some content is there, unchanged.
    fn is_intact(&self, hash: ContentHash) -> bool {
        let content = self.read_compressed(hash).ok().flatten().and_then(|packed| decompress(&packed).ok());
        content.is_some_and(|content| ContentHash::hash_bytes(&content) == hash)
    }

    /// The compressed content, if it is there.
    pub(super) fn read_compressed(&self, hash: ContentHash) -> std::io::Result<Option<Vec<u8>>> {
        match fs::read(self.file_path(hash)) {
            // No file is an answer and not a failure: the caller knows whether a row promises one.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        }
    }

    /// The directory they lie in.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Removes some content, if it is there.
    pub(super) fn remove_file(&self, hash: ContentHash) -> std::io::Result<()> {
        match fs::remove_file(self.file_path(hash)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The names of all files, ordered.
    pub(super) fn list_names(&self) -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for directory in list_entries(&self.root)? {
            let files = if directory.is_dir() { list_entries(&directory)? } else { vec![directory] };
            names.extend(
                files.iter().filter_map(|file| Some(file.strip_prefix(&self.root).ok()?.display().to_string())),
            );
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The name of some content below the root.
    pub(super) fn file_name(hash: ContentHash) -> String {
        let hash = hash.to_string();
        format!("{}/{hash}.zst", &hash[..2])
    }

    pub(super) fn file_path(&self, hash: ContentHash) -> PathBuf {
        self.root.join(Self::file_name(hash))
    }
}

fn list_entries(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.path())).collect(),
    }
}
