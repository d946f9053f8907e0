//! Fences untrusted material in a prompt against prompt injection: each piece stands between lines with a boundary
//! that occurs nowhere in it, taken from a hash of the material.

use model::DigestBuilder;

/// What a piece is, and its text.
pub(super) type PromptMaterial<'a> = (&'static str, &'a str);

/// Part of every prompt's version: changes when the form of the fence does.
pub(super) const FORM: &[u8] = b"1";

/// Enough that no text holds the boundary by chance.
const BOUNDARY_LENGTH: usize = 16;

pub(super) fn fence_material(material: &[PromptMaterial<'_>]) -> String {
    let boundary = choose_boundary(material);
    let mut text = format!("The material stands between lines that carry the mark {boundary}.");
    for (name, piece) in material {
        text += &format!("\n\n[{boundary}: {name}]\n{}\n[{boundary}: end of {name}]", piece.trim_end());
    }
    text
}

/// The first of a row of hashes of the material that occurs in none of it.
fn choose_boundary(material: &[PromptMaterial<'_>]) -> String {
    let boundaries = (0_u64..).map(|round| {
        let digest = DigestBuilder::new("fence").add_field(&round.to_le_bytes());
        // All pieces are hashed together, so that the boundary cannot be known before the last piece is written.
        let digest = material.iter().fold(digest, |digest, (_, piece)| digest.add_field(piece.as_bytes()));
        digest.finish().to_string()[..BOUNDARY_LENGTH].to_owned()
    });
    // Compared in lower case: a model would take `A1B2` for the boundary `a1b2`.
    let absent =
        |boundary: &String| material.iter().all(|(_, piece)| !piece.to_ascii_lowercase().contains(boundary.as_str()));
    boundaries.into_iter().find(absent).expect("a text is finite and marks are not")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever stands in a piece, its lines with the boundary are the two we wrote.
        #[test]
        fn nothing_inside_of_a_piece_can_end_it(pieces in prop::collection::vec("[\\[\\]a-f0-9: endof\n]{0,400}", 1..4)) {
            let material: Vec<PromptMaterial<'_>> = pieces.iter().map(|piece| ("memory", piece.as_str())).collect();
            let boundary = choose_boundary(&material);
            prop_assert_eq!(boundary.len(), BOUNDARY_LENGTH);
            prop_assert_eq!(fence_material(&material).matches(&boundary).count(), 1 + 2 * pieces.len());
        }
    }

    #[test]
    fn the_mark_depends_on_every_piece() {
        let base = choose_boundary(&[("a", "x"), ("b", "y")]);
        assert_eq!(base, choose_boundary(&[("a", "x"), ("b", "y")]));
        assert_ne!(base, choose_boundary(&[("a", "x"), ("b", "z")]));
        assert_ne!(base, choose_boundary(&[("a", "xy"), ("b", "")]));
    }
}
