//! Permission profiles as text, for the store.

use crate::core::{claude::Profile, store::AgentRow};

/// The word of a profile.
pub(super) const fn word(profile: Profile) -> &'static str {
    match profile {
        Profile::ReadOnly => "read_only",
        Profile::WorkspaceWrite => "workspace_write",
    }
}

/// The profile that a word names. An unknown one, which only another version could have written, means the narrow one.
pub(super) fn of_word(text: &str) -> Profile {
    if text == word(Profile::WorkspaceWrite) { Profile::WorkspaceWrite } else { Profile::ReadOnly }
}

/// An agent's profile.
pub(super) fn profile_of(agent: &AgentRow) -> Profile {
    of_word(&agent.permission_profile)
}
