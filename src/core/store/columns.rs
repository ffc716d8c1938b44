//! Ids and times as columns: ids as text, times as milliseconds since the Unix epoch.

use rusqlite::{
    ToSql,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};

use crate::core::{
    clock::Timestamp,
    ids::{AgentId, ChildId, InputId, MessageId, OwnerId, SessionId, TurnId},
};

macro_rules! id_columns {
    ($($name:ident)+) => {
        $(
            impl ToSql for $name {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    Ok(self.to_string().into())
                }
            }

            impl FromSql for $name {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    value.as_str()?.parse().map_err(FromSqlError::other)
                }
            }
        )+
    };
}

id_columns! { AgentId ChildId InputId MessageId OwnerId SessionId TurnId }

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_millis().into())
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let milliseconds = value.as_i64()?;
        Self::from_millis(milliseconds).ok_or(FromSqlError::OutOfRange(milliseconds))
    }
}
