//! The code half of the engine: indexes files into symbols and edges, and answers questions about them (search, read,
//! relations, impact, briefing). `CodeContext` holds its store, models, settings and caches.

pub(crate) mod critique;
pub(crate) mod document_codec;
pub(crate) mod git;
pub(crate) mod graph;
pub(crate) mod graph_load;
pub(crate) mod index;
pub(crate) mod orient;
pub(crate) mod packages;
pub(crate) mod read;
pub(crate) mod relate;
pub(crate) mod search;
pub(crate) mod symbol_codec;
pub(crate) mod symbol_summaries;
pub(crate) mod watch;
pub(crate) mod worktree_view;

use crate::base::image::ImageFolder;
use crate::base::{Clock, VersionedLru};
use crate::ledger::LedgerContext;
use graph::{GraphView, Resolver};
use index::IndexSettings;
use providers::{LocalEmbedder, TextEncoder};
use relate::DocumentTable;
use search::{CatalogView, EncoderQueue, EnrichmentCache};
use std::path::PathBuf;
use std::sync::Arc;
use store::{Fingerprint, Store};
use watch::WatchRegistry;
use worktree_view::WorktreeView;

/// What the code half works with.
pub(crate) struct CodeContext {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// What models are asked through.
    pub(crate) ledger: Arc<LedgerContext>,
    pub(crate) settings: IndexSettings,
    pub(crate) embedder: Option<Arc<dyn LocalEmbedder>>,
    pub(crate) encoder: Option<Arc<dyn TextEncoder>>,
    pub(crate) watches: WatchRegistry,
    /// Each with the fingerprint of its inputs other than files.
    pub(crate) resolvers: VersionedLru<(Fingerprint, Resolver)>,
    /// Everything that follows the edges of worktrees, in this order.
    pub(crate) views: Vec<Arc<dyn WorktreeView>>,
    pub(crate) graphs: Arc<GraphView>,
    pub(crate) catalogs: Arc<CatalogView>,
    /// Where catalogs and graphs lie that processes share.
    pub(crate) images: Option<ImageFolder>,
    pub(crate) enrichments: EnrichmentCache,
    pub(crate) encodings: Arc<EncoderQueue>,
    pub(crate) documents: VersionedLru<Arc<DocumentTable>>,
}

impl CodeContext {
    /// A context with nothing kept yet.
    pub(crate) fn new(
        ledger: &Arc<LedgerContext>,
        settings: IndexSettings,
        embedder: Option<Arc<dyn LocalEmbedder>>,
        encoder: Option<Arc<dyn TextEncoder>>,
        images: Option<PathBuf>,
    ) -> Self {
        let images = images.map(ImageFolder::new);
        let store = Arc::clone(&ledger.store);
        let graphs = Arc::new(GraphView::new(Arc::clone(&store), &ledger.clock, images.clone()));
        let catalogs = Arc::new(CatalogView::new(Arc::clone(&store), &ledger.clock, embedder.clone(), images.clone()));
        Self {
            store,
            clock: Arc::clone(&ledger.clock),
            ledger: Arc::clone(ledger),
            settings,
            embedder,
            encoder,
            watches: WatchRegistry::default(),
            // A resolver is several times the size of a graph, and few worktrees are worked on at once.
            resolvers: VersionedLru::new(2, &ledger.clock),
            views: vec![Arc::clone(&catalogs) as Arc<dyn WorktreeView>, Arc::clone(&graphs) as Arc<dyn WorktreeView>],
            graphs,
            catalogs,
            images,
            // One for each of a few worktrees that are worked on at once.
            enrichments: EnrichmentCache::new(4, &ledger.clock),
            encodings: Arc::default(),
            documents: VersionedLru::new(4, &ledger.clock),
        }
    }

    /// Drops what is kept in memory of worktrees that no question asked about in a while; says how many values that were.
    pub(crate) fn release_idle(&self) -> usize {
        // Enrichments first: each is made for one catalog.
        let released = self.enrichments.release_idle() + self.catalogs.release_idle() + self.documents.release_idle();
        let released = released + self.graphs.release_idle();
        released + self.resolvers.release_idle()
    }
}
