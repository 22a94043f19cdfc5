//! The compact protocol of Thrift, in which Parquet writes its headers: as much of it as they need. What is not so is none.

/// Deeper headers there are not.
const DEEPEST: usize = 12;

/// A value of a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Number(i64),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(Vec<(i16, Value<'a>)>),
}

impl<'a> Value<'a> {
    /// A field of a struct.
    pub(super) fn field(&self, number: i16) -> Option<&Value<'a>> {
        match self {
            Value::Struct(fields) => {
                fields.iter().find(|(known, _)| *known == number).map(|(_, value)| value)
            }
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

    /// A field that is a size or a place.
    pub(super) fn size(&self, field: i16) -> Option<usize> {
        usize::try_from(self.number(field)?).ok()
    }

    /// A field that is a list.
    pub(super) fn list(&self, field: i16) -> Option<&[Value<'a>]> {
        match self.field(field) {
            Some(Value::List(list)) => Some(list),
            _ => None,
        }
    }

    /// A field that is a text.
    pub(super) fn text(&self, field: i16) -> Option<&'a str> {
        match self.field(field) {
            Some(Value::Bytes(bytes)) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

/// Bytes and a place in them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    /// The next `N` bytes as they are.
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    /// Seven bits per byte, the lowest first.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// A struct up to its end.
    pub(super) fn structure(&mut self) -> Option<Value<'a>> {
        self.nested_structure(0)
    }

    fn nested_structure(&mut self, depth: usize) -> Option<Value<'a>> {
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

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value<'a>> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // In a struct a flag is its own type and has no bytes.
            1 | 2 => Some(Value::Number(i64::from(kind == 1))),
            3 => self.byte().map(|byte| Value::Number(i64::from(byte))),
            4..=6 => self.zigzag().map(Value::Number),
            7 => self.take(8).map(Value::Bytes),
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length).map(Value::Bytes)
            }
            9 | 10 => self.list(depth),
            12 => self.nested_structure(depth + 1),
            _ => None,
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value<'a>> {
        let header = self.byte()?;
        let length = match header >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            short => usize::from(short),
        };
        // Every element has at least a byte, in a list flags as well.
        if length > self.bytes.len() - self.at {
            return None;
        }
        let mut list = Vec::new();
        for _ in 0..length {
            list.push(match header & 15 {
                1 | 2 => Value::Number(i64::from(self.byte()? == 1)),
                kind => self.value(kind, depth + 1)?,
            });
        }
        Some(Value::List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<Value<'_>> {
        Cursor { bytes, at: 0 }.structure()
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
    fn what_is_cut_or_nested_without_end_is_nothing() {
        let bytes = [0x15, 1, 0x38, 2, b'a', b'b', 0];
        assert!((0..bytes.len()).all(|end| read(&bytes[..end]).is_none()));
        assert_eq!(read(&[0x1c; 100_000]), None);
        assert_eq!(read(&[0x19; 100_000]), None);
        assert_eq!(read(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), None);
        assert_eq!(read(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 0]), None, "a list longer than the file");
    }
}
