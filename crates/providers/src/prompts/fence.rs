//! Pieces of material between lines that nothing in them can imitate.

use model::DigestBuilder;

/// What a piece is, and its text.
pub(super) type PromptMaterial<'a> = (&'static str, &'a str);

/// Part of every prompt's version: changes when the form of the fence does.
pub(super) const FORM: &[u8] = b"1";

/// Enough that no text holds the mark by chance.
const MARK: usize = 16;

pub(super) fn fence_material(material: &[PromptMaterial<'_>]) -> String {
    let mark = choose_mark(material);
    let mut text = format!("The material stands between lines that carry the mark {mark}.");
    for (name, piece) in material {
        text += &format!("\n\n[{mark}: {name}]\n{}\n[{mark}: end of {name}]", piece.trim_end());
    }
    text
}

/// The first of a row of hashes of the material that occurs in none of it.
fn choose_mark(material: &[PromptMaterial<'_>]) -> String {
    let marks = (0_u64..).map(|round| {
        let digest = DigestBuilder::new("fence").add_field(&round.to_le_bytes());
        // All pieces are hashed together, so that the mark cannot be known before the last piece is written.
        let digest = material.iter().fold(digest, |digest, (_, piece)| digest.add_field(piece.as_bytes()));
        digest.finish().to_string()[..MARK].to_owned()
    });
    // Compared in lower case: a model would take `A1B2` for the mark `a1b2`.
    let absent = |mark: &String| material.iter().all(|(_, piece)| !piece.to_ascii_lowercase().contains(mark.as_str()));
    marks.into_iter().find(absent).expect("a text is finite and marks are not")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever stands in a piece, its lines with the mark are the two we wrote.
        #[test]
        fn nothing_inside_of_a_piece_can_end_it(pieces in prop::collection::vec("[\\[\\]a-f0-9: endof\n]{0,400}", 1..4)) {
            let material: Vec<PromptMaterial<'_>> = pieces.iter().map(|piece| ("memory", piece.as_str())).collect();
            let mark = choose_mark(&material);
            prop_assert_eq!(mark.len(), MARK);
            prop_assert_eq!(fence_material(&material).matches(&mark).count(), 1 + 2 * pieces.len());
        }
    }

    #[test]
    fn the_mark_depends_on_every_piece() {
        let base = choose_mark(&[("a", "x"), ("b", "y")]);
        assert_eq!(base, choose_mark(&[("a", "x"), ("b", "y")]));
        assert_ne!(base, choose_mark(&[("a", "x"), ("b", "z")]));
        assert_ne!(base, choose_mark(&[("a", "xy"), ("b", "")]));
    }
}
