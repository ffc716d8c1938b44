use proptest::prelude::*;
use serde_json::json;

use super::*;

const PATH: [&str; 2] = ["servers", "x"];

fn put_in(text: &str) -> String {
    put(text, Dialect::Commented, &PATH, &json!({ "command": "c", "args": ["a", "b"] })).unwrap()
}

#[test]
fn a_new_property_looks_like_its_neighbours() {
    let rows = [
        (
            "",
            "{\n  \"servers\": {\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\"a\", \"b\"]\n    }\n  }\n}\n",
        ),
        (
            "{}",
            "{\n  \"servers\": {\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\"a\", \"b\"]\n    }\n  }\n}",
        ),
        (
            "{\n\t\"servers\": {\n\t\t\"y\": 1 // why\n\t\t// later\n\t}\n}\n",
            "{\n\t\"servers\": {\n\t\t\"y\": 1, // why\n\t\t\"x\": {\n\t\t\t\"command\": \"c\",\n\t\t\t\"args\": [\"a\", \"b\"]\n\t\t}\n\t\t// later\n\t}\n}\n",
        ),
        (
            "{\r\n    \"a\": [1],\r\n\r\n    \"servers\": {}, /* z */\r\n}",
            "{\r\n    \"a\": [1],\r\n\r\n    \"servers\": {\r\n        \"x\": {\r\n            \"command\": \"c\",\r\n            \"args\": [\"a\", \"b\"]\r\n        }\r\n    }, /* z */\r\n}",
        ),
        (
            "{\n  \"servers\": {\n    \"y\": {},\n  },\n}",
            "{\n  \"servers\": {\n    \"y\": {},\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\"a\", \"b\"]\n    },\n  },\n}",
        ),
        (r#"{"servers":{"y":{}},"z":1}"#, r#"{"servers":{"y":{}, "x": { "command": "c", "args": ["a", "b"] }},"z":1}"#),
        (r#"{"servers":{}}"#, r#"{"servers":{"x": { "command": "c", "args": ["a", "b"] }}}"#),
        (
            "{\n  \"servers\": { // none yet\n  }\n}",
            "{\n  \"servers\": { // none yet\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\"a\", \"b\"]\n    }\n  }\n}",
        ),
        (
            "// only this",
            "// only this\n{\n  \"servers\": {\n    \"x\": {\n      \"command\": \"c\",\n      \"args\": [\"a\", \"b\"]\n    }\n  }\n}\n",
        ),
    ];
    for (before, after) in rows {
        assert_eq!(put_in(before), after, "{before:?}");
    }
}

#[test]
fn only_the_value_is_replaced() {
    let before = "{ // a\n  \"servers\" : { \"x\" :\t{ \"command\": /* was */ \"old\" , \"mine\": [1,2 ] } },\n}";
    let after = put(before, Dialect::Commented, &["servers", "x", "command"], &json!("new")).unwrap();
    assert_eq!(after, before.replace("old", "new"));
    let twice = r#"{"a": 1, "a": 2}"#;
    assert_eq!(put(twice, Dialect::Strict, &["a"], &json!(3)).unwrap(), r#"{"a": 1, "a": 3}"#, "the one that counts");
}

#[test]
fn what_the_client_cannot_read_is_refused_with_its_place() {
    let rows = [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", Dialect::Commented, "line 2, column 9: expected comma"),
        ("{\n  \"a\": 1 // why\n}", Dialect::Strict, "line 2, column 10: comments are not allowed"),
        ("{\"a\": 1,}", Dialect::Strict, "line 1, column 8: trailing commas are not allowed"),
        ("{\"a\": ", Dialect::Strict, "line 1, column 7: expected value after colon in object property"),
        ("{'a': 1}", Dialect::Commented, "line 1, column 2: single-quoted strings are not allowed"),
        ("{\"servers\": []}", Dialect::Strict, "line 1, column 13: `servers` is no object"),
        ("[1]", Dialect::Strict, "line 1, column 1: the document is no object"),
    ];
    for (text, dialect, fault) in rows {
        let error = put(text, dialect, &PATH, &json!({})).unwrap_err();
        assert_eq!(error.to_string(), fault, "{text:?}");
    }
}

/// What may stand between two tokens.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => "\r?\n[ \t]{0,4}".prop_map(String::from),
        1 => " // [a-z{}\",]{0,6}\r?\n".prop_map(String::from),
        1 => "/\\*[a-z \n{}\",]{0,6}\\*/".prop_map(String::from),
    ]
}

/// Values, with anything between their tokens.
fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,2})?",
        "[a-zß/{},:]{0,5}".prop_map(|text| json!(text).to_string()),
        Just(r#""\u0041\n\\ // no comment""#.to_owned()),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| prop_oneof![list(inner.clone()), object(inner)])
}

fn list(inner: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    members(inner.boxed()).prop_map(|members| format!("[{members}]"))
}

fn object(inner: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    let key = prop_oneof![1 => Just("servers".to_owned()), 1 => Just("x".to_owned()), 4 => "[a-z]{1,3}"];
    let member = (key, gap(), gap(), inner).prop_map(|(key, one, two, value)| format!("\"{key}\"{one}:{two}{value}"));
    members(member.boxed()).prop_map(|members| format!("{{{members}}}"))
}

/// Members between commas, with or without one at the end.
fn members(member: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let one = (gap(), member, gap()).prop_map(|(one, member, two)| format!("{one}{member}{two}"));
    (prop::collection::vec(one, 0..4), any::<bool>(), gap()).prop_map(|(members, trailing, gap)| {
        let comma = if trailing && !members.is_empty() { "," } else { "" };
        format!("{}{comma}{gap}", members.join(","))
    })
}

/// Whether all of `old` is in `new`, in order.
fn is_kept(old: &str, new: &str) -> bool {
    let mut rest = new.chars();
    old.chars().all(|wanted| rest.any(|character| character == wanted))
}

fn comments(text: &str) -> Vec<String> {
    let document = parse(text, Dialect::Commented).unwrap();
    let tokens = document.tokens.unwrap();
    tokens.iter().filter(|token| is_comment(token)).map(|token| token.text(text).to_owned()).collect()
}

proptest! {
    #[test]
    fn nothing_else_changes(before in (gap(), object(value()), gap()).prop_map(|(one, object, two)| one + &object + &two)) {
        let wanted = json!({ "command": "c", "env": { "A": "1" } });
        let old = tree(&before, Dialect::Commented).unwrap();
        let Ok(after) = put(&before, Dialect::Commented, &PATH, &wanted) else {
            let has_comment = || {
                let text = &before[range_of(parse(&before, Dialect::Commented).unwrap().value.as_ref().unwrap())];
                text.contains("//") || text.contains("/*")
            };
            let is_there = old["servers"].get("x").is_some();
            prop_assert!(!old["servers"].is_object() || is_there && has_comment(), "refused only where there is no object to put it in, or something said");
            return Ok(());
        };
        let mut expected = old.clone();
        if expected["servers"].is_null() {
            expected["servers"] = json!({});
        }
        expected["servers"]["x"] = wanted.clone();
        prop_assert_eq!(tree(&after, Dialect::Commented).unwrap(), expected);
        prop_assert_eq!(comments(&before), comments(&after));
        if old["servers"].get("x").is_none() {
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert!(is_kept(&solid(&before), &solid(&after)));
            // White space gives way only in an object that had nothing else.
            let was_empty = old["servers"].as_object().is_some_and(Map::is_empty) || old.as_object().is_some_and(Map::is_empty);
            prop_assert!(was_empty || is_kept(&before, &after));
        } else {
            // What stands before and after the old value.
            let value = |text| range_of(parse(text, Dialect::Commented).unwrap().value.as_ref().unwrap());
            let (old, new) = (value(&before), value(&after));
            prop_assert_eq!(&before[..old.start], &after[..new.start]);
            prop_assert_eq!(&before[old.end..], &after[new.end..]);
        }
        prop_assert_eq!(put(&after, Dialect::Commented, &PATH, &wanted).map(|again| tree(&again, Dialect::Commented)), Ok(tree(&after, Dialect::Commented)));
    }

    #[test]
    fn any_text_is_refused_or_understood(text in "\\PC{0,40}|[\\[\\]{}\":,/* \n\ra0-9.\\\\-]{0,40}") {
        for dialect in [Dialect::Strict, Dialect::Commented] {
            if let Ok(after) = put(&text, dialect, &PATH, &json!(1)) {
                prop_assert_eq!(&tree(&after, dialect).unwrap()["servers"]["x"], &json!(1));
            }
        }
        let plain = serde_json::from_str::<Value>(&text);
        if let (Ok(ours), Ok(plain)) = (tree(&text, Dialect::Strict), &plain) {
            prop_assert_eq!(&ours, plain);
        }
    }
}

/// Where the value at [`PATH`] stands.
fn range_of(root: &ast::Value<'_>) -> Range<usize> {
    let mut here = root;
    for key in PATH {
        let ast::Value::Object(object) = here else { panic!("{here:?}") };
        here = &object.properties.iter().rfind(|property| property.name.as_str() == key).unwrap().value;
    }
    here.start()..here.end()
}
