//! Tests of the JSON editor: an inserted entry is laid out like its neighbours, and is removed without a trace.

use super::*;
use expect_test::{Expect, expect};
use serde_json::json;

fn path(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(text: &str, expected: Expect) {
    let at = path(&["servers", "ours"]);
    let put = put_value(text, &at, &json!({ "command": "/bin/x", "args": ["mcp"] })).expect("it can be put in");
    expected.assert_eq(&put);
    let known = existing_depth(text, &at).expect("it is JSON");
    let gone = prune_empty(&remove_member(&put, &at).expect("it can be taken out"), &at[..1], known);
    let blank = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(blank(&gone.expect("it can be pruned")), blank(text));
}

#[test]
fn a_member_is_laid_out_like_its_neighbours() {
    check(
        "{\n    \"servers\": {\n        \"a\": {} // mine\n    }\n}\n",
        expect![[r#"
            {
                "servers": {
                    "a": {}, // mine
                    "ours": {
                        "command": "/bin/x",
                        "args": [
                            "mcp"
                        ]
                    }
                }
            }
        "#]],
    );
    check(
        "{\n\t// nothing yet\n\t\"theme\": \"dark\",\n}\n",
        expect![[r#"
            {
            	// nothing yet
            	"theme": "dark",
            	"servers": {
            		"ours": {
            			"command": "/bin/x",
            			"args": [
            				"mcp"
            			]
            		}
            	},
            }
        "#]],
    );
    check(
        r#"{"a":1,"servers":{"b":2}}"#,
        expect![[r#"{"a":1,"servers":{"b":2, "ours": {"command":"/bin/x","args":["mcp"]}}}"#]],
    );
    check(
        "{}\n",
        expect![[r#"
            {
              "servers": {
                "ours": {
                  "command": "/bin/x",
                  "args": [
                    "mcp"
                  ]
                }
              }
            }
        "#]],
    );
}

#[test]
fn lines_that_end_as_on_windows_stay_so() {
    let put = put_value("{\r\n  \"a\": 1\r\n}\r\n", &path(&["b"]), &json!({ "c": 2 })).expect("it can be put in");
    assert_eq!(put, "{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": 2\r\n  }\r\n}\r\n");
}

#[test]
fn something_else_in_the_way_is_no_place_for_us() {
    let refused = |text: &str| put_value(text, &path(&["a", "b"]), &json!(1)).expect_err("it is refused").to_string();
    assert_eq!(refused("{\"a\": 3}"), "`a` is not an object");
    assert_eq!(refused("[]"), "`the file` is not an object");
    assert_eq!(
        add_element("{\"a\": 3}", &path(&["a"]), &json!(1), &|_| false).expect_err("refused").to_string(),
        "`a` is not a list"
    );
}
