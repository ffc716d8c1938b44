//! Ages, durations, dollars, and what fits into a column.

use std::path::Path;

use jiff::{Timestamp as Instant, tz::TimeZone};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{cli::clean::printable, core::clock::Timestamp};

/// How long ago it was, in one unit: `12s`, `5m`, `3h`, `2d`.
pub(super) fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How long something took: `5 ms`, `4.2 s`, `3m 20s`, `2h 05m`.
pub(super) fn duration(milliseconds: i64) -> String {
    let seconds = milliseconds / 1000;
    match milliseconds {
        ..1000 => format!("{} ms", milliseconds.max(0)),
        1000..60_000 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        60_000..3_600_000 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// US dollars: to a hundredth of a cent, because small turns cost less than a cent.
pub(super) fn dollars(amount: f64) -> String {
    format!("${amount:.4}")
}

/// Day and time where the user is.
pub(super) fn moment(at: Timestamp) -> String {
    local(at, "%Y-%m-%d %H:%M:%S")
}

/// The time of a day that is today, else the day; where the user is.
pub(super) fn brief(at: Timestamp, now: Timestamp) -> String {
    let day = local(at, "%Y-%m-%d");
    if day == local(now, "%Y-%m-%d") { local(at, "%H:%M:%S") } else { day }
}

/// The time of day where the user is, to the millisecond.
pub(super) fn time(at: Timestamp) -> String {
    local(at, "%H:%M:%S%.3f")
}

fn local(at: Timestamp, format: &str) -> String {
    match Instant::from_millisecond(at.as_millis()) {
        Ok(instant) => instant.to_zoned_datetime(TimeZone::system()).strftime(format).to_string(),
        Err(_) => at.to_string(),
    }
}

/// A text in one line of at most `width` columns.
pub(super) fn fit(text: &str, width: usize) -> String {
    let text = printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.width() <= width {
        return text;
    }
    let mut cut = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or_default();
        if used > width {
            break;
        }
        cut.push(character);
    }
    cut + "…"
}

/// A directory in at most `width` columns. Its end tells most.
pub(super) fn directory(path: &str, home: &Path, width: usize) -> String {
    let short = match Path::new(path).strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => Path::new("~").join(rest).display().to_string(),
        Err(_) => path.to_owned(),
    };
    let short = printable(&short).replace(['\n', '\t'], " ");
    if short.width() <= width {
        return short;
    }
    let mut tail = Vec::new();
    let mut used = 1;
    for character in short.chars().rev() {
        used += character.width().unwrap_or_default();
        if used > width {
            break;
        }
        tail.push(character);
    }
    std::iter::once('…').chain(tail.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let at = |seconds| Timestamp::from_seconds(seconds).unwrap();
        let ages: Vec<String> = [0, 59, 60, 3599, 3600, 86_400].map(|ago| age(at(0), at(ago))).to_vec();
        assert_eq!(ages, ["0s", "59s", "1m", "59m", "1h", "1d"]);
        assert_eq!(age(at(5), at(0)), "0s", "a clock may go backwards");
        let durations: Vec<String> = [5, 4_250, 200_000, 7_500_000].map(duration).to_vec();
        assert_eq!(durations, ["5 ms", "4.2 s", "3m 20s", "2h 05m"]);
    }

    #[test]
    fn texts_fit_whatever_they_are_written_in() {
        assert_eq!(fit("a\n b\u{1b}[31m", 20), "a b[31m");
        assert_eq!(fit("灯台守の人", 7), "灯台守…");
        assert_eq!(fit("lighthouse", 6), "light…");
    }

    #[test]
    fn a_directory_keeps_its_end() {
        let home = Path::new("/home/me");
        assert_eq!(directory("/home/me", home, 10), "~");
        assert_eq!(directory("/srv/trees/feature-a", home, 12), "…s/feature-a");
        #[cfg(unix)]
        assert_eq!(directory("/home/me/src/x", home, 20), "~/src/x");
    }
}
