//! Writes one row per sample, quoted as in RFC 4180.

use std::borrow::Cow;
use std::io::{self, Write};

use benchwright_model::{Run, Side, Timestamp, Trial};

use crate::moment::moment;
use crate::samples::columns::{COLUMNS, Content};
use crate::samples::row::{SampleRow, rows};
use crate::separated::{exact, write_record};

/// Writes every sample of the trials of `side`, or of both. A value that is not finite is an empty field.
pub(crate) fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    write_record(COLUMNS.iter().map(|column| column.name), out)?;
    for row in rows(run, trials, side) {
        let fields = COLUMNS.each_ref().map(|column| field(&column.content, run, &row));
        write_record(fields.iter().map(AsRef::as_ref), out)?;
    }
    Ok(())
}

fn field<'a>(content: &Content, run: &'a Run, row: &SampleRow<'a>) -> Cow<'a, str> {
    fn text<'a, T: ToString>(value: Option<T>) -> Cow<'a, str> {
        value.map(|value| value.to_string()).unwrap_or_default().into()
    }
    match content {
        Content::Text(get) => get(run, row).into(),
        Content::Whole(get) => text(Some(get(row))),
        Content::MaybeWhole(get) => text(get(row)),
        Content::MaybeMoment(get) => text(get(row).map(|at| moment(Timestamp(at)))),
        Content::Flag(get) => text(Some(get(row))),
        Content::MaybeFlag(get) => text(get(row)),
        Content::Float(get) => exact(get(row)).into(),
    }
}
