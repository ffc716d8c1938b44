//! Ending a process that is no child of ours: the way out when its server or supervisor does not do it.

use std::{io, time::Duration};

use super::{
    identity::{Identity, Liveness},
    ladder::{Ladder, Step},
    platform::Signal,
    sweep,
};

/// How often the process is looked at while its end is awaited.
const LOOK: Duration = Duration::from_millis(20);

impl Identity {
    /// Ends a process that is not (any more) a child of ours, and everything below it: the ladder's signals to it, each
    /// with its grace, then the whole tree is killed. Standard input is out of reach, so that step is left out.
    ///
    /// The identity is verified before every signal. Returns the step that worked, `None` when it was dead already (its
    /// tree is looked for all the same); an error when it is not certain that it is dead now.
    pub async fn end_tree(&self, ladder: Ladder) -> io::Result<Option<Step>> {
        // Whose it is has to be read while it lives.
        let child = sweep::child_of(self);
        let mut taken = None;
        let steps = [
            (Step::Interrupt, Signal::Interrupt, ladder.interrupt),
            (Step::Terminate, Signal::Terminate, ladder.terminate),
        ];
        for (step, signal, grace) in steps {
            let (Liveness::Alive, Some(grace)) = (self.liveness(), grace) else { continue };
            if !self.signal(signal)? {
                continue;
            }
            taken = Some(step);
            let dead = async {
                while self.liveness() == Liveness::Alive {
                    tokio::time::sleep(LOOK).await;
                }
            };
            let _ran_out = tokio::time::timeout(grace, dead).await;
        }
        if self.liveness() == Liveness::Alive {
            taken = Some(Step::Kill);
        }
        let process = self.clone();
        tokio::task::spawn_blocking(move || sweep::end_foreign(&process, child)).await.map_err(io::Error::other)??;
        match self.liveness() {
            Liveness::Dead => Ok(taken),
            Liveness::Alive => Err(io::Error::other("the process is still alive")),
            Liveness::Unknown => Err(io::Error::other("it cannot be told whether the process is alive")),
        }
    }
}
