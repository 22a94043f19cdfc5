//! Writes Thrift's compact protocol, which Parquet uses for its headers, with the features they need.

/// Types of fields and elements.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written. Fields are added in ascending order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(crate) fn i32(mut self, field: u8, value: i32) -> Self {
        self.field(field, I32);
        zigzag(i64::from(value), &mut self.bytes);
        self
    }

    pub(crate) fn i64(mut self, field: u8, value: u64) -> Self {
        self.field(field, I64);
        zigzag(value.cast_signed(), &mut self.bytes);
        self
    }

    pub(crate) fn text(mut self, field: u8, value: &str) -> Self {
        self.field(field, BINARY);
        binary(value, &mut self.bytes);
        self
    }

    pub(crate) fn structure(mut self, field: u8, value: Struct) -> Self {
        self.field(field, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    pub(crate) fn structures(mut self, field: u8, values: Vec<Struct>) -> Self {
        self.list(field, STRUCT, values.len());
        values.into_iter().for_each(|value| self.bytes.extend(value.finish()));
        self
    }

    pub(crate) fn i32s(mut self, field: u8, values: &[i32]) -> Self {
        self.list(field, I32, values.len());
        values.iter().for_each(|value| zigzag(i64::from(*value), &mut self.bytes));
        self
    }

    pub(crate) fn texts(mut self, field: u8, values: &[&str]) -> Self {
        self.list(field, BINARY, values.len());
        values.iter().for_each(|value| binary(value, &mut self.bytes));
        self
    }

    /// Applies `add` if there is a value.
    pub(crate) fn maybe<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => add(self, value),
            None => self,
        }
    }

    /// Its bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    /// Writes a field's header: the difference of its number to the last one's, and its type.
    fn field(&mut self, field: u8, kind: u8) {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        const LONG: u8 = 15;
        self.field(field, LIST);
        match u8::try_from(length) {
            Ok(length) if length < LONG => self.bytes.push(length << 4 | kind),
            _ => {
                self.bytes.push(LONG << 4 | kind);
                varint(length as u64, &mut self.bytes);
            }
        }
    }
}

/// Seven bits per byte, the lowest first. All but the last byte have the top bit set.
pub(crate) fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Makes small numbers of either sign short: 0, -1, 1, -2 become 0, 1, 2, 3.
fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint(((value << 1) ^ (value >> 63)).cast_unsigned(), out);
}

fn binary(text: &str, out: &mut Vec<u8>) {
    varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        let bytes = |value: i64| {
            let mut out = Vec::new();
            zigzag(value, &mut out);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(-1), [1]);
        assert_eq!(bytes(63), [126]);
        assert_eq!(bytes(64), [0x80, 1]);
        assert_eq!(bytes(-300), [0xd7, 4]);
    }

    #[test]
    fn fields_are_written_by_the_distance_of_their_numbers() {
        let inner = Struct::default().i32(1, 5);
        let bytes = Struct::default().i32(1, -1).text(4, "ab").structure(5, inner).i32s(7, &[1]).finish();
        assert_eq!(bytes, [0x15, 1, 0x38, 2, b'a', b'b', 0x1c, 0x15, 10, 0, 0x29, 0x15, 2, 0]);
    }

    #[test]
    fn long_lists_have_a_length_of_their_own() {
        let bytes = Struct::default().i32s(1, &[0; 20]).finish();
        assert_eq!(&bytes[..3], [0x19, 0xf5, 20]);
        assert_eq!(bytes.len(), 3 + 20 + 1);
    }
}
