//! Lines around foreign text that the text itself cannot hold, so that nothing in it passes for the end of it, or for a
//! heading of ours behind it.

/// More of a sign in a row than the text has anywhere, and at least three.
pub(crate) fn text_fence(text: &str, sign: char) -> String {
    let longest = text.split(|c| c != sign).map(|run| run.chars().count()).max().unwrap_or(0);
    sign.to_string().repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        let lengths =
            ["", "a == b", "====\n", "a ```` b"].map(|text| (text_fence(text, '=').len(), text_fence(text, '`').len()));
        assert_eq!(lengths, [(3, 3), (3, 3), (5, 3), (3, 5)]);
    }
}
