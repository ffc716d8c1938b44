//! The models that agents can be given.

use super::{
    answer::{ListedModels, ModelChoice},
    input::Effort,
};

/// Aliases of the CLI with what they are good for; `None` leaves the choice to the CLI.
const CHOICES: &[(&str, Option<&str>, &str)] = &[
    ("default", None, "Whatever the local Claude Code is set to. Use it unless you have a reason."),
    ("fable", Some("fable"), "Routine work."),
    ("sonnet", Some("sonnet"), "Complex coding and review."),
    ("opus", Some("opus"), "The hardest problems."),
    ("haiku", Some("haiku"), "Small, quick jobs."),
];

/// The list.
pub(super) fn list() -> ListedModels {
    let choice = |(id, spawn_value, recommended_for): &(&str, Option<&str>, &str)| ModelChoice {
        id: (*id).to_owned(),
        spawn_value: spawn_value.map(str::to_owned),
        recommended_for: (*recommended_for).to_owned(),
    };
    ListedModels {
        models: CHOICES.iter().map(choice).collect(),
        effort_levels: Effort::ALL.to_vec(),
        accepts_full_model_id: true,
        availability_note: "Which models an account may use is known only when a turn runs: a turn with one that it \
                            may not use fails with the reason `model_rejected`."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_has_no_value_and_says_so() {
        let list = serde_json::to_value(list()).unwrap();
        assert_eq!(list["models"][0]["spawn_value"], serde_json::Value::Null);
        assert!(list["models"].as_array().unwrap()[0].get("spawn_value").is_some());
        assert_eq!(list["models"].as_array().unwrap().len(), 5);
        assert_eq!(list["effort_levels"], serde_json::json!(["low", "medium", "high", "xhigh", "max"]));
    }
}
