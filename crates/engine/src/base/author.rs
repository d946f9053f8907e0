//! `Author`: who works with the engine, as far as a store that several people share has to know it.

/// Who works with the engine. The name is what the program was told, and proves nothing: whoever opens a tenant of a
/// database is one of its team. It says whose words something is, and to whom it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// The name that colleagues know.
    pub name: Option<String>,
    /// Whether several people keep what they say in the store.
    pub shares_store: bool,
}

impl Author {
    /// Whose what is kept now is: nobody's in a store of one person, where all of it is theirs.
    pub(crate) fn owner(&self) -> Option<String> {
        self.name.clone().filter(|_| self.shares_store)
    }

    /// Whether something is the reader's own, or belongs to all who use the store.
    pub(crate) fn owns(&self, author: Option<&str>) -> bool {
        !self.shares_store || author.is_none() || author == self.name.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_nobody_is_of_all_and_what_is_of_another_is_not_mine() {
        let author = |name: Option<&str>, shares_store| Author { name: name.map(str::to_owned), shares_store };
        let ana = author(Some("ana"), true);
        assert_eq!(ana.owner().as_deref(), Some("ana"));
        assert!(ana.owns(Some("ana")) && ana.owns(None) && !ana.owns(Some("bob")));
        let unnamed = author(None, true);
        assert!(unnamed.owns(None) && !unnamed.owns(Some("bob")) && unnamed.owner().is_none());
        let alone = author(Some("ana"), false);
        assert!(alone.owns(Some("bob")) && alone.owner().is_none(), "one person's store is theirs");
    }
}
