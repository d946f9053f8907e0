//! `ByteSpan` and `LineRange`, ranges of bytes and of lines in a file.

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ByteSpan {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl ByteSpan {
    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same range for slicing.
    pub fn to_range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A range of lines: 1-based, both ends inclusive, here and everywhere in Epitome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// First line.
    pub start: u32,
    /// Last line, at least `start`.
    pub end: u32,
}

impl LineRange {
    /// Number of lines.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }

    /// Whether `line` lies inside.
    pub fn contains(self, line: u32) -> bool {
        (self.start..=self.end).contains(&line)
    }
}
