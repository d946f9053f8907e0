//! Compresses the encoded records of files (symbols, uses, edges) with zstd before the store keeps them, and
//! decompresses them; bytes that would not become smaller stay as they are.
//!
//! Records repeat names, paths and signatures. The fastest level finds most repetition, and each thread keeps its
//! working memory, since allocating it costs more than compressing a file.

use search::DamagedBytes;
use std::borrow::Cow;
use std::cell::RefCell;
use zstd::bulk::{Compressor, Decompressor};

/// The first byte, which says how the rest is encoded.
const PLAIN_ENCODING_TAG: u8 = 0;
const ZSTD_ENCODING_TAG: u8 = 1;

const LEVEL: i32 = 1;

/// Shorter bytes have too little repetition.
const WORTH_IT: usize = 64;

/// More than the facts of any file take; a frame that claims more is damaged and no reason to allocate.
const MAX_DECOMPRESSED_BYTES: u64 = 1 << 28;

thread_local! {
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Bytes for the store.
pub(crate) fn compress_bytes(bytes: &[u8]) -> Vec<u8> {
    let frame = if bytes.len() < WORTH_IT { None } else { zstd_compress(bytes) };
    let (how, rest) = match &frame {
        // Bytes without repetition grow by the header of the frame.
        Some(frame) if frame.len() < bytes.len() => (ZSTD_ENCODING_TAG, frame.as_slice()),
        _ => (PLAIN_ENCODING_TAG, bytes),
    };
    let mut packed = Vec::with_capacity(1 + rest.len());
    packed.push(how);
    packed.extend_from_slice(rest);
    packed
}

/// The bytes that [`compress_bytes`] was given; empty for no bytes.
pub(crate) fn decompress_bytes(packed: &[u8]) -> Result<Cow<'_, [u8]>, DamagedBytes> {
    match packed.split_first() {
        None => Ok(Cow::Borrowed(&[])),
        Some((&PLAIN_ENCODING_TAG, rest)) => Ok(Cow::Borrowed(rest)),
        Some((&ZSTD_ENCODING_TAG, frame)) => Ok(Cow::Owned(zstd_decompress(frame).ok_or(DamagedBytes)?)),
        Some(_) => Err(DamagedBytes),
    }
}

/// `None` where the compressor cannot be made: bytes that are not compressed are only larger.
fn zstd_compress(bytes: &[u8]) -> Option<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        if packer.is_none() {
            *packer = Compressor::new(LEVEL).ok();
        }
        packer.as_mut()?.compress(bytes).ok()
    })
}

fn zstd_decompress(frame: &[u8]) -> Option<Vec<u8>> {
    // The frame's own claim decides how much is allocated, so it is checked before that.
    let length = zstd::zstd_safe::get_frame_content_size(frame)
        .ok()
        .flatten()
        .filter(|length| *length < MAX_DECOMPRESSED_BYTES)?;
    UNPACKER.with_borrow_mut(|unpacker| {
        if unpacker.is_none() {
            *unpacker = Decompressor::new().ok();
        }
        unpacker.as_mut()?.decompress(frame, length as usize).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_come_back_and_are_hardly_ever_longer(bytes in vec(0..4_u8, 0..400)) {
            let packed = compress_bytes(&bytes);
            prop_assert!(packed.len() <= bytes.len() + 1);
            prop_assert_eq!(&*decompress_bytes(&packed).expect("we wrote it"), &*bytes);
        }

        #[test]
        fn changed_bytes_are_refused_or_read_but_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut packed = compress_bytes(&b"say it again ".repeat(20));
            let at = at.index(packed.len());
            prop_assert!(at == 0 || decompress_bytes(&packed[..at]).is_err());
            packed[at] = byte;
            let _ = decompress_bytes(&packed);
        }
    }
}
