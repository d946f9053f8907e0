//! Looks up the line ranges of symbols in the index: a file whose content is the indexed one need not be parsed to find
//! a symbol.

use crate::base::Project;
use crate::code::CodeContext;
use crate::code::symbol_codec::each_symbol;
use model::{ContentHash, LineRange, SymbolId};
use std::collections::{HashMap, HashSet};
use store::{FileId, FileRecordKind};

/// The symbols of files that some ids name, as they were indexed.
#[derive(Clone, Default)]
pub(super) struct KnownSymbols(HashMap<String, KnownFile>);

#[derive(Clone)]
struct KnownFile {
    hash: ContentHash,
    /// By qualified name.
    lines: HashMap<String, LineRange>,
}

impl KnownSymbols {
    /// Loads the symbols of some targets' files. Reading works without the index, so a failure is no error.
    pub(super) async fn load_targets(code: &CodeContext, project: &Project, targets: &[String]) -> Self {
        let ids = targets.iter().filter_map(|target| SymbolId::parse(target));
        let paths: HashSet<String> = ids.map(|id| id.file_path().into_owned()).collect();
        if paths.is_empty() {
            return Self::default();
        }
        Self::load_files(code, project, paths.into_iter().collect()).await.unwrap_or_default()
    }

    async fn load_files(code: &CodeContext, project: &Project, paths: Vec<String>) -> store::Result<Self> {
        let store = &code.store;
        let worktree = store.open_worktree(&project.id, &project.root_text()).await?.id;
        let files: Vec<_> = store.files_at(&worktree, &paths).await?.into_iter().flatten().collect();
        let ids: Vec<FileId> = files.iter().map(|file| file.file).collect();
        let records = store.load_records(&worktree, FileRecordKind::Symbols, &ids).await?;
        let mut known = HashMap::new();
        for (file, bytes) in files.into_iter().zip(records) {
            let mut lines = HashMap::new();
            let read = each_symbol(&bytes.unwrap_or_default(), |symbol| {
                lines.insert(symbol.qualified_name.to_owned(), symbol.lines);
            });
            if read.is_ok() {
                known.insert(file.path, KnownFile { hash: file.hash, lines });
            }
        }
        Ok(Self(known))
    }

    /// The lines of a symbol in a file that has this content.
    // The content must be the indexed one, or the lines may be those of other code.
    pub(super) fn symbol_lines(&self, id: &SymbolId, content: ContentHash) -> Option<LineRange> {
        let file = self.0.get(id.file_path().as_ref()).filter(|file| file.hash == content)?;
        file.lines.get(id.qualified_name()).copied()
    }
}
