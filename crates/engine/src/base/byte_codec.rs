//! Numbers and texts as compact bytes, for values that the store does not look into.
//!
//! A reader never trusts its input: damaged bytes give an error, never a panic or a huge allocation.

/// Writes numbers in as few bytes as they need, and texts after their length.
#[derive(Default)]
pub(crate) struct ByteWriter(Vec<u8>);

impl ByteWriter {
    pub(crate) fn write_number(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number that may be missing.
    pub(crate) fn write_optional(&mut self, value: Option<u32>) {
        // 0 means missing, so present values are shifted by one.
        self.write_number(value.map_or(0, |value| value.saturating_add(1)));
    }

    pub(crate) fn write_text(&mut self, text: &str) {
        self.write_number(text.len() as u32);
        self.write_raw(text);
    }

    /// A text whose length the reader knows.
    pub(crate) fn write_raw(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    /// Bytes whose number the reader knows.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn write_list<'i, T>(&mut self, items: &'i [T], mut each: impl FnMut(&mut Self, &'i T)) {
        self.write_number(items.len() as u32);
        for item in items {
            each(self, item);
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The bytes are not what a [`ByteWriter`] wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DamagedBytes;

/// Reads what a [`ByteWriter`] wrote.
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    #[inline]
    pub(crate) fn read_number(&mut self) -> Result<u32, DamagedBytes> {
        // Most numbers are small, and a reader of postings decodes a million of them.
        if let Some((byte, rest)) = self.0.split_first().filter(|(byte, _)| **byte < 0x80) {
            self.0 = rest;
            return Ok(u32::from(*byte));
        }
        let mut value = 0u64;
        // Five groups of seven bits hold a `u32`; a longer number is damaged.
        for shift in (0..35).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(DamagedBytes)?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).map_err(|_| DamagedBytes);
            }
        }
        Err(DamagedBytes)
    }

    /// A number that is a place in a list.
    pub(crate) fn read_index(&mut self, length: usize) -> Result<u32, DamagedBytes> {
        let number = self.read_number()?;
        if (number as usize) < length { Ok(number) } else { Err(DamagedBytes) }
    }

    pub(crate) fn read_optional(&mut self) -> Result<Option<u32>, DamagedBytes> {
        Ok(self.read_number()?.checked_sub(1))
    }

    /// A place in a list that may be missing.
    pub(crate) fn maybe_below(&mut self, length: usize) -> Result<Option<u32>, DamagedBytes> {
        match self.read_optional()? {
            Some(number) if number as usize >= length => Err(DamagedBytes),
            number => Ok(number),
        }
    }

    pub(crate) fn read_text(&mut self) -> Result<&'a str, DamagedBytes> {
        let length = self.read_number()? as usize;
        self.read_raw(length)
    }

    /// A text of so many bytes.
    pub(crate) fn read_raw(&mut self, length: usize) -> Result<&'a str, DamagedBytes> {
        str::from_utf8(self.read_bytes(length)?).map_err(|_| DamagedBytes)
    }

    /// So many bytes.
    pub(crate) fn read_bytes(&mut self, length: usize) -> Result<&'a [u8], DamagedBytes> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DamagedBytes)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// The bytes that are not read yet.
    pub(crate) fn remaining_bytes(&self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn read_list<T>(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<T, DamagedBytes>,
    ) -> Result<Vec<T>, DamagedBytes> {
        let length = self.read_length()?;
        // The exact capacity, because the lists of all files are in memory at once.
        let mut items = Vec::with_capacity(length);
        for _ in 0..length {
            items.push(each(self)?);
        }
        Ok(items)
    }

    /// The length of a list.
    pub(crate) fn read_length(&mut self) -> Result<usize, DamagedBytes> {
        let length = self.read_number()? as usize;
        // Every item takes at least one byte, so a longer list is damaged and must not be allocated.
        if length > self.0.len() { Err(DamagedBytes) } else { Ok(length) }
    }

    /// Returns `whole` if all bytes were read.
    pub(crate) fn finish<T>(self, whole: T) -> Result<T, DamagedBytes> {
        if self.0.is_empty() { Ok(whole) } else { Err(DamagedBytes) }
    }
}
