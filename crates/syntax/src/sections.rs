//! The outline of a document: sections that only have a heading, and files that list more than anyone reads.

use crate::lines::Lines;
use crate::prose;
use crate::walk::{Found, Lead, What, trimmed};
use model::ByteSpan;

/// Gives each heading what follows it, up to the next heading of its level or a higher one.
///
/// Some grammars have a node for a heading and none for its section. A section ends with the definition or scope its
/// heading stands in, and headings inside of another definition do not end it, so that symbols never overlap in part.
/// `found` has outer before inner.
pub(crate) fn stretch(found: &mut [Found], lines: &Lines, leads: &[Lead]) {
    if found.iter().all(|found| found.level.is_none()) {
        return;
    }
    let bytes = lines.bytes();
    let mut places = vec![Place { end: bytes.len() as u32, open: Vec::new() }];
    for at in 0..found.len() {
        let start = found[at].span.start;
        while places.len() > 1
            && let Some(place) = places.pop_if(|place| place.end <= start)
        {
            place.open.iter().for_each(|&open| end(&mut found[open], place.end, bytes));
        }
        let Some(level) = found[at].level else {
            places.push(Place { end: found[at].span.end, open: Vec::new() });
            continue;
        };
        let place = places.last_mut().expect("the file itself is never left");
        while let Some(open) = place.open.pop_if(|open| found[*open].level >= Some(level)) {
            // The comment above a heading speaks of it.
            end(&mut found[open], prose::start_of_leads(lines, start, leads), bytes);
        }
        place.open.push(at);
    }
    for place in places {
        place.open.iter().for_each(|&open| end(&mut found[open], place.end, bytes));
    }
}

/// Leaves out the deeper levels of a file that would have more than `most` symbols. `found` has outer before inner.
pub(crate) fn keep_structure(found: &mut Vec<Found>, most: usize) {
    if found.len() <= most {
        return;
    }
    let mut open: Vec<ByteSpan> = Vec::new();
    let mut depths = Vec::with_capacity(found.len());
    let mut counts = Vec::new();
    for found in &*found {
        while open.pop_if(|open| *open == found.span || !open.contains(found.span)).is_some() {}
        depths.push(open.len());
        if found.what != What::Scope {
            counts.resize(counts.len().max(open.len() + 1), 0);
            counts[open.len()] += 1;
            open.push(found.span);
        }
    }
    let mut total = 0;
    let kept = counts.iter().take_while(|count| {
        total += **count;
        total <= most
    });
    let kept = kept.count();
    let mut depths = depths.into_iter();
    found.retain(|found| depths.next().is_some_and(|depth| depth < kept) || found.what == What::Scope);
}

/// A stretch of the file whose headings end each other.
struct Place {
    end: u32,
    /// Headings whose section goes on, the highest first.
    open: Vec<usize>,
}

fn end(found: &mut Found, end: u32, bytes: &[u8]) {
    found.span.end = end.max(found.span.end);
    found.span = trimmed(found.span, bytes);
}
