//! Reads and replaces texts that stand for themselves (titles, tags, kept questions) for `SqliteStore`; the columns are
//! those of `text_columns`.

use super::failure::SqliteFailure;
use crate::text_columns::{RowKey, SideColumn, find_side_column, side_columns};
use crate::{Result, SideText, SideTextRewrite};
use rusqlite::{Connection, params};

/// What a row is known by, as text.
fn key_sql(column: SideColumn) -> String {
    match column.row_key() {
        RowKey::Number => "CAST(number AS TEXT)".to_owned(),
        RowKey::Digest(name) => format!("lower(hex({name}))"),
        RowKey::Text(name) => name.to_owned(),
    }
}

pub(super) fn load_side_texts(db: &Connection) -> Result<Vec<SideText>, SqliteFailure> {
    let mut texts = Vec::new();
    for column in side_columns() {
        let SideColumn { table, column: name, is_name } = column;
        let sql = format!("SELECT {}, {name} FROM {table} WHERE {name} IS NOT NULL ORDER BY 1", key_sql(column));
        let mut statement = db.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            texts.push(SideText { place: column.place(row.get(0)?), text: row.get(1)?, is_name });
        }
    }
    Ok(texts)
}

pub(super) fn rewrite_side_text(db: &Connection, rewrite: &SideTextRewrite) -> Result<(), SqliteFailure> {
    let moved = || SqliteFailure::Moved { what: "text", id: rewrite.place.to_string() };
    let column = find_side_column(&rewrite.place).ok_or_else(moved)?;
    let SideColumn { table, column: name, .. } = column;
    let row = match column.row_key() {
        // By its key, and not by a text made of every key.
        RowKey::Number => "number = CAST(?1 AS INTEGER)".to_owned(),
        RowKey::Digest(_) | RowKey::Text(_) => format!("{} = ?1", key_sql(column)),
    };
    let sql = format!("UPDATE {table} SET {name} = ?3 WHERE {row} AND {name} = ?2");
    let changed = db.prepare_cached(&sql)?.execute(params![rewrite.place.row, rewrite.before, rewrite.text])?;
    if changed == 1 { Ok(()) } else { Err(moved()) }
}
