//! The values of one column in one group of rows.

use super::thrift::{Cursor, Value};

/// Physical types by the format's numbers.
const BOOLEAN: i64 = 0;
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
/// Page types.
const DATA_PAGE: i64 = 0;
const DICTIONARY_PAGE: i64 = 2;
/// Encodings; the second one is the old name of the third.
const PLAIN: i64 = 0;
const OLD_DICTIONARY: i64 = 2;
const DICTIONARY: i64 = 8;
const UNCOMPRESSED: i64 = 0;

/// What a column has in each row; none where a row has nothing.
pub(super) enum Column {
    Texts { words: Vec<String>, rows: Vec<Option<u32>> },
    Whole(Vec<Option<i64>>),
    Flags(Vec<Option<bool>>),
    Floats(Vec<Option<f64>>),
}

impl Column {
    /// Reads the chunk that `metadata` describes: `rows` values. What is wrong, in words.
    pub(super) fn read(
        file: &[u8],
        metadata: &Value<'_>,
        is_optional: bool,
        rows: usize,
    ) -> Result<Column, &'static str> {
        const DAMAGED: &str = "a column is damaged";
        if metadata.number(4) != Some(UNCOMPRESSED) {
            return Err("it is compressed; only files without compression are read");
        }
        let mut column = match metadata.number(1) {
            Some(BOOLEAN) => Column::Flags(Vec::new()),
            Some(INT64) => Column::Whole(Vec::new()),
            Some(DOUBLE) => Column::Floats(Vec::new()),
            Some(BYTE_ARRAY) => Column::Texts { words: Vec::new(), rows: Vec::new() },
            _ => return Err("a column has a type that our files do not have"),
        };
        let data = metadata.size(9).ok_or(DAMAGED)?;
        let start = metadata.size(11).filter(|dictionary| *dictionary > 0).unwrap_or(data).min(data);
        let mut cursor = Cursor { bytes: file, at: start };
        while column.len() < rows {
            let header = cursor.structure().ok_or(DAMAGED)?;
            let content = cursor.take(header.size(3).ok_or(DAMAGED)?).ok_or(DAMAGED)?;
            let content = Cursor { bytes: content, at: 0 };
            match header.number(1) {
                Some(DICTIONARY_PAGE) if column.len() == 0 => {
                    column.learn(content, header.field(7).ok_or(DAMAGED)?).ok_or(DAMAGED)?;
                }
                Some(DATA_PAGE) => {
                    let header = header.field(5).ok_or(DAMAGED)?;
                    let count = header.size(1).filter(|count| (1..=rows - column.len()).contains(count));
                    let encoding = header.number(2).ok_or(DAMAGED)?;
                    column.page(content, count.ok_or(DAMAGED)?, is_optional, encoding)?;
                }
                _ => return Err("a column has pages of a kind that our files do not have"),
            }
        }
        Ok(column)
    }

    fn len(&self) -> usize {
        match self {
            Column::Texts { rows, .. } => rows.len(),
            Column::Whole(rows) => rows.len(),
            Column::Flags(rows) => rows.len(),
            Column::Floats(rows) => rows.len(),
        }
    }

    /// Takes the texts that indices stand for.
    fn learn(&mut self, mut content: Cursor<'_>, header: &Value<'_>) -> Option<()> {
        let Column::Texts { words, .. } = self else { return None };
        for _ in 0..header.size(1)? {
            words.push(text(&mut content)?);
        }
        Some(())
    }

    /// Takes the next `count` rows.
    fn page(
        &mut self,
        mut content: Cursor<'_>,
        count: usize,
        is_optional: bool,
        encoding: i64,
    ) -> Result<(), &'static str> {
        const DAMAGED: &str = "a page of a column is damaged";
        let present = present(&mut content, count, is_optional).ok_or(DAMAGED)?;
        match (self, encoding) {
            (Column::Texts { words, rows }, DICTIONARY | OLD_DICTIONARY) => {
                let there = present.iter().filter(|is_there| **is_there).count();
                let width = content.byte().ok_or(DAMAGED)?;
                let mut indices = hybrid(&mut content, width, there).ok_or(DAMAGED)?.into_iter();
                if indices.as_slice().iter().any(|index| *index as usize >= words.len()) {
                    return Err(DAMAGED);
                }
                rows.extend(present.into_iter().map(|is_there| if is_there { indices.next() } else { None }));
            }
            (Column::Texts { words, rows }, PLAIN) => {
                for is_there in present {
                    let index = u32::try_from(words.len()).map_err(|_| DAMAGED)?;
                    rows.push(is_there.then_some(index));
                    if is_there {
                        words.push(text(&mut content).ok_or(DAMAGED)?);
                    }
                }
            }
            (Column::Whole(rows), PLAIN) => {
                let next = || content.array().map(i64::from_le_bytes);
                fill(rows, &present, next).ok_or(DAMAGED)?;
            }
            (Column::Floats(rows), PLAIN) => {
                let next = || content.array().map(f64::from_le_bytes);
                fill(rows, &present, next).ok_or(DAMAGED)?;
            }
            (Column::Flags(rows), PLAIN) => {
                let (mut bits, mut left) = (0_u8, 0);
                let next = || {
                    if left == 0 {
                        (bits, left) = (content.byte()?, 8);
                    }
                    let flag = bits & 1 == 1;
                    (bits, left) = (bits >> 1, left - 1);
                    Some(flag)
                };
                fill(rows, &present, next).ok_or(DAMAGED)?;
            }
            _ => return Err("a column is encoded in a way that our files are not"),
        }
        Ok(())
    }
}

/// Adds a row per element of `present`; none if values run out.
fn fill<T>(rows: &mut Vec<Option<T>>, present: &[bool], mut next: impl FnMut() -> Option<T>) -> Option<()> {
    for is_there in present {
        rows.push(if *is_there { Some(next()?) } else { None });
    }
    Some(())
}

fn text(content: &mut Cursor<'_>) -> Option<String> {
    let length = usize::try_from(u32::from_le_bytes(content.array()?)).ok()?;
    content.take(length).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Which rows have a value.
fn present(content: &mut Cursor<'_>, count: usize, is_optional: bool) -> Option<Vec<bool>> {
    if !is_optional {
        return Some(vec![true; count]);
    }
    let length = usize::try_from(u32::from_le_bytes(content.array()?)).ok()?;
    let mut levels = Cursor { bytes: content.take(length)?, at: 0 };
    Some(hybrid(&mut levels, 1, count)?.into_iter().map(|level| level == 1).collect())
}

/// `count` numbers of `width` bits, in runs and in packed bits.
fn hybrid(content: &mut Cursor<'_>, width: u8, count: usize) -> Option<Vec<u32>> {
    let mut numbers = Vec::with_capacity(count);
    if width > 32 {
        return None;
    }
    while numbers.len() < count {
        let header = content.varint()?;
        let (length, left) = (usize::try_from(header >> 1).ok()?, count - numbers.len());
        if length == 0 {
            return None;
        }
        if header & 1 == 0 {
            let mut bytes = [0; 4];
            let value = content.take(usize::from(width).div_ceil(8))?;
            bytes[..value.len()].copy_from_slice(value);
            numbers.extend(std::iter::repeat_n(u32::from_le_bytes(bytes), length.min(left)));
        } else {
            let bytes = content.take(length.checked_mul(usize::from(width))?)?;
            let values = length.checked_mul(8)?.min(left);
            numbers.extend((0..values).map(|index| packed(bytes, width, index)));
        }
    }
    Some(numbers)
}

/// The number at `index` of packed ones, lowest bits first.
fn packed(bytes: &[u8], width: u8, index: usize) -> u32 {
    let from = index * usize::from(width);
    let bit = |at: usize| u32::from(bytes[at / 8] >> (at % 8) & 1);
    (0..usize::from(width)).fold(0, |number, at| number | bit(from + at) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_bits_are_numbers() {
        let check = |bytes: &[u8], width, count, expected: Option<&[u32]>| {
            assert_eq!(hybrid(&mut Cursor { bytes, at: 0 }, width, count).as_deref(), expected);
        };
        check(&[6, 7, 2, 1], 3, 4, Some(&[7, 7, 7, 1]));
        check(&[0xc8, 1, 0x2c, 1], 9, 3, Some(&[300; 3]));
        // The example of the format's description: 0 to 7 in three bits each.
        check(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010], 3, 8, Some(&[0, 1, 2, 3, 4, 5, 6, 7]));
        check(&[3, 0b1000_1000, 0b1100_0110, 0b1111_1010, 2, 5], 3, 9, Some(&[0, 1, 2, 3, 4, 5, 6, 7, 5]));
        check(&[6, 7], 3, 4, None);
        check(&[0, 7], 3, 4, None);
        check(&[], 3, 0, Some(&[]));
    }
}
