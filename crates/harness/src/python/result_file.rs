//! Reads the JSON files written by Python's tools.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use benchwright_model::{BenchmarkId, Diagnostic};

use crate::Reading;

/// Larger files are not read. A million values fit.
const LARGEST: u64 = 64 << 20;

/// The name of the file with a trial's results, in its scratch directory.
pub(super) const NAME: &str = "result.json";

/// The benchmark's results in the file of a trial's scratch directory. Empty if the file is missing or empty,
/// as after a skipped test. A file with anything doubtful in it is not used.
pub(super) fn reading<T>(
    scratch: &Path,
    benchmark: &BenchmarkId,
    parse: fn(&str, &[u8]) -> (T, Vec<Diagnostic>),
    judge: impl FnOnce(T) -> Reading,
) -> Reading {
    let Ok(file) = File::open(scratch.join(NAME)) else { return Reading::default() };
    let mut bytes = Vec::new();
    let refused = match file.take(LARGEST + 1).read_to_end(&mut bytes) {
        Err(error) => format!("cannot read `{NAME}`: {error}"),
        Ok(0) => return Reading::default(),
        Ok(_) if bytes.len() as u64 > LARGEST => {
            format!("`{NAME}` is larger than {} MiB", LARGEST >> 20)
        }
        Ok(_) => match parse(NAME, &bytes) {
            (results, doubts) if doubts.is_empty() => return judge(results),
            (_, doubts) => cannot_understand(&doubts[0]),
        },
    };
    Reading::without_values(benchmark, refused)
}

fn cannot_understand(doubt: &Diagnostic) -> String {
    let place = doubt.position.map(|at| format!(" at line {} column {}", at.line, at.column));
    format!("cannot understand `{NAME}`{}: {}", place.unwrap_or_default(), doubt.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: Option<&[u8]>, expected: &str) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        if let Some(content) = content {
            std::fs::write(dir.path().join(NAME), content).expect("a file");
        }
        let benchmark = BenchmarkId::new("python", "a.py", "a");
        let judge = |_| Reading::without_values(&benchmark, "judged".into());
        let reading = reading(dir.path(), &benchmark, benchwright_formats::pytest_benchmark::results, judge);
        let said: Vec<&str> = reading.diagnostics.iter().map(|said| said.message.as_str()).collect();
        assert_eq!(said.join("; "), expected);
    }

    #[test]
    fn a_file_that_is_missing_or_empty_says_nothing_and_a_broken_one_says_where() {
        check(None, "");
        check(Some(b""), "");
        check(Some(b"{\"benchmarks\": []}\n"), "judged");
        let cut = "cannot understand `result.json` at line 1 column 17: ends in the middle";
        check(Some(b"{\"benchmarks\": ["), cut);
        let more = "cannot understand `result.json` at line 1 column 20: something follows the results; it was not read";
        check(Some(b"{\"benchmarks\": []} x"), more);
        let large = vec![b' '; usize::try_from(LARGEST + 1).expect("a size")];
        check(Some(&large), "`result.json` is larger than 64 MiB");
    }
}
