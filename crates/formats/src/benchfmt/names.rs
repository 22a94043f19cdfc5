//! Names with and without the number of processors.
//!
//! Go appends `-N` to a name unless it runs on one processor. `-N` may also be part of the name. If all
//! results of a package have the same number, it is the processors'. If numbers differ (`-cpu 1,2,4`, or
//! names that end in numbers), they stay in the names, which keeps separate measurements separate.

use std::str;

/// The common properties of the names of one package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Names {
    processors: Option<u32>,
}

impl Names {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut numbers = names.map(|name| split(name).1);
        let first = numbers.next().flatten();
        let processors = first.filter(|_| numbers.all(|number| number == first));
        Names { processors }
    }

    /// The number of processors of all results. `None` if the names do not contain it.
    pub(super) fn processors(&self) -> Option<u32> {
        self.processors
    }

    /// The name that a benchmark has in its source.
    pub(super) fn plain<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        if self.processors.is_some() { split(name).0 } else { name }
    }
}

/// The name without `-N`, and that number.
fn split(name: &[u8]) -> (&[u8], Option<u32>) {
    let Some(dash) = memchr::memrchr(b'-', name) else { return (name, None) };
    let digits = &name[dash + 1..];
    let is_number = !digits.is_empty() && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
    let number = str::from_utf8(digits).ok().filter(|_| is_number).and_then(|digits| digits.parse().ok());
    match number {
        Some(number) => (&name[..dash], Some(number)),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expected: &[&str]) {
        let common = Names::of(names.iter().map(|name| name.as_bytes()));
        let plain: Vec<&str> =
            names.iter().map(|name| str::from_utf8(common.plain(name.as_bytes())).unwrap()).collect();
        assert_eq!(plain, expected);
    }

    #[test]
    fn one_number_of_processors_is_not_part_of_names() {
        check(&["BenchmarkA-8", "BenchmarkB/n=1-8"], &["BenchmarkA", "BenchmarkB/n=1"]);
        check(&["BenchmarkA"], &["BenchmarkA"]);
    }

    #[test]
    fn several_numbers_stay() {
        check(
            &["BenchmarkA", "BenchmarkA-2", "BenchmarkA-4"],
            &["BenchmarkA", "BenchmarkA-2", "BenchmarkA-4"],
        );
        check(&["BenchmarkA/size-10", "BenchmarkA/size-20"], &["BenchmarkA/size-10", "BenchmarkA/size-20"]);
        check(&["BenchmarkA/x-0", "BenchmarkB/-"], &["BenchmarkA/x-0", "BenchmarkB/-"]);
        check(&["BenchmarkA/x-0"], &["BenchmarkA/x-0"]);
        check(&["BenchmarkA/x-08", "BenchmarkB-08"], &["BenchmarkA/x-08", "BenchmarkB-08"]);
    }
}
