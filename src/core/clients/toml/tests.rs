use proptest::prelude::*;
use serde_json::json;

use super::*;

fn fields() -> Vec<(Option<&'static str>, &'static str, Value)> {
    vec![
        (None, "command", json!("C:\\bin\\c")),
        (Some("Why\nthis."), "env_vars", json!(["A"])),
        (None, "required", json!(true)),
    ]
}

fn added(text: &str) -> Result<String, Fault> {
    let fields = fields();
    let lines: Vec<_> = fields.iter().map(|(note, key, value)| Line { note: *note, key, value }).collect();
    add(text, "mcp_servers", "x", &lines)
}

const BLOCK: &str = "[mcp_servers.x]\ncommand = 'C:\\bin\\c'\n# Why\n# this.\nenv_vars = [\"A\"]\nrequired = true\n";

#[test]
fn an_entry_is_added_at_the_end() {
    let rows = [
        (String::new(), BLOCK.to_owned()),
        ("a = 1".to_owned(), format!("a = 1\n\n{BLOCK}")),
        ("a = 1 # why\n\n".to_owned(), format!("a = 1 # why\n\n{BLOCK}")),
        ("[mcp_servers.y]\r\ncommand = \"y\"\r\n".to_owned(), format!("[mcp_servers.y]\r\ncommand = \"y\"\r\n\r\n{}", BLOCK.replace('\n', "\r\n"))),
        ("mcp_servers.y.command = \"y\"\n".to_owned(), format!("mcp_servers.y.command = \"y\"\n\n{BLOCK}")),
        (
            "mcp_servers = { y = { command = \"y\" } } # one line\n".to_owned(),
            "mcp_servers = { y = { command = \"y\" }, x = { command = 'C:\\bin\\c', env_vars = [\"A\"], required = true } } # one line\n"
                .to_owned(),
        ),
    ];
    for (before, after) in rows {
        assert_eq!(added(&before).unwrap(), after, "{before:?}");
    }
}

#[test]
fn a_key_is_added_where_the_others_are() {
    let rows = [
        (
            "[s.x]\na = 1 # why\n\n[s.x.env]\nB = \"2\"\n[t]\n",
            "[s.x]\na = 1 # why\nk = [\"v\"]\n\n[s.x.env]\nB = \"2\"\n[t]\n",
        ),
        ("[s.x]\r\n  a = [\r\n    1,\r\n  ] # why\r\n", "[s.x]\r\n  a = [\r\n    1,\r\n  ] # why\r\n  k = [\"v\"]\r\n"),
        ("[s.x] # empty", "[s.x] # empty\nk = [\"v\"]"),
        ("[s]\nx.a = 1\nx.b.c = 2\ny.a = 1\n", "[s]\nx.a = 1\nx.b.c = 2\nx.k = [\"v\"]\ny.a = 1\n"),
        ("s.x.a = 1\nz = 1", "s.x.a = 1\ns.x.k = [\"v\"]\nz = 1"),
        ("s = { x = { a = 1 } }", "s = { x = { a = 1, k = [\"v\"] } }"),
        ("s = { x = {} }", "s = { x = { k = [\"v\"] } }"),
        ("[s.x]\nenv.A = \"1\"\n", "[s.x]\nenv.A = \"1\"\nk = [\"v\"]\n"),
    ];
    for (before, after) in rows {
        assert_eq!(put(before, &["s", "x", "k"], &json!(["v"])).as_deref(), Ok(after), "{before:?}");
    }
    let nested = put("[s.x]\na = 1\n", &["s", "x", "env", "A"], &json!("1")).unwrap();
    assert_eq!(nested, "[s.x]\na = 1\nenv = { A = \"1\" }\n");
}

#[test]
fn only_the_value_is_replaced() {
    let before = "# top\r\n[s.x]\r\ncommand   =  'old'   # mine\r\nargs = [ 'a',\r\n 'b' ] # too\r\n\r\n[z]\r\n";
    let after = put(before, &["s", "x", "command"], &json!("new")).unwrap();
    assert_eq!(after, before.replace("'old'", "\"new\""));
    let after = put(before, &["s", "x", "args"], &json!(["c"])).unwrap();
    assert_eq!(after, before.replace("'a',\r\n 'b'", "\"c\""));
}

#[test]
fn what_cannot_be_done_is_refused_with_its_place() {
    assert_eq!(added("a = 1\nb = \n").unwrap_err().line, 2);
    assert_eq!(added("mcp_servers = 1").unwrap_err().to_string(), "line 1, column 15: `mcp_servers` is no table");
    assert_eq!(added("\n[[mcp_servers]]").unwrap_err().line, 2);
    assert!(put("[s.x.k]\n", &["s", "x", "k"], &json!(1)).is_err(), "a table is no value");
    assert!(put("s = { x.a.b = 1 }", &["s", "x", "k"], &json!(1)).is_err());
}

/// Documents of all that a person may write: keys, tables, lists over lines, comments, either line end.
fn document() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1_000"),
        Just("\"a # b\""),
        Just("'''x\n# no comment\n[no.table]\n'''"),
        Just("[ 1, # one\n  2,\n]"),
        Just("{ a = 1, b.c = 'x' }"),
        Just("1979-05-27T07:32:00Z"),
        Just("inf"),
    ];
    let line = (any::<u8>(), value, prop_oneof![Just(""), Just(" # why"), Just("   ")])
        .prop_map(|(key, value, end)| (format!("{key}"), format!("{value}{end}")));
    let lines = prop::collection::btree_map("[a-f]{1,2}", line, 0..4).prop_map(|lines| {
        lines.iter().map(|(key, (_, value))| format!("{key} = {value}\n")).collect::<Vec<_>>().concat()
    });
    let table = (prop_oneof![Just("\n"), Just("# about\n\n"), Just("")], lines.clone());
    let entry = prop_oneof![
        Just(""),
        Just("[mcp_servers.x]\ncommand = \"ccmcp\" # mine\n[mcp_servers.x.env]\nA = \"1\"\n"),
        Just("[mcp_servers]\n  x.command = 'ccmcp'\n  x.args = [\n 'serve' ]\n"),
        Just("[mcp_servers.y]\ncommand = 'y'\n\n# about x\n[mcp_servers . \"x\"]\n\tcommand = 'ccmcp'"),
        Just("[mcp_servers]\nx = { command = 'ccmcp', args = ['serve'] }\n"),
    ];
    (lines, prop::collection::vec(table, 0..3), entry, prop::collection::vec(Just("# end\n"), 0..2), any::<bool>())
        .prop_map(|(root, tables, entry, end, crlf)| {
            let tables =
                tables.iter().enumerate().map(|(number, (before, lines))| format!("{before}[t{number}.u]\n{lines}"));
            let gap = if entry.ends_with('\n') || entry.is_empty() { "" } else { "\n" };
            let text = format!("{root}{}{entry}{gap}{}", tables.collect::<String>(), end.concat());
            if crlf { text.replace('\n', "\r\n") } else { text }
        })
}

proptest! {
    #[test]
    fn nothing_else_changes(before in document()) {
        let old = tree(&before).unwrap();
        let wanted = json!({ "command": "C:\\bin\\c", "env_vars": ["A"], "required": true });
        if old["mcp_servers"].get("x").is_none() {
            let after = added(&before).unwrap();
            prop_assert!(after.starts_with(&before));
            let mut expected = old;
            if expected["mcp_servers"].is_null() {
                expected["mcp_servers"] = json!({});
            }
            expected["mcp_servers"]["x"] = wanted;
            prop_assert_eq!(tree(&after).unwrap(), expected);
            return Ok(());
        }
        let after = put(&before, &["mcp_servers", "x", "command"], &json!("new")).unwrap();
        let one_quote = |text: &str| text.replace("\"ccmcp\"", "\"new\"").replace("'ccmcp'", "\"new\"");
        prop_assert_eq!(&after, &one_quote(&before));
        let after = put(&before, &["mcp_servers", "x", "k"], &json!(1)).unwrap();
        let mut expected = old;
        expected["mcp_servers"]["x"]["k"] = json!(1);
        prop_assert_eq!(tree(&after).unwrap(), expected);
        // One piece was put in, and nothing taken away.
        let start = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
        let end = before.bytes().rev().zip(after.bytes().rev()).take_while(|(one, other)| one == other).count();
        prop_assert!(start + end >= before.len());
    }

    #[test]
    fn any_text_is_refused_or_understood(text in "\\PC{0,30}|[\\[\\]{}\"'=.,# \n\rabx0-9]{0,40}") {
        if let Ok(after) = added(&text) {
            // What the parser takes for a second definition is found when the result is read again.
            if let Ok(tree) = tree(&after) {
                prop_assert_eq!(&tree["mcp_servers"]["x"]["required"], &json!(true));
            }
        }
    }
}
