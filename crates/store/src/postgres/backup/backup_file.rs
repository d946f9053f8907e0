//! The file of a tenant's backup: lines, compressed. A head says what it is, a line with `table` begins the rows of each
//! table, and the last line has a digest of all before it, so that a file that is cut off or damaged is known as such
//! before anything is loaded.

use crate::BackupRecord;
use fs_err as fs;
use model::Timestamp;
use sha2::{Digest as _, Sha256};
use std::io::{BufRead as _, BufReader, Error, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

/// The first line; the number counts formats.
const MAGIC: &str = "epitome backup of a tenant 1";

/// Compression: the level that zstd itself takes for a good middle.
const LEVEL: i32 = 3;

pub(super) struct TenantFileWriter {
    file: PathBuf,
    unfinished: PathBuf,
    encoder: Option<Encoder<'static, fs::File>>,
    digest: Sha256,
    record: BackupRecord,
}

impl TenantFileWriter {
    pub(super) fn create(file: &Path, program: &str, now: Timestamp) -> Result<Self> {
        if file.exists() {
            return Err(Error::new(ErrorKind::AlreadyExists, "there is such a file already; a backup overwrites none"));
        }
        let mut name = file.as_os_str().to_owned();
        name.push(".part");
        let unfinished = PathBuf::from(name);
        let target = crate::private_file::create_private(&unfinished)?;
        let record = BackupRecord { created: now, program: program.to_owned(), files: 0, bytes: 0 };
        let mut writer = Self {
            file: file.to_owned(),
            unfinished,
            encoder: Some(Encoder::new(target, LEVEL)?),
            digest: Sha256::new(),
            record,
        };
        writer.add_line(MAGIC)?;
        writer.add_line(&format!("head\t{}\t{program}", now.0))?;
        Ok(writer)
    }

    pub(super) fn begin_table(&mut self, name: &str) -> Result<()> {
        self.add_line(&format!("table\t{name}"))
    }

    /// Adds a row: one line of JSON, which never begins as another line does.
    pub(super) fn add_row(&mut self, row: &str) -> Result<()> {
        self.add_line(row)
    }

    fn add_line(&mut self, line: &str) -> Result<()> {
        let encoder = self.encoder.as_mut().ok_or_else(|| Error::other("the backup is finished"))?;
        for bytes in [line.as_bytes(), b"\n"] {
            self.digest.update(bytes);
            encoder.write_all(bytes)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<BackupRecord> {
        let end = format!("end\t{}\n", digits(self.digest.clone()));
        let mut encoder = self.encoder.take().ok_or_else(|| Error::other("the backup is finished"))?;
        encoder.write_all(end.as_bytes())?;
        encoder.finish()?.sync_all()?;
        fs::rename(&self.unfinished, &self.file)?;
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::File::open(folder)?.sync_all()?;
        self.record.bytes = fs::metadata(&self.file)?.len();
        Ok(self.record.clone())
    }
}

impl Drop for TenantFileWriter {
    fn drop(&mut self) {
        // A file that is not whole must not be taken for a backup; after `finish` it has another name.
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// One line of a backup.
pub(super) enum BackupLine {
    Table(String),
    Row(String),
}

/// Reads a backup that was checked.
pub(super) struct TenantFileReader {
    lines: BufReader<Decoder<'static, BufReader<fs::File>>>,
}

impl TenantFileReader {
    /// Reads all of a file once, and gives what it is; an error where it is not a whole backup of ours.
    pub(super) fn check(file: &Path) -> Result<BackupRecord> {
        let bytes = fs::metadata(file)?.len();
        let (mut reader, record) = Self::open(file)?;
        let mut digest = Sha256::new();
        digest.update(format!("{MAGIC}\nhead\t{}\t{}\n", record.created.0, record.program));
        let mut line = String::new();
        loop {
            line.clear();
            if reader.lines.read_line(&mut line).map_err(damaged)? == 0 {
                return Err(Error::new(ErrorKind::InvalidData, "it ends too early: a part of the file is missing"));
            }
            if let Some(told) = line.strip_prefix("end\t") {
                if told.trim_end() != digits(digest) {
                    return Err(Error::new(ErrorKind::InvalidData, "it is not as it was written"));
                }
                return Ok(BackupRecord { bytes, ..record });
            }
            digest.update(line.as_bytes());
        }
    }

    pub(super) fn open(file: &Path) -> Result<(Self, BackupRecord)> {
        let foreign = || Error::other("it is no backup of a tenant that `epitome backup create` wrote");
        let source = fs::File::open(file)?;
        let mut lines = BufReader::new(Decoder::new(source).map_err(|_| foreign())?);
        let mut line = String::new();
        lines.read_line(&mut line).map_err(|_| foreign())?;
        if line.trim_end() != MAGIC {
            return Err(foreign());
        }
        line.clear();
        lines.read_line(&mut line).map_err(damaged)?;
        let mut fields = line.trim_end_matches('\n').splitn(3, '\t');
        let (Some("head"), Some(created), Some(program)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(damaged("its head cannot be read"));
        };
        let created = Timestamp(created.parse().map_err(|_| damaged("its head cannot be read"))?);
        let record = BackupRecord { created, program: program.to_owned(), files: 0, bytes: 0 };
        Ok((Self { lines }, record))
    }

    /// The next line; none at the end.
    pub(super) fn next_line(&mut self) -> Result<Option<BackupLine>> {
        let mut line = String::new();
        self.lines.read_line(&mut line).map_err(damaged)?;
        if line.ends_with('\n') {
            line.pop();
        }
        Ok(match line.split_once('\t') {
            Some(("end", _)) => None,
            Some(("table", name)) => Some(BackupLine::Table(name.to_owned())),
            _ if line.is_empty() => None,
            _ => Some(BackupLine::Row(line)),
        })
    }
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::InvalidData, error)
}

fn digits(digest: Sha256) -> String {
    crate::postgres::tenant_access::write_digits(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_sample(folder: &Path) -> PathBuf {
        let file = folder.join("b");
        let mut writer = TenantFileWriter::create(&file, "1.2.3", Timestamp(77)).expect("creates");
        writer.begin_table("messages").expect("writes");
        writer.add_row("{\"a\":\"b\\n\\tc\"}").expect("writes");
        writer.finish().expect("finishes");
        file
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_sample(folder.path());
        let record = TenantFileReader::check(&file).expect("it is whole");
        assert_eq!((record.created, record.program.as_str()), (Timestamp(77), "1.2.3"));
        let (mut reader, _) = TenantFileReader::open(&file).expect("opens");
        let mut lines = Vec::new();
        while let Some(line) = reader.next_line().expect("reads") {
            lines.push(match line {
                BackupLine::Table(name) => format!("table {name}"),
                BackupLine::Row(row) => row,
            });
        }
        assert_eq!(lines, ["table messages", "{\"a\":\"b\\n\\tc\"}"]);
        let again = TenantFileWriter::create(&file, "1.2.3", Timestamp(77));
        assert!(again.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists));
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left behind");
    }

    #[test]
    fn a_file_that_is_cut_off_changed_or_foreign_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_sample(folder.path());
        let bytes = fs::read(&file).expect("reads");
        for length in 0..bytes.len() {
            fs::write(&file, &bytes[..length]).expect("writes");
            assert!(TenantFileReader::check(&file).is_err(), "{length} of {} bytes", bytes.len());
        }
        for (name, lines) in [
            ("no end", format!("{MAGIC}\nhead\t7\t1\ntable\tmessages\n")),
            ("a wrong digest", format!("{MAGIC}\nhead\t7\t1\ntable\tmessages\nend\t{}\n", "0".repeat(64))),
            ("another format", "epitome backup of a tenant 2\nhead\t7\t1\n".to_owned()),
        ] {
            fs::write(&file, zstd::stream::encode_all(lines.as_bytes(), 0).expect("compresses")).expect("writes");
            assert!(TenantFileReader::check(&file).is_err(), "{name}");
        }
        fs::write(&file, "SQLite format 3\0").expect("writes");
        assert!(TenantFileReader::check(&file).is_err());
    }
}
