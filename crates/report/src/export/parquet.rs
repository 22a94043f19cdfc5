//! The rows of all samples as a Parquet file: plain columns, without compression, in row groups of bounded size.

use std::io::{self, Write};
use std::sync::Arc;

use benchwright_model::{Run, Side, Trial};
use parquet::basic::{ConvertedType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::row::{Place, SampleRow, rows, version};
use crate::json::{direction_name, unit_name};

/// Rows of one group: what is in memory at once.
const GROUP: usize = 100_000;

/// One column: its name, and what a row has there.
struct Column {
    name: &'static str,
    content: Content,
}

/// What a column holds.
enum Content {
    Text(fn(&Run, &SampleRow<'_>) -> String),
    /// Moments are microseconds since 1970 UTC.
    Whole(fn(&SampleRow<'_>) -> i64),
    MaybeWhole(fn(&SampleRow<'_>) -> Option<i64>),
    Flag(fn(&SampleRow<'_>) -> bool),
    MaybeFlag(fn(&SampleRow<'_>) -> Option<bool>),
    Float(fn(&SampleRow<'_>) -> f64),
}

/// The columns of the CSV of samples, with types.
const COLUMNS: [Column; 21] = {
    const fn column(name: &'static str, content: Content) -> Column {
        Column { name, content }
    }
    const fn place(name: &'static str, get: fn(&SampleRow<'_>) -> Option<i64>) -> Column {
        column(name, Content::MaybeWhole(get))
    }
    [
        column("run", Content::Text(|run, _| run.id.0.clone())),
        column("version", Content::Text(|run, row| version(run, row.trial.side).label.clone())),
        column("side", Content::Text(|_, row| row.trial.side.name().to_owned())),
        column("harness", Content::Text(|_, row| row.trial.benchmark.harness.clone())),
        column("package", Content::Text(|_, row| row.trial.benchmark.package.clone())),
        column("benchmark", Content::Text(|_, row| row.trial.benchmark.name.clone())),
        column("metric", Content::Text(|_, row| row.series.metric.name.clone())),
        column("unit", Content::Text(|_, row| unit_name(&row.series.metric.unit).to_owned())),
        column("better", Content::Text(|_, row| direction_name(row.series.metric.direction).to_owned())),
        column("phase", Content::Text(|_, row| row.trial.phase.word().to_owned())),
        place("duet", |row| Place::from(row.trial.position).duet.map(i64::from)),
        place("attempt", |row| Place::from(row.trial.position).attempt.map(i64::from)),
        column("first", Content::MaybeFlag(|row| Place::from(row.trial.position).first)),
        place("instance", |row| Place::from(row.trial.position).instance.map(i64::from)),
        place("suite_run", |row| Place::from(row.trial.position).suite_run.map(i64::from)),
        place("iteration", |row| Place::from(row.trial.position).iteration.map(i64::from)),
        column("sample", Content::Whole(|row| row.sample as i64)),
        column("warmup", Content::Flag(|row| row.is_warmup)),
        column("operations", Content::MaybeWhole(|row| row.operations.and_then(|n| i64::try_from(n).ok()))),
        column("value", Content::Float(|row| row.value)),
        place("started_at", |row| Some(row.trial.started_at.0).filter(|at| *at != 0)),
    ]
};

/// Writes every sample of the trials of `side`, or of both.
pub fn write(run: &Run, trials: &[Trial], side: Option<Side>, out: &mut dyn Write) -> io::Result<()> {
    // The crate wants a writer that may move between threads, which ours may not.
    let mut bytes = Vec::new();
    write_file(run, trials, side, &mut bytes).map_err(io::Error::other)?;
    out.write_all(&bytes)
}

fn write_file(run: &Run, trials: &[Trial], side: Option<Side>, bytes: &mut Vec<u8>) -> Result<()> {
    let properties = WriterProperties::builder().set_created_by("benchwright".to_owned()).build();
    let mut file = SerializedFileWriter::new(bytes, schema()?, Arc::new(properties))?;
    let mut rest = rows(trials, side).peekable();
    while rest.peek().is_some() {
        let group: Vec<SampleRow<'_>> = rest.by_ref().take(GROUP).collect();
        let mut writer = file.next_row_group()?;
        for column in &COLUMNS {
            write_column(column, run, &group, &mut writer)?;
        }
        writer.close()?;
    }
    file.close()?;
    Ok(())
}

fn schema() -> Result<TypePtr> {
    let field = |column: &Column| {
        use Content::{Flag, Float, MaybeFlag, MaybeWhole, Text, Whole};
        let (physical, converted) = match (&column.content, column.name) {
            (Text(_), _) => (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8),
            (MaybeWhole(_), "started_at") => (PhysicalType::INT64, ConvertedType::TIMESTAMP_MICROS),
            (Whole(_) | MaybeWhole(_), _) => (PhysicalType::INT64, ConvertedType::NONE),
            (Flag(_) | MaybeFlag(_), _) => (PhysicalType::BOOLEAN, ConvertedType::NONE),
            (Float(_), _) => (PhysicalType::DOUBLE, ConvertedType::NONE),
        };
        let repetition = match &column.content {
            MaybeWhole(_) | MaybeFlag(_) => Repetition::OPTIONAL,
            _ => Repetition::REQUIRED,
        };
        let builder = Type::primitive_type_builder(column.name, physical);
        builder.with_repetition(repetition).with_converted_type(converted).build().map(Arc::new)
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("samples").with_fields(fields).build()?))
}

fn write_column(
    column: &Column,
    run: &Run,
    rows: &[SampleRow<'_>],
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
) -> Result<()> {
    let missing = || ParquetError::General(format!("no place for the column {}", column.name));
    let mut writer = group.next_column()?.ok_or_else(missing)?;
    match (&column.content, writer.untyped()) {
        (Content::Text(get), ColumnWriter::ByteArrayColumnWriter(typed)) => {
            let values: Vec<ByteArray> = rows.iter().map(|row| get(run, row).into_bytes().into()).collect();
            typed.write_batch(&values, None, None)?;
        }
        (Content::Whole(get), ColumnWriter::Int64ColumnWriter(typed)) => {
            let values: Vec<i64> = rows.iter().map(get).collect();
            typed.write_batch(&values, None, None)?;
        }
        (Content::MaybeWhole(get), ColumnWriter::Int64ColumnWriter(typed)) => {
            let (values, levels) = present(rows.iter().map(get));
            typed.write_batch(&values, Some(&levels), None)?;
        }
        (Content::Flag(get), ColumnWriter::BoolColumnWriter(typed)) => {
            let values: Vec<bool> = rows.iter().map(get).collect();
            typed.write_batch(&values, None, None)?;
        }
        (Content::MaybeFlag(get), ColumnWriter::BoolColumnWriter(typed)) => {
            let (values, levels) = present(rows.iter().map(get));
            typed.write_batch(&values, Some(&levels), None)?;
        }
        (Content::Float(get), ColumnWriter::DoubleColumnWriter(typed)) => {
            let values: Vec<f64> = rows.iter().map(get).collect();
            typed.write_batch(&values, None, None)?;
        }
        _ => return Err(missing()),
    }
    writer.close()
}

/// The values there are, and for every row whether it has one.
fn present<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let (mut there, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        there.extend(value);
    }
    (there, levels)
}
