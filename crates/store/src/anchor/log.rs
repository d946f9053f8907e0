//! `AnchorLog`: what all entries of an anchor say together. Later entries add to earlier ones; a removal or an accepted
//! backup ends what was said before it.

use super::entry::{
    AcceptedRestore, AnchorEntry, AnchorHead, AnchorPoint, AnchoredState, DataRemoval, RemovedSubject, join_fields,
    split_fields,
};
use super::file::link_line;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What names a generation of an archive: agent, path, number.
pub type ArchiveKey = (String, String, u32);

/// The hashes that something append-only had, by how many pieces it had then. Two hashes of one place show that its end
/// was cut off and that it went on otherwise.
pub type AnchoredHashes = BTreeMap<u64, BTreeSet<String>>;

/// What an anchor says.
#[derive(Clone, Debug, Default)]
pub struct AnchorLog {
    /// For each conversation the links of its chain that were anchored, by the number of the message.
    pub conversations: BTreeMap<String, AnchoredHashes>,
    /// For each archive the hashes of its checkpoints, by how many frames lie before.
    pub archives: BTreeMap<ArchiveKey, AnchoredHashes>,
    /// Ids of rows that are never deleted, by table.
    pub rows: BTreeMap<String, BTreeSet<String>>,
    /// States by their numbers: the database and its digest. Two that differ show that the database was put back.
    pub states: BTreeMap<u64, BTreeSet<(String, String)>>,
    /// Fingerprints of the key of placeholders.
    pub keys: BTreeSet<String>,
    /// What was removed on purpose, with the number of its commit, oldest first.
    pub removals: Vec<(u64, DataRemoval)>,
    /// Backups that were accepted, oldest first.
    pub restores: Vec<AcceptedRestore>,
    /// The hash of the last line: it stands for everything the anchor says.
    pub hash: Option<String>,
    /// How many entries there are.
    pub entry_count: u64,
    /// The number of the first state; none where there is none.
    pub first_state: Option<u64>,
    /// What is wrong with the file itself.
    pub faults: Vec<String>,
    hashes: HashSet<String>,
}

impl AnchorLog {
    /// Reads the bytes of an anchor. What cannot be read is a fault, and the rest is read all the same.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        let mut before = String::new();
        // What stands behind the last line break was never written whole.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut is_torn = false;
        for (number, line) in text.split_terminator('\n').enumerate() {
            let number = number + 1;
            // No entry has zeros: they stand where a power cut took what was not synced. The anchor knows less by it, as
            // by an end that is missing.
            if line.contains('\0') {
                is_torn = true;
                continue;
            }
            let (hash, body) = line.split_once('\t').unwrap_or((line, ""));
            if hash != link_line(&before, body) && !std::mem::take(&mut is_torn) {
                log.faults.push(format!("line {number} does not follow from the line before it"));
            }
            hash.clone_into(&mut before);
            log.hashes.insert(hash.to_owned());
            match AnchorEntry::from_fields(split_fields(body)) {
                Some(entry) => log.add_entry(entry),
                None => log.faults.push(format!("line {number} cannot be read")),
            }
            log.entry_count += 1;
        }
        log.hash = (!before.is_empty()).then_some(before);
        log
    }

    /// Whether the anchor had this hash once, or has it now.
    pub fn contains_hash(&self, hash: &str) -> bool {
        self.hashes.contains(hash)
    }

    /// What to keep elsewhere: the hash of an anchor, and how far everything is.
    pub fn statement(hash: &str, points: &[AnchorPoint]) -> String {
        let state =
            AnchoredState { number: 0, database: String::new(), digest: String::new(), points: points.to_vec() };
        let body = join_fields(&AnchorEntry::State(state).fields());
        format!("epitome-anchor\t{hash}\t{}\n{body}\n", link_line(hash, &body))
    }

    /// Adds what a statement says to what is anchored, and gives the hash of the anchor it was made from; none where the
    /// text is no statement.
    pub fn add_statement(&mut self, text: &str) -> Option<String> {
        let (head, body) = text.trim_end().split_once('\n')?;
        let [mark, hash, seal] = <[&str; 3]>::try_from(head.split('\t').collect::<Vec<_>>()).ok()?;
        if mark != "epitome-anchor" || seal != link_line(hash, body) {
            return None;
        }
        let AnchorEntry::State(state) = AnchorEntry::from_fields(split_fields(body))? else { return None };
        for point in state.points {
            self.add_point(point, None);
        }
        Some(hash.to_owned())
    }

    /// The highest number of a state.
    pub fn last_state(&self) -> Option<u64> {
        self.states.keys().next_back().copied()
    }

    /// Drops what a removal ends that the database knows of and the anchor does not yet.
    pub fn apply_removal(&mut self, removal: &DataRemoval) {
        if !self.removals.iter().any(|(_, known)| known == removal) {
            // Several machines have an anchor each: this one may know of a later removal and not of this one, which then
            // has nothing left to end.
            let is_later = |known: &DataRemoval| known.subject == removal.subject && known.at > removal.at;
            if !self.removals.iter().any(|(_, known)| is_later(known)) {
                self.end_subject(removal);
            }
            self.removals.push((u64::MAX, removal.clone()));
        }
    }

    fn add_entry(&mut self, entry: AnchorEntry) {
        match entry {
            AnchorEntry::State(state) => self.add_state(state),
            AnchorEntry::Key(fingerprint) => drop(self.keys.insert(fingerprint)),
            AnchorEntry::Removed(number, removal) => {
                self.end_subject(&removal);
                self.removals.push((number, removal));
            }
            AnchorEntry::Restored(restore) => {
                self.conversations.clear();
                self.archives.clear();
                self.rows.clear();
                self.states.clear();
                self.keys.clear();
                self.first_state = None;
                self.faults.clear();
                self.add_state(restore.state.clone());
                self.first_state = Some(0);
                self.restores.push(restore);
            }
        }
    }

    fn add_state(&mut self, state: AnchoredState) {
        // A writer that was slow may add its entry behind that of a later commit, which already ended what it says.
        let accepted = self.restores.last().map_or(0, |restore| restore.state.number);
        if state.number > 0 && state.number < accepted {
            return;
        }
        self.first_state.get_or_insert(state.number);
        self.states.entry(state.number).or_default().insert((state.database, state.digest));
        for point in state.points {
            self.add_point(point, Some(state.number));
        }
    }

    /// Adds a point of a state, or of a statement that names none, unless what it says was ended by a removal since.
    fn add_point(&mut self, point: AnchorPoint, state: Option<u64>) {
        let is_ended = |subject: &RemovedSubject| {
            let is_later = |number: u64| state.is_none_or(|state| state < number);
            self.removals.iter().any(|(number, removal)| is_later(*number) && removal.subject == *subject)
        };
        match point {
            AnchorPoint::Conversation { id, head } => {
                if !is_ended(&RemovedSubject::Conversation { id: id.clone() }) {
                    add_hash(self.conversations.entry(id).or_default(), head);
                }
            }
            AnchorPoint::Archive { agent, path, generation, head } => {
                let subject = RemovedSubject::Archive { agent: agent.clone(), path: path.clone(), generation };
                if !is_ended(&subject) {
                    add_hash(self.archives.entry((agent, path, generation)).or_default(), head);
                }
            }
            AnchorPoint::Row { table, id } => {
                if !is_ended(&RemovedSubject::Row { table: table.clone(), id: id.clone() }) {
                    self.rows.entry(table).or_default().insert(id);
                }
            }
        }
    }

    fn end_subject(&mut self, removal: &DataRemoval) {
        match &removal.subject {
            RemovedSubject::Conversation { id } => {
                self.conversations.remove(id);
                if let Some(head) = &removal.new {
                    add_hash(self.conversations.entry(id.clone()).or_default(), head.clone());
                }
            }
            RemovedSubject::Archive { agent, path, generation } => {
                let key = (agent.clone(), path.clone(), *generation);
                self.archives.remove(&key);
                if let Some(head) = &removal.new {
                    add_hash(self.archives.entry(key).or_default(), head.clone());
                }
            }
            RemovedSubject::Row { table, id } => {
                if let Some(rows) = self.rows.get_mut(table) {
                    rows.remove(id);
                }
            }
        }
    }
}

fn add_hash(hashes: &mut AnchoredHashes, head: AnchorHead) {
    hashes.entry(head.count).or_default().insert(head.hash);
}
