//! Which segments of an index are merged next: those of one size class, if there are too many of them.

use std::collections::BTreeMap;

/// How many segments of one size class may exist side by side.
const MOST: usize = 8;

/// How many times larger the next size class is.
const STEP: u32 = 8;

/// The first size class: the units of a file or two.
const SMALLEST: u32 = 32;

/// Segments with this many units or more are not merged.
const LARGE: u32 = 16_384;

/// The segments of the smallest size class that has too many.
pub(crate) fn crowded_segments<T>(segments: Vec<T>, units: impl Fn(&T) -> u32) -> Vec<T> {
    let mut sizes: BTreeMap<u32, Vec<T>> = BTreeMap::new();
    for segment in segments.into_iter().filter(|segment| units(segment) < LARGE) {
        let size =
            std::iter::successors(Some(SMALLEST), |size| Some(size * STEP)).position(|size| units(&segment) < size);
        sizes.entry(size.unwrap_or_default() as u32).or_default().push(segment);
    }
    // One class at a time: the merged segment may crowd the next class, which the next save handles.
    sizes.into_values().find(|alike| alike.len() > MOST).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_put_together_where_too_many_are_alike() {
        let check = |units: &[u32], expected: &[i64]| {
            let numbered: Vec<(i64, u32)> = (0..).zip(units.iter().copied()).collect();
            let chosen = crowded_segments(numbered, |(_, units)| *units);
            assert_eq!(chosen.iter().map(|(number, _)| *number).collect::<Vec<_>>(), expected, "{units:?}");
        };
        check(&[1; 8], &[]);
        check(&[1; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        check(&[100_000, 9, 9, 9, 9, 9, 9, 9, 9, 400], &[]);
        check(&[100_000, 40, 9, 9, 9, 9, 9, 9, 9, 9, 31], &[2, 3, 4, 5, 6, 7, 8, 9, 10]);
        check(&[50_000; 20], &[]);
        check(&[3_000; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
