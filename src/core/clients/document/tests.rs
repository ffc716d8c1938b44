use proptest::prelude::*;

use super::*;
use crate::core::clients::entry::Rule;

const CLIENTS: [Client; 3] = [Client::Codex, Client::Zed, Client::ClaudeDesktop];

fn entry() -> Entry {
    let field = |key, value, rule| Field { key, value, rule, note: Some("why") };
    Entry {
        fields: vec![
            field("command", json!("/usr/bin/ccmcp"), Rule::Ours),
            field("args", json!(["serve"]), Rule::Ours),
            field("env", json!({ "OURS": "1" }), Rule::Members),
            field("limit", json!(60), Rule::AtLeast),
            field("names", json!(["A"]), Rule::Union),
            field("mode", json!("approve"), Rule::Default),
        ],
    }
}

fn wanted() -> Wanted {
    Wanted { asked: entry(), history: entry(), sets: Vec::new() }
}

fn text(client: Client, tree: &Value) -> String {
    match client.format() {
        Format::Json(_) => serde_json::to_string_pretty(tree).unwrap(),
        Format::Toml => toml_edit::ser::to_string_pretty(tree).unwrap(),
    }
}

/// An entry that starts ccmcp, with or without what ours has, and with more.
fn existing() -> impl Strategy<Value = Value> {
    let command = prop_oneof![Just("ccmcp"), Just("/old/ccmcp"), Just("/usr/bin/ccmcp")];
    let env = prop_oneof![Just(json!({})), Just(json!({ "OURS": "0" })), Just(json!({ "MINE": "2", "OURS": "1" }))];
    let more = prop::collection::btree_map("[a-z_]{9,12}", "[ -~ß]{0,8}".prop_map(Value::from), 0..3);
    let known = (
        prop::option::of(env),
        prop::option::of(prop_oneof![Just(30), Just(60), Just(600)]),
        prop::option::of(prop_oneof![Just(json!([])), Just(json!(["A"])), Just(json!(["Z"]))]),
        prop::option::of(Just("prompt")),
    );
    (command, known, more).prop_map(|(command, (env, limit, names, mode), more)| {
        let mut table: Map<String, Value> = more.into_iter().collect();
        table.insert("command".to_owned(), json!(command));
        table.insert("args".to_owned(), json!(["serve", "--log-level", "info"]));
        table.extend(env.map(|env| ("env".to_owned(), env)));
        table.extend(limit.map(|limit| ("limit".to_owned(), json!(limit))));
        table.extend(names.map(|names| ("names".to_owned(), names)));
        table.extend(mode.map(|mode| ("mode".to_owned(), json!(mode))));
        Value::Object(table)
    })
}

#[test]
fn a_mark_at_the_beginning_stays() {
    for client in CLIENTS {
        let before = if client == Client::Codex { "\u{feff}a = 1\n" } else { "\u{feff}{}" };
        let Edited::Added(after) = edited(client, before, "x", &wanted()).unwrap() else { panic!("{client:?}") };
        assert_eq!(after.matches(MARK).count(), 1);
        assert!(after.starts_with(MARK));
        assert_eq!(edited(client, &after, "x", &wanted()).unwrap(), Edited::Same);
    }
}

#[test]
fn what_is_pasted_is_what_is_written_into_nothing() {
    for client in CLIENTS {
        let added = Edited::Added(pasted(client, "x", &entry()).unwrap());
        assert_eq!(edited(client, "", "x", &wanted()).unwrap(), added);
    }
}

proptest! {
    #[test]
    fn an_entry_is_brought_up_to_date_once_and_loses_nothing(
        there in existing(),
        other in existing(),
        number in 0..CLIENTS.len(),
    ) {
        let client = CLIENTS[number];
        let before = json!({ "first": 1, client.section(): { "other": other, "x": there.clone() }, "last": { "a": [1, 2] } });
        let after = match edited(client, &text(client, &before), "x", &wanted()).unwrap() {
            Edited::Updated(after, _) => after,
            Edited::Same => text(client, &before),
            Edited::Added(_) => panic!("it was there"),
        };
        prop_assert_eq!(edited(client, &after, "x", &wanted()).unwrap(), Edited::Same);
        let mut now = tree(client, &after).unwrap();
        let entry = now[client.section()]["x"].take();
        for (key, value) in there.as_object().unwrap() {
            match key.as_str() {
                "command" => prop_assert_eq!(&entry[key], "/usr/bin/ccmcp"),
                "env" => prop_assert_eq!((entry[key].get("MINE"), &entry[key]["OURS"]), (value.get("MINE"), &json!("1"))),
                "limit" => prop_assert_eq!(&entry[key], &json!(value.as_i64().unwrap().max(60))),
                "names" => prop_assert!(value.as_array().unwrap().iter().all(|name| entry[key].as_array().unwrap().contains(name))),
                _ => prop_assert_eq!(&entry[key], value),
            }
        }
        for field in self::entry().fields {
            prop_assert!(entry.get(field.key).is_some());
        }
        let mut rest = before;
        rest[client.section()]["x"].take();
        prop_assert_eq!(now, rest);
    }
}
