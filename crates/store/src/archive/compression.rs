//! Compresses and decompresses column values with zstd: the length stands in the frame, and damaged input is refused.
//!
//! Level 3 is where more effort stops paying: transcripts repeat themselves so much that the window finds it all.

use crate::rows::DamagedRow;
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

const LEVEL: i32 = 3;

/// More than any frame or message holds; a header that claims more is damage, not a reason to allocate.
const MAX_DECOMPRESSED_BYTES: u64 = 1 << 31;

thread_local! {
    // What zstd works in costs more to make than a message costs to pack, so each thread keeps its own.
    static PACKING: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(LEVEL).expect("a level that zstd knows"));
    static UNPACKING: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("there is memory for a few tables"));
}

pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    let packed = PACKING.with_borrow_mut(|zstd| zstd.compress(bytes));
    packed.expect("a buffer of the size zstd asks for is never too small")
}

pub(crate) fn decompress(column: &[u8]) -> Result<Vec<u8>, DamagedRow> {
    let length = content_length(column)?;
    UNPACKING.with_borrow_mut(|zstd| zstd.decompress(column, length)).map_err(damaged_bytes)
}

fn content_length(column: &[u8]) -> Result<usize, DamagedRow> {
    // The length comes from the column, which may be damaged. Without the check a flipped bit could make the
    // decompressor allocate gigabytes before it fails.
    let length = zstd::zstd_safe::get_frame_content_size(column).ok().flatten();
    let length = length
        .filter(|length| *length < MAX_DECOMPRESSED_BYTES)
        .ok_or_else(|| DamagedRow("no compressed bytes".to_owned()))?;
    Ok(length as usize)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that maps an error")]
fn damaged_bytes(error: std::io::Error) -> DamagedRow {
    DamagedRow(format!("compressed bytes: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(decompress(&compress(&bytes)).expect("we wrote it"), bytes);
        }

        #[test]
        fn foreign_bytes_are_refused_and_do_no_harm(bytes: Vec<u8>) {
            let _ = decompress(&bytes);
        }
    }

    #[test]
    fn a_header_that_lies_is_refused() {
        let mut column = compress(b"hello hello hello");
        column.truncate(column.len() - 3);
        assert!(decompress(&column).is_err());
        assert!(decompress(b"").is_err());
    }
}
