//! Points in time, as people write and read them.

use clap::Args;
use jiff::{SignedDuration, Timestamp as Instant, ZonedDateTime, tz::TimeZone};

use crate::core::clock::Timestamp;

/// How dates are shown.
#[derive(Args, Clone, Copy, Debug)]
pub struct DateArgs {
    /// Show dates as such, not how long ago
    #[arg(long)]
    pub absolute: bool,

    /// Show dates as such, in UTC
    #[arg(long, hide_short_help = true)]
    pub utc: bool,
}

/// Shows points in time one way.
#[derive(Clone, Debug)]
pub(super) struct Dates {
    args: DateArgs,
    now: Timestamp,
    zone: TimeZone,
}

impl DateArgs {
    pub(super) fn dates(self) -> Dates {
        Dates { args: self, now: Timestamp::now(), zone: if self.utc { TimeZone::UTC } else { TimeZone::system() } }
    }
}

impl Dates {
    /// `3 h ago`, or the date itself; a dash where it is not known.
    pub(super) fn show(&self, at: Option<Timestamp>) -> String {
        let Some(at) = at else { return "-".to_owned() };
        if !self.args.absolute && !self.args.utc {
            return ago(self.now.since(at));
        }
        let Ok(instant) = Instant::from_millisecond(at.as_millis()) else { return "-".to_owned() };
        let zoned: ZonedDateTime = instant.to_zoned_datetime(self.zone.clone());
        zoned.strftime(if self.args.utc { "%Y-%m-%d %H:%MZ" } else { "%Y-%m-%d %H:%M" }).to_string()
    }
}

/// How long ago it was, in one unit.
pub(super) fn ago(passed: SignedDuration) -> String {
    const STEPS: [(i64, &str); 6] =
        [(31_557_600, "y"), (2_629_800, "mo"), (604_800, "w"), (86_400, "d"), (3600, "h"), (60, "min")];
    let seconds = passed.as_secs();
    let step = STEPS.iter().find(|(length, _)| seconds >= *length);
    step.map_or_else(|| "just now".to_owned(), |(length, unit)| format!("{} {unit} ago", seconds / length))
}

/// Reads a date, a time, or how long ago something was (`7d`, `12h`, `2 weeks`).
pub(super) fn parse(text: &str) -> Result<Timestamp, String> {
    if let Some(at) = Timestamp::parse(text) {
        return Ok(at);
    }
    let passed = text.parse::<jiff::Span>().ok().filter(|span| !span.is_zero());
    let at = passed.and_then(|span| ZonedDateTime::now().checked_sub(span.abs()).ok());
    at.and_then(|at| Timestamp::from_millis(at.timestamp().as_millisecond()))
        .ok_or_else(|| "expected a date (2026-11-30), a time (2026-11-30T12:00Z) or an age (7d, 12h)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_whole_units() {
        let ages = [(0, "just now"), (-90, "just now"), (59, "just now"), (60, "1 min ago"), (7200, "2 h ago")];
        let long = [(172_800, "2 d ago"), (1_209_600, "2 w ago"), (5_300_000, "2 mo ago"), (70_000_000, "2 y ago")];
        for (seconds, shown) in ages.into_iter().chain(long) {
            assert_eq!(ago(SignedDuration::from_secs(seconds)), shown);
        }
    }

    #[test]
    fn dates_are_shown_in_the_zone() {
        let show = |args: DateArgs, zone: TimeZone| {
            Dates { args, now: Timestamp::now(), zone }.show(Timestamp::parse("2026-11-30T23:30:00Z"))
        };
        let tokyo = TimeZone::fixed(jiff::tz::offset(9));
        assert_eq!(show(DateArgs { absolute: true, utc: false }, tokyo), "2026-12-01 08:30");
        assert_eq!(show(DateArgs { absolute: false, utc: true }, TimeZone::UTC), "2026-11-30 23:30Z");
    }

    #[test]
    fn dates_times_and_ages_are_read() {
        assert_eq!(parse("2026-11-30").unwrap().to_string(), "2026-11-30T00:00:00.000Z");
        let day = Timestamp::now().since(parse("1d").unwrap());
        assert!((80_000..100_000).contains(&day.as_secs()), "{day:?}");
        assert!(parse("2 weeks").is_ok() && parse("soon").is_err() && parse("").is_err() && parse("0d").is_err());
    }
}
