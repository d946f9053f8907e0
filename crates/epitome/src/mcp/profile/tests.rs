//! Tests that hold for every tool profile: operations exist, names are valid and unique, parameters of renamed tools
//! are mapped.

use super::*;
use crate::mcp::{schema, server};
use serde_json::json;

#[test]
fn every_renamed_tool_says_where_each_parameter_goes_and_what_ours_require() {
    for profile in PROFILES.iter() {
        for offer in &profile.offers {
            let ProfileAction::Renamed(operation, renaming, _) = &offer.action else { continue };
            let place = format!("{} {}", profile.name, offer.name);
            let ours = operation.params_schema();
            for pointer in renaming.pointers() {
                assert!(
                    schema::schema_at(&ours, pointer).is_some(),
                    "{place}: `{}` has no {pointer}",
                    operation.name()
                );
            }
            for required in ours["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let is_given = renaming.always().any(|pointer| pointer.split('/').nth(1) == Some(required));
                assert!(is_given, "{place}: `{}` requires `{required}`", operation.name());
            }
        }
    }
}

#[test]
fn constants_of_renamed_tools_are_values_that_the_operation_takes() {
    for profile in PROFILES.iter() {
        for offer in &profile.offers {
            let ProfileAction::Renamed(operation, renaming, _) = &offer.action else { continue };
            let ours = schema::compact_schema(operation.params_schema());
            for (pointer, value) in renaming.constants() {
                let allowed = schema::schema_at(&ours, pointer).expect("the pointer is checked above");
                assert!(
                    takes(allowed, value),
                    "{} {}: {pointer} = {value} is none of {allowed}",
                    profile.name,
                    offer.name
                );
            }
        }
    }
}

/// Enough of JSON Schema for flat parameters.
fn takes(schema: &Value, value: &Value) -> bool {
    if let Some(values) = schema["enum"].as_array() {
        return values.contains(value);
    }
    match schema["type"].as_str() {
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        _ => false,
    }
}

#[test]
fn every_named_operation_exists() {
    let file: ProfileFile = toml::from_str(include_str!("../profiles.toml")).expect("profiles.toml");
    for entry in file.profile {
        let OperationSelection::Named(names) = entry.operations else { continue };
        for name in names {
            assert!(ops::find_operation(&name).is_some(), "{}: {name}", entry.name);
        }
    }
}

#[test]
fn tool_names_are_valid_and_told_once() {
    for profile in PROFILES.iter() {
        let mut names: Vec<&str> = profile.offers.iter().map(|offer| offer.name.as_str()).collect();
        let is_valid = |name: &str| {
            (1..=64).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-.".contains(&it))
        };
        assert!(names.iter().all(|name| is_valid(name)), "{}: {names:?}", profile.name);
        let told = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), told, "{}: {names:?}", profile.name);
    }
}

#[test]
fn instructions_fit_where_clients_cut_them() {
    for profile in PROFILES.iter() {
        let tokens = model::count_tokens(&profile.instructions).0;
        let bytes = profile.instructions.len();
        assert!(tokens <= 300 && bytes <= 2_000, "{}: {tokens} tokens, {bytes} bytes", profile.name);
    }
}

#[test]
fn core_costs_at_most_a_thousand_tokens() {
    let core = find_profile("core").expect("core");
    let list = json!({ "tools": server::profile_tools(core) }).to_string();
    let tokens = model::count_tokens(&list) + model::count_tokens(&core.instructions);
    assert!(tokens.0 <= 1_000, "{tokens} tokens in\n{list}\n{}", core.instructions);
}

/// Half of what it cost when the replies of 23 tools were declared in every detail: 17,133 tokens, 744 a tool.
#[test]
fn full_costs_at_most_half_of_what_it_did_and_each_tool_a_share() {
    let full = find_profile("full").expect("full");
    let tools = server::profile_tools(full);
    for tool in &tools {
        let declared = json!(tool).to_string();
        let tokens = model::count_tokens(&declared);
        assert!(tokens.0 <= 400, "{tokens} tokens in {declared}");
    }
    let list = json!({ "tools": &tools }).to_string();
    let tokens = model::count_tokens(&list) + model::count_tokens(&full.instructions);
    assert!(tokens.0 <= 372 * tools.len() as u32, "{tokens} tokens");
}

#[test]
fn core_declares_no_output_and_full_declares_all() {
    let declares = |name| {
        let tools = server::profile_tools(find_profile(name).expect("profile"));
        tools.iter().map(|tool| tool.output_schema.is_some()).collect::<Vec<_>>()
    };
    assert!(declares("core").iter().all(|declared| !declared));
    assert_eq!(declares("full"), vec![true; ops::ALL_OPERATIONS.len()]);
}

#[test]
fn schemas_hold_nothing_that_strict_clients_refuse() {
    for profile in PROFILES.iter() {
        for tool in server::profile_tools(profile) {
            let schema = Value::Object((*tool.input_schema).clone());
            assert_eq!(schema["type"], "object", "{} {}", profile.name, tool.name);
            for refused in ["\"$schema\"", "\"$ref\"", "\"format\":\"uint", "\"null\""] {
                assert!(!schema.to_string().contains(refused), "{} {}: {refused} in {schema}", profile.name, tool.name);
            }
            if let Some(output) = tool.output_schema {
                assert_eq!(output.get("type"), Some(&json!("object")), "{} {}", profile.name, tool.name);
            }
        }
    }
}

#[test]
fn the_tools_of_each_profile_are_these() {
    for profile in PROFILES.iter() {
        let tools: Vec<String> =
            server::profile_tools(profile).iter().map(|tool| format!("{:#}", json!(tool))).collect();
        insta::assert_snapshot!(format!("tools_of_{}", profile.name), tools.join("\n"));
    }
}

#[test]
fn an_unknown_profile_is_refused_with_the_nearest_name() {
    let rows = [("ful", "did you mean `full`?"), ("everything", "there are core, full, lvm, lcm, memtrace, ctx-sys")];
    for (name, hint) in rows {
        let problem = find_profile(name).err().expect("no such profile");
        assert_eq!(
            (problem.message.as_str(), problem.hint.as_deref()),
            (&*format!("unknown profile `{name}`"), Some(hint))
        );
    }
}
