//! The journal of a torture client: a synced file, on a disk of its own, with every acknowledgement it received, to
//! compare with the store.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::home::TortureHome;
use super::numbered_messages;

pub(super) struct ClientJournal {
    file: fs_err::File,
    acknowledged: Vec<AcknowledgedMessage>,
}

#[derive(Clone)]
struct AcknowledgedMessage {
    number: u64,
    message: String,
    seq: u64,
}

impl ClientJournal {
    pub(super) fn open(path: &Path) -> Result<Self> {
        Ok(Self { file: fs_err::File::create(path)?, acknowledged: Vec::new() })
    }

    pub(super) fn len(&self) -> u64 {
        self.acknowledged.len() as u64
    }

    /// The first message that Epitome has not acknowledged, all before it having been.
    pub(super) fn next_number(&self) -> u64 {
        let numbers: HashSet<u64> = self.acknowledged.iter().map(|it| it.number).collect();
        (1..=self.len()).find(|number| !numbers.contains(number)).unwrap_or(self.len() + 1)
    }

    /// Notes an acknowledgement of a message.
    pub(super) fn add_acknowledgement(&mut self, number: u64, acknowledgement: &Value) -> Result<()> {
        let message = acknowledgement["message_id"].as_str().with_context(|| format!("no id: {acknowledgement}"))?;
        let seq = acknowledgement["seq"].as_u64().with_context(|| format!("no place: {acknowledgement}"))?;
        writeln!(self.file, "{number} {message} {seq}")?;
        self.acknowledged.push(AcknowledgedMessage { number, message: message.to_owned(), seq });
        Ok(())
    }

    pub(super) fn sync(&self) -> Result<()> {
        Ok(self.file.sync_data()?)
    }

    /// Everything acknowledged is there as it was sent, nothing is there twice, and places have no gaps.
    pub(super) fn check_stored(&self, home: &TortureHome, conversation: &str) -> Result<()> {
        // If it was killed before the first message was stored, there may be no conversation; then nothing was
        // acknowledged.
        if self.acknowledged.is_empty() {
            return home.run_verify();
        }
        let stored = home.read_messages(conversation)?;
        let mut seen = HashSet::new();
        for (message, place) in stored.iter().zip(1..) {
            ensure!(message["seq"] == place, "place {place} holds {}", message["seq"]);
            let content = message["content"].as_str().unwrap_or_default();
            let number = numbered_messages::message_number(content)?;
            ensure!(
                content == numbered_messages::message_text(number),
                "message {number} came back as other text: {content:.120}"
            );
            ensure!(seen.insert(number), "message {number} is there twice");
        }
        for AcknowledgedMessage { number, message, seq } in &self.acknowledged {
            let place = stored.get(*seq as usize - 1);
            let place = place.with_context(|| format!("message {number} was acknowledged at {seq} and is lost"))?;
            let there = numbered_messages::message_number(place["content"].as_str().unwrap_or_default())?;
            ensure!(there == *number && place["message_id"] == **message, "at {seq} is {there} instead of {number}");
        }
        home.run_verify()
    }
}
