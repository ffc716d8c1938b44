use proptest::prelude::*;
use serde_json::json;

use super::super::{
    jsonc::{self, Dialect},
    toml,
};
use super::*;

/// The list `k` of a document in either format made another one.
fn put(is_toml: bool, text: &str, new: &Value) -> Result<String, Fault> {
    if is_toml { toml::put(text, &["k"], new) } else { jsonc::put(text, Dialect::Commented, &["k"], new) }
}

fn tree(is_toml: bool, text: &str) -> Value {
    if is_toml { toml::tree(text).unwrap() } else { jsonc::tree(text, Dialect::Commented).unwrap() }
}

#[test]
fn elements_change_where_they_stand() {
    let rows = [
        (r#"["A"]"#, r#"["A", "B"]"#, json!(["A", "B"])),
        (r#"[ "A" , "B", ]"#, r#"[ "A", "C" , "B", ]"#, json!(["A", "C", "B"])),
        (r#"["A", "B"]"#, r#"["C", "A", "B"]"#, json!(["C", "A", "B"])),
        ("[]", r#"["A", "B"]"#, json!(["A", "B"])),
        (r#"[ "a/b",  "B" ]"#, r#"[ "x",  "B" ]"#, json!(["x", "B"])),
        (r#"["s", "--t=a", "x"]"#, r#"["s", "--t", "b", "x"]"#, json!(["s", "--t", "b", "x"])),
        (r#"["s", "t", "x",]"#, r#"["s",]"#, json!(["s"])),
        (r#"["s", "t", "x"]"#, r#"["x"]"#, json!(["x"])),
        (r#"["s", ]"#, "[]", json!([])),
        ("[\n  \"A\",\n  \"B\"\n]", "[\n  \"A\",\n  \"B\",\n  \"C\",\n  \"D\"\n]", json!(["A", "B", "C", "D"])),
        ("[\r\n\t\"A\",\r\n]", "[\r\n\t\"A\",\r\n\t\"C\",\r\n\t\"D\",\r\n]", json!(["A", "C", "D"])),
        ("[\n  \"A\",\n  \"B\"\n]", "[\n  \"A\",\n  \"X\",\n  \"B\"\n]", json!(["A", "X", "B"])),
    ];
    for (before, after, new) in rows {
        for (is_toml, front, back) in [(true, "k = ", "\n"), (false, "{\"k\": ", "}")] {
            let [before, after] = [before, after].map(|list| format!("{front}{list}{back}"));
            assert_eq!(put(is_toml, &before, &new), Ok(after), "{before:?}");
        }
    }
}

#[test]
fn what_is_said_about_an_element_stays_with_it() {
    let before = "k = [ # keep these\n  \"MINE\", # why\n  # more\n]\n";
    let after = "k = [ # keep these\n  \"MINE\", # why\n  \"A\",\n  # more\n]\n";
    assert_eq!(put(true, before, &json!(["MINE", "A"])).as_deref(), Ok(after));
    let before = "{ \"k\": [ // keep these\n  \"MINE\", // why\n  \"B\" /* end */ ] }";
    let after = "{ \"k\": [ // keep these\n  \"MINE\", // why\n  \"B\", \"A\" /* end */ ] }";
    assert_eq!(put(false, before, &json!(["MINE", "B", "A"])).as_deref(), Ok(after));
    let after = "{ \"k\": [ // keep these\n  \"MINE\", // why\n  \"C\" /* end */ ] }";
    assert_eq!(put(false, before, &json!(["MINE", "C"])).as_deref(), Ok(after));
}

#[test]
fn a_change_that_would_lose_a_comment_is_not_made() {
    for (text, new) in [
        ("k = [ # none yet\n]", json!(["A"])),
        ("k = [ \"A\", # why\n \"B\" ]", json!(["C"])),
        ("k = [ \"A\", \"B\" # why\n , \"C\" ]", json!(["A"])),
        ("k = [ [ 1, # why\n 2 ] ]", json!([1])),
    ] {
        assert!(put(true, text, &new).unwrap_err().is_style, "{text:?}");
        let text = text.replace("k = ", "{ \"k\": ").replace('#', "//") + "}";
        assert!(put(false, &text, &new).unwrap_err().is_style, "{text:?}");
    }
}

/// What may stand around an element; each comment is another one.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        2 => "\r?\n[ \t]{0,3}".prop_map(String::from),
        2 => " #[a-z,\"]{0,4}\\]?\r?\n[ ]{0,2}".prop_map(String::from),
    ]
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-c#/,\\]]{1,2}", 0..4)
}

proptest! {
    #[test]
    fn every_comment_stays(
        (old, gaps) in words().prop_flat_map(|old| {
            let count = 2 * old.len() + 1;
            (Just(old), prop::collection::vec(gap(), count))
        }),
        new in words(),
        trailing: bool,
        is_toml: bool,
    ) {
        let mut list = String::new();
        let mut comments = Vec::new();
        for (number, gap) in gaps.iter().enumerate() {
            let mark = if is_toml { "#" } else { "//" };
            let gap = gap.replacen('#', &format!("{mark}{number}:"), 1);
            comments.extend(gap.split_once(mark).map(|(_, comment)| comment.trim().to_owned()));
            list += &gap;
            if number % 2 == 0 && let Some(word) = old.get(number / 2) {
                list += &json!(word).to_string();
            } else if number % 2 == 1 && (number / 2 + 1 < old.len() || trailing) {
                list += ",";
            }
        }
        let text = if is_toml { format!("k = [{list}]") } else { format!("{{ \"k\": [{list}] }}") };
        prop_assert_eq!(&tree(is_toml, &text)["k"], &json!(old));
        match put(is_toml, &text, &json!(new)) {
            Ok(after) => {
                prop_assert_eq!(&tree(is_toml, &after)["k"], &json!(new));
                for comment in comments {
                    prop_assert!(after.contains(&comment), "{:?} is gone from {:?}", comment, after);
                }
            }
            Err(fault) => prop_assert!(fault.is_style && !comments.is_empty(), "{}", fault),
        }
        // One more at the end is never refused where there is one.
        if !old.is_empty() {
            let more: Vec<_> = old.iter().map(String::as_str).chain(["more"]).collect();
            prop_assert_eq!(&tree(is_toml, &put(is_toml, &text, &json!(more)).unwrap())["k"], &json!(more));
        }
    }
}
