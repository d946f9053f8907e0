//! Types of the conformance fixtures, parsed from `fixtures.json`: tools, prompts and resources that the MCP
//! conformance suite expects.

use super::input_rounds::InputRound;
use rmcp::model::{
    CallToolResult, ElicitationSchema, GetPromptResult, Prompt as ListedPrompt, PromptMessage,
    Resource as ListedResource, ResourceContents, ResourceTemplate, ResultType, Tool as ListedTool,
};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

pub(super) static FIXTURES: LazyLock<FixtureSet> = LazyLock::new(|| {
    serde_json::from_str(include_str!("fixtures.json")).expect("fixtures.json has the shape of `Catalogue`")
});

/// Everything the suite looks for.
#[derive(Deserialize)]
pub(super) struct FixtureSet {
    pub(super) tools: Vec<FixtureTool>,
    pub(super) prompts: Vec<FixturePrompt>,
    pub(super) resources: Vec<FixtureResource>,
    pub(super) templates: Vec<FixtureTemplate>,
}

#[derive(Deserialize)]
pub(super) struct FixtureTool {
    pub(super) name: String,
    description: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(flatten)]
    pub(super) does: FixtureAction,
}

/// The behaviour of a tool.
#[derive(Deserialize)]
#[serde(tag = "does", rename_all = "snake_case")]
pub(super) enum FixtureAction {
    Reply {
        #[serde(deserialize_with = "complete")]
        result: CallToolResult,
    },
    Progress,
    Log,
    Sample,
    Elicit {
        schema: ElicitationSchema,
    },
    NeedSampling,
    Change {
        list: FixtureList,
    },
    Ask {
        rounds: Vec<InputRound>,
        /// Whether the state between rounds travels with the client, under a seal.
        sealed: bool,
        done: String,
    },
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FixtureList {
    Tools,
    Prompts,
}

#[derive(Deserialize)]
pub(super) struct FixturePrompt {
    #[serde(flatten)]
    pub(super) listed: ListedPrompt,
    messages: Value,
    #[serde(default)]
    pub(super) rounds: Vec<InputRound>,
}

#[derive(Deserialize)]
pub(super) struct FixtureResource {
    #[serde(flatten)]
    pub(super) listed: ListedResource,
    contents: ResourceContents,
}

/// A resource for every value of one parameter in the middle of its address.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FixtureTemplate {
    before: String,
    parameter: String,
    after: String,
    name: String,
    description: String,
    mime_type: String,
    text: String,
}

impl FixtureTool {
    pub(super) fn to_tool(&self) -> ListedTool {
        let required: Vec<&String> = self.parameters.keys().collect();
        let schema = json!({ "type": "object", "properties": self.parameters, "required": required });
        ListedTool::new(self.name.clone(), self.description.clone(), super::super::schema::schema_object(schema))
    }
}

impl FixturePrompt {
    pub(super) fn fill_messages(&self, arguments: &Map<String, Value>) -> GetPromptResult {
        let messages = fill_text(&self.messages, &|text| {
            arguments.iter().fold(text.to_owned(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default())
            })
        });
        let messages: Vec<PromptMessage> = serde_json::from_value(messages).expect("fixtures.json holds messages");
        GetPromptResult::new(messages)
    }
}

impl FixtureTemplate {
    pub(super) fn to_template(&self) -> ResourceTemplate {
        let uri = format!("{}{{{}}}{}", self.before, self.parameter, self.after);
        ResourceTemplate::new(uri, self.name.clone())
            .with_description(self.description.clone())
            .with_mime_type(self.mime_type.clone())
    }

    fn render_contents(&self, uri: &str) -> Option<ResourceContents> {
        let value = uri.strip_prefix(&self.before)?.strip_suffix(&self.after)?;
        let text = self.text.replace(&format!("{{{}}}", self.parameter), value);
        Some(ResourceContents::text(text, uri).with_mime_type(self.mime_type.clone()))
    }
}

impl FixtureSet {
    /// The contents at an address.
    pub(super) fn find_contents(&self, uri: &str) -> Option<ResourceContents> {
        let fixed = self.resources.iter().find(|resource| resource.listed.uri == uri);
        let fixed = fixed.map(|resource| resource.contents.clone());
        fixed.or_else(|| self.templates.iter().find_map(|template| template.render_contents(uri)))
    }
}

/// A result written by hand does not say that it is complete; the newer protocol wants it said.
fn complete<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CallToolResult, D::Error> {
    let mut result = CallToolResult::deserialize(deserializer)?;
    result.result_type = Some(ResultType::COMPLETE);
    Ok(result)
}

fn fill_text(value: &Value, text: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(it) => Value::String(text(it)),
        Value::Array(items) => items.iter().map(|item| fill_text(item, text)).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), fill_text(item, text))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_fixture_hides_a_tool_of_ours() {
        let hidden: Vec<&str> = FIXTURES
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .filter(|name| crate::ops::find_operation(name).is_some())
            .collect();
        assert_eq!(hidden, [""; 0]);
    }

    #[test]
    fn addresses_lead_to_contents_or_nowhere() {
        let text = |uri| match FIXTURES.find_contents(uri) {
            Some(ResourceContents::TextResourceContents { text, .. }) => Some(text),
            _ => None,
        };
        assert_eq!(text("test://static-text").as_deref(), Some("This is the content of the static text resource."));
        assert!(text("test://template/123/data").is_some_and(|text| text.starts_with(r#"{"id":"123","#)));
        assert_eq!(text("test://template/123"), None);
    }
}
