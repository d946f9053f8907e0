//! `ByteWriter` and `ByteReader`, a binary codec for numbers (varints), texts and lists, for values that the store
//! does not look into.
//!
//! A reader never trusts its input: damaged bytes give an error, never a panic or a huge allocation.

/// Writes numbers in as few bytes as they need, and texts after their length.
#[derive(Default)]
pub struct ByteWriter(Vec<u8>);

impl ByteWriter {
    /// A writer with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// A number, seven bits a byte, low bits first.
    #[inline]
    pub fn write_number(&mut self, value: u32) {
        self.write_wide(u64::from(value));
    }

    /// A number of up to 64 bits, written in the same way.
    #[inline]
    pub fn write_wide(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number that may be missing.
    pub fn write_optional(&mut self, value: Option<u32>) {
        // 0 means missing, so present values are shifted by one.
        self.write_number(value.map_or(0, |value| value.saturating_add(1)));
    }

    /// A text after its length.
    pub fn write_text(&mut self, text: &str) {
        self.write_number(text.len() as u32);
        self.write_raw(text);
    }

    /// A text whose length the reader knows.
    pub fn write_raw(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    /// Bytes whose number the reader knows.
    #[inline]
    pub fn write_bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A list after its length, each item as `each` writes it.
    pub fn write_list<'i, T>(&mut self, items: &'i [T], mut each: impl FnMut(&mut Self, &'i T)) {
        self.write_number(items.len() as u32);
        for item in items {
            each(self, item);
        }
    }

    /// All that was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The bytes are not what a [`ByteWriter`] wrote.
#[derive(Debug, PartialEq, Eq)]
pub struct DamagedBytes;

/// Reads what a [`ByteWriter`] wrote.
pub struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    /// A reader from the first byte on.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A number of at most 32 bits.
    #[inline]
    pub fn read_number(&mut self) -> Result<u32, DamagedBytes> {
        u32::try_from(self.read_wide()?).map_err(|_| DamagedBytes)
    }

    /// A number of at most 64 bits.
    #[inline]
    pub fn read_wide(&mut self) -> Result<u64, DamagedBytes> {
        // Most numbers are small, and a reader of postings decodes a million of them.
        if let Some((byte, rest)) = self.0.split_first().filter(|(byte, _)| **byte < 0x80) {
            self.0 = rest;
            return Ok(u64::from(*byte));
        }
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(DamagedBytes)?;
            self.0 = rest;
            // The tenth byte has room for one bit.
            if shift == 63 && *byte > 1 {
                return Err(DamagedBytes);
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DamagedBytes)
    }

    /// A number that is a place in a list.
    #[inline]
    pub fn read_index(&mut self, length: usize) -> Result<u32, DamagedBytes> {
        let number = self.read_number()?;
        if (number as usize) < length { Ok(number) } else { Err(DamagedBytes) }
    }

    /// A number that may be missing.
    #[inline]
    pub fn read_optional(&mut self) -> Result<Option<u32>, DamagedBytes> {
        Ok(self.read_number()?.checked_sub(1))
    }

    /// A place in a list that may be missing.
    #[inline]
    pub fn maybe_below(&mut self, length: usize) -> Result<Option<u32>, DamagedBytes> {
        match self.read_optional()? {
            Some(number) if number as usize >= length => Err(DamagedBytes),
            number => Ok(number),
        }
    }

    /// A text after its length.
    #[inline]
    pub fn read_text(&mut self) -> Result<&'a str, DamagedBytes> {
        let length = self.read_number()? as usize;
        self.read_raw(length)
    }

    /// A text of so many bytes.
    #[inline]
    pub fn read_raw(&mut self, length: usize) -> Result<&'a str, DamagedBytes> {
        str::from_utf8(self.read_bytes(length)?).map_err(|_| DamagedBytes)
    }

    /// So many bytes.
    #[inline]
    pub fn read_bytes(&mut self, length: usize) -> Result<&'a [u8], DamagedBytes> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(DamagedBytes)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// The bytes that are not read yet.
    #[inline]
    pub fn remaining_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// A list after its length, each item as `each` reads it.
    pub fn read_list<T>(
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
    pub fn read_length(&mut self) -> Result<usize, DamagedBytes> {
        let length = self.read_number()? as usize;
        // Every item takes at least one byte, so a longer list is damaged and must not be allocated.
        if length > self.0.len() { Err(DamagedBytes) } else { Ok(length) }
    }

    /// Returns `whole` if all bytes were read.
    pub fn finish<T>(self, whole: T) -> Result<T, DamagedBytes> {
        if self.0.is_empty() { Ok(whole) } else { Err(DamagedBytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(small in any::<u32>(), wide in any::<u64>(), none in any::<Option<u16>>(), text in ".{0,20}", list in proptest::collection::vec(any::<u32>(), 0..9)) {
            let none = none.map(u32::from);
            let mut out = ByteWriter::default();
            out.write_number(small);
            out.write_wide(wide);
            out.write_optional(none);
            out.write_text(&text);
            out.write_list(&list, |out, item| out.write_number(*item));
            let bytes = out.into_bytes();
            let mut input = ByteReader::new(&bytes);
            prop_assert_eq!((input.read_number(), input.read_wide(), input.read_optional()), (Ok(small), Ok(wide), Ok(none)));
            prop_assert_eq!(input.read_text(), Ok(&*text));
            prop_assert_eq!(input.read_list(ByteReader::read_number), Ok(list));
            prop_assert_eq!(input.finish(()), Ok(()));
        }

        #[test]
        fn damaged_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut input = ByteReader::new(&bytes);
            while input.read_list(ByteReader::read_text).is_ok() && !input.remaining_bytes().is_empty() {}
            let mut input = ByteReader::new(&bytes);
            while input.read_wide().is_ok() {}
        }
    }

    #[test]
    fn a_number_that_is_too_large_is_refused() {
        assert_eq!(ByteReader::new(&[0xff, 0xff, 0xff, 0xff, 0x1f]).read_number(), Err(DamagedBytes));
        assert_eq!(ByteReader::new(&[0xff; 12]).read_wide(), Err(DamagedBytes));
        assert_eq!(ByteReader::new(&[9]).read_index(9), Err(DamagedBytes));
    }
}
