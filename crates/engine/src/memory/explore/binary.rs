//! Summarizes binary content of an artifact: file type by magic bytes, size, and for images the dimensions.

use super::{ContentOutline, scalar};

/// First bytes, media type, words.
const KINDS: [(&[u8], &str, &str); 20] = [
    (b"\x89PNG\r\n\x1a\n", "image/png", "PNG image"),
    (b"\xff\xd8\xff", "image/jpeg", "JPEG image"),
    (b"GIF8", "image/gif", "GIF image"),
    (b"BM", "image/bmp", "BMP image"),
    (b"%PDF-", "application/pdf", "PDF document"),
    (b"PK\x03\x04", "application/zip", "ZIP archive, or a document made of one"),
    (b"\x1f\x8b", "application/gzip", "gzip archive"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "zstd archive"),
    (b"BZh", "application/x-bzip2", "bzip2 archive"),
    (b"\xfd7zXZ\0", "application/x-xz", "xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z archive"),
    (b"\x7fELF", "application/x-elf", "program or library (ELF)"),
    (b"MZ", "application/x-msdownload", "program or library (Windows)"),
    (b"\0asm", "application/wasm", "WebAssembly module"),
    (b"SQLite format 3\0", "application/vnd.sqlite3", "SQLite database"),
    (b"OggS", "audio/ogg", "Ogg audio or video"),
    (b"ID3", "audio/mpeg", "MP3 audio"),
    (b"wOFF", "font/woff", "font"),
    (b"wOF2", "font/woff2", "font"),
    (b"RIFF", "application/x-riff", "RIFF file: WebP, WAV or AVI"),
];

/// `None` for text.
pub(super) fn outline_binary(content: &[u8]) -> Option<ContentOutline> {
    let known = KINDS.iter().find(|(first, ..)| content.starts_with(first));
    // Letters at the start of a text may look like those of a binary file (`BM`, `ID3`), so short signatures need
    // content that is no text.
    let known = known.filter(|(first, ..)| first.len() > 3 || syntax::not_text(content).is_some());
    let (media_type, words) = match known {
        Some((_, media_type, words)) => (*media_type, *words),
        None if syntax::not_text(content).is_some() => ("application/octet-stream", "binary content"),
        None => return None,
    };
    let size = scalar::render_count(content.len(), "byte");
    let line = match image_size(content) {
        Some((wide, high)) => format!("{words}, {wide} × {high}, {size}"),
        None => format!("{words}, {size}"),
    };
    Some(ContentOutline { media_type, lines: vec![line] })
}

/// The size of a picture, where it stands at a fixed place.
fn image_size(content: &[u8]) -> Option<(u32, u32)> {
    if content.starts_with(b"\x89PNG") {
        let at = |start: usize| Some(u32::from_be_bytes(content.get(start..start + 4)?.try_into().ok()?));
        return Some((at(16)?, at(20)?));
    }
    if content.starts_with(b"GIF8") {
        let at = |start: usize| Some(u32::from(u16::from_le_bytes(content.get(start..start + 2)?.try_into().ok()?)));
        return Some((at(6)?, at(8)?));
    }
    None
}
