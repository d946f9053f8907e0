//! A text that a page must show and not obey: markup, scripts, letters that turn the direction or are not seen, control
//! characters, and a word without an end.

/// The text, in which everything occurs once.
pub(super) fn hostile_text() -> String {
    let word = "W".repeat(300);
    format!(
        "<script>document.title='obeyed'</script><img src=x onerror=\"document.title='obeyed'\"> \
         <a href=\"javascript:document.title='obeyed'\">link</a> \"'></textarea></title></main> \
         \u{202e}turned\u{202c} \u{200b}unseen \u{1b}[31mred\u{1b}[0m {word} عربى שלום {}",
        "🙂".repeat(40)
    )
}

/// A file whose path and contents are hostile, a document like it, and a file that a symbol can be asked of.
pub(super) fn hostile_files() -> [(String, String); 3] {
    let long = "x".repeat(180);
    let hostile = hostile_text().replace('\u{1b}', "");
    [
        (
            "docs/<i>needs & \"quotes\".md".to_owned(),
            format!(
                "---\ntitle: {hostile}\n<b>owner</b>: {hostile}\n---\n# {hostile}\n\n- REQ-1: It must {hostile} `check_password`\n\n\
                 As a {hostile}, I want {hostile}\n\n## Open questions\n\n- {hostile}?\n"
            ),
        ),
        (
            "src/<b>evil & \"quoted\".py".to_owned(),
            format!("def {long}():\n    \"\"\"<script>document.title='obeyed'</script>\"\"\"\n    return {long}()\n"),
        ),
        (
            "src/evil.py".to_owned(),
            "def check_password():\n    \"<img src=x onerror=alert(3)>\"\n    return add_it()\n\n\
             def add_it():\n    return 1\n\ndef use():\n    return check_password()\n"
                .to_owned(),
        ),
    ]
}
