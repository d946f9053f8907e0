//! Encodes what a file says as a document as bytes for the store, and decodes them.

use crate::base::{compress_bytes, decompress_bytes};
use model::LineRange;
use search::{ByteReader, ByteWriter, DamagedBytes};
use syntax::{DocumentFacts, DocumentMention, DocumentMentionKind, OpenQuestion, Requirement, UserStory};

pub(crate) fn encode_document(facts: &DocumentFacts) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.write_number(u32::from(facts.is_document));
    write_optional_text(&mut writer, facts.title.as_deref());
    writer.write_list(&facts.metadata, |writer, (name, value)| {
        writer.write_text(name);
        writer.write_text(value);
    });
    writer.write_number(facts.words);
    writer.write_list(&facts.requirements, |writer, it| {
        write_optional_text(writer, it.key.as_deref());
        writer.write_text(&it.text);
        write_optional_text(writer, it.priority.as_deref());
        write_optional_text(writer, it.status.as_deref());
        write_lines(writer, it.lines);
    });
    writer.write_list(&facts.stories, |writer, it| {
        write_optional_text(writer, it.key.as_deref());
        writer.write_text(&it.role);
        writer.write_text(&it.goal);
        write_optional_text(writer, it.benefit.as_deref());
        writer.write_list(&it.criteria, |writer, criterion| writer.write_text(criterion));
        write_lines(writer, it.lines);
    });
    writer.write_list(&facts.questions, |writer, it| {
        writer.write_text(&it.text);
        writer.write_number(it.line);
    });
    writer.write_list(&facts.mentions, |writer, it| {
        let kind = DocumentMentionKind::ALL.iter().position(|kind| *kind == it.kind);
        writer.write_number(kind.unwrap_or_default() as u32);
        writer.write_text(&it.text);
        writer.write_number(it.line);
    });
    compress_bytes(&writer.into_bytes())
}

/// The facts of a file; none of one that says nothing.
pub(crate) fn decode_document(bytes: &[u8]) -> Result<Option<DocumentFacts>, DamagedBytes> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let bytes = decompress_bytes(bytes)?;
    let mut reader = ByteReader::new(&bytes);
    let reader = &mut reader;
    let facts = DocumentFacts {
        is_document: reader.read_index(2)? == 1,
        title: read_optional_text(reader)?,
        metadata: reader.read_list(|reader| Ok((reader.read_text()?.to_owned(), reader.read_text()?.to_owned())))?,
        words: reader.read_number()?,
        requirements: reader.read_list(|reader| {
            Ok(Requirement {
                key: read_optional_text(reader)?,
                text: reader.read_text()?.to_owned(),
                priority: read_optional_text(reader)?,
                status: read_optional_text(reader)?,
                lines: read_lines(reader)?,
            })
        })?,
        stories: reader.read_list(|reader| {
            Ok(UserStory {
                key: read_optional_text(reader)?,
                role: reader.read_text()?.to_owned(),
                goal: reader.read_text()?.to_owned(),
                benefit: read_optional_text(reader)?,
                criteria: reader.read_list(|reader| Ok(reader.read_text()?.to_owned()))?,
                lines: read_lines(reader)?,
            })
        })?,
        questions: reader.read_list(|reader| {
            Ok(OpenQuestion { text: reader.read_text()?.to_owned(), line: reader.read_number()? })
        })?,
        mentions: reader.read_list(|reader| {
            let kind = reader.read_index(DocumentMentionKind::ALL.len())?;
            let text = reader.read_text()?.to_owned();
            Ok(DocumentMention { kind: DocumentMentionKind::ALL[kind as usize], text, line: reader.read_number()? })
        })?,
    };
    if reader.remaining_bytes().is_empty() { Ok(Some(facts)) } else { Err(DamagedBytes) }
}

fn write_optional_text(writer: &mut ByteWriter, text: Option<&str>) {
    writer.write_optional(text.map(|text| text.len() as u32));
    writer.write_raw(text.unwrap_or_default());
}

fn read_optional_text(reader: &mut ByteReader<'_>) -> Result<Option<String>, DamagedBytes> {
    match reader.read_optional()? {
        Some(length) => Ok(Some(reader.read_raw(length as usize)?.to_owned())),
        None => Ok(None),
    }
}

fn write_lines(writer: &mut ByteWriter, lines: LineRange) {
    writer.write_number(lines.start);
    writer.write_number(lines.end.saturating_sub(lines.start));
}

fn read_lines(reader: &mut ByteReader<'_>) -> Result<LineRange, DamagedBytes> {
    let start = reader.read_number()?;
    Ok(LineRange { start, end: start.saturating_add(reader.read_number()?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample_facts() -> DocumentFacts {
        let text = "---\nowner: Ada\n---\n# A\n- REQ-1: it must `run()`\n\nAs a reader, I want a page so that I know.\n\n\
                    ## Open questions\n- Who?\n";
        let extract = syntax::extract("a.md", text.as_bytes(), &syntax::ExtractLimits::default());
        syntax::read_document("a.md", text.as_bytes(), extract.language, &extract.symbols).expect("a document")
    }

    #[test]
    fn facts_come_back_as_they_were() {
        let facts = sample_facts();
        assert_eq!((facts.requirements.len(), facts.stories.len(), facts.questions.len()), (1, 1, 1));
        assert_eq!(decode_document(&encode_document(&facts)), Ok(Some(facts)));
        assert_eq!(decode_document(&[]), Ok(None));
    }

    proptest! {
        #[test]
        fn cut_or_changed_bytes_are_refused_or_read_but_never_panic(
            cut in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = encode_document(&sample_facts());
            let at = cut.index(bytes.len());
            let _ = decode_document(&bytes[..at]);
            bytes[at] = byte;
            let _ = decode_document(&bytes);
        }
    }
}
