//! `SharedList`, a list that never changes and is shared: in memory, or in a mapped image.

use super::ImageFile;
use std::ops::Range;
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What can lie in an image: plain numbers, of any bits.
pub(crate) trait ImageRow: FromBytes + IntoBytes + Immutable + KnownLayout + Copy {}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Copy> ImageRow for T {}

/// A list of rows.
#[derive(Clone)]
pub(crate) struct SharedList<T>(ListPlace<T>);

#[derive(Clone)]
enum ListPlace<T> {
    Memory(Arc<Vec<T>>),
    /// From a place in the file on, so many rows.
    Image {
        file: Arc<ImageFile>,
        start: usize,
        length: usize,
    },
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self(ListPlace::Memory(Arc::default()))
    }
}

impl<T> From<Vec<T>> for SharedList<T> {
    fn from(rows: Vec<T>) -> Self {
        Self(ListPlace::Memory(Arc::new(rows)))
    }
}

impl<T: ImageRow> SharedList<T> {
    /// The rows of a section.
    pub(super) fn in_image(file: Arc<ImageFile>, section: Range<usize>) -> Option<Self> {
        let is_whole = section.len().is_multiple_of(size_of::<T>()) && section.start.is_multiple_of(align_of::<T>());
        let length = section.len() / size_of::<T>();
        is_whole.then_some(Self(ListPlace::Image { file, start: section.start, length }))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            ListPlace::Memory(rows) => rows.len(),
            ListPlace::Image { length, .. } => *length,
        }
    }

    /// One row. Where an image is damaged, it is made of zeros.
    #[inline]
    pub(crate) fn row(&self, at: usize) -> T {
        match &self.0 {
            ListPlace::Memory(rows) => rows[at],
            ListPlace::Image { .. } => self.rows(at..at + 1).first().copied().unwrap_or_else(T::new_zeroed),
        }
    }

    /// Some rows that follow each other. Where an image is damaged, there are none.
    #[inline]
    pub(crate) fn rows(&self, range: Range<usize>) -> &[T] {
        match &self.0 {
            ListPlace::Memory(rows) => &rows[range],
            ListPlace::Image { file, start, length } => {
                if range.start > range.end || range.end > *length {
                    // Only damage leads out of a list, and another section must not be read as this one.
                    file.mark_damaged();
                    return &[];
                }
                let bytes = start + range.start * size_of::<T>()..start + range.end * size_of::<T>();
                file.checked_bytes(bytes).and_then(|bytes| <[T]>::ref_from_bytes(bytes).ok()).unwrap_or_default()
            }
        }
    }

    /// Some rows that follow each other, as a list of their own; `None` where they are not in this one.
    pub(crate) fn sublist(&self, range: Range<usize>) -> Option<Self> {
        match &self.0 {
            _ if range.start > range.end || range.end > self.len() => None,
            ListPlace::Memory(rows) => Some(rows[range].to_vec().into()),
            ListPlace::Image { file, start, .. } => {
                let start = start + range.start * size_of::<T>();
                Some(Self(ListPlace::Image { file: Arc::clone(file), start, length: range.len() }))
            }
        }
    }

    /// All rows.
    pub(crate) fn all_rows(&self) -> &[T] {
        self.rows(0..self.len())
    }
}
