//! Parameters of statements that know their own type. A statement is sent with the types of its parameters and without
//! a name, in one trip: a pooler may hand the next transaction to a connection that knows no statement of ours.

use std::borrow::Cow;
use tokio_postgres::types::{ToSql, Type};

/// The parameters of a statement.
pub(super) type SqlParameters<'a> = &'a [&'a dyn SqlParameter];

/// A value that can be a parameter.
pub(super) trait SqlParameter: Sync {
    /// Its type in the database.
    fn sql_type(&self) -> Type;

    /// The value as the driver writes it.
    fn as_sql(&self) -> &(dyn ToSql + Sync);
}

impl<T: SqlTyped + ToSql + Sync> SqlParameter for T {
    fn sql_type(&self) -> Type {
        T::TYPE
    }

    fn as_sql(&self) -> &(dyn ToSql + Sync) {
        self
    }
}

/// A Rust type that is always the same type in the database.
pub(super) trait SqlTyped {
    const TYPE: Type;
}

/// A type that arrays are made of.
pub(super) trait ArrayElement {
    const ARRAY_TYPE: Type;
}

impl SqlTyped for bool {
    const TYPE: Type = Type::BOOL;
}
impl SqlTyped for i64 {
    const TYPE: Type = Type::INT8;
}
impl SqlTyped for str {
    const TYPE: Type = Type::TEXT;
}
impl SqlTyped for String {
    const TYPE: Type = Type::TEXT;
}
impl SqlTyped for Cow<'_, str> {
    const TYPE: Type = Type::TEXT;
}
impl SqlTyped for [u8] {
    const TYPE: Type = Type::BYTEA;
}
impl SqlTyped for Vec<u8> {
    const TYPE: Type = Type::BYTEA;
}
impl<T: SqlTyped + ?Sized> SqlTyped for &T {
    const TYPE: Type = T::TYPE;
}
impl<T: SqlTyped> SqlTyped for Option<T> {
    const TYPE: Type = T::TYPE;
}
impl<T: ArrayElement> SqlTyped for Vec<T> {
    const TYPE: Type = T::ARRAY_TYPE;
}
impl<T: ArrayElement> SqlTyped for [T] {
    const TYPE: Type = T::ARRAY_TYPE;
}

impl ArrayElement for bool {
    const ARRAY_TYPE: Type = Type::BOOL_ARRAY;
}
impl ArrayElement for i64 {
    const ARRAY_TYPE: Type = Type::INT8_ARRAY;
}
impl ArrayElement for str {
    const ARRAY_TYPE: Type = Type::TEXT_ARRAY;
}
impl ArrayElement for String {
    const ARRAY_TYPE: Type = Type::TEXT_ARRAY;
}
impl ArrayElement for Cow<'_, str> {
    const ARRAY_TYPE: Type = Type::TEXT_ARRAY;
}
impl ArrayElement for [u8] {
    const ARRAY_TYPE: Type = Type::BYTEA_ARRAY;
}
impl ArrayElement for Vec<u8> {
    const ARRAY_TYPE: Type = Type::BYTEA_ARRAY;
}
impl<T: ArrayElement + ?Sized> ArrayElement for &T {
    const ARRAY_TYPE: Type = T::ARRAY_TYPE;
}
impl<T: ArrayElement> ArrayElement for Option<T> {
    const ARRAY_TYPE: Type = T::ARRAY_TYPE;
}
