//! Creates the secret scrubber of a store lazily: `StoreScrubber` loads the scrub key from the store on first use,
//! because commands that store nothing do not need it.

use super::Result;
use model::scrub::{RuleOwner, Scrubber, UserRule};
use std::sync::Arc;
use store::Store;
use tokio::sync::OnceCell;

/// The scrubber of everything that is stored, with the key of this store and the rules of the user.
pub(crate) struct StoreScrubber {
    store: Arc<dyn Store>,
    rules: Vec<UserRule>,
    scrubber: OnceCell<Arc<Scrubber>>,
}

impl StoreScrubber {
    pub(crate) fn new(store: Arc<dyn Store>, rules: Vec<UserRule>) -> Self {
        Self { store, rules, scrubber: OnceCell::new() }
    }

    /// Whose the rule of a name is, unless it is built in or no rule of now.
    pub(crate) fn rule_owner(&self, name: &str) -> Option<RuleOwner> {
        self.rules.iter().find(|rule| rule.name.as_str() == name).map(|rule| rule.owner)
    }

    /// The scrubber.
    pub(crate) async fn load(&self) -> Result<&Arc<Scrubber>> {
        let make = async || Ok(Arc::new(Scrubber::new(self.store.scrub_key().await?, &self.rules)));
        self.scrubber.get_or_try_init(make).await
    }
}
