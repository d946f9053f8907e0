//! What the engine does to look after what is stored: verifies it, looks for secrets in it, mends it.

use crate::memory::{
    ConversationSelection, RepairReport, RepairRequest, SecretPurge, SecretScan, VerificationProblem, VerifyReport,
};
use crate::{Engine, Error, Observer, Result, memory};
use model::ProjectId;
use store::{Conversation, RewriteRecord};

/// The result of removing a project's data.
#[derive(Clone, Debug)]
pub struct ForgottenProject {
    /// What was removed.
    pub records: Vec<RewriteRecord>,
    /// Why bytes from before may still lie in the database's files; none where they are gone.
    pub leftover: Option<String>,
}

impl Engine {
    /// Proves that nothing stored is missing or changed: of one conversation, or of all and the database itself.
    pub async fn verify(&self, which: &ConversationSelection, observer: &dyn Observer) -> Result<VerifyReport> {
        memory::verify(&self.memory, which, None, observer).await
    }

    /// The same, and that the store goes on from a state that was kept elsewhere: a hash of its anchor, or the statement
    /// of a verification.
    pub async fn verify_expecting(
        &self,
        which: &ConversationSelection,
        expected: &str,
        observer: &dyn Observer,
    ) -> Result<VerifyReport> {
        memory::verify(&self.memory, which, Some(expected), observer).await
    }

    /// Accepts the store as it is, under a name: a backup that was restored on purpose. Returns what is given up by it,
    /// and the verification of what is there.
    pub async fn accept_restored(
        &self,
        name: &str,
        observer: &dyn Observer,
    ) -> Result<(Vec<VerificationProblem>, VerifyReport)> {
        memory::accept_restored(&self.memory, name, observer).await
    }

    /// Looks through everything that is stored for secrets; changes nothing, and tells no value.
    pub async fn scan_secrets(&self, observer: &dyn Observer) -> Result<SecretScan> {
        memory::scan_secrets(&self.memory, observer).await
    }

    /// Replaces secrets in everything that is stored.
    pub async fn purge_secrets(&self, observer: &dyn Observer) -> Result<SecretPurge> {
        memory::purge_secrets(&self.memory, observer).await
    }

    /// The conversations of a project.
    pub async fn project_conversations(&self, project: &ProjectId) -> Result<Vec<Conversation>> {
        let conversations = self.memory.store.list_conversations().await?.into_iter();
        Ok(conversations.filter(|conversation| conversation.project.as_ref() == Some(project)).collect())
    }

    /// Removes everything that is stored of a project.
    pub async fn forget_project(&self, project: &ProjectId) -> Result<ForgottenProject> {
        // First, because the project is still there to be named again where a file stays.
        if let Some(images) = &self.code.images {
            images.remove_project(project).map_err(Error::Disk)?;
        }
        let records = self.memory.store.forget_project(project, self.memory.clock.now()).await?;
        // Postings hold words of messages.
        self.memory.store.drop_passages().await?;
        let leftover = self.memory.store.erase_freed_pages().await.err().map(|error| error.to_string());
        Ok(ForgottenProject { records, leftover })
    }

    /// Drops the full-text index of conversations, after other messages took their place.
    pub async fn drop_recall_index(&self) -> Result<()> {
        Ok(self.memory.store.drop_passages().await?)
    }

    /// Mends summaries, contexts and facts that do not fit together, or says how it would.
    pub async fn repair(&self, request: RepairRequest, observer: &dyn Observer) -> Result<RepairReport> {
        memory::repair(&self.memory, request, observer).await
    }
}
