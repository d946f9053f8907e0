//! Generates the shell script of a git hook of ours, and recognises such a script.

use super::PREVIOUS_HOOK_SUFFIX;
use std::path::Path;

const OWN_LINE: &str = "# epitome git hook:";

/// Whether a hook is ours, whichever version wrote it.
pub(super) fn is_ours(text: &str) -> bool {
    text.lines().nth(1).is_some_and(|line| line.starts_with(OWN_LINE))
}

/// The hook of an event. It never fails by itself: only what was there before it can refuse.
pub(super) fn render_script(event: &str, program: &Path) -> String {
    // A path may hold quotes or spaces, and the script is run by a shell.
    let program = program.to_string_lossy().replace('\'', r"'\''");
    // Git writes to the standard input of these two; that of the others may be a terminal, which `cat` would wait for.
    let (take, feed) = match event {
        "pre-push" | "post-rewrite" => {
            ("input=$(cat)\nfeed() { [ -z \"$input\" ] || printf '%s\\n' \"$input\"; }\n", "feed | ")
        }
        _ => ("", ""),
    };
    format!(
        "#!/bin/sh\n{OWN_LINE} `epitome git-hooks uninstall` takes it away, and puts back what was here\n\
         {take}before=\"$0.{PREVIOUS_HOOK_SUFFIX}\"\nif [ -x \"$before\" ]; then\n  {feed}\"$before\" \"$@\" || exit $?\nfi\n\
         program='{program}'\nif [ -x \"$program\" ]; then\n  {feed}\"$program\" git-hooks run {event} \"$@\"\nfi\nexit 0\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_hook_runs_what_was_there_before_and_then_us() {
        let pushed = render_script("pre-push", Path::new("/opt/it's/epitome"));
        expect![[r#"
            #!/bin/sh
            # epitome git hook: `epitome git-hooks uninstall` takes it away, and puts back what was here
            input=$(cat)
            feed() { [ -z "$input" ] || printf '%s\n' "$input"; }
            before="$0.before-epitome"
            if [ -x "$before" ]; then
              feed | "$before" "$@" || exit $?
            fi
            program='/opt/it'\''s/epitome'
            if [ -x "$program" ]; then
              feed | "$program" git-hooks run pre-push "$@"
            fi
            exit 0
        "#]]
        .assert_eq(&pushed);
        assert!(is_ours(&pushed) && is_ours(&render_script("post-commit", Path::new("/x"))));
        assert!(!render_script("post-commit", Path::new("/x")).contains("cat"));
        assert!(!is_ours("#!/bin/sh\necho mine\n"));
    }
}
