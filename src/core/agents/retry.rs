//! When a launch that failed is tried again.

use std::time::Duration;

/// The pauses before the second, third and fourth try.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(25)];

/// The pause after the `failures`-th failure (from 1); `None` when it was the last try.
pub(super) fn pause(failures: u32) -> Option<Duration> {
    let nth = usize::try_from(failures).ok()?.checked_sub(1)?;
    PAUSES.get(nth).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_retries_and_an_end() {
        let seconds: Vec<_> = (1..=5).map(|failures| pause(failures).map(|pause| pause.as_secs())).collect();
        assert_eq!(seconds, [Some(1), Some(5), Some(25), None, None]);
    }
}
