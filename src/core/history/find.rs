//! From what a caller passes to a project or a session: by comparing with what was listed, never as a path.

use std::{collections::HashMap, path::Path};

use rayon::{iter::Either, prelude::*};

use super::{
    History, ListSessions,
    error::{Asked, HistoryError},
};
use crate::core::{
    error::{Error, ErrorCode},
    ids::SessionId,
    nearest::nearest,
    transcript::{AgentFile, Contents, Project, SessionFile, beginning_with, nearly_named, slug},
};

type Result<T, E = HistoryError> = std::result::Result<T, E>;

/// One project with what its folder holds.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) project: Project,
    pub(super) contents: Contents,
}

impl Listed {
    /// The working directory that the newest session with one names.
    pub(super) fn cwd(&self) -> Option<String> {
        let mut sessions: Vec<_> = self.contents.sessions.iter().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.modified));
        sessions.into_iter().find_map(|session| session.first_cwd().ok().flatten())
    }

    /// The sub-agents' own transcripts by the session that they belong to. In the flat layout only the records
    /// know it.
    pub(super) fn agents(&self) -> HashMap<SessionId, Vec<&AgentFile>> {
        let mut agents: HashMap<_, Vec<_>> = HashMap::new();
        for agent in &self.contents.agents {
            if let Some(session) = agent.session.or_else(|| agent.first_session().ok().flatten()) {
                agents.entry(session).or_default().push(agent);
            }
        }
        agents
    }
}

impl History {
    /// Every project, or the one that is asked for. A folder that cannot be listed is left out.
    pub(super) fn listed(&self, project: Option<&str>) -> Result<Vec<Listed>> {
        Ok(self.listing(project)?.0)
    }

    /// The same, and the folders that were left out, as a reply names them.
    pub(super) fn listing(&self, project: Option<&str>) -> Result<(Vec<Listed>, Vec<String>)> {
        let projects = self.projects.list().map_err(HistoryError::unreadable(self.projects.root()))?;
        let list = |project: Project| match project.contents() {
            Ok(contents) => Either::Left(Listed { project, contents }),
            Err(error) => Either::Right(format!("{}: {error}", project.slug)),
        };
        let Some(asked) = project else { return Ok(projects.into_par_iter().partition_map(list)) };
        let one = pick(projects, asked)?;
        let contents = one.contents().map_err(HistoryError::unreadable(self.projects.root().join(&one.slug)))?;
        Ok((vec![Listed { project: one, contents }], Vec::new()))
    }

    /// The id that a person at a terminal means by `name`: `last` is the newest session of the directory `here`, or of
    /// all where it has none; with a project the newest of that. Anything else is an id, or the beginning of one, for
    /// the question itself to look for.
    ///
    /// # Errors
    /// There is no session yet, or no such project; the projects directory cannot be read.
    pub fn session_named(&self, name: &str, here: Option<&Path>, project: Option<&str>) -> Result<String, Error> {
        if name != "last" {
            return Ok(name.to_owned());
        }
        let newest = |project: Option<&str>| {
            let project = project.map(str::to_owned);
            let asked = ListSessions { project, limit: Some(1), ..ListSessions::default() };
            self.list_sessions(&asked).map(|page| page.sessions.into_iter().next())
        };
        // Part of a path fits as a project too, but is not this directory.
        let own = |here: &str| newest(Some(here)).ok().flatten().filter(|session| session.cwd.as_deref() == Some(here));
        let found = match project {
            Some(project) => newest(Some(project))?,
            None => here.and_then(Path::to_str).and_then(own).map_or_else(|| newest(None), |own| Ok(Some(own)))?,
        };
        found.map(|session| session.session_id.to_string()).ok_or_else(|| {
            Error::new(ErrorCode::SessionNotFound, "There is no session yet.").hint("Start one with `ccmcp start`.")
        })
    }

    /// The session with this id, or whose id starts with it.
    pub(super) fn session(&self, asked: &str, project: Option<&str>) -> Result<(SessionFile, Listed)> {
        let all = self.listed(project)?;
        let mut found = Vec::new();
        for listed in &all {
            let fit = beginning_with(&listed.contents.sessions, asked);
            found.extend(fit.map(|session| (session.clone(), listed.clone())));
        }
        if found.len() > 1 {
            return Err(HistoryError::ManySessions {
                asked: Asked::new(asked),
                sessions: found.iter().map(|(session, _)| session.id).collect(),
                projects: found.iter().map(|(session, _)| session.project.clone()).collect(),
            });
        }
        found.pop().ok_or_else(|| HistoryError::NoSession {
            asked: Asked::new(asked),
            nearest: nearly_named(all.iter().flat_map(|listed| &listed.contents.sessions), asked),
        })
    }
}

/// The project that `asked` names: its slug, its working directory, or a unique part of either.
fn pick(mut projects: Vec<Project>, asked: &str) -> Result<Project> {
    if asked.trim().is_empty() {
        let expected = "a slug, a working directory or a unique part of either";
        return Err(HistoryError::Argument { field: "project", problem: "is empty".into(), expected });
    }
    if let Some(exact) = projects.iter().position(|project| project.slug == asked) {
        return Ok(projects.swap_remove(exact));
    }
    let directory = trim_separator(asked);
    let as_slug = slug(directory);
    let exact: Vec<_> = projects.iter().filter(|project| fits_cwd(project, &as_slug, directory)).cloned().collect();
    if let [one] = &exact[..] {
        return Ok(one.clone());
    }
    let part = as_slug.to_ascii_lowercase();
    let fits = |project: &Project| project.slug.to_ascii_lowercase().contains(&part) && fits_part(project, asked);
    if !projects.iter().any(fits) {
        return Err(HistoryError::NoProject { asked: Asked::new(asked), nearest: nearly_called(&projects, asked) });
    }
    projects.retain(fits);
    match projects.len() {
        1 => Ok(projects.swap_remove(0)),
        _ => Err(HistoryError::ManyProjects {
            asked: Asked::new(asked),
            candidates: projects.into_iter().map(|project| project.slug).collect(),
        }),
    }
}

fn trim_separator(directory: &str) -> &str {
    let trimmed = directory.trim_end_matches(['/', '\\']);
    if trimmed.is_empty() { directory } else { trimmed }
}

/// Whether sessions of this project were started in exactly this directory. A long slug is cut, so that only
/// its beginning can be compared.
fn fits_cwd(project: &Project, slug: &str, directory: &str) -> bool {
    const LONGEST: usize = 200;
    let near = project.slug == slug || slug.get(..LONGEST).is_some_and(|start| project.slug.starts_with(start));
    near && cwd(project).is_some_and(|cwd| cwd == directory)
}

/// Whether the part is really in the slug or the working directory, and not only in how the slug is written.
fn fits_part(project: &Project, part: &str) -> bool {
    let part = part.to_lowercase();
    project.slug.to_lowercase().contains(&part) || cwd(project).is_some_and(|cwd| cwd.to_lowercase().contains(&part))
}

/// The directories that are called nearly so: by their path, or by the last part of it.
fn nearly_called(projects: &[Project], asked: &str) -> Vec<String> {
    let directories: Vec<String> =
        projects.iter().map(|project| cwd(project).unwrap_or_else(|| project.slug.clone())).collect();
    let whole = nearest(asked, &directories);
    if !whole.is_empty() {
        return whole.into_iter().cloned().collect();
    }
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let near = nearest(&last(trim_separator(asked)), directories.iter().map(|directory| last(directory)));
    directories.into_iter().filter(|directory| near.contains(&last(directory))).take(near.len()).collect()
}

fn cwd(project: &Project) -> Option<String> {
    let contents = project.contents().ok()?;
    Listed { project: project.clone(), contents }.cwd()
}
