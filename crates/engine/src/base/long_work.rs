//! Threads of their own for work that takes seconds in one piece: indexing megabytes of messages or the files of a
//! project.
//!
//! The common pool hands out work in the order in which it comes: what a request needs at once (scrubbing and hashing its
//! messages) would wait there behind such a piece, and with it the thread that answers requests. Between two pools the
//! operating system divides the processor.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::LazyLock;

/// As many threads as the common pool has; none where the system gives no more threads.
static LONG_WORK: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let threads = rayon::current_num_threads();
    ThreadPoolBuilder::new().num_threads(threads).thread_name(|number| format!("long-work-{number}")).build().ok()
});

/// Runs work, with what it does in parallel, on those threads, and waits for it.
pub(crate) fn run_long<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*LONG_WORK {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn long_work_leaves_the_common_pool_to_others() {
        let (release, held) = mpsc::channel::<()>();
        let held = std::sync::Mutex::new(held);
        let threads = rayon::current_num_threads();
        std::thread::scope(|scope| {
            // Every thread of the pool for long work is taken until the short work is done.
            scope.spawn(|| {
                run_long(|| {
                    (0..threads).into_par_iter().for_each(|_| {
                        let held = held.lock().expect("no test thread panicked");
                        held.recv_timeout(Duration::from_mins(1)).expect("short work is not kept waiting");
                    });
                });
            });
            let sum: usize = (0..1_000_usize).into_par_iter().sum();
            assert_eq!(sum, 499_500);
            (0..threads).for_each(|_| release.send(()).expect("the long work waits"));
        });
    }
}
