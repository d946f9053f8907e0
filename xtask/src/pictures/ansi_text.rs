//! Reads text with the styles that a terminal understands (bold, dim, the eight colours) into spans. What else a terminal
//! would do is left out.

/// A piece of a line in one style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct StyledSpan {
    pub(super) text: String,
    is_bold: bool,
    is_dim: bool,
    /// 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan.
    colour: Option<u8>,
}

impl StyledSpan {
    /// The classes of the style sheet.
    pub(super) fn classes(&self) -> String {
        let colour = self.colour.map(|colour| format!("c{colour}"));
        let named = [self.is_bold.then(|| "b".to_owned()), self.is_dim.then(|| "d".to_owned()), colour];
        named.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// Takes the numbers of one `ESC [ … m`.
    fn apply(&mut self, codes: &str) {
        for code in codes.split(';') {
            match code.parse::<u8>().unwrap_or(0) {
                0 => *self = StyledSpan { text: std::mem::take(&mut self.text), ..StyledSpan::default() },
                1 => self.is_bold = true,
                // Grey, which is code 90, is shown as what is dim.
                2 | 90 => self.is_dim = true,
                22 => (self.is_bold, self.is_dim) = (false, false),
                39 => self.colour = None,
                colour @ (31..=36 | 91..=96) => self.colour = Some(colour % 10),
                _ => {}
            }
        }
    }
}

pub(super) fn parse_lines(text: &str) -> Vec<Vec<StyledSpan>> {
    let mut style = StyledSpan::default();
    text.lines().map(|line| parse_line(line, &mut style)).collect()
}

/// A style goes on behind the end of a line until it is changed.
fn parse_line(line: &str, style: &mut StyledSpan) -> Vec<StyledSpan> {
    let mut spans = Vec::new();
    let mut pieces = line.split("\u{1b}[");
    let mut add = |text: &str, style: &StyledSpan| {
        if !text.is_empty() {
            spans.push(StyledSpan { text: text.to_owned(), ..style.clone() });
        }
    };
    add(pieces.next().unwrap_or_default(), style);
    for piece in pieces {
        let Some((codes, text)) = piece.split_once('m') else { continue };
        style.apply(codes);
        add(text, style);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_spans() {
        let lines = parse_lines("a \u{1b}[1;36mbold\u{1b}[0m b\n\u{1b}[2mdim\nstill\u{1b}[22m plain");
        let told: Vec<Vec<(&str, String)>> =
            lines.iter().map(|line| line.iter().map(|span| (span.text.as_str(), span.classes())).collect()).collect();
        let span = |text, classes: &str| (text, classes.to_owned());
        assert_eq!(told[0], [span("a ", ""), span("bold", "b c6"), span(" b", "")]);
        assert_eq!(told[1], [span("dim", "d")]);
        assert_eq!(told[2], [span("still", "d"), span(" plain", "")]);
    }
}
