//! Points in time, written the one way ccmcp writes them.

use std::fmt;

use jiff::{SignedDuration, Timestamp as Instant, fmt::temporal::DateTimePrinter};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Milliseconds, whatever precision the value has.
const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// A point in time with millisecond precision, written as ISO-8601 in UTC (`2026-11-30T12:00:00.000Z`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The current time of this machine's clock.
    pub fn now() -> Self {
        Self(Instant::now().as_millisecond())
    }

    /// The point `milliseconds` after the Unix epoch; `None` outside the years -9999 to 9999.
    pub fn from_millis(milliseconds: i64) -> Option<Self> {
        Instant::from_millisecond(milliseconds).ok().map(|_| Self(milliseconds))
    }

    /// The point `seconds` after the Unix epoch; `None` outside the years -9999 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        Instant::from_second(seconds).ok().map(|at| Self(at.as_millisecond()))
    }

    /// Reads an RFC 3339 time stamp in any offset, or a date (its first moment in UTC).
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(at) = text.parse::<Instant>() {
            return Some(Self(at.as_millisecond()));
        }
        let date = text.parse::<jiff::civil::Date>().ok()?;
        let at = format!("{date}T00:00:00Z").parse::<Instant>().ok()?;
        Some(Self(at.as_millisecond()))
    }

    /// Milliseconds since the Unix epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// How long ago `earlier` was, seen from here; negative when it is later.
    pub fn since(self, earlier: Self) -> SignedDuration {
        SignedDuration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Instant::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        f.write_str(&PRINTER.timestamp_to_string(&at))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("expected an ISO-8601 time stamp"))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "ISO-8601, UTC, milliseconds" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_in_utc_with_milliseconds() {
        let at = Timestamp::parse("2026-11-30T13:00:00.1239+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-11-30T12:00:00.123Z");
        assert_eq!(serde_json::to_string(&at).unwrap(), "\"2026-11-30T12:00:00.123Z\"");
    }

    #[test]
    fn a_date_is_its_first_moment_in_utc() {
        assert_eq!(Timestamp::parse("2026-11-30").unwrap().to_string(), "2026-11-30T00:00:00.000Z");
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Timestamp::parse("yesterday"), None);
        assert_eq!(Timestamp::from_seconds(i64::MAX), None);
        assert!(serde_json::from_str::<Timestamp>("12").is_err());
    }
}
