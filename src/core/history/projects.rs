//! `list_projects`: the working directories in which Claude Code was used.

use std::{cmp::Reverse, fs::File};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    History,
    error::HistoryError,
    find::Listed,
    page::{bounded, limit, next_offset, room},
    peek::last_spoken,
};
use crate::core::{clock::Timestamp, error::Result};

/// What `list_projects` is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListProjects {
    /// How many projects to show: 50, at most 1000.
    pub limit: Option<usize>,
    /// How many projects to pass over.
    pub offset: usize,
}

/// A page of projects.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectsPage {
    /// The projects, the one used last first.
    pub projects: Vec<ProjectSummary>,
    /// How many projects there are.
    pub total: usize,
    /// How many sessions they hold together.
    pub total_sessions: usize,
    /// How many bytes they hold together.
    pub total_size_bytes: u64,
    /// What to pass as `offset` for the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
}

/// One project.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProjectSummary {
    /// The folder's name.
    pub slug: String,
    /// The working directory, as the newest session records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// How many sessions it holds.
    pub session_count: usize,
    /// How many transcripts of sub-agents it holds.
    pub subagent_count: usize,
    /// The size of all of them in bytes.
    pub total_size_bytes: u64,
    /// When the last record of a conversation was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<Timestamp>,
}

impl History {
    /// The projects, the one used last first.
    ///
    /// # Errors
    /// A limit out of range; the projects directory cannot be read.
    pub fn list_projects(&self, asked: &ListProjects) -> Result<ProjectsPage> {
        Ok(self.project_page(asked)?)
    }

    fn project_page(&self, asked: &ListProjects) -> std::result::Result<ProjectsPage, HistoryError> {
        let limit = limit(asked.limit, 50, 1000)?;
        let listed = self.listed(None)?;
        let mut projects: Vec<_> = listed.par_iter().map(summary).collect();
        projects.sort_by(|a, b| (Reverse(a.last_activity), &a.slug).cmp(&(Reverse(b.last_activity), &b.slug)));
        let (total, total_sessions) = (projects.len(), projects.iter().map(|project| project.session_count).sum());
        let total_size_bytes = projects.iter().map(|project| project.total_size_bytes).sum();
        let page = projects.into_iter().skip(asked.offset).take(limit);
        let projects = bounded(page, room(asked.limit.is_some_and(|limit| limit > 50)));
        let next_offset = next_offset(asked.offset, projects.len(), total);
        Ok(ProjectsPage { projects, total, total_sessions, total_size_bytes, next_offset })
    }
}

fn summary(listed: &Listed) -> ProjectSummary {
    let contents = &listed.contents;
    let sizes = contents.sessions.iter().map(|session| session.size);
    ProjectSummary {
        slug: listed.project.slug.clone(),
        cwd: listed.cwd(),
        session_count: contents.sessions.len(),
        subagent_count: contents.agents.len(),
        total_size_bytes: sizes.chain(contents.agents.iter().map(|agent| agent.size)).sum(),
        last_activity: last_activity(listed),
    }
}

/// The newest record of a conversation. A file holds nothing newer than its last change, so that mostly one
/// file has to be looked at.
fn last_activity(listed: &Listed) -> Option<Timestamp> {
    let mut sessions: Vec<_> = listed.contents.sessions.iter().collect();
    sessions.sort_by_key(|session| Reverse(session.modified));
    let mut newest = None;
    for session in sessions {
        if newest >= Some(session.modified) {
            break;
        }
        let spoken = File::open(&session.path).and_then(|mut file| last_spoken(session, &mut file));
        newest = newest.max(spoken.ok().flatten());
    }
    newest
}
