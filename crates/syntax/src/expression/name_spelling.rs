//! Normalizes identifiers as a language writes them: strips signs around a name that are no part of it, and splits
//! names whose parts the grammar does not separate.

use model::ByteSpan;
use tree_sitter::Node;

#[derive(Default)]
pub(crate) struct NameSpelling {
    /// Signs around a name: the `@` of `@name`, the `:` of `:name` and `name:`.
    pub(crate) sigils: Vec<char>,
    /// The separator in names: `My.Module`, `My::Package`.
    pub(crate) separator: Option<String>,
}

impl NameSpelling {
    /// A node's name, without signs.
    pub(crate) fn name_text(&self, node: &Node, bytes: &[u8]) -> String {
        let written = String::from_utf8_lossy(&bytes[node.byte_range()]);
        written.trim().trim_matches(&self.sigils[..]).to_owned()
    }

    /// The span of the name in a span with signs.
    pub(crate) fn name_in(&self, span: ByteSpan, bytes: &[u8]) -> ByteSpan {
        let written = &bytes[span.to_range()];
        let is_sign = |byte: &u8| byte.is_ascii_whitespace() || self.sigils.contains(&char::from(*byte));
        // An operator that consists of signs only is its own name.
        if self.sigils.is_empty() || written.iter().all(is_sign) {
            return span;
        }
        let before = written.iter().take_while(|byte| is_sign(byte)).count() as u32;
        let after = written.iter().rev().take_while(|byte| is_sign(byte)).count() as u32;
        ByteSpan { start: span.start + before, end: span.end - after }
    }

    /// The parts of a name, if it has several.
    pub(crate) fn split_name<'a>(&self, name: &'a str) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        let separator = self.separator.as_deref()?;
        let parts: Vec<&str> = name.split(separator).filter(|part| !part.is_empty()).collect();
        (parts.len() > 1).then(|| parts.into_iter())
    }
}
