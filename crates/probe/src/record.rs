//! What a process counted.

/// The counters of a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Record {
    /// How often it was called, recursive calls included.
    pub calls: u64,
    /// How long its outermost calls took, in nanoseconds, without the probe itself. 0 if calls were only counted.
    pub own_ns: u64,
    /// How much longer they became, in nanoseconds: the waits and the probe itself. More than wanted where calls are
    /// so short that the probe alone takes longer. 0 if calls were only counted.
    pub added_ns: u64,
}

/// Why a file of counters cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A process that was killed while it wrote, or another file.
    #[error("expected three numbers of eight bytes per function, got {0} bytes")]
    Length(usize),
}

/// Reads the file of a process: for each function, by number, three little-endian integers of 64 bits.
pub fn read_records(bytes: &[u8]) -> Result<Vec<Record>, RecordError> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let (triples, incomplete) = numbers.as_chunks::<3>();
    if !rest.is_empty() || !incomplete.is_empty() {
        return Err(RecordError::Length(bytes.len()));
    }
    let record = |[calls, own, added]: &[[u8; 8]; 3]| Record {
        calls: u64::from_le_bytes(*calls),
        own_ns: not_negative(*own),
        added_ns: not_negative(*added),
    };
    Ok(triples.iter().map(record).collect())
}

/// Times of functions that do next to nothing can be below 0 when the cost of the probe is subtracted.
fn not_negative(bytes: [u8; 8]) -> u64 {
    i64::from_le_bytes(bytes).max(0).unsigned_abs()
}

/// The counters of several processes together. Processes of other programs may have fewer functions.
pub fn sum(processes: &[Vec<Record>]) -> Vec<Record> {
    let length = processes.iter().map(Vec::len).max().unwrap_or_default();
    let mut total = vec![Record::default(); length];
    for records in processes {
        for (total, record) in total.iter_mut().zip(records) {
            total.calls = total.calls.saturating_add(record.calls);
            total.own_ns = total.own_ns.saturating_add(record.own_ns);
            total.added_ns = total.added_ns.saturating_add(record.added_ns);
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(numbers: &[i64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn records_are_three_numbers_each() {
        let records = read_records(&bytes(&[1, 2, 3, 4, -5, 6])).unwrap();
        assert_eq!(records[0], Record { calls: 1, own_ns: 2, added_ns: 3 });
        assert_eq!(records[1], Record { calls: 4, own_ns: 0, added_ns: 6 });
        assert_eq!(read_records(&[]), Ok(vec![]));
    }

    #[test]
    fn a_file_that_ends_in_the_middle_is_an_error() {
        assert_eq!(read_records(&bytes(&[1, 2, 3, 4])), Err(RecordError::Length(32)));
        assert_eq!(read_records(&[0; 25]), Err(RecordError::Length(25)));
    }

    #[test]
    fn processes_are_added_up() {
        let one = |calls| Record { calls, own_ns: 1, added_ns: 2 };
        let total = sum(&[vec![one(3)], vec![one(4), one(u64::MAX)], vec![]]);
        assert_eq!(total, [Record { calls: 7, own_ns: 2, added_ns: 4 }, one(u64::MAX)]);
        assert_eq!(sum(&[]), []);
    }
}
