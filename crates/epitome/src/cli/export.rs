//! The command `epitome export`: prints the transcript that a conversation was imported from, byte for byte, on
//! standard output. Lines that differ, because a secret was replaced, are reported on standard error, line by line.

use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::AppError;
use clap::{Arg, ArgMatches, Command};
use engine::ExportedTranscript;
use model::show_name;
use std::ops::ControlFlow;

pub(super) fn build_command() -> Command {
    Command::new("export").about("Print the transcript a conversation was imported from, byte for byte").arg(
        Arg::new("conversation")
            .value_name("CONVERSATION")
            .required(true)
            .help("The conversation's name or id, or `latest`"),
    )
}

/// Lines with secrets that are reported one by one.
const MAX_REPORTED_LINES: usize = 20;

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let conversation = arguments.get_one::<String>("conversation").map(String::as_str).unwrap_or_default();
    let conversation = engine::name_in_project(&app.project, conversation);
    let mut failed = None;
    let exported = app
        .engine
        .export_transcript(&conversation, &mut |bytes| match output.write_data(bytes) {
            Ok(()) => ControlFlow::Continue(()),
            Err(problem) => {
                // The reader of a pipe may go away at any time, and the export must not go on reading the archive for
                // it.
                failed = Some(problem);
                ControlFlow::Break(())
            }
        })
        .await?;
    if let Some(problem) = failed {
        return Err(problem);
    }
    print_differences(&exported, output);
    Ok(0)
}

fn print_differences(exported: &ExportedTranscript, output: &TerminalOutput) {
    for line in exported.scrubbed.iter().take(MAX_REPORTED_LINES) {
        // People count lines from one, as their editor does.
        let number = line.line + 1;
        let bytes = line.original_bytes;
        let hash = line.original_hash;
        output.print_note(&format!("line {number} differs: a secret was replaced; it had {bytes} bytes, hash {hash}"));
    }
    if exported.scrubbed.len() > MAX_REPORTED_LINES {
        output.print_note(&format!("{} more lines differ by a secret", exported.scrubbed.len() - MAX_REPORTED_LINES));
    }
    for other in &exported.others {
        output.print_note(&format!("not printed: generation {} of {}", other.number, show_name(&other.source.path)));
    }
}
