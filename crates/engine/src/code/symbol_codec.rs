//! Encodes the symbols and units of a file version as bytes for the store, and decodes them.
//!
//! Positions are differences from the symbol before, and qualified names are prefix-compressed (only the part that the
//! name before does not share is written): a symbol takes about thirty bytes. Signatures and doc comments are kept
//! apart, because most questions do not need them.

use crate::base::{compress_bytes, decompress_bytes};
use foldhash::HashMap;
use model::{ByteSpan, LineRange, Symbol, SymbolId, SymbolKind};
use search::{ByteReader, ByteWriter, DamagedBytes};

/// A symbol as stored, without signature and doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexedSymbol<'a> {
    /// The id without the path.
    pub(crate) qualified_name: &'a str,
    pub(crate) name: &'a str,
    pub(crate) kind: SymbolKind,
    /// The symbol it is defined in, by its number in the file.
    pub(crate) container: Option<u32>,
    pub(crate) span: ByteSpan,
    pub(crate) lines: LineRange,
    pub(crate) name_line: u32,
    /// A hash of its text without name and indentation; 0 where the text is too short to identify it.
    pub(crate) body: u32,
}

/// A unit as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitPlace {
    pub(crate) lines: LineRange,
    /// The symbol that most of it belongs to, by its number in the file.
    pub(crate) symbol: Option<u32>,
}

/// The units, what could not be parsed, then the symbols of a file; `bodies` has one hash for each symbol.
pub(crate) fn encode_symbols(
    units: &[UnitPlace],
    unparsed: &[LineRange],
    symbols: &[Symbol],
    bodies: &[u32],
) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    let mut line = 0;
    writer.write_list(units, |writer, unit| {
        // Units follow each other, so this difference is 1 nearly always.
        writer.write_number(zigzag_delta(unit.lines.start, line));
        writer.write_number(zigzag_delta(unit.lines.end, unit.lines.start));
        writer.write_optional(unit.symbol);
        line = unit.lines.end;
    });
    writer.write_list(unparsed, |writer, lines| {
        writer.write_number(lines.start);
        writer.write_number(zigzag_delta(lines.end, lines.start));
    });
    let numbers: HashMap<&SymbolId, u32> = symbols.iter().map(|symbol| &symbol.id).zip(0..).collect();
    let mut before = SymbolPosition::default();
    let mut qualified_name = "";
    let mut bodies = bodies.iter();
    writer.write_list(symbols, |writer, symbol| {
        writer.write_number(symbol.kind as u32);
        writer.write_optional(symbol.container.as_ref().and_then(|container| numbers.get(container).copied()));
        let own = symbol.id.qualified_name();
        // Members follow their container, so most of a qualified name is that of the symbol before.
        let shared = shared_prefix(qualified_name, own);
        writer.write_number(shared as u32);
        writer.write_text(&own[shared..]);
        qualified_name = own;
        // The name is the end of the qualified name, or comes before the suffix that makes a repeated qualified name unique.
        if let Some(at) = own.rfind(&symbol.name) {
            writer.write_number((own.len() - at - symbol.name.len()) as u32 + 1);
            writer.write_number(symbol.name.len() as u32);
        } else {
            writer.write_number(0);
            writer.write_text(&symbol.name);
        }
        before.write_delta(writer, symbol);
        writer.write_number(bodies.next().copied().unwrap_or_default());
    });
    writer.into_bytes()
}

/// The signature and doc comment of each symbol of a file.
pub(crate) fn encode_texts(symbols: &[Symbol]) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.write_list(symbols, |writer, symbol| {
        writer.write_text(&symbol.signature);
        writer.write_optional(symbol.doc.as_ref().map(|doc| doc.len() as u32));
        writer.write_raw(symbol.doc.as_deref().unwrap_or_default());
    });
    compress_bytes(&writer.into_bytes())
}

/// The units of a file.
pub(crate) fn decode_units(bytes: &[u8]) -> Result<Vec<UnitPlace>, DamagedBytes> {
    read_units(&mut ByteReader::new(bytes))
}

/// The stretches of a file that could not be parsed.
pub(crate) fn decode_unparsed(bytes: &[u8]) -> Result<Vec<LineRange>, DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    read_units(&mut reader)?;
    read_unparsed(&mut reader)
}

/// Hands every symbol of a file to `visit`, in file order.
pub(crate) fn each_symbol(bytes: &[u8], mut visit: impl FnMut(IndexedSymbol<'_>)) -> Result<(), DamagedBytes> {
    let mut reader = ByteReader::new(bytes);
    read_units(&mut reader)?;
    read_unparsed(&mut reader)?;
    let mut before = SymbolPosition::default();
    let mut qualified_name = String::new();
    let count = reader.read_length()?;
    for _ in 0..count {
        let kind = SymbolKind::ALL[reader.read_index(SymbolKind::ALL.len())? as usize].0;
        let container = reader.maybe_below(count)?;
        let shared = reader.read_number()? as usize;
        // `shared` may be damaged, and truncating inside of a character would panic.
        if !qualified_name.is_char_boundary(shared) {
            return Err(DamagedBytes);
        }
        qualified_name.truncate(shared);
        qualified_name.push_str(reader.read_text()?);
        let name = match reader.read_number()?.checked_sub(1) {
            Some(tail) => {
                let end = qualified_name.len().checked_sub(tail as usize).ok_or(DamagedBytes)?;
                let start = end.checked_sub(reader.read_number()? as usize).ok_or(DamagedBytes)?;
                qualified_name.get(start..end).ok_or(DamagedBytes)?
            }
            None => reader.read_text()?,
        };
        before.read_delta(&mut reader)?;
        let SymbolPosition { span, lines, name_line } = before;
        visit(IndexedSymbol {
            qualified_name: &qualified_name,
            name,
            kind,
            container,
            span,
            lines,
            name_line,
            body: reader.read_number()?,
        });
    }
    reader.finish(())
}

/// The symbols of a file, with signatures and doc comments.
pub(crate) fn decode_symbols(path: &str, symbols: &[u8], texts: &[u8]) -> Result<Vec<Symbol>, DamagedBytes> {
    let texts = decompress_bytes(texts)?;
    let mut reader = ByteReader::new(&texts);
    let mut texts = reader
        .read_list(|reader| {
            let signature = reader.read_text()?.to_owned();
            let doc = match reader.read_optional()? {
                Some(length) => Some(reader.read_raw(length as usize)?.to_owned()),
                None => None,
            };
            Ok((signature, doc))
        })?
        .into_iter();
    reader.finish(())?;
    let mut decoded: Vec<Symbol> = Vec::new();
    let mut containers = Vec::new();
    let mut is_whole = true;
    each_symbol(symbols, |symbol| {
        // The visitor cannot return an error, so a missing text is reported after the loop.
        let (signature, doc) = texts.next().unwrap_or_else(|| {
            is_whole = false;
            Default::default()
        });
        containers.push(symbol.container);
        decoded.push(Symbol {
            id: SymbolId::new(path, symbol.qualified_name),
            name: symbol.name.to_owned(),
            kind: symbol.kind,
            container: None,
            span: symbol.span,
            lines: symbol.lines,
            name_line: symbol.name_line,
            signature,
            doc,
        });
    })?;
    if !is_whole || texts.next().is_some() {
        return Err(DamagedBytes);
    }
    // A container may come after its member, so containers are resolved once all symbols are read.
    for (at, container) in containers.into_iter().enumerate() {
        decoded[at].container = container.map(|container| decoded[container as usize].id.clone());
    }
    Ok(decoded)
}

fn read_units(reader: &mut ByteReader<'_>) -> Result<Vec<UnitPlace>, DamagedBytes> {
    let mut line = 0;
    reader.read_list(|reader| {
        let start = apply_zigzag(line, reader.read_number()?);
        let end = apply_zigzag(start, reader.read_number()?);
        line = end;
        Ok(UnitPlace { lines: LineRange { start, end }, symbol: reader.read_optional()? })
    })
}

fn read_unparsed(reader: &mut ByteReader<'_>) -> Result<Vec<LineRange>, DamagedBytes> {
    reader.read_list(|reader| {
        let start = reader.read_number()?;
        Ok(LineRange { start, end: apply_zigzag(start, reader.read_number()?) })
    })
}

/// The position of a symbol; the next one is written as the difference from it.
#[derive(Clone, Copy)]
struct SymbolPosition {
    span: ByteSpan,
    lines: LineRange,
    name_line: u32,
}

impl Default for SymbolPosition {
    fn default() -> Self {
        Self { span: ByteSpan { start: 0, end: 0 }, lines: LineRange { start: 0, end: 0 }, name_line: 0 }
    }
}

impl SymbolPosition {
    fn write_delta(&mut self, writer: &mut ByteWriter, symbol: &Symbol) {
        writer.write_number(zigzag_delta(symbol.span.start, self.span.start));
        writer.write_number(zigzag_delta(symbol.span.end, symbol.span.start));
        writer.write_number(zigzag_delta(symbol.lines.start, self.lines.start));
        writer.write_number(zigzag_delta(symbol.lines.end, symbol.lines.start));
        writer.write_number(zigzag_delta(symbol.name_line, symbol.lines.start));
        *self = Self { span: symbol.span, lines: symbol.lines, name_line: symbol.name_line };
    }

    fn read_delta(&mut self, reader: &mut ByteReader<'_>) -> Result<(), DamagedBytes> {
        let start = apply_zigzag(self.span.start, reader.read_number()?);
        self.span = ByteSpan { start, end: apply_zigzag(start, reader.read_number()?) };
        let start = apply_zigzag(self.lines.start, reader.read_number()?);
        self.lines = LineRange { start, end: apply_zigzag(start, reader.read_number()?) };
        self.name_line = apply_zigzag(start, reader.read_number()?);
        Ok(())
    }
}

/// The difference between two numbers as an unsigned number that is small where they are near, whichever is larger.
fn zigzag_delta(to: u32, from: u32) -> u32 {
    // The sign moves to the lowest bit, so that a small step back is a small number as well.
    let step = to.wrapping_sub(from) as i32;
    (step << 1 ^ step >> 31) as u32
}

/// The number at a difference from another one.
fn apply_zigzag(from: u32, step: u32) -> u32 {
    from.wrapping_add(step >> 1 ^ (step & 1).wrapping_neg())
}

/// How many bytes two texts share at the front, ending between characters.
fn shared_prefix(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Two characters may share their first bytes, and the rest is written as text.
    (0..=same).rev().find(|at| b.is_char_boundary(*at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn lines() -> impl Strategy<Value = LineRange> {
        (any::<u32>(), any::<u32>()).prop_map(|(start, end)| LineRange { start, end })
    }

    fn symbol() -> impl Strategy<Value = Symbol> {
        let names = ("[aé.]{0,4}", proptest::option::of("[aé]{0,3}"), 0..SymbolKind::ALL.len());
        let places = (any::<u32>(), any::<u32>(), lines(), any::<u32>());
        let texts = ("[a-z(é]{0,5}", proptest::option::of("[a-z]{0,5}"));
        (names, places, texts).prop_map(
            |((qualified_name, name, kind), (start, end, lines, name_line), (signature, doc))| Symbol {
                id: SymbolId::new("a.rs", &qualified_name),
                name: name.unwrap_or(qualified_name),
                kind: SymbolKind::ALL[kind].0,
                container: None,
                span: ByteSpan { start, end },
                lines,
                name_line,
                signature,
                doc,
            },
        )
    }

    fn symbols() -> impl Strategy<Value = Vec<Symbol>> {
        vec((symbol(), proptest::option::of(any::<prop::sample::Index>())), 0..8).prop_map(|drafts| {
            // A qualified name is unique in its file.
            let id = |at: usize| SymbolId::new("a.rs", &format!("{}~{at}", drafts[at].0.id.qualified_name()));
            let finish = |(at, (symbol, container)): (usize, &(Symbol, Option<prop::sample::Index>))| Symbol {
                id: id(at),
                container: container.map(|container| id(container.index(drafts.len()))),
                ..symbol.clone()
            };
            drafts.iter().enumerate().map(finish).collect()
        })
    }

    fn unit_places() -> impl Strategy<Value = Vec<UnitPlace>> {
        vec((lines(), proptest::option::of(0..9u32)).prop_map(|(lines, symbol)| UnitPlace { lines, symbol }), 0..5)
    }

    proptest! {
        #[test]
        fn symbols_and_units_come_back_as_they_were(
            symbols in symbols(), places in unit_places(), bodies in vec(any::<u32>(), 8)
        ) {
            let lost: Vec<LineRange> = places.iter().map(|place| place.lines).collect();
            let bytes = encode_symbols(&places, &lost, &symbols, &bodies);
            prop_assert_eq!(decode_units(&bytes), Ok(places));
            prop_assert_eq!(decode_unparsed(&bytes), Ok(lost));
            prop_assert_eq!(decode_symbols("a.rs", &bytes, &encode_texts(&symbols)), Ok(symbols.clone()));
            let mut read = Vec::new();
            each_symbol(&bytes, |symbol| read.push(symbol.body)).expect("the bytes are ours");
            prop_assert_eq!(&read[..], &bodies[..symbols.len()]);
        }

        #[test]
        fn cut_or_changed_bytes_are_refused_or_read_but_never_panic(
            symbols in symbols(), places in unit_places(), cut in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let texts = encode_texts(&symbols);
            let mut bytes = encode_symbols(&places, &[], &symbols, &[]);
            let at = cut.index(bytes.len());
            prop_assert!(decode_symbols("a.rs", &bytes[..at], &texts).is_err());
            bytes[at] = byte;
            let _ = (decode_units(&bytes), decode_symbols("a.rs", &bytes, &texts));
            let at = cut.index(texts.len());
            prop_assert!(decode_symbols("a.rs", &encode_symbols(&places, &[], &symbols, &[]), &texts[..at]).is_err());
        }
    }
}
