//! What a checkpoint says of the work (`CheckpointState`), read from the JSON that callers and agents give. Pure. Fields that
//! nobody here knows stay as they are: a state belongs to its author.

use serde_json::{Map, Value};

/// Who made a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckpointTrigger {
    /// An event of the session.
    Auto,
    /// A caller.
    #[default]
    Manual,
    /// An error.
    Error,
}

model::enum_words! { pub CheckpointTrigger { Auto = "auto", Manual = "manual", Error = "error" } }

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// Whether it is done.
    pub is_done: bool,
    /// Whether it is being done.
    pub is_current: bool,
}

/// The state of the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointState(Map<String, Value>);

/// What agents call the words and the progress of a step.
const STEP_WORDS: [&str; 6] = ["content", "step", "title", "text", "description", "name"];
const DONE_WORDS: [&str; 3] = ["completed", "done", "complete"];
const CURRENT_WORDS: [&str; 4] = ["in_progress", "inprogress", "in-progress", "active"];

impl CheckpointState {
    pub(super) fn from_json(state: Map<String, Value>) -> Self {
        Self(state)
    }

    /// The state as its author gave it.
    pub fn to_json(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// What was asked.
    pub fn query(&self) -> Option<&str> {
        self.0.get("query").and_then(Value::as_str).filter(|query| !query.is_empty())
    }

    /// The plan.
    pub fn plan(&self) -> Vec<PlanStep> {
        let steps = self.0.get("plan").and_then(Value::as_array);
        let at = self.stated_step();
        let step = |(place, step): (usize, &Value)| {
            let words = step.as_str().or_else(|| STEP_WORDS.iter().find_map(|name| step[*name].as_str()))?;
            let status = step["status"].as_str().map(str::to_lowercase);
            let has = |words: &[&str]| status.as_deref().is_some_and(|status| words.contains(&status));
            // A plan without states is done as far as its author says.
            let before = status.is_none() && at.is_some_and(|at| (place as u64) < at);
            let current = status.is_none() && at == Some(place as u64);
            Some(PlanStep {
                text: words.to_owned(),
                is_done: has(&DONE_WORDS) || before,
                is_current: has(&CURRENT_WORDS) || current,
            })
        };
        steps.into_iter().flatten().enumerate().filter_map(step).collect()
    }

    fn stated_step(&self) -> Option<u64> {
        ["currentStepIndex", "current_step_index"].iter().find_map(|name| self.0.get(*name)?.as_u64())
    }

    /// The step that the work is at: as its author says, else how many steps are done.
    pub fn current_step(&self) -> u64 {
        self.stated_step().unwrap_or_else(|| self.plan().iter().filter(|step| step.is_done).count() as u64)
    }

    /// How many steps are done, and how many there are.
    pub fn progress(&self) -> (usize, usize) {
        let plan = self.plan();
        (plan.iter().filter(|step| step.is_done).count(), plan.len())
    }

    /// The step that comes next.
    pub fn open_step(&self) -> Option<String> {
        let plan = self.plan();
        let current = plan.iter().find(|step| step.is_current && !step.is_done);
        current.or_else(|| plan.iter().find(|step| !step.is_done)).map(|step| step.text.clone())
    }

    /// What the last error said.
    pub fn last_error(&self) -> Option<&str> {
        let error = self.0.get("lastError").or_else(|| self.0.get("last_error"))?;
        error.as_str().or_else(|| error["message"].as_str())
    }

    /// Puts a plan in the place of the one there is, with what came out so far.
    pub(super) fn set_plan(&mut self, steps: Vec<Value>) {
        self.0.insert("plan".to_owned(), Value::Array(steps));
        self.0.remove("currentStepIndex");
        self.0.remove("current_step_index");
        let done = self.plan().into_iter().filter(|step| step.is_done);
        let results: Vec<Value> =
            done.map(|step| serde_json::json!({ "step": step.text, "status": "completed" })).collect();
        self.0.insert("results".to_owned(), Value::Array(results));
        self.0.insert("currentStepIndex".to_owned(), self.current_step().into());
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    pub(super) fn steps(&self) -> Vec<Value> {
        self.0.get("plan").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn context(&self) -> Map<String, Value> {
        self.0.get("context").and_then(Value::as_object).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state(value: &Value) -> CheckpointState {
        CheckpointState::from_json(value.as_object().cloned().expect("an object"))
    }

    #[test]
    fn a_plan_is_read_in_the_words_of_those_who_made_it() {
        let check = |value: Value, step: u64, progress: (usize, usize), open: Option<&str>| {
            let state = state(&value);
            assert_eq!((state.current_step(), state.progress(), state.open_step().as_deref()), (step, progress, open));
        };
        let todo = |status: &str| json!({ "content": format!("{status} it"), "status": status });
        let plan = json!({ "plan": [todo("completed"), todo("in_progress"), todo("pending")] });
        check(plan, 1, (1, 3), Some("in_progress it"));
        check(json!({ "plan": ["a", "b", "c"], "currentStepIndex": 2 }), 2, (2, 3), Some("c"));
        check(json!({ "plan": [{ "step": "a", "status": "completed" }] }), 1, (1, 1), None);
        check(json!({ "anything": [1, 2] }), 0, (0, 0), None);
        check(json!({ "plan": "no list", "current_step_index": 4 }), 4, (0, 0), None);
    }

    #[test]
    fn what_nobody_here_knows_stays_as_it_is() {
        let given = json!({ "query": "q", "context": { "a": [1, null] }, "lastError": { "message": "no" }, "x": true });
        let state = state(&given);
        assert_eq!((state.to_json(), state.query(), state.last_error()), (given, Some("q"), Some("no")));
    }
}
