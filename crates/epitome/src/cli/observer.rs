//! Observer of operations on the command line: shows a person who waits how far the work is, and turns Ctrl-C into a
//! cancellation at the next safe place. Work whose end is not known shows only that it goes on.

use super::output::TerminalOutput;
use engine::Observer;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

pub(super) struct TerminalObserver {
    bar: Option<ProgressBar>,
    /// The bar shows how far the work is, from the first report on.
    is_measured: Once,
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
        Self { bar: output.shows_progress().then(|| waiting_bar("working")), is_measured: Once::new(), stop }
    }
}

/// Shows that work goes on whose end is not known; it is gone when this is dropped. Ctrl-C ends the process, as ever.
pub(super) struct WaitIndicator(Option<ProgressBar>);

impl WaitIndicator {
    pub(super) fn new(output: &TerminalOutput, what: &'static str) -> Self {
        Self(output.shows_progress().then(|| waiting_bar(what)))
    }
}

impl Drop for WaitIndicator {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn waiting_bar(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_message(what);
    // Work that ends within the first tick shows nothing at all.
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn measured_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Observer for TerminalObserver {
    fn report_progress(&self, what: &'static str, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_message(what);
            if total > 0 {
                self.is_measured.call_once(|| bar.set_style(measured_style()));
            }
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
