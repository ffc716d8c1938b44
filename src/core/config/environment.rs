//! One snapshot of the environment variables.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
};

/// The environment that ccmcp was started with, taken once by `app.rs`.
///
/// An empty value counts as unset, as it does for most programs. `Debug` shows names only: values hold tokens.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The value of `name`; `None` when unset or empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(&key(name))).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The value of `name` as text; `None` when unset, empty or not Unicode.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }

    /// Whether `name` is set to something.
    pub fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Every variable with its value, empty ones included.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// Names are matched without case on Windows, as the system does.
fn key(name: &str) -> String {
    if cfg!(windows) { name.to_uppercase() } else { name.to_owned() }
}

impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Self {
        let fold = |name: OsString| match name.to_str() {
            Some(text) if cfg!(windows) => OsString::from(key(text)),
            _ => name,
        };
        Self(variables.into_iter().map(|(name, value)| (fold(name), value)).collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_is_unset_and_values_are_not_shown() {
        let environment: Environment =
            [("A", ""), ("TOKEN", "secret")].map(|(name, value)| (name.into(), value.into())).into_iter().collect();
        assert!(!environment.is_set("A"));
        assert_eq!(environment.text("TOKEN"), Some("secret"));
        assert_eq!(format!("{environment:?}"), r#"{"A", "TOKEN"}"#);
    }
}
