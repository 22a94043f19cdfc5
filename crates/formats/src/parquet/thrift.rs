//! Thrift's compact protocol, which Parquet uses for its headers.

pub(crate) mod write;

/// Parquet's headers are never nested deeper.
const DEPTH: usize = 24;

/// A value. Missing fields of a struct are `None`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Number(i64),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(Vec<(i16, Value<'a>)>),
    /// Of a type that no header needs.
    Other,
}

impl<'a> Value<'a> {
    /// A field of a struct.
    pub(super) fn field(&self, number: i16) -> Option<&Value<'a>> {
        match self {
            Value::Struct(fields) => fields.iter().find(|(own, _)| *own == number).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A field that is a number.
    pub(super) fn number(&self, field: i16) -> Option<i64> {
        match self.field(field) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A field that counts or points somewhere.
    pub(super) fn size(&self, field: i16) -> Option<usize> {
        self.number(field).and_then(|number| usize::try_from(number).ok())
    }

    /// A field that is text.
    pub(super) fn text(&self, field: i16) -> Option<&'a str> {
        match self.field(field) {
            Some(Value::Bytes(bytes)) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// A field that is a list.
    pub(super) fn list(&self, field: i16) -> Option<&[Value<'a>]> {
        match self.field(field) {
            Some(Value::List(list)) => Some(list),
            _ => None,
        }
    }
}

/// Bytes and a position in them. Every operation returns `None` if the bytes end too early or are invalid.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Cursor { bytes, at }
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a struct. Every header is one.
    pub(super) fn header(&mut self) -> Option<Value<'a>> {
        self.structure(DEPTH)
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn length(&mut self) -> Option<usize> {
        let length = usize::try_from(self.varint()?).ok()?;
        // Every element takes at least one byte, so a longer list is damaged and must not cause memory to be
        // reserved.
        (length <= self.bytes.len()).then_some(length)
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value<'a>> {
        let depth = depth.checked_sub(1)?;
        Some(match kind {
            1 => Value::Number(1),
            2 => Value::Number(0),
            3 => Value::Number(i64::from(self.byte()?)),
            4..=6 => Value::Number(self.zigzag()?),
            7 => self.take(8).map(|_| Value::Other)?,
            8 => {
                let length = self.length()?;
                Value::Bytes(self.take(length)?)
            }
            9 | 10 => self.sequence(depth)?,
            11 => self.map(depth)?,
            12 => self.structure(depth)?,
            _ => return None,
        })
    }

    fn sequence(&mut self, depth: usize) -> Option<Value<'a>> {
        let header = self.byte()?;
        let length = if header >> 4 == 15 { self.length()? } else { usize::from(header >> 4) };
        let mut list = Vec::new();
        for _ in 0..length {
            list.push(self.element(header & 15, depth)?);
        }
        Some(Value::List(list))
    }

    fn map(&mut self, depth: usize) -> Option<Value<'a>> {
        let length = self.length()?;
        if length > 0 {
            let kinds = self.byte()?;
            for _ in 0..length {
                self.element(kinds >> 4, depth)?;
                self.element(kinds & 15, depth)?;
            }
        }
        Some(Value::Other)
    }

    /// Reads a value outside a struct, where a flag takes a byte of its own.
    fn element(&mut self, kind: u8, depth: usize) -> Option<Value<'a>> {
        if matches!(kind, 1 | 2) { self.byte().map(|_| Value::Other) } else { self.value(kind, depth) }
    }

    fn structure(&mut self, depth: usize) -> Option<Value<'a>> {
        let depth = depth.checked_sub(1)?;
        let (mut fields, mut last) = (Vec::new(), 0_i16);
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Some(Value::Struct(fields));
            }
            last = match header >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                distance => last.checked_add(i16::from(distance))?,
            };
            fields.push((last, self.value(header & 15, depth)?));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<Value<'_>> {
        Cursor::new(bytes, 0).header()
    }

    #[test]
    fn fields_are_found_by_their_numbers() {
        let bytes = [0x15, 1, 0x38, 2, b'a', b'b', 0x1c, 0x15, 10, 0, 0x29, 0x15, 2, 0x11, 0];
        let value = read(&bytes).unwrap();
        assert_eq!(value.number(1), Some(-1));
        assert_eq!(value.text(4), Some("ab"));
        assert_eq!(value.field(5).and_then(|inner| inner.number(1)), Some(5));
        assert_eq!(value.list(7), Some([Value::Number(1)].as_slice()));
        assert_eq!(value.number(8), Some(1), "a flag");
        assert_eq!((value.number(9), value.text(1), value.size(1)), (None, None, None));
    }

    #[test]
    fn what_no_header_needs_is_passed_over() {
        // A double, a map of two flags to bytes, a list of two flags, and a number after them.
        let bytes = [0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b, 2, 0x13, 1, 7, 2, 8, 0x19, 0x21, 1, 2, 0x15, 6, 0];
        let value = read(&bytes).unwrap();
        assert_eq!(value.list(3).map(<[_]>::len), Some(2));
        assert_eq!((value.number(1), value.number(2), value.number(4)), (None, None, Some(3)));
    }

    #[test]
    fn what_is_cut_or_nested_without_end_is_nothing() {
        let bytes = [0x15, 1, 0x38, 2, b'a', b'b', 0];
        assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_none()));
        assert_eq!(read(&[0x1c; 100_000]), None);
        assert_eq!(read(&[0x19; 100_000]), None);
        assert_eq!(read(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(read(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 0]), None, "a list longer than the file");
    }
}
