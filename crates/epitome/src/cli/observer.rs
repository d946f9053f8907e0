//! Observer of operations on the command line: shows a progress bar to a person who waits, and turns Ctrl-C into a
//! cancellation at the next safe place.

use super::output::TerminalOutput;
use engine::Observer;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) struct TerminalObserver {
    bar: Option<ProgressBar>,
    stop: Arc<AtomicBool>,
}

impl TerminalObserver {
    pub(super) fn new(output: &TerminalOutput) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        tokio::spawn(async move {
            // Repeated, since a user presses Ctrl-C again; the default action would end the process in the middle of a
            // write.
            while tokio::signal::ctrl_c().await.is_ok() {
                flag.store(true, Ordering::Relaxed);
            }
        });
        Self { bar: output.shows_progress().then(progress_bar), stop }
    }
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    // Work that ends within the first tick shows no bar at all.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Observer for TerminalObserver {
    fn report_progress(&self, what: &'static str, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(what);
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Drop for TerminalObserver {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
