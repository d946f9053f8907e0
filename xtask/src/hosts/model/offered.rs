//! A step of the script in the tools that a request offers. Agents name the same tool and its arguments differently; the
//! schema in the request says which words this one has.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::super::texts::last_message_id;
use super::request::Request;
use super::script::{MESSAGE, Step};

/// A tool of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offered {
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
pub(super) fn choose(step: &Step, request: &Request, project: &Path, loads: usize) -> Option<(Offered, Value)> {
    let tools = &request.tools;
    let whole = |path: &str| json!(project.join(path));
    match step {
        Step::Say(_) => None,
        Step::Read(path) => first(tools, READERS)
            .map(|tool| (tool.clone(), filled(tool, &[(PATHS, whole(path))])))
            .or_else(|| shell(tools, &format!("cat {path}"))),
        Step::Run(command) => shell(tools, command),
        Step::Edit { path, old, new } => first(tools, EDITORS)
            .map(|tool| (tool.clone(), filled(tool, &[(PATHS, whole(path)), (OLD, json!(old)), (NEW, json!(new))])))
            .or_else(|| {
                let patch = format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
                let tool = first(tools, PATCHERS)?;
                Some((tool.clone(), if tool.is_free { json!(patch) } else { json!({ "input": patch }) }))
            })
            .or_else(|| shell(tools, &format!("sed -i 's|{}|{}|' {path}", old.trim(), new.trim()))),
        Step::Plan(words) => first(tools, PLANNERS)
            .map(|tool| (tool.clone(), plan(tool, words)))
            .or_else(|| called(tools, "todo_write", &listed(words)))
            .or_else(|| load(tools, PLANNERS.iter().map(|name| (*name).to_owned()), loads)),
        Step::Ask { tool, arguments } => ours(request, tool, &resolved(arguments, request), loads),
    }
}

const PATHS: &[&str] = &["file_path", "filePath", "absolute_path", "path"];
const COMMANDS: &[&str] = &["command", "cmd"];
const OLD: &[&str] = &["old_string", "oldString", "old_str", "before"];
const NEW: &[&str] = &["new_string", "newString", "new_str", "after"];

fn first<'t>(tools: &'t [Offered], names: &[&str]) -> Option<&'t Offered> {
    names.iter().find_map(|name| tools.iter().find(|tool| tool.name == *name))
}

fn shell(tools: &[Offered], command: &str) -> Option<(Offered, Value)> {
    let tool = first(tools, SHELLS)?;
    let of = &tool.schema["properties"];
    let is_list = COMMANDS.iter().any(|name| of[*name]["type"] == "array");
    let command = if is_list { json!(["bash", "-c", command]) } else { json!(command) };
    Some((tool.clone(), filled(tool, &[(COMMANDS, command)])))
}

/// Arguments under the names that the tool's schema has, and something for the rest that it requires.
fn filled(tool: &Offered, values: &[(&[&str], Value)]) -> Value {
    let properties = &tool.schema["properties"];
    let mut arguments = Map::new();
    for (names, value) in values {
        let known = names.iter().find(|name| properties.get(**name).is_some()).or(names.first());
        arguments.extend(known.map(|name| ((*name).to_owned(), value.clone())));
    }
    let required = tool.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        let value = match properties[name]["type"].as_str() {
            Some("boolean") => json!(false),
            Some("integer" | "number") => json!(1),
            _ => json!("as the user asked"),
        };
        arguments.entry(name).or_insert(value);
    }
    arguments.into()
}

fn plan(tool: &Offered, words: &str) -> Value {
    let properties = &tool.schema["properties"];
    if properties.get("plan").is_some() {
        return json!({ "plan": [{ "step": words, "status": "pending" }] });
    }
    if properties.get("todos").is_none() {
        return filled(tool, &[(&["subject", "title"], json!(words)), (&["description"], json!(words))]);
    }
    let mut list = listed(words);
    let known = properties["todos"]["items"]["properties"].as_object();
    if let (Some(known), Some(item)) = (known, list["todos"][0].as_object_mut()) {
        item.retain(|name, _| known.contains_key(name));
    }
    list
}

/// A list of one open step, with every word that agents have for its parts.
fn listed(words: &str) -> Value {
    json!({ "todos": [{
        "id": "1", "content": words, "description": words, "activeForm": words, "status": "pending", "priority": "high",
    }] })
}

/// A tool of our server, by whatever name the agent gives it.
fn ours(request: &Request, tool: &str, arguments: &Value, loads: usize) -> Option<(Offered, Value)> {
    let is_ours = |offered: &&Offered| {
        let server = offered.namespace.as_deref().unwrap_or(&offered.name);
        let own = offered.name.strip_suffix(tool);
        server.contains("epitome") && own.is_some_and(|before| before.is_empty() || before.ends_with(['_', '.', '-']))
    };
    let mut fitting: Vec<&Offered> = request.tools.iter().filter(is_ours).collect();
    fitting.sort_by_key(|offered| offered.name.len());
    // `epitome_context` ends with no `epitome`, but `mcp_epitome_epitome` must be preferred to `mcp_epitome`.
    if let Some(offered) = fitting.last().filter(|_| tool == "epitome").or(fitting.first()) {
        return Some(((*offered).clone(), arguments.clone()));
    }
    let named = |tool: &str| format!("mcp__epitome__{tool}");
    called(&request.tools, &named(tool), arguments)
        .or_else(|| load(&request.tools, ["context", "read", "epitome"].map(named), loads))
}

/// A tool that the request only names, called by another one.
fn called(tools: &[Offered], tool: &str, arguments: &Value) -> Option<(Offered, Value)> {
    Some((first(tools, &[CALLER])?.clone(), json!({ "name": tool, "arguments": arguments })))
}

/// Brings tools into the request that it only names.
fn load(tools: &[Offered], wanted: impl IntoIterator<Item = String>, loads: usize) -> Option<(Offered, Value)> {
    let loader = first(tools, &[LOADER]).filter(|_| loads < MOST_LOADS)?;
    let wanted: Vec<String> = wanted.into_iter().collect();
    Some((loader.clone(), json!({ "query": format!("select:{}", wanted.join(",")), "max_results": 6 })))
}

impl Offered {
    /// Whether calling it only brings other tools into the next request.
    pub(super) fn is_loader(&self) -> bool {
        self.name == LOADER
    }
}

fn resolved(arguments: &Value, request: &Request) -> Value {
    let id = request.results().rev().find_map(last_message_id).unwrap_or("msg_none");
    let replaced = arguments.to_string().replace(MESSAGE, id);
    serde_json::from_str(&replaced).unwrap_or_else(|_| arguments.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &[&str]) -> Offered {
        let properties: Map<String, Value> =
            properties.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        let schema = json!({ "properties": properties, "required": properties.keys().collect::<Vec<_>>() });
        Offered { name: name.to_owned(), namespace: None, is_free: false, schema }
    }

    fn chosen(step: &Step, tools: Vec<Offered>) -> Option<(String, Value)> {
        let request = Request { tools, ..Request::default() };
        choose(step, &request, Path::new("/p"), 0).map(|(tool, arguments)| (tool.name, arguments))
    }

    #[test]
    fn a_step_speaks_the_words_of_the_tool_that_is_offered() {
        let wanted = Some(("read".to_owned(), json!({ "filePath": "/p/a.py" })));
        assert_eq!(chosen(&Step::Read("a.py"), vec![tool("read", &["filePath"])]), wanted);
        let wanted = Some(("exec_command".to_owned(), json!({ "cmd": "cat a.py" })));
        assert_eq!(chosen(&Step::Read("a.py"), vec![tool("exec_command", &["cmd"])]), wanted);
        let command = Step::Run("ls".to_owned());
        let wanted = Some(("Bash".to_owned(), json!({ "command": "ls", "description": "as the user asked" })));
        assert_eq!(chosen(&command, vec![tool("Bash", &["command", "description"])]), wanted);
        assert_eq!(chosen(&command, vec![tool("Read", &["file_path"])]), None);
    }

    #[test]
    fn our_tools_are_found_loaded_or_called_by_another() {
        let ask = Step::Ask { tool: "read", arguments: json!({ "targets": ["a.py"] }) };
        let ours = || tool("mcp__epitome__read", &[]);
        let wanted = Some(("mcp__epitome__read".to_owned(), json!({ "targets": ["a.py"] })));
        assert_eq!(chosen(&ask, vec![tool("Read", &[]), ours(), tool("mcp__epitome__thread", &[])]), wanted);
        let caller = chosen(&ask, vec![tool("tool_call", &[])]).expect("it calls others");
        assert_eq!((caller.0.as_str(), &caller.1["name"]), ("tool_call", &json!("mcp__epitome__read")));
        assert_eq!(chosen(&ask, vec![tool("ToolSearch", &[])]).expect("it loads").0, "ToolSearch");
        let any = Step::ask("help", &json!({}));
        let tools = vec![tool("mcp_epitome_context", &[]), tool("mcp_epitome_epitome", &[])];
        assert_eq!(chosen(&any, tools).expect("ours").0, "mcp_epitome_epitome");
    }
}
