//! The six tools, and how each is run.

use std::{panic::resume_unwind, sync::Arc, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{
    task::{JoinError, spawn_blocking},
    time::{Instant, interval_at},
};

use super::{
    super::{
        progress::Progress,
        reply::Reply,
        tool::{Call, Effect, Entry},
    },
    listing,
    params::{ForksParams, ProjectsParams, SearchParams, SessionsParams, ThreadParams, TreeParams},
    shape,
};
use crate::core::{
    error::{Error, ErrorCode, Result},
    history::{
        Current, Forks, GetForks, GetThread, GetTree, History, ListProjects, ProjectsPage, SearchPage, SessionTree,
        Sessions, Thread, Watch,
    },
};

/// How often a search says how far it is.
const TICK: Duration = Duration::from_millis(500);

/// The tools of this set.
pub(in crate::mcp) fn tools() -> Vec<Entry> {
    vec![
        entry::<ProjectsParams, ProjectsPage>(
            "list_projects",
            "List projects",
            "List the directories (projects) in which Claude Code was used on this machine, the one used last first, \
             with number and size of their sessions. Use it to learn what `project` can be.",
            |call| list_projects(call).boxed(),
        ),
        entry::<SessionsParams, Sessions>(
            "list_sessions",
            "List past sessions",
            "List past Claude Code sessions, newest first: id, title, first prompt, directory, times, counts. Use it \
             when you know where or when; when you know what was said, use search.",
            |call| list_sessions(call).boxed(),
        ),
        entry::<SearchParams, SearchPage>(
            "search",
            "Search past conversations",
            "Full-text search over all past Claude Code conversations, newest first. Use it first whenever earlier \
             work matters: how something was solved, decided or said. Each hit has a snippet, the two messages before \
             it, session_id and uuid: get_thread with leaf_uuid = uuid reads the conversation up to it. Nothing \
             found? Try fewer words with mode \"words\", or in: \"all\".",
            |call| search(call).boxed(),
        ),
        entry::<TreeParams, SessionTree>(
            "get_tree",
            "Show the shape of a session",
            "Show the shape of one session, not its text: counts, beginnings, forks, compactions, sub-agents, and the \
             last message of each branch (its uuid is a leaf_uuid for get_thread). Use it to see whether there are \
             abandoned branches.",
            |call| get_tree(call).boxed(),
        ),
        entry::<ThreadParams, Thread>(
            "get_thread",
            "Read a conversation",
            "Read one session's messages in order, by default those of the branch that it goes on with. Long texts are \
             cut to max_chars; go on with next_offset. Tools that were called are only named, unless include_tool_calls \
             is set.",
            |call| get_thread(call).boxed(),
        ),
        entry::<ForksParams, Forks>(
            "get_forks",
            "List forks",
            "List where one session went two ways: rewind (somebody went back and typed something else), retry \
             (answered again), divergence (two writers, or resumed from an earlier point); with each branch's first \
             message and its leaf_uuid for get_thread. Use it to find what was tried and abandoned.",
            |call| get_forks(call).boxed(),
        ),
    ]
}

fn entry<A: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &str,
    run: fn(Call) -> BoxFuture<'static, Result<Reply>>,
) -> Entry {
    Entry::new::<A, O>(name, title, description.to_owned(), Effect::Reads, ErrorCode::SchemaValidation, run)
}

async fn list_projects(mut call: Call) -> Result<Reply> {
    let asked: ListProjects = call.read::<ProjectsParams>()?.into();
    answer(&call, move |history| history.list_projects(&asked), listing::projects).await
}

async fn list_sessions(mut call: Call) -> Result<Reply> {
    let asked = call.read::<SessionsParams>()?.into_question()?;
    answer(&call, move |history| history.list_sessions(&asked), listing::sessions).await
}

async fn get_tree(mut call: Call) -> Result<Reply> {
    let asked: GetTree = call.read::<TreeParams>()?.into();
    answer(&call, move |history| history.get_tree(&asked), shape::tree).await
}

async fn get_thread(mut call: Call) -> Result<Reply> {
    let asked: GetThread = call.read::<ThreadParams>()?.into();
    answer(&call, move |history| history.get_thread(&asked), shape::thread).await
}

async fn get_forks(mut call: Call) -> Result<Reply> {
    let asked: GetForks = call.read::<ForksParams>()?.into();
    answer(&call, move |history| history.get_forks(&asked), shape::forks).await
}

/// Reads files on a thread that may block, and renders the answer.
async fn answer<T: Serialize + Send + 'static>(
    call: &Call,
    ask: impl FnOnce(&History) -> Result<T> + Send + 'static,
    render: fn(&T) -> String,
) -> Result<Reply> {
    let history = call.core.history().clone();
    let answer = outcome(spawn_blocking(move || ask(&history)).await)?;
    Reply::rendered(&answer, render(&answer))
}

/// A search ends with its request. The end of the client's input does not end it: its answer is still awaited.
async fn search(mut call: Call) -> Result<Reply> {
    let mut asked = call.read::<SearchParams>()?.into_question()?;
    asked.current = current(&call);
    let watch = Arc::new(Watch::default());
    let mut searching = spawn_blocking({
        let (history, watch) = (call.core.history().clone(), Arc::clone(&watch));
        move || history.search(&asked, &watch)
    });
    let mut progress = Progress::of(&call.context);
    let mut ticks = interval_at(Instant::now() + TICK, TICK);
    let found = loop {
        tokio::select! {
            found = &mut searching => break found,
            () = call.context.ct.cancelled(), if !watch.is_cancelled() => watch.cancel(),
            _ = ticks.tick() => {
                let (done, files) = watch.files();
                progress.tell(format!("searched {done} of {files} files").as_bytes());
            }
        }
    };
    progress.finish().await;
    let page = outcome(found)?;
    Reply::rendered(&page, listing::hits(&page))
}

/// The session that asks, where the environment or the request tells it.
fn current(call: &Call) -> Option<Current> {
    let session = call.core.settings().environment.text("CLAUDE_CODE_SESSION_ID");
    let tool_use = call.context.meta.get("claudecode/toolUseId").and_then(|id| id.as_str());
    let current =
        Current { session_id: session.and_then(|id| id.parse().ok()), tool_use_id: tool_use.map(str::to_owned) };
    (current != Current::default()).then_some(current)
}

/// A panic on the other thread goes on here, where the server catches it.
fn outcome<T>(joined: std::result::Result<Result<T>, JoinError>) -> Result<T> {
    match joined {
        Ok(outcome) => outcome,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(error) => Err(Error::internal("reading the transcripts", error)),
    }
}
