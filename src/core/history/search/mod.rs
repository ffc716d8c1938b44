//! Search over all transcripts at the speed of a byte search.
//!
//! * `query`: what is asked, and the matcher for decoded texts; `prefilter`: the same for raw bytes, so that
//!   only lines that can match are parsed; `relevance`: which texts of a record count.
//! * `files`: which files and in what order; `scan`: one file; `collect`: all of them in parallel, stopping as
//!   soon as a page is safe; `watch`: progress and an end from outside.
//! * `run`: one question from beginning to end; `show`: hits as they are shown.

mod collect;
mod files;
mod prefilter;
mod query;
mod relevance;
mod run;
mod scan;
mod show;
mod watch;

pub use query::{Mode, Search, Within};
pub use run::SearchPage;
pub use show::{Ancestor, SearchHit, Span};
pub use watch::Watch;
