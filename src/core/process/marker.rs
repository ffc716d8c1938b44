//! The variable that says whose a process is. It is inherited by everything that the program starts.

use std::{fmt, str::FromStr};

use super::identity::{Identity, Liveness};
use crate::core::ids::ChildId;

/// The name of the variable.
pub(super) const VARIABLE: &str = "CCMCP_CHILD";

/// One supervised tree: `CHILD:OWNER:SUPERVISOR`, the latter two as [`Identity`] writes them.
///
/// A ccmcp that itself runs below a supervised program adds its own mark to the one it has, after a comma: each of its
/// processes belongs to both trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// The tree.
    pub(super) child: ChildId,
    /// The server that started it.
    pub(super) owner: Identity,
    /// The supervisor that ends it.
    pub(super) supervisor: Identity,
}

impl Marker {
    /// Whether nobody is left who would end this tree: its server and its supervisor are both dead for certain.
    pub(super) fn orphaned(&self) -> bool {
        self.owner.liveness() == Liveness::Dead && self.supervisor.liveness() == Liveness::Dead
    }

    /// The variable's new value for the program, where `inherited` is the value that its environment had.
    pub(super) fn extend(&self, inherited: Option<&str>) -> String {
        match inherited {
            Some(outer) if !outer.is_empty() => format!("{outer},{self}"),
            _ => self.to_string(),
        }
    }

    /// All marks in a variable's value. What is not one is skipped: anybody can set a variable.
    pub(super) fn all(value: &str) -> impl Iterator<Item = Self> {
        value.split(',').filter_map(|mark| mark.parse().ok())
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.child, self.owner, self.supervisor)
    }
}

impl FromStr for Marker {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let words: Vec<&str> = text.split(':').collect();
        let [child, owner, owner_start, supervisor, supervisor_start] = *words.as_slice() else { return Err(()) };
        let identity = |pid: &str, start: &str| format!("{pid}:{start}").parse::<Identity>().map_err(|_| ());
        Ok(Self {
            child: child.parse().map_err(|_| ())?,
            owner: identity(owner, owner_start)?,
            supervisor: identity(supervisor, supervisor_start)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker() -> Marker {
        let own = Identity::own().unwrap();
        Marker { child: ChildId::new(), owner: own.clone(), supervisor: own }
    }

    #[test]
    fn a_chain_of_marks_is_read_back() {
        let (outer, inner) = (marker(), marker());
        let value = inner.extend(Some(&outer.extend(None)));
        assert_eq!(Marker::all(&value).collect::<Vec<_>>(), [outer.clone(), inner]);
        assert_eq!(outer.extend(Some("")), outer.to_string());
    }

    #[test]
    fn foreign_values_are_no_marks() {
        for value in ["", "1", "x:1:1:1:1", ",,,", "67e55044-10b1-426f-9247-bb680e5fe0c8:1:x:1:1"] {
            assert_eq!(Marker::all(value).count(), 0, "{value}");
        }
    }

    #[test]
    fn orphaned_needs_both_to_be_dead() {
        let mut marker = marker();
        assert!(!marker.orphaned());
        marker.owner.start.insert(0, '9');
        assert!(!marker.orphaned(), "its supervisor will see to it");
        marker.supervisor.start.insert(0, '9');
        assert!(marker.orphaned());
    }
}
