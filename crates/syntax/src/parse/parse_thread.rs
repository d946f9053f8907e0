//! A worker thread with a large stack that parses long texts for another thread. The worker is kept from text to text:
//! starting a thread, allocating a stack of megabytes and freeing both costs as much as many a parse.

use std::sync::mpsc::{self, Sender};
use std::thread;
use tree_sitter::Parser;

/// A text to parse, with the parser of the thread.
pub(crate) type ParseTask = Box<dyn FnOnce(&mut Parser) + Send>;

/// Stacks grow by steps, so that one thread serves most texts. Unused stack takes no memory.
const STACK_STEP_BYTES: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct ParseThread {
    thread: Option<(usize, Sender<ParseTask>)>,
}

impl ParseThread {
    /// Hands work to a thread with at least so many bytes of stack; `None` when there can be no such thread.
    pub(crate) fn send_task(&mut self, stack: usize, work: ParseTask) -> Option<()> {
        // Dropping the sender ends the thread whose stack is too small.
        self.thread.take_if(|(has, _)| *has < stack);
        let (_, works) = match &mut self.thread {
            Some(thread) => thread,
            none => none.insert(spawn_thread(stack.next_multiple_of(STACK_STEP_BYTES))?),
        };
        let handed = works.send(work);
        // Sending fails where an earlier task panicked and ended the thread; the next text gets a new one.
        self.thread.take_if(|_| handed.is_err());
        handed.ok()
    }
}

/// The thread ends when the last sender of tasks is dropped.
fn spawn_thread(stack: usize) -> Option<(usize, Sender<ParseTask>)> {
    let (works, waiting) = mpsc::channel::<ParseTask>();
    let run = move || {
        let mut parser = Parser::new();
        for work in waiting {
            work(&mut parser);
        }
    };
    thread::Builder::new().stack_size(stack).spawn(run).ok()?;
    Some((stack, works))
}
