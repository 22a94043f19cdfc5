//! Reads all rows of a file into columns.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{Column, File};

/// Some columns of a Parquet file.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    rows: usize,
    columns: BTreeMap<String, Column>,
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The system does not give it.
    #[error("read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is damaged, or uses unsupported features of the format.
    #[error("read the Parquet file `{}`: {what}", path.display())]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// The error.
        what: String,
    },
    /// It lacks a column, or that has another type.
    #[error("find {kind} `{name}` in `{}`", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// The expected kind.
        kind: &'static str,
    },
}

impl Table {
    /// Reads the listed columns that exist. The whole file is in memory during this.
    pub fn read(path: &Path, columns: &[&str]) -> Result<Table, ParquetError> {
        let bytes = std::fs::read(path)
            .map_err(|source| ParquetError::Unreadable { path: path.to_owned(), source })?;
        let (rows, columns) = read_columns(&bytes, columns)
            .map_err(|what| ParquetError::NotUnderstood { path: path.to_owned(), what })?;
        Ok(Table { path: path.to_owned(), rows, columns })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column of texts.
    pub fn texts(&self, name: &str) -> Result<&[Option<Arc<str>>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Texts(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of texts")),
        }
    }

    /// A column of whole numbers.
    pub fn wholes(&self, name: &str) -> Result<&[Option<i64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Wholes(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of whole numbers")),
        }
    }

    /// A column of floating-point numbers.
    pub fn reals(&self, name: &str) -> Result<&[Option<f64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::Reals(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of numbers")),
        }
    }

    /// A column of lists of whole numbers.
    pub fn whole_lists(&self, name: &str) -> Result<&[Vec<i64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::WholeLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of whole numbers")),
        }
    }

    /// A column of lists of floating-point numbers.
    pub fn real_lists(&self, name: &str) -> Result<&[Vec<f64>], ParquetError> {
        match self.columns.get(name) {
            Some(Column::RealLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of numbers")),
        }
    }

    /// Removes a column of lists of floating-point numbers from the table and returns it.
    pub fn take_real_lists(&mut self, name: &str) -> Result<Vec<Vec<f64>>, ParquetError> {
        match self.columns.remove(name) {
            Some(Column::RealLists(rows)) => Ok(rows),
            _ => Err(self.lacks(name, "a column of lists of numbers")),
        }
    }

    /// Whether there is a column of that name.
    pub fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    fn lacks(&self, name: &str, kind: &'static str) -> ParquetError {
        ParquetError::NoColumn { path: self.path.clone(), name: name.into(), kind }
    }
}

pub(super) fn read_columns(
    bytes: &[u8],
    wanted: &[&str],
) -> Result<(usize, BTreeMap<String, Column>), String> {
    let file = File::open(bytes)?;
    let rows = file.rows().ok_or("its footer has no number of rows")?;
    let mut columns: BTreeMap<String, Column> = BTreeMap::new();
    // A caller that asks for all rows at once gets no limit.
    let mut left = usize::MAX;
    for group in file.groups() {
        for (name, column) in group.columns(|name| wanted.contains(&name), &mut left)? {
            match columns.get_mut(name) {
                None => {
                    columns.insert(name.to_owned(), column);
                }
                Some(first) => first.append(column),
            }
        }
    }
    match columns.iter().find(|(_, column)| column.len() != rows) {
        Some((name, column)) => Err(format!("column `{name}` has {} of {rows} rows", column.len())),
        None => Ok((rows, columns)),
    }
}
