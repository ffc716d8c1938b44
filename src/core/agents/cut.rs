//! Cutting what is too long, with a mark.

use serde_json::Value;

/// `text`, at most `most` bytes of it and a mark when it was cut. Whole characters only.
pub(super) fn text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}… [cut: {} bytes in all]", text.get(..end).unwrap_or_default(), text.len())
}

/// `value` in at most about `most` bytes of JSON: long texts in it are cut first; what does not help becomes a text
/// that is cut.
pub(super) fn value(value: Value, most: usize) -> Value {
    let size = |value: &Value| value.to_string().len();
    if size(&value) <= most {
        return value;
    }
    for longest in [most / 2, most / 8, most / 32] {
        let shorter = strings(value.clone(), longest);
        if size(&shorter) <= most {
            return shorter;
        }
    }
    Value::String(text(&value.to_string(), most / 2))
}

fn strings(value: Value, longest: usize) -> Value {
    match value {
        Value::String(long) => Value::String(text(&long, longest)),
        Value::Array(items) => items.into_iter().map(|item| strings(item, longest)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, item)| (name, strings(item, longest))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_says_so() {
        assert_eq!(text("short", 5), "short");
        assert_eq!(text("ééé", 3), "é… [cut: 6 bytes in all]");
    }

    #[test]
    fn long_texts_go_first_and_the_shape_stays() {
        let long = json!({ "type": "result", "result": "x".repeat(9000), "num_turns": 1 });
        let cut = value(long, 1000);
        assert_eq!((&cut["type"], &cut["num_turns"]), (&json!("result"), &json!(1)));
        assert!(cut.to_string().len() <= 1000 && cut["result"].as_str().unwrap().contains("9000 bytes"));
        let many: Value = (0..1000).map(Value::from).collect();
        assert!(value(many, 500).to_string().len() <= 500);
        assert_eq!(value(json!([1]), 500), json!([1]));
    }
}
