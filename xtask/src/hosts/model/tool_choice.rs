//! Translates a scripted step (read a file, run a command) into a call of a tool that the agent's request offers.
//! Agents name the same tool and its arguments differently; the schema in the request says which names this one has.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::texts::last_message_id;
use super::request::ModelRequest;
use super::script::{MESSAGE, ScriptStep};

/// A tool of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OfferedTool {
    pub(super) name: String,
    /// Codex puts the tools of a server under one name.
    pub(super) namespace: Option<String>,
    /// It takes a text instead of arguments.
    pub(super) is_free: bool,
    pub(super) schema: Value,
}

const READERS: &[&str] = &["Read", "read_file", "read", "view"];
const SHELLS: &[&str] = &["Bash", "run_shell_command", "bash", "exec_command", "shell_command", "shell"];
const EDITORS: &[&str] = &["Edit", "replace", "edit"];
const PATCHERS: &[&str] = &["apply_patch"];
const PLANNERS: &[&str] = &["TodoWrite", "TaskCreate", "write_todos", "todo_write", "todowrite", "update_plan"];
/// Tools that bring or call others which the request only names.
const LOADER: &str = "ToolSearch";
const CALLER: &str = "tool_call";
/// Loading more often than this means that it does not work.
const MOST_LOADS: usize = 2;

/// The tool for a step, and what it is called with.
pub(super) fn choose_tool(
    step: &ScriptStep,
    request: &ModelRequest,
    project: &Path,
    loads: usize,
) -> Option<(OfferedTool, Value)> {
    let tools = &request.tools;
    let whole = |path: &str| json!(project.join(path));
    match step {
        ScriptStep::Say(_) => None,
        ScriptStep::Read(path) => find_tool(tools, READERS)
            .map(|tool| (tool.clone(), fill_arguments(tool, &[(PATHS, whole(path))])))
            // An agent without a tool for reading reads with its shell.
            .or_else(|| shell_call(tools, &format!("cat {path}"))),
        ScriptStep::Run(command) => shell_call(tools, command),
        ScriptStep::Edit { path, old, new } => find_tool(tools, EDITORS)
            .map(|tool| {
                (
                    tool.clone(),
                    fill_arguments(
                        tool,
                        &[(PATHS, whole(path)), (OLD_TEXT_FIELDS, json!(old)), (NEW_TEXT_FIELDS, json!(new))],
                    ),
                )
            })
            .or_else(|| {
                let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
                let tool = find_tool(tools, PATCHERS)?;
                Some((tool.clone(), if tool.is_free { json!(patch) } else { json!({ "input": patch }) }))
            })
            .or_else(|| shell_call(tools, &format!("sed -i 's|{}|{}|' {path}", old.trim(), new.trim()))),
        ScriptStep::Plan(words) => find_tool(tools, PLANNERS)
            .map(|tool| (tool.clone(), plan_arguments(tool, words)))
            .or_else(|| indirect_call(tools, "todo_write", &todo_list(words)))
            .or_else(|| load_tools(tools, PLANNERS.iter().map(|name| (*name).to_owned()), loads)),
        ScriptStep::Ask { tool, arguments } => {
            own_tool_call(request, tool, &resolve_arguments(arguments, request), loads)
        }
    }
}

const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path"];
const COMMANDS: &[&str] = &["command", "cmd"];
const OLD_TEXT_FIELDS: &[&str] = &["old_string", "oldString", "old_str", "before"];
const NEW_TEXT_FIELDS: &[&str] = &["new_string", "newString", "new_str", "after"];

fn find_tool<'t>(tools: &'t [OfferedTool], names: &[&str]) -> Option<&'t OfferedTool> {
    names.iter().find_map(|name| tools.iter().find(|tool| tool.name == *name))
}

fn shell_call(tools: &[OfferedTool], command: &str) -> Option<(OfferedTool, Value)> {
    let tool = find_tool(tools, SHELLS)?;
    let of = &tool.schema["properties"];
    // Some agents take the command as a list of words.
    let is_list = COMMANDS.iter().any(|name| of[*name]["type"] == "array");
    let command = if is_list { json!(["bash", "-c", command]) } else { json!(command) };
    Some((tool.clone(), fill_arguments(tool, &[(COMMANDS, command)])))
}

/// Arguments under the names that the tool's schema has, and something for the rest that it requires.
fn fill_arguments(tool: &OfferedTool, values: &[(&[&str], Value)]) -> Value {
    let properties = &tool.schema["properties"];
    let mut arguments = Map::new();
    for (names, value) in values {
        let known = names.iter().find(|name| properties.get(**name).is_some()).or(names.first());
        arguments.extend(known.map(|name| ((*name).to_owned(), value.clone())));
    }
    let required = tool.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        // Required fields that the script does not know get any value of their type, or the agent would refuse the
        // call.
        let value = match properties[name]["type"].as_str() {
            Some("boolean") => json!(false),
            Some("integer" | "number") => json!(1),
            _ => json!("as the user asked"),
        };
        arguments.entry(name).or_insert(value);
    }
    arguments.into()
}

fn plan_arguments(tool: &OfferedTool, words: &str) -> Value {
    let properties = &tool.schema["properties"];
    if properties.get("plan").is_some() {
        return json!({ "plan": [{ "step": words, "status": "pending" }] });
    }
    if properties.get("todos").is_none() {
        return fill_arguments(tool, &[(&["subject", "title"], json!(words)), (&["description"], json!(words))]);
    }
    let mut list = todo_list(words);
    let known = properties["todos"]["items"]["properties"].as_object();
    if let (Some(known), Some(item)) = (known, list["todos"][0].as_object_mut()) {
        // A strict schema refuses fields that it does not have.
        item.retain(|name, _| known.contains_key(name));
    }
    list
}

/// A list of one open step, with every word that agents have for its parts.
fn todo_list(words: &str) -> Value {
    json!({ "todos": [{
        "id": "1", "content": words, "description": words, "activeForm": words, "status": "pending", "priority": "high",
    }] })
}

/// A tool of our server, by whatever name the agent gives it.
fn own_tool_call(request: &ModelRequest, tool: &str, arguments: &Value, loads: usize) -> Option<(OfferedTool, Value)> {
    let is_ours = |offered: &&OfferedTool| {
        let server = offered.namespace.as_deref().unwrap_or(&offered.name);
        let own = offered.name.strip_suffix(tool);
        server.contains("epitome") && own.is_some_and(|before| before.is_empty() || before.ends_with(['_', '.', '-']))
    };
    let mut fitting: Vec<&OfferedTool> = request.tools.iter().filter(is_ours).collect();
    fitting.sort_by_key(|offered| offered.name.len());
    // `epitome_context` does not end with `epitome`, but `mcp_epitome_epitome` has to be preferred to `mcp_epitome`.
    if let Some(offered) = fitting.last().filter(|_| tool == "epitome").or(fitting.first()) {
        return Some(((*offered).clone(), arguments.clone()));
    }
    let named = |tool: &str| format!("mcp__epitome__{tool}");
    indirect_call(&request.tools, &named(tool), arguments)
        .or_else(|| load_tools(&request.tools, ["context", "read", "epitome"].map(named), loads))
}

/// A tool that the request only names, called by another one.
fn indirect_call(tools: &[OfferedTool], tool: &str, arguments: &Value) -> Option<(OfferedTool, Value)> {
    Some((find_tool(tools, &[CALLER])?.clone(), json!({ "name": tool, "arguments": arguments })))
}

/// Brings tools into the request that it only names.
fn load_tools(
    tools: &[OfferedTool],
    wanted: impl IntoIterator<Item = String>,
    loads: usize,
) -> Option<(OfferedTool, Value)> {
    let loader = find_tool(tools, &[LOADER]).filter(|_| loads < MOST_LOADS)?;
    let wanted: Vec<String> = wanted.into_iter().collect();
    Some((loader.clone(), json!({ "query": format!("select:{}", wanted.join(",")), "max_results": 6 })))
}

impl OfferedTool {
    /// Whether calling it only brings other tools into the next request.
    pub(super) fn is_loader(&self) -> bool {
        self.name == LOADER
    }
}

fn resolve_arguments(arguments: &Value, request: &ModelRequest) -> Value {
    // The id is that of the last reply, as a model would take it from there.
    let id = request.tool_results().rev().find_map(last_message_id).unwrap_or("msg_none");
    let replaced = arguments.to_string().replace(MESSAGE, id);
    serde_json::from_str(&replaced).unwrap_or_else(|_| arguments.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &[&str]) -> OfferedTool {
        let properties: Map<String, Value> =
            properties.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "properties": properties, "required": properties.keys().collect::<Vec<_>>() });
        OfferedTool { name: name.to_owned(), namespace: None, is_free: false, schema }
    }

    fn chosen(step: &ScriptStep, tools: Vec<OfferedTool>) -> Option<(String, Value)> {
        let request = ModelRequest { tools, ..ModelRequest::default() };
        choose_tool(step, &request, Path::new("/p"), 0).map(|(tool, arguments)| (tool.name, arguments))
    }

    #[test]
    fn a_step_speaks_the_words_of_the_tool_that_is_offered() {
        let wanted = Some(("read".to_owned(), json!({ "filePath": "/p/a.py" })));
        assert_eq!(chosen(&ScriptStep::Read("a.py"), vec![tool("read", &["filePath"])]), wanted);
        let wanted = Some(("exec_command".to_owned(), json!({ "cmd": "cat a.py" })));
        assert_eq!(chosen(&ScriptStep::Read("a.py"), vec![tool("exec_command", &["cmd"])]), wanted);
        let command = ScriptStep::Run("ls".to_owned());
        let wanted = Some(("Bash".to_owned(), json!({ "command": "ls", "description": "as the user asked" })));
        assert_eq!(chosen(&command, vec![tool("Bash", &["command", "description"])]), wanted);
        assert_eq!(chosen(&command, vec![tool("Read", &["file_path"])]), None);
    }

    #[test]
    fn our_tools_are_found_loaded_or_called_by_another() {
        let ask = ScriptStep::Ask { tool: "read", arguments: json!({ "targets": ["a.py"] }) };
        let ours = || tool("mcp__epitome__read", &[]);
        let wanted = Some(("mcp__epitome__read".to_owned(), json!({ "targets": ["a.py"] })));
        assert_eq!(chosen(&ask, vec![tool("Read", &[]), ours(), tool("mcp__epitome__thread", &[])]), wanted);
        let caller = chosen(&ask, vec![tool("tool_call", &[])]).expect("it calls others");
        assert_eq!((caller.0.as_str(), &caller.1["name"]), ("tool_call", &json!("mcp__epitome__read")));
        assert_eq!(chosen(&ask, vec![tool("ToolSearch", &[])]).expect("it loads").0, "ToolSearch");
        let any = ScriptStep::ask_operation("help", &json!({}));
        let tools = vec![tool("mcp_epitome_context", &[]), tool("mcp_epitome_epitome", &[])];
        assert_eq!(chosen(&any, tools).expect("ours").0, "mcp_epitome_epitome");
    }
}
