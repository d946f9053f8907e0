//! External ids that never name two things.
//!
//! Agents copy lines when a conversation is resumed or forked, and some give one id to different words. The same words
//! under the same id are a copy; other words get a name of their own, made from what they say, so that reading the
//! lines again gives the same name again. What has no id is named by its place and its words.

use std::collections::HashMap;

use model::ContentHash;

#[derive(Default)]
pub(crate) struct Names(HashMap<String, ContentHash>);

/// What a name turned out to be.
pub(crate) enum Named {
    /// Said for the first time, under this name.
    New(String),
    /// Said before, under this name.
    Copy(String),
}

impl Names {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Names what was said, verbatim, as the `place`th of its kind.
    pub(crate) fn name(&mut self, id: Option<&str>, place: u64, verbatim: &str) -> Named {
        let words = ContentHash::of(verbatim.as_bytes());
        let short = || words.to_string()[..16].to_owned();
        let mut name = id.map_or_else(|| format!("at-{place}-{}", short()), str::to_owned);
        if self.0.get(&name).is_some_and(|taken| *taken != words) {
            name = format!("{name}~{}", short());
        }
        match self.0.insert(name.clone(), words) {
            Some(_) => Named::Copy(name),
            None => Named::New(name),
        }
    }
}
