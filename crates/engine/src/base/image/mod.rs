//! Image files: lists of numbers and rows in one immutable file that is mapped and read in place, so that all processes
//! share one copy and a question reads only what it needs. An image is a cache: what is in it can be made again.
//!
//! ```text
//! head      8 bytes  name and version of the format
//!           8        1 in the byte order of the machine that wrote it
//!          32        key: what the image was made of, as its maker knows it
//!           8        number of sections
//!           8        where the body begins
//!           8        where the file ends
//!           8        check of everything before the body
//! table    16 a section: where it begins, how many bytes it has
//! checks    4 a page of the body, its CRC-32
//! body     from a multiple of 4096 on: the sections, each from a multiple of 64 on
//! ```
//! Nothing is trusted: the part before the body is checked when an image is opened, a page of the body when it is first
//! read. A damaged page reads as zeros or as nothing and marks the image; whoever answers from an image looks at the mark
//! before the answer goes out (`ImageFile::is_damaged`), and makes everything anew.

mod folder;
mod key_table;
mod mapped_file;
mod reader;
mod shared_list;
mod writer;

pub(crate) use folder::ImageFolder;
pub(crate) use key_table::KeyTable;
pub(crate) use reader::ImageFile;
pub(crate) use shared_list::{ImageRow, SharedList};
pub(crate) use writer::ImageWriter;

/// The name of the format and its version.
const FORMAT: [u8; 8] = *b"EPIIMG\x01\x00";

/// Written as a number, so that a machine with another byte order refuses the file.
const BYTE_ORDER: u64 = 1;

/// Bytes of the head, of a section's entry in the table, and of the check of a page.
const HEAD_BYTES: usize = 80;
const ENTRY_BYTES: usize = 16;
const CHECK_BYTES: usize = 4;

/// Bytes of a page, which is checked as one.
const PAGE_BYTES: usize = 4096;

/// Sections begin at multiples of this, so that rows of any type lie as the processor wants them.
const SECTION_ALIGNMENT: usize = 64;

/// What an image was made of.
pub(crate) type ImageKey = [u8; 32];

/// The check of everything before the body, without the field that holds it.
fn head_check(head: &[u8], rest: &[u8]) -> [u8; 8] {
    let hash = model::DigestBuilder::new("image head").add_field(head).add_field(rest).finish();
    *hash.as_bytes().first_chunk().expect("a hash has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use std::path::PathBuf;
    use std::sync::Arc;

    const KEY: ImageKey = [7; 32];

    fn write_image(numbers: &[u32], bytes: &[u8], keys: &KeyTable) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("a.image");
        let mut image = ImageWriter::default();
        image.add_rows(numbers);
        image.add_bytes(bytes.to_vec());
        keys.write_sections(&mut image);
        image.write_file(&path, &KEY).expect("there is room");
        (folder, path)
    }

    fn keys_of(image: &Arc<ImageFile>) -> Vec<(String, Vec<u32>)> {
        let table = KeyTable::from_image(image, 2).expect("it has these sections");
        table.entries().map(|(key, numbers)| (key.to_owned(), numbers.to_vec())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// An image gives what was written, in all its sections; one of another key is none.
        #[test]
        fn what_is_written_is_read(numbers in vec(any::<u32>(), 0..3000), bytes in vec(any::<u8>(), 0..300), keys in btree_map("[a-cö]{0,3}", vec(any::<u32>(), 0..3), 0..20)) {
            let keys: Vec<(String, Vec<u32>)> = keys.into_iter().collect();
            let (_folder, path) = write_image(&numbers, &bytes, &KeyTable::new(keys.clone()));
            let image = ImageFile::open(&path, &KEY).expect("it is as it was written");
            let list: SharedList<u32> = image.rows(0).expect("whole numbers");
            prop_assert_eq!(list.all_rows(), &numbers);
            prop_assert_eq!(image.bytes(1), Some(&*bytes));
            prop_assert_eq!(&keys_of(&image), &keys);
            let table = KeyTable::from_image(&image, 2).expect("it has these sections");
            prop_assert!(keys.iter().all(|(key, numbers)| table.numbers_of(key) == numbers));
            prop_assert_eq!(table.numbers_of("d"), &[] as &[u32]);
            prop_assert!(!image.is_damaged());
            prop_assert!(ImageFile::open(&path, &[8; 32]).is_none());
        }

        /// A byte that is another one is noticed: the image is refused, or marked as soon as all of it was read, and no
        /// other number is ever given for one that was written.
        #[test]
        fn damage_is_noticed(numbers in vec(1..u32::MAX, 1..4000), at in any::<prop::sample::Index>(), by in 1..=255_u8, cut in any::<prop::sample::Index>()) {
            let (_folder, path) = write_image(&numbers, b"bytes", &KeyTable::default());
            let mut bytes = fs_err::read(&path).expect("the file");
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            fs_err::write(&path, &bytes).expect("the file");
            if let Some(image) = ImageFile::open(&path, &KEY) {
                let list: SharedList<u32> = image.rows(0).expect("whole numbers");
                for (row, wanted) in numbers.iter().enumerate() {
                    prop_assert!([*wanted, 0].contains(&list.row(row)));
                }
                image.bytes(1);
                prop_assert!(image.is_damaged() && !image.check_pages());
            }
            fs_err::write(&path, &bytes[..cut.index(bytes.len())]).expect("the file");
            prop_assert!(ImageFile::open(&path, &KEY).is_none());
        }
    }

    #[test]
    fn a_range_that_leaves_its_list_is_damage() {
        let (_folder, path) = write_image(&[1, 2, 3], &[], &KeyTable::default());
        let image = ImageFile::open(&path, &KEY).expect("it is as it was written");
        let list: SharedList<u32> = image.rows(0).expect("whole numbers");
        assert_eq!((list.row(2), list.rows(1..3), image.is_damaged()), (3, &[2, 3][..], false));
        assert_eq!((list.rows(2..4), list.row(3), image.is_damaged()), (&[][..], 0, true));
    }
}
