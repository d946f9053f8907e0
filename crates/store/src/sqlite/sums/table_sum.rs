//! `TableSum`: how many rows a table has and the sum of their digests, and how the sums of all tables are kept in one
//! column.

use crate::rows::DamagedRow;
use model::ContentHash;
use std::collections::BTreeMap;

/// How many rows a table has, and the sum of their digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sqlite) struct TableSum {
    pub(in crate::sqlite) rows: i64,
    digest: [u64; 4],
}

/// The sums of all tables, by name.
pub(in crate::sqlite) type TableSums = BTreeMap<String, TableSum>;

impl TableSum {
    pub(super) fn of_row(digest: ContentHash) -> Self {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(digest.as_bytes().as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self { rows: 1, digest: words }
    }

    /// Adds as numbers of 256 bits do, so that the order of rows does not matter.
    pub(super) fn add(&mut self, other: Self) {
        self.rows = self.rows.wrapping_add(other.rows);
        let mut carry = false;
        for (word, more) in self.digest.iter_mut().zip(other.digest) {
            let (sum, first) = word.overflowing_add(more);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, first || second);
        }
    }

    pub(super) fn negated(self) -> Self {
        let mut negated = Self { rows: self.rows.wrapping_neg(), digest: self.digest.map(|word| !word) };
        negated.add(Self { rows: 0, digest: [1, 0, 0, 0] });
        negated
    }
}

pub(super) fn sum_bytes(sum: TableSum) -> Vec<u8> {
    sum.rows.to_le_bytes().into_iter().chain(sum.digest.iter().flat_map(|word| word.to_le_bytes())).collect()
}

/// For each table the length of its name, the name, and the 40 bytes of its sum.
pub(super) fn encode_sums(sums: &TableSums) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (table, sum) in sums {
        bytes.push(table.len() as u8);
        bytes.extend_from_slice(table.as_bytes());
        bytes.extend(sum_bytes(*sum));
    }
    bytes
}

pub(super) fn decode_sums(mut bytes: &[u8]) -> Result<TableSums, DamagedRow> {
    let damaged = || DamagedRow("the sums over its tables cannot be read".to_owned());
    let mut sums = TableSums::new();
    while let Some((length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(damaged)?;
        let (sum, rest) = rest.split_at_checked(40).ok_or_else(damaged)?;
        let name = std::str::from_utf8(name).map_err(|_| damaged())?;
        let mut words = sum.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let rows = words.next().unwrap_or_default() as i64;
        let digest = std::array::from_fn(|_| words.next().unwrap_or_default());
        sums.insert(name.to_owned(), TableSum { rows, digest });
        bytes = rest;
    }
    Ok(sums)
}
