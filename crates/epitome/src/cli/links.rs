//! Chooses the URL template of file hyperlinks in terminal output (OSC 8), by the user's setting or by the editor
//! around the terminal, so that a click opens the file where its reader works.

use crate::config::Environment;
use supports_hyperlinks::Stream;

/// The address of files, with `{path}` and perhaps `{line}` in it; none where links would be noise.
///
/// An address that the user set is trusted on any terminal; by itself a link appears only where the terminal is known to
/// show it and the files are on the reader's own machine.
pub(super) fn link_template(setting: &str, environment: &Environment, is_terminal: bool) -> Option<String> {
    let force = environment.nonempty_variable("FORCE_HYPERLINK");
    match setting {
        "off" => None,
        "auto" => {
            let is_remote =
                ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| environment.nonempty_variable(name).is_some());
            // A link to a file of a remote machine would open a file of the same name on the reader's own, or none.
            let is_wanted = supports_hyperlinks::on(Stream::Stdout) && (force.is_some() || !is_remote);
            is_wanted.then(|| known_template(environment).to_owned())
        }
        address => {
            let is_wanted = force.map_or(is_terminal, |value| value != "0");
            is_wanted.then(|| address.to_owned())
        }
    }
}

/// The address that the editor around the terminal takes, or that of the file itself.
fn known_template(environment: &Environment) -> &'static str {
    let has = |name: &str| environment.nonempty_variable(name).is_some();
    let is = |name: &str, value: &str| environment.nonempty_variable(name).is_some_and(|text| text == value);
    match () {
        () if has("CURSOR_TRACE_ID") => "cursor://file{path}:{line}",
        () if is("TERM_PROGRAM", "vscode") => "vscode://file{path}:{line}",
        () if is("TERM_PROGRAM", "zed") => "zed://file{path}:{line}",
        // Other terminals may take the line number for a part of the file's name.
        () if is("TERM", "xterm-kitty") => "file://{path}#{line}",
        () => "file://{path}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_around_the_terminal_opens_the_line() {
        let template = |name: &str, value: &str| known_template(&Environment::from_iter([(name, value)]));
        assert_eq!(template("TERM_PROGRAM", "vscode"), "vscode://file{path}:{line}");
        assert_eq!(template("CURSOR_TRACE_ID", "1"), "cursor://file{path}:{line}");
        assert_eq!(template("TERM", "xterm-kitty"), "file://{path}#{line}");
        assert_eq!(template("TERM", "xterm-256color"), "file://{path}");
    }

    #[test]
    fn an_address_of_the_user_needs_a_terminal_only() {
        let check = |setting: &str, force: &str, is_terminal: bool, expected: Option<&str>| {
            let environment = Environment::from_iter([("FORCE_HYPERLINK", force)]);
            assert_eq!(link_template(setting, &environment, is_terminal).as_deref(), expected, "{setting} {force}");
        };
        check("idea://open?file={path}", "", true, Some("idea://open?file={path}"));
        check("idea://open?file={path}", "", false, None);
        check("idea://open?file={path}", "1", false, Some("idea://open?file={path}"));
        check("idea://open?file={path}", "0", true, None);
        check("off", "1", true, None);
    }
}
