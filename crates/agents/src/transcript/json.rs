//! Lazy JSON access for transcript readers: a value is a slice of its line, parsed only where a format asks for a
//! field. Agents change their formats monthly, so a field of another type than expected counts as absent. Slices keep
//! the bytes of what must not change (a tool's input), and a field that no format asks for is never copied.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// One JSON value, as written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawJson<'a>(&'a str);

/// A JSON object with its fields in the order they were written.
#[derive(Debug)]
pub(crate) struct JsonObject<'a> {
    written: &'a str,
    fields: Vec<(Cow<'a, str>, RawJson<'a>)>,
}

impl<'a> RawJson<'a> {
    /// The text of the value, byte for byte.
    pub(crate) fn as_written(self) -> &'a str {
        self.0
    }

    /// A string's characters. Half a surrogate pair, which agents write when they cut a text, reads as U+FFFD.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        let inside = self.0.strip_prefix('"')?.strip_suffix('"')?;
        // Most strings have no escape, and are then a slice of the line without a copy.
        if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inside));
        }
        if let Ok(text) = serde_json::from_str::<String>(self.0) {
            return Some(Cow::Owned(text));
        }
        // Agents cut long texts in the middle of a surrogate pair, which `serde_json` refuses as a string.
        let LossyBytes(bytes) = serde_json::from_str(self.0).ok()?;
        Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A string's characters, or any other value as written.
    pub(crate) fn text_or_written(self) -> Cow<'a, str> {
        self.text().unwrap_or(Cow::Borrowed(self.0))
    }

    pub(crate) fn object(self) -> Option<JsonObject<'a>> {
        if self.0.starts_with('{') { JsonObject::parse(self.0).ok() } else { None }
    }

    pub(crate) fn array(self) -> Option<Vec<RawJson<'a>>> {
        if !self.0.starts_with('[') {
            return None;
        }
        let items: Vec<&RawValue> = serde_json::from_str(self.0).ok()?;
        Some(items.into_iter().map(RawJson::from).collect())
    }

    pub(crate) fn number(self) -> Option<f64> {
        self.0.parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn is_null(self) -> bool {
        self.0 == "null"
    }
}

impl<'a> From<&'a RawValue> for RawJson<'a> {
    fn from(value: &'a RawValue) -> Self {
        Self(value.get())
    }
}

impl<'a> JsonObject<'a> {
    /// Reads a text that is one object and nothing else.
    pub(crate) fn parse(text: &'a str) -> serde_json::Result<Self> {
        let mut fields = Vec::with_capacity(16);
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_map(FieldVisitor(&mut fields))?;
        // Text behind the object makes the line torn, which another reader takes apart.
        deserializer.end()?;
        Ok(Self { written: text, fields })
    }

    /// Reads the fields of an object that a text begins with, as far as the text goes.
    pub(crate) fn parse_prefix(text: &'a str) -> Self {
        let mut fields = Vec::new();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        // The error only marks where the caller cut the text; the fields before it are complete.
        let _cut = deserializer.deserialize_map(FieldVisitor(&mut fields));
        Self { written: text, fields }
    }

    /// The text of the object, byte for byte.
    pub(crate) fn as_written(&self) -> &'a str {
        self.written
    }

    /// The value of a field that is there and not null.
    pub(crate) fn field(&self, name: &str) -> Option<RawJson<'a>> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| *value).filter(|value| !value.is_null())
    }

    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.field(name)?.text()
    }

    pub(crate) fn string(&self, name: &str) -> Option<String> {
        self.text(name).map(Cow::into_owned)
    }

    pub(crate) fn object(&self, name: &str) -> Option<JsonObject<'a>> {
        self.field(name)?.object()
    }

    pub(crate) fn array(&self, name: &str) -> Option<Vec<RawJson<'a>>> {
        self.field(name)?.array()
    }

    /// Whether a field says `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.field(name).is_some_and(|value| value.0 == "true")
    }

    /// A count of something; more than fits is as much as fits.
    pub(crate) fn count(&self, name: &str) -> Option<u32> {
        self.field(name)?.number().map(|number| number as u32)
    }
}

/// Takes an object's fields, those before an error too.
struct FieldVisitor<'o, 'a>(&'o mut Vec<(Cow<'a, str>, RawJson<'a>)>);

impl<'de> Visitor<'de> for FieldVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(FieldName(key)) = map.next_key()? {
            // A value that is cut off counts as present and empty, so that a format can be recognised by the name
            // alone.
            self.0.push((key, RawJson("")));
            let value = map.next_value::<&RawValue>()?;
            self.0.last_mut().expect("a field was just put there").1 = RawJson::from(value);
        }
        Ok(())
    }
}

/// A field's name, borrowed where it holds no escapes.
struct FieldName<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for FieldName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl<'de> Visitor<'de> for Name {
            type Value = FieldName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            // Names without escapes are borrowed from the line; only the rare others are copied.
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
                Ok(FieldName(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(FieldName(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(Name)
    }
}

/// A string that need not be Unicode.
struct LossyBytes(Vec<u8>);

impl<'de> Deserialize<'de> for LossyBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = LossyBytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(LossyBytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field<'a>(text: &'a str) -> RawJson<'a> {
        let object: JsonObject<'a> = JsonObject::parse(text).expect("an object");
        object.field("a").expect("a field")
    }

    #[test]
    fn a_value_keeps_its_bytes() {
        assert_eq!(field(r#"{"a": {"x":1.50,  "y":"\u00e9"} }"#).as_written(), r#"{"x":1.50,  "y":"\u00e9"}"#);
    }

    #[test]
    fn strings_are_unescaped_and_half_a_pair_is_replaced() {
        for (written, expected) in [
            (r#"{"a":"plain"}"#, "plain"),
            (r#"{"a":"tab\tquote\""}"#, "tab\tquote\""),
            (r#"{"a":"\ud83d\ude00"}"#, "\u{1f600}"),
        ] {
            assert_eq!(field(written).text().as_deref(), Some(expected));
        }
        let cut = field(r#"{"a":"cut \ud83d here"}"#).text().expect("a string");
        assert!(cut.starts_with("cut \u{fffd}") && cut.ends_with(" here"), "{cut}");
    }

    #[test]
    fn a_field_of_another_type_is_absent() {
        let object = JsonObject::parse(r#"{"a":7,"b":null,"c":"x","d":[1],"e":{}}"#).expect("an object");
        assert_eq!((object.text("a"), object.count("c")), (None, None));
        assert!(object.field("b").is_none() && object.array("e").is_none() && object.object("d").is_none());
        assert_eq!(object.count("a"), Some(7));
    }

    #[test]
    fn nesting_deeper_than_the_stack_is_only_text() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(field(&deep).as_written().len(), 400_000);
    }
}
