//! Hooks that come from everywhere at once while whoever takes them in is killed again and again.

use super::host::project;
use super::house::House;
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

const AGENTS: usize = 3;
const EVENTS: usize = 12;

#[test]
fn nothing_is_lost_and_nothing_doubled_when_draining_is_killed() {
    let house = House::new(&[]);
    let project = project(&house);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let house = &house;
                let project = &project;
                scope.spawn(move || {
                    for number in 0..EVENTS {
                        let prompt = format!("event {agent} of {number} is unmistakeable");
                        let body = json!({ "session_id": format!("s{agent}"), "cwd": project, "prompt": prompt });
                        let ended = house.run(&["hook", "UserPromptSubmit", "--agent", "cursor"], &body.to_string());
                        assert_eq!(ended.status, 0);
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            for pause in (0..).map(|round| 20 + round * 37 % 180) {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let mut drain =
                    house.command(&["drain"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
                std::thread::sleep(std::time::Duration::from_millis(pause));
                drain.kill().expect("it is killed, or has ended");
                drain.wait().expect("it has ended");
            }
        });
        for agent in agents {
            agent.join().expect("an agent");
        }
        over.store(true, Ordering::Relaxed);
    });
    house.run(&["drain"], "");
    for agent in 0..AGENTS {
        let name = format!("cursor:s{agent}");
        let history = house.run(&["history", "--conversation", &name, "--limit", "100", "--json"], "");
        let history: Value = serde_json::from_str(&history.stdout).expect("JSON");
        let mut said: Vec<&str> = history["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .filter_map(|said| said["content"].as_str())
            .collect();
        said.sort_unstable();
        let mut expected: Vec<String> =
            (0..EVENTS).map(|number| format!("event {agent} of {number} is unmistakeable")).collect();
        expected.sort_unstable();
        assert_eq!(said, expected);
    }
    assert_eq!(house.run(&["verify"], "").status, 0);
}
