//! States and kinds, in the words that callers see.

use std::fmt;

use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares an enum whose variants are one word each, the same in JSON, in the database and in the schema.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[schemars(inline)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every word, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The variant that `text` names.
            pub fn from_word(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                Self::from_word(value.as_str()?).ok_or(FromSqlError::InvalidType)
            }
        }
    };
}

words! {
    /// What an agent is doing.
    AgentState {
        /// A turn waits for a slot or for its workspace.
        Queued "queued",
        /// A turn is in progress.
        Running "running",
        /// Nothing to do.
        Idle "idle",
        /// A turn is being interrupted.
        Cancelling "cancelling",
        /// Something is uncertain; `interrupt_agent` or `followup_task` looks again.
        NeedsAttention "needs_attention",
        /// Closed: it takes no more messages.
        Closed "closed",
    }
}

impl AgentState {
    /// Whether a turn waits, runs or is being interrupted.
    pub fn is_busy(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Cancelling => true,
            Self::Idle | Self::NeedsAttention | Self::Closed => false,
        }
    }
}

words! {
    /// Why an agent needs attention.
    AttentionReason {
        /// Its server is gone, and its process may still be alive.
        OwnershipUnknown "ownership_unknown",
        /// Its process was recorded without an exact start time.
        IdentityIncomplete "identity_incomplete",
        /// Its process could not be ended.
        Containment "containment",
        /// The transcript of its session is gone.
        TranscriptMissing "transcript_missing",
    }
}

words! {
    /// How a turn stands.
    TurnStatus {
        /// It waits.
        Queued "queued",
        /// It is in progress.
        Running "running",
        /// It ended well.
        Succeeded "succeeded",
        /// It ended badly; `reason` says why.
        Failed "failed",
        /// It was interrupted.
        Interrupted "interrupted",
        /// It took longer than `max_turn_seconds`.
        TimedOut "timed_out",
    }
}

words! {
    /// Why a turn did not succeed, in one word.
    TurnReason {
        /// The API failed or refused.
        ApiError "api_error",
        /// Not logged in, expired, revoked, or not allowed.
        AuthFailed "auth_failed",
        /// A rate limit or the plan's usage limit.
        RateLimited "rate_limited",
        /// The account has no credit left.
        CreditExhausted "credit_exhausted",
        /// The API does not know the model.
        ModelRejected "model_rejected",
        /// The prompt or the conversation is too long.
        PromptTooLong "prompt_too_long",
        /// The process could not be started, time and again.
        LaunchFailed "launch_failed",
        /// The session to resume is gone.
        ResumeFailed "resume_failed",
        /// The process ended in the middle of the turn, twice.
        Exited "exited",
        /// The turn took longer than `max_turn_seconds`.
        TimedOut "timed_out",
        /// Somebody interrupted it, or its server was shut down.
        Interrupted "interrupted",
        /// `max_budget_usd` is used up.
        Budget "budget",
    }
}

words! {
    /// What a message wants.
    MessageKind {
        /// Context: it starts no turn.
        Message "message",
        /// It wants a turn.
        Followup "followup",
    }
}

words! {
    /// How far a message got.
    MessageState {
        /// In the mailbox.
        Pending "pending",
        /// Written to a process that has not confirmed it yet.
        Leased "leased",
        /// Confirmed by the CLI.
        Acknowledged "acknowledged",
        /// Never delivered: the agent was interrupted or closed before.
        Discarded "discarded",
    }
}

words! {
    /// What an agent's process is doing.
    Phase {
        /// It is being started.
        Starting "starting",
        /// It has a turn.
        Busy "busy",
        /// It waits for the next turn.
        Idle "idle",
        /// It is being ended.
        Ending "ending",
    }
}

words! {
    /// What one process asks another to do.
    RequestKind {
        /// Interrupt the agent's turn.
        Interrupt "interrupt",
        /// End the agent's idle process: its slot is needed.
        Evict "evict",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_everywhere() {
        for state in AgentState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
            assert_eq!(AgentState::from_word(state.as_str()), Some(*state));
        }
        assert_eq!(AgentState::from_word("Queued"), None);
    }
}
