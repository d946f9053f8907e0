//! Backups of the embedded store: one file, which is a copy of the canonical database with two more tables, for the
//! files that lie beside it (artifacts and the key of placeholders) and for what the backup is.
//!
//! The copy is made by the database from one consistent state while writers go on. Artifacts are read after it: their
//! files never change, so what the copy mentions is there.

use super::SqliteStore;
use super::artifact::ARTIFACT_FILES;
use super::failure::{SqliteFailure, error_of};
use super::files::ArtifactFiles;
use super::schema::CANONICAL_MIGRATIONS;
use crate::private_file::create_private;
use crate::private_folder::make_private;
use crate::rows::hash_of;
use crate::{BackupRecord, Error, Result};
use fs_err as fs;
use model::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The tables that a backup has and a store has not.
const BACKUP_TABLES: &str = "
    CREATE TABLE backup_files (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE backup_info (created_at INTEGER NOT NULL, program TEXT NOT NULL) STRICT;";

/// The name of the key's file, in the directory of the database and in a backup.
const KEY_FILE: &str = super::key::NAME;

impl SqliteStore {
    /// Writes a backup into a new file; refused where there is one.
    pub async fn write_backup(&self, file: &Path, program: &str, now: Timestamp) -> Result<BackupRecord> {
        let backup = BackupWriter {
            database: self.canonical.path().to_owned(),
            artifacts: self.artifacts.clone(),
            file: file.to_owned(),
            program: program.to_owned(),
            now,
        };
        let stopped = |error: tokio::task::JoinError| unavailable(file, &error.to_string());
        tokio::task::spawn_blocking(move || backup.write()).await.map_err(stopped)?
    }

    /// What a file says that it is; an error where it is no backup, or one that this program cannot read.
    pub fn check_backup(file: &Path) -> Result<BackupRecord> {
        read_info(file)
    }

    /// Unpacks a backup into a directory that has no store yet. The store has to be opened and verified afterwards.
    pub fn unpack_backup(file: &Path, data: &Path) -> Result<BackupRecord> {
        let name = file.display().to_string();
        let info = read_info(file)?;
        let database = data.join("epitome.db");
        if database.exists() {
            return Err(unavailable(&database, "there is a store already"));
        }
        let unwritable = |error: std::io::Error| unavailable(data, &error.to_string());
        make_private(data).map_err(unwritable)?;
        let unfinished = data.join("epitome.db.restoring");
        copy_private(file, &unfinished).map_err(unwritable)?;
        let copy = Connection::open(&unfinished).map_err(|error| error_of(&name, &error))?;
        unpack_files(&copy, data).map_err(|failure| failure.into_error(&name))?;
        copy.execute_batch("DROP TABLE backup_files; DROP TABLE backup_info; VACUUM")
            .map_err(|error| error_of(&name, &error))?;
        drop(copy);
        // The database comes last: a directory with half of the files has no store.
        sync_file(&unfinished).and_then(|()| fs::rename(&unfinished, &database)).map_err(unwritable)?;
        sync_file(data).map_err(unwritable)?;
        Ok(info)
    }

    /// Moves the store in a directory into another one below it, whole, so that a backup can take its place. Refused
    /// while a process has it open.
    pub fn set_aside(data: &Path, name: &str) -> Result<PathBuf> {
        let database = data.join("epitome.db");
        if database.exists() {
            check_alone(&database)?;
        }
        let aside = data.join(name);
        let unwritable = |error: std::io::Error| unavailable(data, &error.to_string());
        make_private(&aside).map_err(unwritable)?;
        for name in ["epitome.db", "epitome.db-wal", "epitome.db-shm", "artifacts", KEY_FILE] {
            match fs::rename(data.join(name), aside.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unwritable(error)),
                _ => {}
            }
        }
        sync_file(data).map_err(unwritable)?;
        Ok(aside)
    }
}

/// What is needed to write a backup, away from the threads that answer requests.
struct BackupWriter {
    database: PathBuf,
    artifacts: ArtifactFiles,
    file: PathBuf,
    program: String,
    now: Timestamp,
}

impl BackupWriter {
    fn write(&self) -> Result<BackupRecord> {
        if self.file.exists() {
            return Err(unavailable(&self.file, "there is such a file already; a backup overwrites none"));
        }
        let mut name = self.file.clone().into_os_string();
        name.push(".part");
        let unfinished = PathBuf::from(name);
        let written = self.write_to(&unfinished);
        if written.is_err() {
            // A file that is not whole must not be taken for a backup.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    fn write_to(&self, unfinished: &Path) -> Result<BackupRecord> {
        let unwritable = |error: std::io::Error| unavailable(&self.file, &error.to_string());
        // Made with the rights of a private file; the database may write into one that is empty.
        drop(create_private(unfinished).map_err(unwritable)?);
        let name = self.database.display().to_string();
        let source = Connection::open_with_flags(&self.database, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| error_of(&name, &error))?;
        source.busy_timeout(super::database::BUSY_TIMEOUT).map_err(|error| error_of(&name, &error))?;
        let path = unfinished.to_str().ok_or_else(|| unavailable(unfinished, "its path is not UTF-8"))?;
        source.execute("VACUUM INTO ?1", [path]).map_err(|error| error_of(&name, &error))?;
        let copied = unfinished.display().to_string();
        let copy = Connection::open(unfinished).map_err(|error| error_of(&copied, &error))?;
        let files = self.add_files(&copy).map_err(|failure| failure.into_error(&name))?;
        copy.close().map_err(|(_, error)| error_of(&copied, &error))?;
        sync_file(unfinished).and_then(|()| fs::rename(unfinished, &self.file)).map_err(unwritable)?;
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        sync_file(folder).map_err(unwritable)?;
        let bytes = fs::metadata(&self.file).map_err(unwritable)?.len();
        Ok(BackupRecord { created: self.now, program: self.program.clone(), files, bytes })
    }

    fn add_files(&self, copy: &Connection) -> Result<u64, SqliteFailure> {
        copy.execute_batch("BEGIN")?;
        copy.execute_batch(BACKUP_TABLES)?;
        let mut files = 0;
        let mut add = copy.prepare("INSERT INTO backup_files VALUES (?1, ?2)")?;
        let hashes: Vec<Vec<u8>> = copy
            .prepare("SELECT content_hash FROM artifacts")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        for hash in hashes {
            let hash = hash_of(&hash)?;
            let missing = |what: String| SqliteFailure::Damaged(format!("the artifact with the hash {hash}: {what}"));
            let bytes = self.artifacts.read_compressed(hash).map_err(|error| missing(error.to_string()))?;
            let bytes = bytes.ok_or_else(|| missing("its file is not there".to_owned()))?;
            add.execute(params![format!("{ARTIFACT_FILES}/{}", ArtifactFiles::file_name(hash)), bytes])?;
            files += 1;
        }
        let key = self.database.parent().map(|data| data.join(KEY_FILE)).filter(|key| key.exists());
        if let Some(key) = key {
            let bytes = fs::read(key).map_err(|error| SqliteFailure::Damaged(error.to_string()))?;
            add.execute(params![KEY_FILE, bytes])?;
            files += 1;
        }
        drop(add);
        copy.execute("INSERT INTO backup_info VALUES (?1, ?2)", params![self.now.0, self.program])?;
        copy.execute_batch("COMMIT")?;
        Ok(files)
    }
}

fn read_info(file: &Path) -> Result<BackupRecord> {
    let name = file.display().to_string();
    let bytes = fs::metadata(file).map_err(|error| unavailable(file, &error.to_string()))?.len();
    let fail = |error: rusqlite::Error| error_of(&name, &error);
    let backup = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(fail)?;
    let is_backup = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_info'";
    let found = match backup.query_row(is_backup, [], |_| Ok(())).optional() {
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => None,
        found => found.map_err(fail)?,
    };
    if found.is_none() {
        return Err(unavailable(file, "it is no backup that `epitome backup create` wrote"));
    }
    let check: String = backup.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(fail)?;
    if check != "ok" {
        return Err(Error::Corrupt { database: name, what: check });
    }
    let version: u32 = backup.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fail)?;
    let known = CANONICAL_MIGRATIONS.newest_version();
    if version > known {
        return Err(Error::Newer { database: name, found: version, known });
    }
    let sql = "SELECT created_at, program, (SELECT count(*) FROM backup_files) FROM backup_info";
    let row = backup.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?))).map_err(fail)?;
    let (created, program, files) = row;
    Ok(BackupRecord { created: Timestamp(created), program, files: files as u64, bytes })
}

/// Writes the files of a backup to their places.
fn unpack_files(backup: &Connection, data: &Path) -> Result<(), SqliteFailure> {
    let failed = |error: std::io::Error| SqliteFailure::Damaged(error.to_string());
    let mut statement = backup.prepare("SELECT name, bytes FROM backup_files")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        // A backup may come from anywhere: a name in it must not lead out of the directory.
        let is_ours = name == KEY_FILE || name.strip_prefix(ARTIFACT_FILES).is_some_and(is_artifact_name);
        if !is_ours {
            return Err(SqliteFailure::Damaged(format!("a backup has no file `{name}`")));
        }
        let path = data.join(&name);
        make_private(path.parent().unwrap_or(data)).map_err(failed)?;
        let mut file = create_private(&path).map_err(failed)?;
        file.write_all(&row.get::<_, Vec<u8>>(1)?).and_then(|()| file.sync_all()).map_err(failed)?;
    }
    Ok(())
}

/// `/ab/ab….zst`, as [`ArtifactFiles::file_name`] makes it.
fn is_artifact_name(name: &str) -> bool {
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = name.split('/').collect();
    matches!(parts[..], ["", folder, file] if is_hex(folder) && file.strip_suffix(".zst").is_some_and(is_hex))
}

/// Fails where another process has the database open.
fn check_alone(database: &Path) -> Result<()> {
    let name = database.display().to_string();
    let connection = Connection::open(database).map_err(|error| error_of(&name, &error))?;
    // In this mode the first access takes the file for this connection alone, which another open one refuses.
    let alone = connection
        .pragma_update(None, "locking_mode", "exclusive")
        .and_then(|()| connection.execute_batch("BEGIN EXCLUSIVE; COMMIT"));
    alone.map_err(|_| unavailable(database, "another process has it open: stop it first (epitome daemon stop)"))
}

fn copy_private(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut target = create_private(to)?;
    std::io::copy(&mut fs::File::open(from)?, &mut target)?;
    target.sync_all()
}

fn sync_file(path: &Path) -> std::io::Result<()> {
    fs::File::open(path)?.sync_all()
}

fn unavailable(path: &Path, reason: &str) -> Error {
    Error::Unavailable { database: path.display().to_string(), reason: reason.to_owned() }
}
