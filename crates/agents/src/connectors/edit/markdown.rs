//! Writes, finds and removes our block in a Markdown rules file of an agent (`AGENTS.md`), between two HTML comments as
//! marks: what stands between the marks is ours, everything else is not.

const BEGIN_MARKER: &str = "<!-- epitome:begin -->";
const END_MARKER: &str = "<!-- epitome:end -->";

/// Puts a block in, in the place of the one that is there or behind everything.
pub(super) fn put_block(text: &str, inside: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = format!("{BEGIN_MARKER}\n{}\n{END_MARKER}\n", inside.trim_end()).replace('\n', newline);
    if let Some(old) = find_block(text) {
        // A block of another version is replaced in its place: the user may have put it where it is.
        return text.replacen(old, &block, 1);
    }
    // An empty line keeps the block from becoming part of the paragraph before it.
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => newline,
        _ => &newline.repeat(2),
    };
    format!("{text}{gap}{block}")
}

/// The block with its marks, up to the end of its last line.
pub(super) fn find_block(text: &str) -> Option<&str> {
    let start = text.find(BEGIN_MARKER)?;
    let end = start + text[start..].find(END_MARKER)? + END_MARKER.len();
    let rest = &text[end..];
    let newline = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    Some(&text[start..end + newline])
}

/// Puts a text in the place of the block. Without one, the empty line before it goes too.
pub(super) fn replace_block(text: &str, with: &str) -> String {
    let Some(block) = find_block(text) else { return text.to_owned() };
    let (before, after) = text.split_once(block).expect("it was found in the text");
    let before = match before.strip_suffix("\n\n").or_else(|| before.strip_suffix("\r\n\r\n")) {
        // The empty line came with our block, so it goes with it; the line end of the owner's last line stays.
        Some(kept) if with.is_empty() => &before[..kept.len() + if before.ends_with("\r\n") { 2 } else { 1 }],
        _ => before,
    };
    format!("{before}{with}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_and_goes_and_the_rest_stays() {
        for text in ["", "# Mine\n", "# Mine\n\nMore.\n", "# Mine\r\nMore.\r\n"] {
            let put = put_block(text, "Ours.");
            assert_eq!(super::put_block(&put, "Ours."), put);
            assert_eq!(find_block(&super::put_block(&put, "Other.")).map(|block| block.contains("Ours")), Some(false));
            assert_eq!(replace_block(&put, ""), text);
            let changed = format!("{put}\nTheirs.\n");
            assert_eq!(replace_block(&changed, ""), format!("{text}\nTheirs.\n"));
        }
    }

    #[test]
    fn half_a_block_is_not_ours() {
        let text = format!("a\n{BEGIN_MARKER}\nno end\n");
        assert_eq!(replace_block(&text, ""), text);
    }
}
