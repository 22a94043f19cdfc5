//! Formats of the database, and the migrations between them.

use rusqlite::{Connection, TransactionBehavior};

/// The migrations from each format to the next. The first one makes format 1 from an empty file. A released
/// migration is never edited.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/1.sql"),
    include_str!("../migrations/2.sql"),
    include_str!("../migrations/3.sql"),
    include_str!("../migrations/4.sql"),
    include_str!("../migrations/5.sql"),
    include_str!("../migrations/6.sql"),
    include_str!("../migrations/7.sql"),
    include_str!("../migrations/8.sql"),
    include_str!("../migrations/9.sql"),
    include_str!("../migrations/10.sql"),
    include_str!("../migrations/11.sql"),
];

/// Marks a database of benchwright: "bwrt".
const APPLICATION_ID: i64 = 0x6277_7274;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// An empty file.
    Empty,
    /// A store of this format.
    Version(i64),
    /// Some other program's database.
    Foreign,
}

/// Finds the format of a database.
pub(crate) fn format(connection: &Connection) -> rusqlite::Result<Format> {
    // A single transaction, so that a database which another process is creating is seen either as empty or
    // as complete.
    let connection = connection.unchecked_transaction()?;
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (version, application) = (number("user_version")?, number("application_id")?);
    if version > 0 && application == APPLICATION_ID {
        return Ok(Format::Version(version));
    }
    let things: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_empty = things == 0 && version == 0 && application == 0;
    Ok(if is_empty { Format::Empty } else { Format::Foreign })
}

/// Performs all missing migrations or none. Several processes may try this at once.
pub(crate) fn migrate(connection: &mut Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated the database while this one waited for the lock.
    let taken: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for step in migrations.iter().skip(usize::try_from(taken).unwrap_or(usize::MAX)) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", taken.max(migrations.len() as i64))?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn only_missing_steps_are_taken() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Empty);
        migrate(&mut connection, &["CREATE TABLE one (a)"]).unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Version(1));
        migrate(&mut connection, &["CREATE TABLE one (a)", "CREATE TABLE two (a)"]).unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Version(2));
        assert_eq!(tables(&connection), ["one", "two"]);
        migrate(&mut connection, &["CREATE TABLE one (a)", "CREATE TABLE two (a)"]).unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Version(2));
    }

    #[test]
    fn a_failing_step_leaves_the_old_format() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, &["CREATE TABLE one (a)"]).unwrap();
        migrate(&mut connection, &["", "CREATE TABLE two (a)", "nonsense"]).unwrap_err();
        assert_eq!(format(&connection).unwrap(), Format::Version(1));
        assert_eq!(tables(&connection), ["one"]);
    }

    #[test]
    fn another_programs_database_is_foreign() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE notes (a)").unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Foreign);
        connection.execute_batch("PRAGMA user_version = 3").unwrap();
        assert_eq!(format(&connection).unwrap(), Format::Foreign);
    }
}
