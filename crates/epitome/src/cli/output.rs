//! Terminal output of all commands: data on standard output, messages on standard error, as text or JSON (`--json`).
//! Colours and links are only for people, where the stream is a terminal.

use super::links::link_template;
use crate::config::Environment;
use crate::config::schema::{LogConfig, LogFormat, LogLevel};
use crate::errors::{AppError, ErrorClass};
use crate::ops::render_json;
use crate::ops::style::{FileLinks, TextStyle};
use clap::ArgMatches;
use model::show_text;
use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::path::Path;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

pub(super) struct TerminalOutput {
    json: bool,
    quiet: bool,
    /// The caller's choice of colours.
    wish: ColourWish,
    /// Whether standard error is coloured.
    colour: bool,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColourWish {
    Always,
    Never,
    Auto,
}

impl ColourWish {
    /// Whether a stream is coloured that is a terminal or not.
    fn allows_colour(self, is_terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_terminal && !no_colour(),
        }
    }
}

impl TerminalOutput {
    pub(super) fn new(matches: &ArgMatches) -> Self {
        let wish = match matches.get_one::<String>("color").map(String::as_str) {
            Some("always") => ColourWish::Always,
            Some("never") => ColourWish::Never,
            _ => ColourWish::Auto,
        };
        Self {
            // A command with formats of its own has `--format json`, which means the same for errors.
            json: matches.get_flag("json") || is_json_format(matches),
            quiet: matches.get_flag("quiet"),
            colour: wish.allows_colour(std::io::stderr().is_terminal()),
            wish,
        }
    }

    /// The abilities of standard output: links as the setting says, to files below a folder.
    pub(super) fn text_style(&self, links: &str, root: &Path) -> TextStyle {
        let is_terminal = std::io::stdout().is_terminal();
        let template = || link_template(links, &Environment::from_process(), is_terminal);
        TextStyle {
            has_colour: self.wish.allows_colour(is_terminal),
            links: (self.wish != ColourWish::Never)
                .then(template)
                .flatten()
                .map(|template| FileLinks { template, root: root.to_owned() }),
            // Only a terminal has a width; a file or a pipe gets lines as they are.
            is_terminal,
            columns: is_terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0.into()),
        }
    }

    /// Whether a person watches, so that progress is shown.
    pub(super) fn shows_progress(&self) -> bool {
        !self.quiet && std::io::stderr().is_terminal()
    }

    /// Writes data. A reader that went away (`| head`) is no error.
    #[expect(clippy::unused_self, reason = "only who was handed the output may write to it")]
    pub(super) fn write_bytes(&self, bytes: &[u8]) -> Result<(), AppError> {
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(AppError::new(
                ErrorClass::Unavailable,
                "output",
                format!("cannot write to standard output: {error}"),
            )),
            // The reader of a pipe went away (`| head`), which is no error.
            _ => Ok(()),
        }
    }

    /// Writes text.
    pub(super) fn write_text(&self, text: &str) -> Result<(), AppError> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes one JSON object on one line.
    pub(super) fn write_json(&self, value: &Value) -> Result<(), AppError> {
        self.write_text(&format!("{}\n", render_json(value)))
    }

    /// Writes the object with `--json`, else the text, without what a terminal would obey.
    pub(super) fn write_reply(&self, value: &Value, text: &str) -> Result<(), AppError> {
        self.write_rendered(value, &show_text(text))
    }

    /// Writes the object with `--json`, else a text that may have our colours and links in it, and nothing of the kind
    /// from anybody else.
    pub(super) fn write_rendered(&self, value: &Value, text: &str) -> Result<(), AppError> {
        if self.json { self.write_json(value) } else { self.write_text(text) }
    }

    /// Writes bytes that are data, exact unless a terminal would obey them.
    pub(super) fn write_data(&self, bytes: &[u8]) -> Result<(), AppError> {
        if std::io::stdout().is_terminal() {
            self.write_text(&show_text(&String::from_utf8_lossy(bytes)))
        } else {
            self.write_bytes(bytes)
        }
    }

    pub(super) fn print_warning(&self, text: &str) {
        if !self.quiet {
            self.print_labelled("warning", "33", text);
        }
    }

    /// Says something that is neither data nor a problem.
    pub(super) fn print_note(&self, text: &str) {
        if !self.quiet {
            // Standard error may be closed; then there is no other place to report to.
            let _ = writeln!(std::io::stderr(), "{}", show_text(text));
        }
    }

    /// Tells what failed and returns the exit status.
    pub(super) fn print_error(&self, problem: &AppError) -> u8 {
        self.print_labelled("error", "31", &problem.message);
        if let Some(hint) = &problem.hint {
            self.print_labelled("hint", "36", hint);
        }
        if self.json {
            // The exit status says more than a failed write could.
            let _ = self.write_json(&problem.to_json());
        }
        problem.exit_status()
    }

    pub(super) fn print_labelled(&self, label: &str, colour: &str, text: &str) {
        let text = show_text(text);
        let _ = if self.colour {
            writeln!(std::io::stderr(), "\u{1b}[1;{colour}m{label}\u{1b}[0m: {text}")
        } else {
            writeln!(std::io::stderr(), "{label}: {text}")
        };
    }

    pub(super) fn start_log(&self, log: &LogConfig) {
        let level = match log.level {
            LogLevel::Error => tracing::Level::ERROR,
            LogLevel::Warn => tracing::Level::WARN,
            LogLevel::Info => tracing::Level::INFO,
            LogLevel::Debug => tracing::Level::DEBUG,
            LogLevel::Trace => tracing::Level::TRACE,
        };
        // `notify` warns when a directory that is gone is no longer watched; a user need not see that.
        let of_watches = if level >= tracing::Level::DEBUG { level } else { tracing::Level::ERROR };
        let shown = Targets::new().with_default(level).with_target("notify", of_watches);
        let builder =
            tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(self.colour);
        match log.format {
            LogFormat::Text => builder.finish().with(shown).init(),
            LogFormat::Json => builder.json().finish().with(shown).init(),
        }
    }
}

/// Whether a command of several formats is asked for JSON.
fn is_json_format(matches: &ArgMatches) -> bool {
    let arguments = matches.subcommand().map(|(_, arguments)| arguments);
    let format = arguments.and_then(|arguments| arguments.try_get_raw("format").ok().flatten()?.next());
    format.is_some_and(|format| format == "json")
}

/// <https://no-color.org>: any value but the empty one.
#[expect(clippy::disallowed_methods, reason = "decides how an error about the environment itself is shown")]
fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|value| value == "dumb")
}
