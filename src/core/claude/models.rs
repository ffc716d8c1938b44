//! Which model names are accepted.
//!
//! An exact list, because a misspelt model is otherwise found only after a paid start, or silently replaced.

use crate::core::{
    error::{Error, ErrorCode},
    nearest::{did_you_mean, nearest},
};

/// Aliases: the newest model of a family.
const ALIASES: &[&str] = &["opus", "sonnet", "haiku", "fable"];

/// Exact ids.
const EXACT: &[&str] = &["claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5-20251001"];

/// The accepted model names.
#[derive(Clone, Debug)]
pub struct Models(Vec<String>);

impl Models {
    /// The built-in names and what the user added (`--accept-model`).
    pub fn new(added: &[String]) -> Self {
        let mut names: Vec<String> = ALIASES.iter().chain(EXACT).map(|&name| name.to_owned()).collect();
        for name in added {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Self(names)
    }

    /// Every accepted name.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// `MODEL_REJECTED`, with the list, unless `model` is on it exactly.
    pub fn accept(&self, model: &str) -> Result<(), Error> {
        if self.0.iter().any(|name| name == model) {
            return Ok(());
        }
        let list = format!("Pass one of: {}. Others can be allowed with `--accept-model ID`.", self.0.join(", "));
        let hint = match did_you_mean(&nearest(model, &self.0)) {
            Some(question) => format!("{question} {list}"),
            None => list,
        };
        Err(self.rejected("The model is not on the list of accepted models.").hint(hint))
    }

    /// The error for a model that the list has and the API does not know.
    pub fn rejected(&self, message: &str) -> Error {
        Error::new(ErrorCode::ModelRejected, message).details(|details| {
            details.field = Some("model".to_owned());
            details.accepted_models.clone_from(&self.0);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_names_pass() {
        let models = Models::new(&["my-model".to_owned(), "opus".to_owned()]);
        for good in ["opus", "fable", "claude-sonnet-5", "my-model"] {
            assert!(models.accept(good).is_ok(), "{good}");
        }
        for bad in ["", "Opus", "opus ", "claude-opus", "gpt-5"] {
            let error = models.accept(bad).unwrap_err();
            assert_eq!(error.code, ErrorCode::ModelRejected, "{bad}");
            assert_eq!(error.details.accepted_models.len(), 8);
        }
        for (near, meant) in [
            ("sonet", "`sonnet`"),
            ("Opus", "`opus`"),
            ("claude-opus-4.8", "`claude-opus-4-8`"),
            ("mymodel", "`my-model`"),
        ] {
            let hint = models.accept(near).unwrap_err().hint.unwrap();
            assert!(hint.starts_with(&format!("Did you mean {meant}? Pass one of: opus, ")), "{near}: {hint}");
        }
        let hint = models.accept("gpt-5").unwrap_err().hint.unwrap();
        assert!(hint.starts_with("Pass one of: opus, "), "{hint}");
    }
}
