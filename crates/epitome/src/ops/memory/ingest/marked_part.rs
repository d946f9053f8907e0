//! `MarkedPart`: a part of a message in JSON with what its source says about it (`is_ignored`, `is_synthetic`,
//! `metadata`), which any kind of part may have.

use super::wire::WirePart;
use model::{MessagePart, PartMark};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt;

/// A part, and what is said about it.
pub(super) struct MarkedPart {
    part: WirePart,
    mark: PartMark,
}

impl MarkedPart {
    pub(super) fn into_part(self) -> (MessagePart, PartMark) {
        (self.part.into_part(), self.mark)
    }
}

#[derive(Deserialize)]
struct WireMark {
    is_ignored: Option<bool>,
    is_synthetic: Option<bool>,
    metadata: Option<Map<String, Value>>,
}

const MARK_FIELDS: [&str; 3] = ["is_ignored", "is_synthetic", "metadata"];

impl<'de> Deserialize<'de> for MarkedPart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = MarkedPart;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a part: an object with its `type`")
    }

    // By hand, because a derived form that flattens the fields cannot refuse unknown ones, and a field that is not kept
    // must be refused.
    fn visit_map<A: MapAccess<'de>>(self, mut given: A) -> Result<MarkedPart, A::Error> {
        let (mut part, mut mark) = (Map::new(), Map::new());
        while let Some((name, value)) = given.next_entry::<String, Value>()? {
            let into = if MARK_FIELDS.contains(&name.as_str()) { &mut mark } else { &mut part };
            if into.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
            into.insert(name, value);
        }
        let wrong = |error: serde_json::Error| A::Error::custom(error);
        let WireMark { is_ignored, is_synthetic, metadata } =
            serde_json::from_value(Value::Object(mark)).map_err(wrong)?;
        let metadata = metadata.filter(|given| !given.is_empty()).map(|given| Value::Object(given).to_string());
        let part = serde_json::from_value(Value::Object(part)).map_err(wrong)?;
        Ok(MarkedPart { part, mark: PartMark { is_ignored, is_synthetic, metadata } })
    }
}

impl JsonSchema for MarkedPart {
    fn schema_name() -> Cow<'static, str> {
        WirePart::schema_name()
    }

    /// The schema of a part, with the fields of a mark in every kind.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = WirePart::json_schema(generator);
        let kinds = schema.get_mut("oneOf").and_then(Value::as_array_mut);
        for properties in kinds.into_iter().flatten().filter_map(|kind| kind.get_mut("properties")) {
            for (name, form) in MARK_FIELDS.into_iter().zip(["boolean", "boolean", "object"]) {
                properties[name] = json!({ "type": form });
            }
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<(MessagePart, PartMark), String> {
        serde_json::from_str::<MarkedPart>(json).map(MarkedPart::into_part).map_err(|error| error.to_string())
    }

    #[test]
    fn a_part_of_any_kind_has_a_mark() {
        let mark = PartMark {
            is_ignored: Some(true),
            is_synthetic: Some(false),
            metadata: Some(r#"{"b":1,"a":[2]}"#.to_owned()),
        };
        let text = MessagePart::Text { text: "hi".to_owned() };
        let json = r#"{"is_ignored":true,"type":"text","metadata":{"b":1,"a":[2]},"text":"hi","is_synthetic":false}"#;
        assert_eq!(read(json), Ok((text, mark)));
        let step = r#"{"type":"step_start","is_synthetic":true}"#;
        assert_eq!(read(step).map(|(part, mark)| (part, mark.is_synthetic)), Ok((MessagePart::StepStart, Some(true))));
        let plain = r#"{"type":"text","text":"hi","metadata":{},"is_ignored":null}"#;
        assert_eq!(read(plain).map(|(_, mark)| mark), Ok(PartMark::default()));
    }

    #[test]
    fn a_mark_that_cannot_be_kept_is_refused() {
        for (json, why) in [
            (r#"{"type":"text","text":"a","is_ignored":"yes"}"#, "invalid type: string \"yes\", expected a boolean"),
            (r#"{"type":"text","text":"a","metadata":"x"}"#, "invalid type: string \"x\", expected a map"),
            (r#"{"type":"text","text":"a","is_hidden":true}"#, "unknown field `is_hidden`"),
            (r#"{"type":"text","text":"a","text":"b"}"#, "duplicate field `text`"),
            (r#"{"type":"text","text":"a","is_ignored":true,"is_ignored":true}"#, "duplicate field `is_ignored`"),
            (r#"{"text":"a"}"#, "missing field `type`"),
        ] {
            assert!(read(json).is_err_and(|error| error.contains(why)), "{json}: {:?}", read(json));
        }
    }
}
