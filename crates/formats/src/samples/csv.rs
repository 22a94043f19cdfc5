//! Raw samples as CSV: one row per sample, with columns identified by their names.

use std::borrow::Cow;

mod write;

pub(crate) use write::write;

use super::rows::{NEEDED, Row, Rows};
use super::sets::Standing;
use crate::moment::parse_moment;
use crate::reading::diagnostics::Place;
use crate::reading::head::Head;
use crate::reading::input::Input;
use crate::reading::number;
use crate::reading::{finish_text, lines};
use crate::separated::{self, without_apostrophe};
use crate::{Format, Imported};

/// Whether the first line has these column names.
pub(crate) fn recognise(head: &Head) -> bool {
    Header::of(head.first_line()).is_some()
}

/// Reads everything.
pub(crate) fn read(input: Input<'_>) -> Vec<Imported> {
    let mut rows = Rows::default();
    let mut header = None;
    let (mut diagnostics, end) = lines(input, |line, line_number, diagnostics| match &header {
        None => header = Header::of(line),
        Some(_) if line.is_empty() => {}
        Some(header) => {
            let place = Place { line: line_number, column: 1 };
            let mut fields = Vec::with_capacity(header.0.len());
            separated::split(line, ',', &mut fields);
            let taken = match header.row(&fields) {
                Ok(row) => rows.take(&row, place).map_err(|reason| (0, reason)),
                Err(wrong) => Err(wrong),
            };
            if let Err((field, reason)) = taken {
                diagnostics.warn(Place { column: column(&fields, field), ..place }, reason);
            }
        }
    });
    let collectors = rows.finish(Format::SamplesCsv, &mut diagnostics);
    finish_text(diagnostics, end, collectors)
}

/// The column where a field begins. It is exact if no earlier field is quoted.
fn column(fields: &[Cow<'_, str>], field: usize) -> u32 {
    let before: usize = fields.iter().take(field).map(|field| field.chars().count() + 1).sum();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}

/// Names of columns.
struct Header(Vec<String>);

/// The index of a field, and the error in it.
type Wrong = (usize, String);

impl Header {
    fn of(line: &str) -> Option<Header> {
        let mut fields = Vec::new();
        separated::split(line, ',', &mut fields);
        let names: Vec<String> = fields.iter().map(|field| field.trim().to_owned()).collect();
        let has = |name: &&str| names.iter().any(|known| known == name);
        NEEDED.iter().all(has).then_some(Header(names))
    }

    fn row<'f>(&self, fields: &'f [Cow<'_, str>]) -> Result<Row<'f>, Wrong> {
        if fields.len() != self.0.len() {
            let message = format!("left out a row of {} fields instead of {}", fields.len(), self.0.len());
            return Err((fields.len().min(self.0.len()), message));
        }
        let mut row = Row { value: f64::NAN, ..Row::default() };
        for (index, (name, field)) in self.0.iter().zip(fields).enumerate() {
            set(&mut row, name, field).map_err(|()| {
                (index, format!("left out a row: `{}` is not a {name}", crate::reading::json::shorten(field)))
            })?;
        }
        Ok(row)
    }
}

/// Sets the value of a column. Unknown columns are ignored.
fn set<'f>(row: &mut Row<'f>, name: &str, field: &'f str) -> Result<(), ()> {
    let Standing { duet, attempt, instance, suite_run, iteration } = &mut row.standing;
    match name {
        "side" => row.side = field,
        "commit" => row.commit = field,
        "harness" => row.harness = field,
        "package" => row.package = without_apostrophe(field),
        "benchmark" => row.benchmark = without_apostrophe(field),
        "metric" => row.metric[0] = without_apostrophe(field),
        "unit" => row.metric[1] = without_apostrophe(field),
        "better" => row.metric[2] = field,
        "nature" => row.metric[3] = field,
        "structure" => row.structure = field,
        "sample_kind" => row.sample_kind = field,
        "duet" => *duet = maybe(field)?,
        "attempt" => *attempt = maybe(field)?,
        "instance" => *instance = maybe(field)?,
        "suite_run" => *suite_run = maybe(field)?,
        "iteration" => *iteration = maybe(field)?,
        "sample" => row.sample = field.trim().parse().map_err(drop)?,
        "warmup" => row.is_warmup = field.eq_ignore_ascii_case("true"),
        "operations" => row.operations = maybe(field)?,
        // Values that are not finite are written as empty fields.
        "value" if field.is_empty() => {}
        "value" => row.value = float(field)?,
        "resolution" if field.is_empty() => {}
        "resolution" => row.resolution = float(field)?,
        "started_at" => {
            row.started_at = parse_moment(field);
        }
        _ => {}
    }
    Ok(())
}

fn maybe<T: std::str::FromStr>(field: &str) -> Result<Option<T>, ()> {
    if field.is_empty() { Ok(None) } else { field.trim().parse().map(Some).map_err(drop) }
}

fn float(field: &str) -> Result<f64, ()> {
    number::parse(field.trim().as_bytes()).ok_or(())
}

#[cfg(test)]
mod tests {
    use benchwright_model::Metric;

    use crate::test_reading::check;

    const HEADER: &str = "run,version,side,harness,package,benchmark,metric,unit,better,phase,duet,attempt,first,instance,suite_run,\
iteration,sample,warmup,operations,value,started_at,commit,nature,resolution,structure";

    fn file(rows: &[&str]) -> String {
        let mut text = HEADER.to_owned();
        rows.iter().for_each(|row| {
            text.push_str("\r\n");
            text.push_str(row);
        });
        text + "\r\n"
    }

    #[test]
    fn both_versions_come_out_with_their_processes() {
        let text = file(&[
            "r,main,base,go,p,\"BenchmarkX/\"\"a,b\"\"\",time,seconds,lower,screening,0,0,true,,,,0,true,10,0.1,2026-03-01T12:00:00Z,0123456,measured,0.001,known",
            "r,main,base,go,p,\"BenchmarkX/\"\"a,b\"\"\",time,seconds,lower,screening,0,0,true,,,,1,false,20,0.2,2026-03-01T12:00:00Z,0123456,measured,0.001,known",
            "r,main,base,go,p,\"BenchmarkX/\"\"a,b\"\"\",hits,hits,unknown,screening,0,0,true,,,,0,true,10,7,2026-03-01T12:00:00Z,0123456,counted,0,known",
            "r,main,base,go,p,\"BenchmarkX/\"\"a,b\"\"\",hits,hits,unknown,screening,0,0,true,,,,1,false,20,8,2026-03-01T12:00:00Z,0123456,counted,0,known",
            "r,work,head,go,p,\"BenchmarkX/\"\"a,b\"\"\",time,seconds,lower,screening,3,1,false,,,,0,false,,1e-9,,,measured,0,known",
        ]);
        let sets = crate::read("file", text.as_bytes()).unwrap();
        check(
            &text,
            "samples-csv at 0123456\n  go|p|BenchmarkX/\"a,b\"\n    \
             process warmup 1 operations [10, 20] time [0.1 0.2] hits [7 8]\n\
             samples-csv\n  go|p|BenchmarkX/\"a,b\"\n    process time [1.00000e-9]",
        );
        assert_eq!(sets[0].benchmarks[0].processes[0].series[0].metric, Metric::time());
        assert_eq!(sets[0].benchmarks[0].processes[0].series[0].resolution, 0.001);
        assert_eq!(sets[0].taken_at.map(|at| at.0), Some(1_772_366_400_000_000));
    }

    #[test]
    fn what_was_not_known_is_still_not_known() {
        let row = |name: &str, structure: &str| {
            format!(
                "r,v,head,go,p,{name},time,seconds,lower,levels,,,,0,0,0,0,false,,2,,,measured,0,{structure}"
            )
        };
        check(
            &file(&[&row("A", "unknown"), &row("B", "summary"), &row("C", "known")]),
            "samples-csv\n  go|p|A (structure unknown)\n    process time [2]\n  go|p|B\n    summary time 2\n  \
             go|p|C\n    process time [2]",
        );
    }

    #[test]
    fn bad_rows_are_said_with_line_and_column_and_the_rest_is_read() {
        let row = |sample: &str, value: &str| {
            format!(
                "r,v,head,go,p,A,time,seconds,lower,levels,,,,0,0,0,{sample},false,,{value},,,measured,0,known"
            )
        };
        check(
            &file(&[
                &row("0", "1"),
                &row("x", "2"),
                &row("1", "many"),
                "r,v,head",
                &row("0", "3"),
                &row("2", ""),
                &row("3", "4"),
            ]),
            "samples-csv\n  go|p|A\n    process time [1 4]\n  \
             warning: file:3:52: left out a row: `x` is not a sample\n  \
             warning: file:4:61: left out a row: `many` is not a value\n  \
             warning: file:5:10: left out a row of 3 fields instead of 25\n  \
             warning: file:6:1: left out a sample that is here a second time, or out of order: 0\n  \
             warning: file:2:1: left out 1 values of `p:A` that are not positive numbers",
        );
    }

    #[test]
    fn columns_may_stand_anywhere_and_most_may_be_missing() {
        check(
            "value,sample,metric,benchmark,package,harness,mine\n2,0,widgets,A,p,go,x\n3,1,widgets,A,p,go,y\n",
            "samples-csv\n  go|p|A\n    process widgets [2 3]",
        );
    }

    #[test]
    fn it_was_measured_when_its_first_process_began() {
        let row = |iteration: u32, started_at: &str| {
            format!(
                "r,v,head,go,p,X,time,seconds,lower,levels,,,,0,0,{iteration},0,false,1,0.1,{started_at},,measured,0,known"
            )
        };
        let rows =
            [row(0, "2026-03-01T12:00:05Z"), row(1, "2026-03-01T12:00:00Z"), row(2, "2026-03-01T12:00:09Z")];
        let text = file(&[rows[0].as_str(), rows[1].as_str(), rows[2].as_str()]);
        let sets = crate::read("file", text.as_bytes()).unwrap();
        assert_eq!(sets[0].benchmarks[0].processes.len(), 3);
        assert_eq!(sets[0].taken_at.map(|moment| moment.0), Some(1_772_366_400_000_000));
    }
}
