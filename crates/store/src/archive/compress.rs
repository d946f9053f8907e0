//! Compressed bytes as columns hold them: zstd, with the length in the frame.
//!
//! Level 3 is where more effort stops paying: transcripts repeat themselves so much that the window finds it all.

use crate::rows::Damaged;

const LEVEL: i32 = 3;

/// More than any frame or message holds; a header that claims more is damage, not a reason to allocate.
const LARGEST: u64 = 1 << 31;

pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("a buffer of the size zstd asks for is never too small")
}

pub(crate) fn decompress(column: &[u8]) -> Result<Vec<u8>, Damaged> {
    let length = zstd::zstd_safe::get_frame_content_size(column).ok().flatten();
    let length = length.filter(|length| *length < LARGEST).ok_or_else(|| Damaged("no compressed bytes".to_owned()))?;
    zstd::bulk::decompress(column, length as usize).map_err(|error| Damaged(format!("compressed bytes: {error}")))
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
