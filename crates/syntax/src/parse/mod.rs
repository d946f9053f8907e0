//! Runs the tree-sitter parser: one parser per thread, with a limit on steps instead of time, so that the same bytes
//! always parse the same way. For ambiguous text the parser frees abandoned readings by recursive calls, as many as
//! there are tokens. A text that is long enough to overflow a stack that way is parsed on a thread with a larger one.

mod parse_thread;

use crate::language::QueryRules;
use parse_thread::ParseThread;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use tree_sitter::{ParseOptions, ParseState, Parser, QueryCursor, Range, Tree};

/// Steps of the parser between two calls of its progress callback.
const STEPS_PER_CALL: u64 = 100;
/// An ordinary machine makes about this many steps in a millisecond (measured: 110 to 150 ns a step).
const STEPS_PER_MILLI: u64 = 7_000;
/// Code that people write needs 0.6 steps a byte, tables of numbers up to 6.
const STEPS_PER_BYTE: u64 = 12;
/// `parse_millis` is meant for a file of up to this size.
const USUAL_BYTES: u64 = 1 << 20;
/// The budget of even an empty file.
const LEAST_STEPS: u64 = 100_000;
/// A step taken while no reading of the text is without error costs up to some hundred others.
const ERROR_WEIGHT: u64 = 100;

/// Longer texts may need more than the smallest usual stack of 2 MiB.
const LONG_TEXT_BYTES: usize = 16 * 1024;
/// A call inside a call takes about a hundred bytes (measured), and no token is shorter than a byte.
const STACK_PER_BYTE: usize = 128;
/// How often the `stop` of a caller that waits for a long text is checked.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Parses `bytes`, or only a `stretch` of them, and hands the tree on, with a cursor for queries; `None` when the
/// budget is used up.
pub(crate) fn with_tree<T>(
    rules: &QueryRules,
    bytes: &[u8],
    stretch: Option<Range>,
    parse_millis: u32,
    stop: &dyn Fn() -> bool,
    read: impl FnOnce(&Tree, &mut QueryCursor) -> T,
) -> Option<T> {
    thread_local! {
        static TOOLS: RefCell<ParserTools> = RefCell::new(ParserTools::default());
    }
    TOOLS.with_borrow_mut(|ParserTools { parser, cursor, deep }| {
        // The blanked text has the same length and line ends, so positions are those of the original.
        let seen = rules.macro_blanker().blank_macros(bytes);
        let text = ParserInput { bytes: &seen, stretch };
        let budget = ParseBudget::new(text.len(), parse_millis);
        let tree = match text.len() {
            ..LONG_TEXT_BYTES => {
                parser.set_language(rules.grammar()).expect("a test parses with every grammar");
                parse_text(parser, text, budget, stop)?
            }
            LONG_TEXT_BYTES.. => parse_long(deep, rules, text, budget, stop)?,
        };
        Some(read(&tree, cursor))
    })
}

/// The parser, cursor and large-stack thread of one thread, kept from text to text.
#[derive(Default)]
struct ParserTools {
    parser: Parser,
    cursor: QueryCursor,
    deep: ParseThread,
}

/// The text to parse: a whole file, or one stretch of it.
#[derive(Clone, Copy)]
struct ParserInput<'a> {
    bytes: &'a [u8],
    stretch: Option<Range>,
}

impl ParserInput<'_> {
    fn len(self) -> usize {
        self.stretch.map_or(self.bytes.len(), |stretch| stretch.end_byte - stretch.start_byte)
    }
}

/// Parses where the stack is large; `None` also when there can be no more threads.
fn parse_long(
    deep: &mut ParseThread,
    rules: &QueryRules,
    text: ParserInput,
    budget: ParseBudget,
    stop: &dyn Fn() -> bool,
) -> Option<Tree> {
    let is_stopped = Arc::new(AtomicBool::new(stop()));
    let (done, parsed) = mpsc::channel();
    let work = {
        // Copied, because the other thread cannot borrow from this call; the parse costs far more than the copy.
        let grammar = rules.grammar().clone();
        let bytes = text.bytes.to_vec();
        let stretch = text.stretch;
        let is_stopped = Arc::clone(&is_stopped);
        move |parser: &mut Parser| {
            parser.set_language(&grammar).expect("a test parses with every grammar");
            let text = ParserInput { bytes: &bytes, stretch };
            let tree = parse_text(parser, text, budget, &|| is_stopped.load(Ordering::Relaxed));
            // Sending fails where the calling thread panicked and no longer waits.
            drop(done.send(tree));
        }
    };
    deep.send_task(LONG_TEXT_BYTES * STACK_PER_BYTE + text.len() * STACK_PER_BYTE, Box::new(work))?;
    loop {
        match parsed.recv_timeout(STOP_POLL_INTERVAL) {
            Ok(tree) => return tree,
            // `stop` itself cannot be called from the other thread, so its answer is passed on.
            Err(RecvTimeoutError::Timeout) => is_stopped.store(stop(), Ordering::Relaxed),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn parse_text(
    parser: &mut Parser,
    text: ParserInput,
    mut budget: ParseBudget,
    stop: &dyn Fn() -> bool,
) -> Option<Tree> {
    // A parser keeps its ranges; an empty list resets those of the text before.
    parser.set_included_ranges(text.stretch.as_slice()).expect("a single range overlaps no other");
    let mut go_on = |state: &ParseState| {
        if budget.try_spend(state.has_error()) && !stop() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let tree = parser.parse_with_options(&mut |at, _| text.bytes.get(at..).unwrap_or_default(), None, Some(options));
    if tree.is_none() {
        // A parse that was stopped would otherwise be taken up again by the next one.
        parser.reset();
    }
    tree
}

struct ParseBudget {
    calls: u64,
    weighted: u64,
}

impl ParseBudget {
    fn new(bytes: usize, parse_millis: u32) -> Self {
        // A larger file has more places that a grammar does not know, each of which costs the same.
        let sizes = (bytes as u64).div_ceil(USUAL_BYTES).max(1);
        let weighted = u64::from(parse_millis) * sizes * STEPS_PER_MILLI / STEPS_PER_CALL;
        Self { calls: (LEAST_STEPS + bytes as u64 * STEPS_PER_BYTE) / STEPS_PER_CALL, weighted }
    }

    /// Pays for one call; `false` when nothing is left to pay with.
    fn try_spend(&mut self, has_error: bool) -> bool {
        let cost = if has_error { ERROR_WEIGHT } else { 1 };
        match (self.calls.checked_sub(1), self.weighted.checked_sub(cost)) {
            (Some(calls), Some(weighted)) => {
                *self = Self { calls, weighted };
                true
            }
            _ => false,
        }
    }
}
