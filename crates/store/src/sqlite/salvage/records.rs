//! Reads the rows that lie on one page of a SQLite file: the cells of a leaf of a table or of an index, with what
//! overflows onto other pages. A cell that makes no sense is left out; the others of its page are read.

use super::pages::{FILE_HEADER, PageFile};

/// A value as it lies in a record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawValue {
    Null,
    Integer(i64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

/// A row: its number, where its table has numbers, and its values.
#[derive(Clone, Debug)]
pub(super) struct RawRow {
    pub(super) number: Option<i64>,
    pub(super) values: Vec<RawValue>,
}

const TABLE_LEAF: u8 = 13;
const INDEX_LEAF: u8 = 10;
const INDEX_INNER: u8 = 2;

/// Rows longer than this are no rows of ours.
const LONGEST_ROW: u64 = 1 << 30;

/// The rows of a page, and how many cells of it cannot be read.
pub(super) fn read_rows(file: &PageFile, number: u32) -> (Vec<RawRow>, u64) {
    let page = file.read_page(number);
    // The first page begins with the header of the file.
    let start = if number == 1 { FILE_HEADER } else { 0 };
    let kind = page[start];
    let header = match kind {
        TABLE_LEAF | INDEX_LEAF => 8,
        INDEX_INNER => 12,
        _ => return (Vec::new(), 0),
    };
    let cells = usize::from(u16::from_be_bytes([page[start + 3], page[start + 4]]));
    let mut rows = Vec::new();
    let mut unreadable = 0;
    for cell in 0..cells {
        let pointer = start + header + 2 * cell;
        let place = page.get(pointer..pointer + 2).map(|it| usize::from(u16::from_be_bytes([it[0], it[1]])));
        match place.and_then(|place| read_cell(file, &page, place, kind)) {
            Some(row) => rows.push(row),
            None => unreadable += 1,
        }
    }
    (rows, unreadable)
}

fn read_cell(file: &PageFile, page: &[u8], place: usize, kind: u8) -> Option<RawRow> {
    // An inner page of an index has the number of a page before each record.
    let place = if kind == INDEX_INNER { place + 4 } else { place };
    let (length, used) = read_varint(page.get(place..)?)?;
    let mut place = place + used;
    let number = if kind == TABLE_LEAF {
        let (number, used) = read_varint(page.get(place..)?)?;
        place += used;
        Some(number as i64)
    } else {
        None
    };
    let payload = read_payload(file, page, place, length, kind == TABLE_LEAF)?;
    Some(RawRow { number, values: read_record(&payload)? })
}

/// The bytes of a record, put together from its page and those it overflows onto.
fn read_payload(file: &PageFile, page: &[u8], place: usize, length: u64, is_table: bool) -> Option<Vec<u8>> {
    if length > LONGEST_ROW {
        return None;
    }
    let (length, usable) = (usize::try_from(length).ok()?, file.usable_size());
    let most = if is_table { usable - 35 } else { (usable - 12) * 64 / 255 - 23 };
    if length <= most {
        return page.get(place..place + length).map(<[u8]>::to_vec);
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let fitting = least + (length - least) % (usable - 4);
    let local = if fitting <= most { fitting } else { least };
    let mut payload = page.get(place..place + local)?.to_vec();
    let mut next = page.get(place + local..place + local + 4)?.try_into().ok().map(u32::from_be_bytes)?;
    while payload.len() < length {
        if next == 0 || next > file.page_count {
            return None;
        }
        let overflow = file.read_page(next);
        let take = (length - payload.len()).min(usable - 4);
        payload.extend_from_slice(overflow.get(4..4 + take)?);
        next = overflow.get(..4)?.try_into().ok().map(u32::from_be_bytes)?;
    }
    Some(payload)
}

fn read_record(payload: &[u8]) -> Option<Vec<RawValue>> {
    let (header, mut at) = read_varint(payload)?;
    let header = usize::try_from(header).ok().filter(|header| *header <= payload.len())?;
    let mut body = header;
    let mut values = Vec::new();
    while at < header {
        let (kind, used) = read_varint(payload.get(at..header)?)?;
        at += used;
        let (value, used) = read_value(kind, payload.get(body..)?)?;
        body += used;
        values.push(value);
    }
    Some(values)
}

fn read_value(kind: u64, bytes: &[u8]) -> Option<(RawValue, usize)> {
    let integer = |length: usize| {
        let bytes = bytes.get(..length)?;
        // The sign is that of the first byte.
        let start = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1_i64 } else { 0 };
        let value = bytes.iter().fold(start, |value, byte| (value << 8) | i64::from(*byte));
        Some((RawValue::Integer(value), length))
    };
    match kind {
        0 => Some((RawValue::Null, 0)),
        1..=4 => integer(kind as usize),
        5 => integer(6),
        6 => integer(8),
        8 | 9 => Some((RawValue::Integer(kind as i64 - 8), 0)),
        // We store no numbers with a point, and 10 and 11 are never written.
        7 | 10 | 11 => None,
        _ => {
            let length = usize::try_from((kind - 12) / 2).ok()?;
            let content = bytes.get(..length)?.to_vec();
            Some((if kind.is_multiple_of(2) { RawValue::Blob(content) } else { RawValue::Text(content) }, length))
        }
    }
}

/// A number of one to nine bytes, and how many it takes.
fn read_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (at, byte) in bytes.iter().take(9).enumerate() {
        if at == 8 {
            return Some(((value << 8) | u64::from(*byte), 9));
        }
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}

impl RawRow {
    pub(super) fn text(&self, column: usize) -> Option<&str> {
        match self.values.get(column)? {
            RawValue::Text(bytes) => std::str::from_utf8(bytes).ok(),
            RawValue::Null | RawValue::Integer(_) | RawValue::Blob(_) => None,
        }
    }

    pub(super) fn integer(&self, column: usize) -> Option<i64> {
        match self.values.get(column)? {
            RawValue::Integer(value) => Some(*value),
            RawValue::Null | RawValue::Text(_) | RawValue::Blob(_) => None,
        }
    }

    pub(super) fn blob(&self, column: usize) -> Option<&[u8]> {
        match self.values.get(column)? {
            RawValue::Blob(bytes) => Some(bytes),
            RawValue::Null | RawValue::Integer(_) | RawValue::Text(_) => None,
        }
    }
}
