//! The arguments of the history tools, and the questions that these are to the core.
//!
//! Clients strip ranges and defaults from schemas, so the descriptions say them too.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::arguments::BadArgument;
use crate::core::{
    clock::Timestamp,
    error::{ErrorCode, Result},
    history::{Branch, GetForks, GetThread, GetTree, ListProjects, ListSessions, Mode, Role, Search, Within},
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProjectsParams {
    /// How many to list (1 to 1000, default 50).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// How many to pass over (default 0); go on with `next_offset`.
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionsParams {
    /// Only this directory: path, slug, or a unique part of either (default: all).
    #[schemars(length(min = 1))]
    project: Option<String>,
    /// How many to list (1 to 1000, default 20).
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// How many to pass over (default 0); go on with `next_offset`.
    offset: Option<usize>,
    /// Only sessions active at or after this ISO-8601 time or date (UTC), e.g. 2026-11-30.
    since: Option<String>,
    /// Only sessions begun at or before this; a date is its first moment.
    until: Option<String>,
    /// Also sessions without any message (default false).
    include_empty: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParams {
    /// What to find (at most 4000 characters), e.g. `retry backoff`.
    #[schemars(length(max = 4000))]
    query: String,
    /// The query is "text" as it stands (default), "words" in any order, or a "regex".
    mode: Option<Mode>,
    /// Upper and lower case differ (default false).
    case_sensitive: Option<bool>,
    /// "messages" typed and answered (default), "tools" (calls and results), "thinking" or "all".
    r#in: Option<Within>,
    /// Only texts of this role (default: any).
    role: Option<Role>,
    /// Only on the branch that its session goes on with, or on abandoned ones (default "any").
    branch: Option<OnBranch>,
    /// Only this directory: path, slug, or a unique part of either (default: all).
    #[schemars(length(min = 1))]
    project: Option<String>,
    /// Only this session: its id or a unique prefix.
    #[schemars(length(min = 1, max = 100))]
    session_id: Option<String>,
    /// Only from this ISO-8601 time or date on (UTC), e.g. 2026-11-30.
    since: Option<String>,
    /// Only up to this; a date is its first moment.
    until: Option<String>,
    /// Also sub-agents' conversations (default false).
    include_subagents: Option<bool>,
    /// Also the session that you are in (default false).
    include_current: Option<bool>,
    /// How many hits (1 to 50, default 10).
    #[schemars(range(min = 1, max = 50))]
    max_results: Option<usize>,
    /// How many to pass over (default 0); go on with `next_offset`.
    offset: Option<usize>,
    /// Go on where a search ran out of time: its `cursor`.
    cursor: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OnBranch {
    Any,
    Primary,
    Abandoned,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TreeParams {
    /// The session's id or a unique prefix.
    #[schemars(length(min = 1, max = 100))]
    session_id: String,
    /// Its directory (as in search), if its id was used in several.
    #[schemars(length(min = 1))]
    project: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ThreadParams {
    /// The session's id or a unique prefix.
    #[schemars(length(min = 1, max = 100))]
    session_id: String,
    /// Where to end (default: the branch that the session goes on with): the uuid or a unique prefix of a record, as
    /// search, `get_tree` and `get_forks` give it.
    #[schemars(length(max = 100))]
    leaf_uuid: Option<String>,
    /// Its directory (as in search), if its id was used in several.
    #[schemars(length(min = 1))]
    project: Option<String>,
    /// How many to pass over (default 0); go on with `next_offset`; for the end, `total` less a few.
    offset: Option<usize>,
    /// How many messages (1 to 200, default 50).
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
    /// Tool calls with their input and result (default false).
    include_tool_calls: Option<bool>,
    /// How many characters of each text (1 to 1000000, default 1000).
    #[schemars(range(min = 1, max = 1_000_000))]
    max_chars: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForksParams {
    /// The session's id or a unique prefix.
    #[schemars(length(min = 1, max = 100))]
    session_id: String,
    /// Its directory (as in search), if its id was used in several.
    #[schemars(length(min = 1))]
    project: Option<String>,
    /// Only the fork at this message: its uuid or a unique prefix (default: all forks).
    #[schemars(length(max = 100))]
    fork_uuid: Option<String>,
}

impl From<ProjectsParams> for ListProjects {
    fn from(params: ProjectsParams) -> Self {
        Self { limit: params.limit, offset: params.offset.unwrap_or_default() }
    }
}

impl SessionsParams {
    /// The question; `SCHEMA_VALIDATION` for a time that is none.
    pub(super) fn into_question(self) -> Result<ListSessions> {
        Ok(ListSessions {
            project: self.project,
            limit: self.limit,
            offset: self.offset.unwrap_or_default(),
            since: time("since", self.since.as_deref())?,
            until: time("until", self.until.as_deref())?,
            include_empty: self.include_empty.unwrap_or_default(),
        })
    }
}

impl SearchParams {
    /// The question; `SCHEMA_VALIDATION` for a time that is none.
    pub(super) fn into_question(self) -> Result<Search> {
        Ok(Search {
            query: self.query,
            project: self.project,
            max_results: self.max_results,
            offset: self.offset.unwrap_or_default(),
            include_subagents: self.include_subagents.unwrap_or_default(),
            mode: self.mode.unwrap_or_default(),
            case_sensitive: self.case_sensitive.unwrap_or_default(),
            role: self.role,
            branch: match self.branch {
                Some(OnBranch::Primary) => Some(Branch::Primary),
                Some(OnBranch::Abandoned) => Some(Branch::Abandoned),
                Some(OnBranch::Any) | None => None,
            },
            within: self.r#in.unwrap_or_default(),
            since: time("since", self.since.as_deref())?,
            until: time("until", self.until.as_deref())?,
            session_id: self.session_id,
            include_current: self.include_current.unwrap_or_default(),
            current: None,
            cursor: self.cursor,
            time_limit: None,
        })
    }
}

impl From<TreeParams> for GetTree {
    fn from(params: TreeParams) -> Self {
        Self { session_id: params.session_id, project: params.project }
    }
}

impl From<ThreadParams> for GetThread {
    fn from(params: ThreadParams) -> Self {
        Self {
            session_id: params.session_id,
            leaf_uuid: params.leaf_uuid,
            project: params.project,
            offset: params.offset.unwrap_or_default(),
            limit: params.limit,
            include_tool_calls: params.include_tool_calls.unwrap_or_default(),
            max_chars: params.max_chars,
        }
    }
}

impl From<ForksParams> for GetForks {
    fn from(params: ForksParams) -> Self {
        Self { session_id: params.session_id, project: params.project, fork_uuid: params.fork_uuid }
    }
}

fn time(field: &str, given: Option<&str>) -> Result<Option<Timestamp>> {
    let expected = "an ISO-8601 time or date, such as \"2026-11-30T12:00:00Z\" or \"2026-11-30\"";
    let bad = || BadArgument::new(field, expected).into_error(ErrorCode::SchemaValidation);
    given.map(|text| Timestamp::parse(text).ok_or_else(bad)).transpose()
}
