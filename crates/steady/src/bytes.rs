//! Reads little-endian numbers from an embedded file.

/// Why weights, embedded or from a file, cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The beginning is wrong, or they are for something else.
    #[error("read weights: they are for something else")]
    Other,
    /// It ends too early or has something left.
    #[error("read weights: they are {0}")]
    Length(&'static str),
    /// A number in it points to nowhere.
    #[error("read weights: {0}")]
    Content(&'static str),
}

/// Reads numbers one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    /// All bytes after the four letters with which they must begin.
    pub(crate) fn after(letters: &[u8; 4], bytes: &'a [u8]) -> Result<Self, WeightsError> {
        bytes.strip_prefix(letters).map(|rest| Bytes { rest }).ok_or(WeightsError::Other)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, WeightsError> {
        self.chunk().map(u32::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, WeightsError> {
        self.chunk().map(u16::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, WeightsError> {
        self.chunk().map(f32::from_le_bytes)
    }

    /// An array of numbers. The first number is its length.
    pub(crate) fn array(&mut self) -> Result<Vec<f32>, WeightsError> {
        let n = self.u32()? as usize;
        let size = n.checked_mul(4).filter(|size| *size <= self.rest.len());
        let (array, rest) = self.rest.split_at(size.ok_or(WeightsError::Length("too short"))?);
        self.rest = rest;
        Ok(array.chunks_exact(4).filter_map(|four| Some(f32::from_le_bytes(four.try_into().ok()?))).collect())
    }

    /// Checks that nothing is left.
    pub(crate) fn end(self) -> Result<(), WeightsError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WeightsError::Length("too long")) }
    }

    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        let (chunk, rest) = self.rest.split_first_chunk().ok_or(WeightsError::Length("too short"))?;
        self.rest = rest;
        Ok(*chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_order_and_nothing_is_left() {
        let mut bytes =
            Bytes::after(b"BWN1", b"BWN1\x01\0\0\0\x02\0\x01\0\0\0\0\0\x80\x3f").expect("letters");
        assert_eq!((bytes.u32(), bytes.u16(), bytes.array()), (Ok(1), Ok(2), Ok(vec![1.0])));
        assert_eq!(bytes.clone().end(), Ok(()));
        assert_eq!(bytes.f32(), Err(WeightsError::Length("too short")));
    }

    #[test]
    fn other_letters_and_wrong_lengths_are_refused() {
        assert_eq!(Bytes::after(b"BWN1", b"BWT1").err(), Some(WeightsError::Other));
        let mut claims_more = Bytes::after(b"BWN1", b"BWN1\xff\xff\xff\xff\0\0").expect("letters");
        assert_eq!(claims_more.array(), Err(WeightsError::Length("too short")));
        let left = Bytes::after(b"BWN1", b"BWN1\0").expect("letters");
        assert_eq!(left.end(), Err(WeightsError::Length("too long")));
    }
}
