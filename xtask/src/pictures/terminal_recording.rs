//! The recording of a terminal that README and the site show: commands on the example project with what the program prints
//! to a terminal, as an SVG that shows one after the other. It is text, so a change of it can be read, and no player is
//! needed; where motion is not wanted, the first command stands still.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, ensure};

use super::ansi_text::{StyledSpan, parse_lines};
use crate::process::{command_in, read_output};
use crate::repository;

/// What is typed, in this order, each with the seconds for which its output is shown.
const COMMANDS: [(&[&str], f64); 4] = [
    (&["context", "how are passwords checked", "--budget", "200"], 7.0),
    (&["search", "discount for large orders", "--limit", "2"], 6.0),
    (&["relations", "hash_password"], 4.0),
    (&["read", "server/auth.py", "--mode", "map"], 6.0),
];
/// How long a command stands there before its output.
const TYPED_SECONDS: f64 = 1.2;
const COLUMNS: usize = 118;
const CHAR_WIDTH: f64 = 7.8;
const LINE_HEIGHT: usize = 19;
/// Around the text; above it the frame has a bar.
const MARGIN: usize = 16;
const BAR_HEIGHT: usize = 30;

/// Two themes by the reader's, as the dashboard has them.
const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#d7dde5}
.frame{fill:#14181d;stroke:#2b323b}.prompt{fill:#6fbf8b}.b{font-weight:bold}.d{fill:#8b96a3}
.c1{fill:#e5746b}.c2{fill:#6fbf8b}.c3{fill:#d9b35c}.c4{fill:#6fa8e0}.c5{fill:#c592d6}.c6{fill:#63bfc4}
.scene{visibility:hidden}.first{visibility:visible}
@media (prefers-reduced-motion:no-preference){.first{visibility:hidden}";

/// Runs the commands with a home of their own and writes what they print.
pub(super) fn record(program: &Path, home: &Path, into: &Path) -> Result<()> {
    let mut scenes = Vec::new();
    for (arguments, seconds) in COMMANDS {
        let mut command = command_in(repository::root(), program, arguments);
        // Named, because the project around the example is this repository.
        command.args(["--project", "examples/shop", "--color", "always"]).env("EPITOME_HOME", home);
        let lines = parse_lines(&read_output(command)?);
        let widest =
            lines.iter().map(|line| line.iter().map(|span| span.text.chars().count()).sum()).max().unwrap_or(0);
        ensure!(widest <= COLUMNS, "`{}` prints {widest} columns, more than {COLUMNS}", arguments.join(" "));
        scenes.push(TerminalScene { typed: join_words(arguments), lines, seconds });
    }
    Ok(fs_err::write(into, render(&scenes))?)
}

/// A command and its output.
struct TerminalScene {
    typed: String,
    lines: Vec<Vec<StyledSpan>>,
    seconds: f64,
}

/// What a person types for these arguments.
fn join_words(arguments: &[&str]) -> String {
    let quoted =
        arguments.iter().map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() });
    format!("epitome {}", quoted.collect::<Vec<_>>().join(" "))
}

fn render(scenes: &[TerminalScene]) -> String {
    let rows = scenes.iter().map(|scene| scene.lines.len() + 1).max().unwrap_or(0);
    let width = (COLUMNS as f64 * CHAR_WIDTH).ceil() as usize + 2 * MARGIN;
    let height = rows * LINE_HEIGHT + 2 * MARGIN + BAR_HEIGHT;
    let total: f64 = scenes.iter().map(|scene| scene.seconds + TYPED_SECONDS).sum();
    let mut style = STYLE.to_owned();
    let mut body = String::new();
    let mut begun = 0.0;
    for (number, scene) in scenes.iter().enumerate() {
        let end = begun + TYPED_SECONDS + scene.seconds;
        for (part, from) in [("typed", begun), ("shown", begun + TYPED_SECONDS)] {
            let name = format!("{part}{number}");
            let at = |seconds: f64| format!("{:.3}%", seconds / total * 100.0);
            let _ = write!(
                style,
                ".{name}{{animation:{name} {total:.1}s step-end infinite}}@keyframes {name}{{0%{{visibility:hidden}}\
                 {}{{visibility:visible}}{}{{visibility:hidden}}}}",
                at(from),
                at(end)
            );
        }
        let first = if number == 0 { " first" } else { "" };
        let prompt = format!("<tspan class=\"prompt\">$ </tspan>{}", escape(&scene.typed));
        let _ = writeln!(body, "<g class=\"scene{first} typed{number}\">{}</g>", text_line(0, &prompt));
        let _ = write!(body, "<g class=\"scene{first} shown{number}\">");
        for (row, line) in scene.lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            body.push_str(&text_line(row + 1, &line.iter().map(render_span).collect::<String>()));
        }
        body.push_str("</g>\n");
        begun = end;
    }
    style.push('}');
    let dots: String = ["#e5746b", "#d9b35c", "#6fbf8b"]
        .iter()
        .enumerate()
        .map(|(number, colour)| format!("<circle cx=\"{}\" cy=\"15\" r=\"5\" fill=\"{colour}\"/>", 20 + 18 * number))
        .collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\"><title>Epitome answers in a terminal</title>\n<style>{style}</style>\n\
         <rect class=\"frame\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>{dots}\n{body}</svg>\n",
        width - 1,
        height - 1
    )
}

fn text_line(row: usize, content: &str) -> String {
    let y = BAR_HEIGHT + MARGIN + row * LINE_HEIGHT + 9;
    format!("<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{content}</text>\n")
}

fn render_span(span: &StyledSpan) -> String {
    let text = escape(&span.text);
    let classes = span.classes();
    if classes.is_empty() { text } else { format!("<tspan class=\"{classes}\">{text}</tspan>") }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_stands_in_the_picture_as_text() {
        let lines = parse_lines("\u{1b}[1mVec<u8>\u{1b}[0m & more\n\nend\n");
        let scenes = [TerminalScene { typed: join_words(&["search", "a <b>"]), lines, seconds: 2.0 }];
        let picture = render(&scenes);
        assert!(
            picture.contains("<tspan class=\"prompt\">$ </tspan>epitome search \"a &lt;b&gt;\"</text>"),
            "{picture}"
        );
        assert!(picture.contains("<tspan class=\"b\">Vec&lt;u8&gt;</tspan> &amp; more</text>"), "{picture}");
        // The empty line leaves its place free.
        let rows: Vec<&str> = picture.split(" y=\"").skip(2).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(rows.iter().filter(|row| row.parse::<usize>().is_ok()).count(), 3, "{rows:?}");
    }
}
