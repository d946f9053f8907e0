//! Compares each item of a read reply with the index (`Freshness`: fresh, edited, stale, unindexed), so that an agent
//! knows how far to trust other answers of the index about it; a file that is gone from the disk is answered from the
//! index.

use super::{FileHashes, OmissionReason, OmittedTarget, ReadItem, ReadReply, ViewMode, remaining_budget};
use crate::base::{Error, Project, Result};
use crate::code::CodeContext;
use crate::code::index;
use model::{SymbolId, TokenCount, count_tokens};
use std::collections::HashMap;
use store::IndexState;

/// How the text compares with the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// As indexed.
    Fresh,
    /// Not as indexed: the text is from the disk, which is right.
    Edited,
    /// Gone from the disk, or unreadable there: the text is what the index has of it.
    Stale,
    /// The index does not have it.
    Unindexed,
}

impl Freshness {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Edited => "edited",
            Self::Stale => "stale",
            Self::Unindexed => "unindexed",
        }
    }
}

/// Sets the freshness of each item, and answers from the index where the disk gave nothing.
///
/// An index that fails is no reason to withhold the text: the items stay unindexed.
pub(super) async fn set_freshness(
    code: &CodeContext,
    project: &Project,
    reply: &mut ReadReply,
    hashes: &FileHashes,
    budget: Option<TokenCount>,
) {
    if let Err(error) = compare_with_index(code, project, reply, hashes, budget).await {
        tracing::warn!(%error, "the index cannot say whether it knows what was read");
    }
}

async fn compare_with_index(
    code: &CodeContext,
    project: &Project,
    reply: &mut ReadReply,
    hashes: &FileHashes,
    budget: Option<TokenCount>,
) -> Result<()> {
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?;
    // An unfinished index would call most files unindexed, which says nothing.
    if worktree.state == IndexState::NotReady {
        return Ok(());
    }
    let paths: Vec<String> = hashes.iter().map(|(path, _)| path.clone()).collect();
    let files = code.store.files_at(&worktree.id, &paths).await?;
    let known: HashMap<&str, Freshness> = hashes
        .iter()
        .zip(files)
        .filter_map(|((path, hash), file)| {
            let is_same = file?.hash == *hash;
            Some((path.as_str(), if is_same { Freshness::Fresh } else { Freshness::Edited }))
        })
        .collect();
    for item in &mut reply.items {
        item.freshness = known.get(item.path.as_str()).copied().unwrap_or(item.freshness);
    }
    for omitted in std::mem::take(&mut reply.omitted) {
        match load_indexed(code, project, &omitted).await? {
            Some(item)
                if remaining_budget(budget, reply).is_none_or(|left| count_tokens(&item.render_text()) <= left) =>
            {
                reply.items.push(item);
            }
            _ => reply.omitted.push(omitted),
        }
    }
    Ok(())
}

/// The map of a file that cannot be read from the disk any more.
async fn load_indexed(code: &CodeContext, project: &Project, omitted: &OmittedTarget) -> Result<Option<ReadItem>> {
    // Other failures are about the request itself, and the index cannot answer them.
    let OmissionReason::Failed(Error::NotFound { what: "file", .. } | Error::Disk(_)) = &omitted.why else {
        return Ok(None);
    };
    let path = SymbolId::parse(&omitted.id).map_or_else(|| omitted.id.clone(), |id| id.file_path().into_owned());
    let symbols = index::symbols_of(code, project, &path).await?;
    if symbols.is_empty() {
        return Ok(None);
    }
    let text = syntax::map_of(&format!("{path} (as last indexed; it cannot be read now)"), &symbols);
    Ok(Some(ReadItem {
        id: omitted.id.clone(),
        path,
        lines: None,
        tokens: count_tokens(&text),
        text,
        mode: ViewMode::Map,
        freshness: Freshness::Stale,
        lossy: false,
        original_bytes: 0,
        original_tokens: TokenCount(0),
        relation: None,
        moved_from: None,
        one_of: None,
        withheld: None,
    }))
}
