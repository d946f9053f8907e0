//! Determines the parent of each message in formats that store none: the message before it, unless the user went back
//! to an earlier message.

#[derive(Default)]
pub(crate) struct ParentTracker(Vec<TrackedMessage>);

struct TrackedMessage {
    message: String,
    is_turn: bool,
}

impl ParentTracker {
    /// Goes on to a message; says which one it follows. A turn begins where a person speaks.
    pub(crate) fn advance_to(&mut self, message: &str, is_turn: bool) -> Option<String> {
        let parent = self.last_message();
        self.0.push(TrackedMessage { message: message.to_owned(), is_turn });
        parent
    }

    pub(crate) fn last_message(&self) -> Option<String> {
        self.0.last().map(|step| step.message.clone())
    }

    /// Goes back to before a message; to the start when it is not on the way.
    pub(crate) fn back_before(&mut self, message: &str) {
        let at = self.0.iter().rposition(|step| step.message == message).unwrap_or(0);
        self.0.truncate(at);
    }

    /// Goes back to before the last so many turns.
    pub(crate) fn back_turns(&mut self, turns: u32) {
        for _ in 0..turns {
            // Going back further than the beginning ends at the beginning.
            let Some(at) = self.0.iter().rposition(|step| step.is_turn) else { break };
            self.0.truncate(at);
        }
    }
}
