//! Reads and replaces texts that stand for themselves (titles, tags, kept questions) for `PostgresStore`; the columns are
//! those of `text_columns`.

use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::read_text;
use crate::postgres::text::encode_text;
use crate::text_columns::{RowKey, SideColumn, find_side_column, side_columns};
use crate::{Result, SideText, SideTextRewrite};

pub(super) async fn load_side_texts(transaction: &TenantTransaction<'_>) -> Result<Vec<SideText>, PostgresFailure> {
    let mut texts = Vec::new();
    for column in side_columns() {
        let SideColumn { table, column: name, is_name } = column;
        let key = match column.row_key() {
            RowKey::Number => "number::text".to_owned(),
            RowKey::Digest(name) => format!("encode({name}, 'hex')"),
            RowKey::Text(name) => format!("{name}::text"),
        };
        let sql = format!("SELECT {key}, {name} FROM epitome.{table} WHERE {name} IS NOT NULL ORDER BY 1");
        for row in transaction.query_all(&sql, &[]).await? {
            texts.push(SideText { place: column.place(row.try_get(0)?), text: read_text(&row, 1)?, is_name });
        }
    }
    Ok(texts)
}

pub(super) async fn rewrite_side_text(
    transaction: &TenantTransaction<'_>,
    rewrite: &SideTextRewrite,
) -> Result<(), PostgresFailure> {
    let moved = || PostgresFailure::Moved { what: "text", id: rewrite.place.to_string() };
    let column = find_side_column(&rewrite.place).ok_or_else(moved)?;
    let SideColumn { table, column: name, .. } = column;
    let row = match column.row_key() {
        RowKey::Number => "number = $1::text::bigint".to_owned(),
        RowKey::Digest(key) => format!("{key} = decode($1::text, 'hex')"),
        RowKey::Text(key) => format!("{key} = $1::text"),
    };
    let sql = format!("UPDATE epitome.{table} SET {name} = $3::text WHERE {row} AND {name} = $2::text");
    let (before, text) = (encode_text(&rewrite.before), encode_text(&rewrite.text));
    let changed = transaction.execute(&sql, &[&rewrite.place.row.as_str(), &before, &text]).await?;
    if changed == 1 { Ok(()) } else { Err(moved()) }
}
