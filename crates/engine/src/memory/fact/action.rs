//! Parses a tool call of an agent (name and JSON arguments) into a `ToolAction`, from which facts are extracted: run a
//! command, touch files, write a to-do list, ask the user.
//!
//! Agents spell the same edit `Edit {file_path}`, `edit {filePath}`, `str_replace_editor {command, path}` or as a patch
//! in one string. So names and keys are tables, and a tool that is in no table leaves no fact.

use super::shell;
use serde_json::Value;

/// What a tool call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolAction {
    /// Runs a command.
    Shell { command: String },
    /// Touches files.
    Files(Vec<FileTouch>),
    /// Writes down what is to be done, all of it.
    Todos(Vec<(String, TodoProgress)>),
    /// Writes down one more thing to do; its number is in the answer.
    Task { words: String },
    /// Says how far the task with a number is; without a word on that, it only describes it.
    TaskState { number: String, progress: Option<TodoProgress> },
    /// Asks the user something, perhaps several things at once.
    Ask { questions: Vec<ToolQuestion> },
    /// Something that leaves no fact.
    Other,
}

/// A question of a call that asks several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolQuestion {
    /// The name that the answer repeats, where the agent gives one.
    pub(crate) id: Option<String>,
    pub(crate) words: String,
}

/// What is done to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileTouch {
    pub(crate) path: String,
    pub(crate) how: FileAccess,
}

/// How a file is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileAccess {
    Read,
    Edit,
    Write,
    Delete,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TodoProgress {
    Open,
    Begun,
    Done,
    Dropped,
}

/// Names of tools, without case, separators and the server they come from.
const SHELLS: &[&str] = &[
    "bash",
    "shell",
    "localshell",
    "exec",
    "execcommand",
    "runshellcommand",
    "runterminalcmd",
    "runterminalcommand",
    "executecommand",
    "runcommand",
    "terminal",
    "shellcommand",
    "containerexec",
];
const READERS: &[&str] = &["read", "readfile", "view", "viewfile", "openfile", "readmanyfiles", "notebookread"];
const EDITORS: &[&str] = &[
    "edit",
    "multiedit",
    "editfile",
    "replace",
    "searchreplace",
    "strreplace",
    "replaceinfile",
    "applydiff",
    "notebookedit",
    "insert",
    "patch",
];
const WRITERS: &[&str] = &["write", "writefile", "writetofile", "createfile", "create"];
const REMOVERS: &[&str] = &["delete", "deletefile", "removefile"];
const PATCHERS: &[&str] = &["applypatch"];
/// One tool that reads, edits and writes, by its argument `command`.
const EDITORS_BY_COMMAND: &[&str] = &["strreplaceeditor", "strreplacebasededittool", "texteditor"];
const TODOS: &[&str] = &["todowrite", "writetodos", "updateplan", "todo"];
const TASKS: &[&str] = &["taskcreate"];
const TASK_STATES: &[&str] = &["taskupdate"];
const QUESTIONS: &[&str] = &["askuserquestion", "requestuserinput", "exitplanmode", "question"];

const COMMAND_KEYS: &[&str] = &["command", "cmd", "script", "commandline"];
const PATH_KEYS: &[&str] =
    &["filepath", "path", "targetfile", "absolutepath", "filename", "file", "notebookpath", "relativepath"];
const PATCH_KEYS: &[&str] = &["input", "patch", "patchtext", "diff"];

/// Reads a call by its name and the JSON text of its arguments.
pub(crate) fn parse_action(name: &str, input: &str) -> ToolAction {
    // `mcp__server__read_file` and `functions.shell` carry the name of their server in front.
    let name = normalize_name(name.rsplit("__").next().unwrap_or(name).rsplit('.').next().unwrap_or(name));
    let is = |names: &[&str]| names.contains(&name.as_str());
    // Some agents send a patch or a command as it is, without JSON around it.
    let mut arguments = serde_json::from_str(input).unwrap_or_else(|_| Value::String(input.to_owned()));
    // Others write the JSON of the arguments as a text of JSON.
    if let Some(inner) = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok())
        && inner.is_object()
    {
        arguments = inner;
    }
    let touch = |how| parse_files(&arguments, how);
    if is(SHELLS) {
        parse_command(&arguments).map_or(ToolAction::Other, |command| ToolAction::Shell { command })
    } else if is(PATCHERS) {
        parse_patch_field(&arguments)
    } else if is(EDITORS_BY_COMMAND) {
        touch(match arguments["command"].as_str() {
            Some("view") => FileAccess::Read,
            Some("create") => FileAccess::Write,
            _ => FileAccess::Edit,
        })
    } else if is(READERS) {
        touch(FileAccess::Read)
    } else if is(EDITORS) {
        let files = touch(FileAccess::Edit);
        // Some editors are given a patch, which names its files itself.
        if files == ToolAction::Other { parse_patch_field(&arguments) } else { files }
    } else if is(WRITERS) {
        touch(FileAccess::Write)
    } else if is(REMOVERS) {
        touch(FileAccess::Delete)
    } else if is(TODOS) {
        parse_todos(&arguments).map_or(ToolAction::Other, ToolAction::Todos)
    } else if is(TASKS) {
        text_field(&arguments, &["subject"])
            .map_or(ToolAction::Other, |words| ToolAction::Task { words: words.trim().to_owned() })
    } else if is(TASK_STATES) {
        let progress = text_field(&arguments, &["status"]).map(parse_progress);
        text_field(&arguments, &["taskid"])
            .map_or(ToolAction::Other, |number| ToolAction::TaskState { number: number.to_owned(), progress })
    } else if is(QUESTIONS) {
        ToolAction::Ask { questions: parse_questions(&arguments) }
    } else {
        ToolAction::Other
    }
}

fn normalize_name(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn find_field<'a>(arguments: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    let fields = arguments.as_object()?;
    // By the order of `keys`, not of the fields: the surer names come first.
    keys.iter().find_map(|key| fields.iter().find(|(name, _)| normalize_name(name) == *key).map(|(_, value)| value))
}

fn text_field<'a>(arguments: &'a Value, keys: &[&str]) -> Option<&'a str> {
    find_field(arguments, keys)?.as_str()
}

fn parse_command(arguments: &Value) -> Option<String> {
    let value = if arguments.is_object() { find_field(arguments, COMMAND_KEYS)? } else { arguments };
    match value {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                // `["bash", "-lc", "the command"]`
                [_, flag, command] if flag.starts_with('-') && flag.ends_with('c') => Some((*command).to_owned()),
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        // The command may be an object that holds the command once more.
        Value::Object(_) => parse_command(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn parse_files(arguments: &Value, how: FileAccess) -> ToolAction {
    let touch = |path: &str| FileTouch { path: path.to_owned(), how };
    let paths = match find_field(arguments, PATH_KEYS).or_else(|| find_field(arguments, &["paths", "files"])) {
        Some(Value::String(path)) => vec![touch(path)],
        Some(Value::Array(paths)) => {
            paths.iter().filter_map(|path| path.as_str().or_else(|| text_field(path, PATH_KEYS))).map(touch).collect()
        }
        _ => Vec::new(),
    };
    if paths.is_empty() { ToolAction::Other } else { ToolAction::Files(paths) }
}

fn parse_patch_field(arguments: &Value) -> ToolAction {
    let patch = arguments.as_str().or_else(|| text_field(arguments, PATCH_KEYS)).unwrap_or_default();
    ToolAction::Files(shell::parse_patch(patch))
}

fn parse_todos(arguments: &Value) -> Option<Vec<(String, TodoProgress)>> {
    let list = find_field(arguments, &["todos", "plan", "items", "tasks"])?.as_array()?;
    let step = |item: &Value| {
        let words = item.as_str().or_else(|| text_field(item, &["content", "step", "description", "title", "text"]))?;
        let progress = text_field(item, &["status", "state"]).map_or(TodoProgress::Open, parse_progress);
        Some((words.trim().to_owned(), progress))
    };
    Some(list.iter().filter_map(step).filter(|(words, _)| !words.is_empty()).collect())
}

fn parse_progress(state: &str) -> TodoProgress {
    match normalize_name(state).as_str() {
        // A cancelled step needs no more work, and a reader must not take it up again.
        "completed" | "done" | "cancelled" => TodoProgress::Done,
        "inprogress" => TodoProgress::Begun,
        "deleted" => TodoProgress::Dropped,
        _ => TodoProgress::Open,
    }
}

/// The questions in their words; none where only a plan is shown.
fn parse_questions(arguments: &Value) -> Vec<ToolQuestion> {
    let read = |question: &Value, keys: &[&str]| {
        let words = text_field(question, keys)?.to_owned();
        Some(ToolQuestion { id: text_field(question, &["id"]).map(str::to_owned), words })
    };
    let asked = find_field(arguments, &["questions"]).and_then(Value::as_array);
    let several = asked.into_iter().flatten().filter_map(|question| read(question, &["question", "header"]));
    several.chain(read(arguments, &["question"])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(path: &str, how: FileAccess) -> ToolAction {
        ToolAction::Files(vec![FileTouch { path: path.to_owned(), how }])
    }

    fn ran(command: &str) -> ToolAction {
        ToolAction::Shell { command: command.to_owned() }
    }

    #[test]
    fn calls_of_real_agents_are_understood() {
        let rows = [
            ("Bash", r#"{"command":"cargo test","description":"Run tests"}"#, ran("cargo test")),
            ("shell", r#"{"command":["bash","-lc","ls -la"]}"#, ran("ls -la")),
            ("shell", r#"{"command":["git","status"]}"#, ran("git status")),
            ("exec_command", r#"{"cmd":"make","workdir":"/w"}"#, ran("make")),
            ("local_shell", r#"{"action":{"command":["true"]}}"#, ToolAction::Other),
            ("run_shell_command", r#"{"command":"npm ci"}"#, ran("npm ci")),
            ("Read", r#"{"file_path":"/w/a.rs","limit":5}"#, touched("/w/a.rs", FileAccess::Read)),
            ("read", r#"{"filePath":"/w/a.rs"}"#, touched("/w/a.rs", FileAccess::Read)),
            ("Edit", r#"{"file_path":"a.rs","old_string":"x","new_string":"y"}"#, touched("a.rs", FileAccess::Edit)),
            ("replace", r#"{"file_path":"a.rs"}"#, touched("a.rs", FileAccess::Edit)),
            ("str_replace_based_edit_tool", r#"{"command":"view","path":"a"}"#, touched("a", FileAccess::Read)),
            ("str_replace_editor", r#"{"command":"create","path":"a"}"#, touched("a", FileAccess::Write)),
            ("Write", r#"{"file_path":"a.rs","content":""}"#, touched("a.rs", FileAccess::Write)),
            ("delete_file", r#"{"target_file":"a.rs"}"#, touched("a.rs", FileAccess::Delete)),
            ("mcp__files__read_file", r#"{"path":"a.rs"}"#, touched("a.rs", FileAccess::Read)),
            (
                "apply_patch",
                "*** Begin Patch\n*** Add File: n.rs\n+x\n*** End Patch",
                touched("n.rs", FileAccess::Write),
            ),
            ("apply_patch", r#"{"input":"*** Update File: u.rs\n@@"}"#, touched("u.rs", FileAccess::Edit)),
            (
                "edit",
                r#"{"i":"a label","input":"*** Begin Patch\n*** Update File: u.rs\n@@"}"#,
                touched("u.rs", FileAccess::Edit),
            ),
            ("Read", r#""{\"file_path\":\"a.rs\"}""#, touched("a.rs", FileAccess::Read)),
            ("Glob", r#"{"pattern":"**/*.rs"}"#, ToolAction::Other),
            ("Bash", "not json, but a command", ran("not json, but a command")),
            ("Bash", "7", ToolAction::Other),
        ];
        for (name, input, expected) in rows {
            assert_eq!(parse_action(name, input), expected, "{name} {input}");
        }
    }

    #[test]
    fn lists_of_steps_are_read_in_each_dialect() {
        let wanted =
            ToolAction::Todos(vec![("a".to_owned(), TodoProgress::Done), ("b".to_owned(), TodoProgress::Begun)]);
        let claude = r#"{"todos":[{"content":"a","status":"completed"},{"content":" b","status":"in_progress"}]}"#;
        let codex = r#"{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}"#;
        assert_eq!(parse_action("TodoWrite", claude), wanted);
        assert_eq!(parse_action("update_plan", codex), wanted);
    }

    #[test]
    fn a_question_to_the_user_is_told_from_other_calls() {
        let input = r#"{"questions":[{"id":"store","question":"Which store?","options":[]}]}"#;
        let question = ToolQuestion { id: Some("store".to_owned()), words: "Which store?".to_owned() };
        assert_eq!(parse_action("AskUserQuestion", input), ToolAction::Ask { questions: vec![question] });
        assert_eq!(parse_action("ExitPlanMode", r##"{"plan":"# do it"}"##), ToolAction::Ask { questions: Vec::new() });
    }
}
