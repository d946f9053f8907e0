//! A configuration value (`ConfigValue`) of one of five kinds, parsed from TOML or from plain text and printed as TOML.
//! Environment variables and flags are plain text, so text is parsed by the kind of the key's default: users need not
//! quote a string in a shell to satisfy TOML.

use std::fmt;
use std::str::FromStr;

use serde::de::value::{Error, SeqDeserializer};
use serde::de::{Deserializer, IntoDeserializer, Visitor};
use toml_edit::Item;

use super::mask::mask_passwords;

/// A value of one of the five kinds. Its debug form hides passwords, because it ends up in logs.
#[derive(Clone, PartialEq)]
pub(crate) enum ConfigValue {
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<String>),
}

impl ConfigValue {
    /// Reads any TOML value that is of one of the five kinds.
    pub(crate) fn from_item(item: &Item) -> Option<Self> {
        let value = item.as_value()?;
        value
            .as_bool()
            .map(Self::Boolean)
            .or_else(|| value.as_integer().map(Self::Integer))
            .or_else(|| value.as_float().map(Self::Number))
            .or_else(|| value.as_str().map(|text| Self::Text(text.to_owned())))
            .or_else(|| {
                let texts = value.as_array()?.iter().map(|element| element.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().map(Self::List)
            })
    }

    /// Reads text as the kind of `self`: `yes` or `1` for a boolean, commas or a TOML array for a list.
    pub(crate) fn parse_same_kind(&self, text: &str) -> Option<Self> {
        match self {
            Self::Boolean(_) => parse_boolean(text).map(Self::Boolean),
            Self::Integer(_) | Self::Number(_) => {
                // Numbers are read as TOML, so that `1_000` means the same on the command line and in the file.
                self.coerce_kind(Self::from_item(&Item::Value(toml_edit::Value::from_str(text.trim()).ok()?))?)
            }
            Self::Text(_) => Some(Self::Text(text.to_owned())),
            Self::List(_) => Some(Self::List(parse_list(text))),
        }
    }

    /// Gives `other` back when it is of the kind of `self`; a whole number is also a number.
    pub(crate) fn coerce_kind(&self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Number(_), Self::Integer(whole)) => Some(Self::Number(whole as f64)),
            (kind, other) => (std::mem::discriminant(kind) == std::mem::discriminant(&other)).then_some(other),
        }
    }

    /// TOML text without passwords.
    pub(crate) fn render_masked(&self) -> String {
        match self {
            // Passwords are hidden before the text is quoted: escapes would break an address apart.
            Self::Text(text) => Self::Text(mask_passwords(text)).to_string(),
            Self::List(texts) => Self::List(texts.iter().map(|text| mask_passwords(text)).collect()).to_string(),
            Self::Boolean(_) | Self::Integer(_) | Self::Number(_) => self.to_string(),
        }
    }

    pub(crate) fn to_toml(&self) -> toml_edit::Value {
        match self {
            Self::Boolean(value) => (*value).into(),
            Self::Integer(value) => (*value).into(),
            Self::Number(value) => (*value).into(),
            Self::Text(value) => value.as_str().into(),
            Self::List(values) => values.iter().collect::<toml_edit::Array>().into(),
        }
    }
}

impl fmt::Debug for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render_masked())
    }
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_toml().fmt(f)
    }
}

impl<'de> IntoDeserializer<'de> for &'de ConfigValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Typed fields of the configuration are read from a value.
impl<'de> Deserializer<'de> for &'de ConfigValue {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            ConfigValue::Boolean(value) => visitor.visit_bool(*value),
            ConfigValue::Integer(value) => visitor.visit_i64(*value),
            ConfigValue::Number(value) => visitor.visit_f64(*value),
            ConfigValue::Text(text) => visitor.visit_borrowed_str(text),
            ConfigValue::List(texts) => visitor.visit_seq(SeqDeserializer::new(texts.iter().map(String::as_str))),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            ConfigValue::Text(text) => text.as_str().into_deserializer().deserialize_enum(name, variants, visitor),
            ConfigValue::Boolean(_) | ConfigValue::Integer(_) | ConfigValue::Number(_) | ConfigValue::List(_) => {
                self.deserialize_any(visitor)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

fn parse_boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

// `[Bb]in` is a gitignore pattern and not a TOML array, so brackets alone do not decide.
fn parse_list(text: &str) -> Vec<String> {
    let array =
        toml_edit::Value::from_str(text.trim()).ok().and_then(|value| ConfigValue::from_item(&Item::Value(value)));
    // A list may be written as TOML or, as people do in a shell, with commas.
    match array {
        Some(ConfigValue::List(values)) => values,
        _ => text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_by_the_kind_of_the_default() {
        let rows: &[(ConfigValue, &str, Option<&str>)] = &[
            (ConfigValue::Boolean(true), "0", Some("false")),
            (ConfigValue::Boolean(true), " Yes ", Some("true")),
            (ConfigValue::Boolean(true), "maybe", None),
            (ConfigValue::Boolean(true), "", None),
            (ConfigValue::Integer(0), "20_000", Some("20000")),
            (ConfigValue::Integer(0), "0.5", None),
            (ConfigValue::Integer(0), "\"8\"", None),
            (ConfigValue::Integer(0), "99999999999999999999", None),
            (ConfigValue::Number(0.0), "1", Some("1.0")),
            (ConfigValue::Number(0.0), "0.5", Some("0.5")),
            (ConfigValue::Text(String::new()), "a \"b\"", Some("'a \"b\"'")),
            (ConfigValue::Text(String::new()), "", Some("\"\"")),
            (ConfigValue::List(Vec::new()), "a, b,,", Some("[\"a\", \"b\"]")),
            (ConfigValue::List(Vec::new()), "['a,b', \"c\"]", Some("[\"a,b\", \"c\"]")),
            (ConfigValue::List(Vec::new()), "[Bb]in,*.o", Some("[\"[Bb]in\", \"*.o\"]")),
            (ConfigValue::List(Vec::new()), "", Some("[]")),
        ];
        for (kind, text, expected) in rows {
            let read = kind.parse_same_kind(text).map(|value| value.to_string());
            assert_eq!(read.as_deref(), *expected, "{kind:?} from {text:?}");
        }
    }
}
