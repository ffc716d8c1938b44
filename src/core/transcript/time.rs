//! Reads time stamps the way transcripts write them.

use crate::core::clock::Timestamp;

/// Milliseconds since the Unix epoch.
///
/// Claude Code writes `2026-11-30T12:00:00.000Z`, which needs no general parser: there is one in every record.
pub fn milliseconds(text: &str) -> Option<i64> {
    usual(text.as_bytes()).or_else(|| Timestamp::parse(text).map(Timestamp::as_millis))
}

fn usual(text: &[u8]) -> Option<i64> {
    const FORM: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
    let text: &[u8; 24] = text.try_into().ok()?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    if !text.iter().zip(FORM).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| {
        text[from..to].iter().fold(0_i64, |number, digit| number * 10 + i64::from(*digit - b'0'))
    };
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    let (hour, minute, second) = (number(11, 13), number(14, 16), number(17, 19));
    // The days of short months are left to the general parser, which knows them.
    if !(1..=12).contains(&month) || !(1..=28).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970 with years that begin in March (Howard Hinnant's `days_from_civil`).
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + number(20, 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_general_parser() {
        for year in [1970, 1999, 2000, 2024, 2026, 2100] {
            for month in 1..=12 {
                for day in [1, 15, 28, 29, 30, 31, 32] {
                    let text = format!("{year}-{month:02}-{day:02}T23:59:01.027Z");
                    assert_eq!(milliseconds(&text), Timestamp::parse(&text).map(Timestamp::as_millis), "{text}");
                }
            }
        }
        for text in ["2026-11-30T24:00:00.000Z", "2026-11-30T10:60:00.000Z", "2026-13-01T00:00:00.000Z", "x", ""] {
            assert_eq!(milliseconds(text), Timestamp::parse(text).map(Timestamp::as_millis), "{text}");
        }
        assert_eq!(milliseconds("2026-11-30T12:00:00+01:00"), milliseconds("2026-11-30T11:00:00.000Z"));
    }
}
