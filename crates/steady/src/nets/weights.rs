//! Weights in the format of `studies/warmup/export.py`.

use crate::bytes::{Bytes, WeightsError};

/// The arrays of one model.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    /// Scores of at least this are steady.
    pub(crate) threshold: f32,
    arrays: std::vec::IntoIter<Vec<f32>>,
}

impl Weights {
    /// Reads a file of the given kind.
    pub(crate) fn read(kind: u32, bytes: &[u8]) -> Result<Weights, WeightsError> {
        let mut bytes = Bytes::after(b"BWN1", bytes)?;
        if bytes.u32()? != kind {
            return Err(WeightsError::Other);
        }
        let threshold = bytes.f32()?;
        let n = bytes.u32()?;
        let arrays: Vec<Vec<f32>> = (0..n).map(|_| bytes.array()).collect::<Result<_, _>>()?;
        bytes.end()?;
        Ok(Weights { threshold, arrays: arrays.into_iter() })
    }

    /// The next array, which must have this length.
    pub(crate) fn next(&mut self, length: usize) -> Result<Vec<f32>, WeightsError> {
        let array = self.any()?;
        if array.len() == length {
            Ok(array)
        } else {
            Err(WeightsError::Content("an array has another length"))
        }
    }

    /// The next array, of any length.
    pub(crate) fn any(&mut self) -> Result<Vec<f32>, WeightsError> {
        self.arrays.next().ok_or(WeightsError::Length("too short"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_in_order_with_their_lengths() {
        let file = b"BWN1\x02\0\0\0\0\0\0\x3f\x02\0\0\0\x01\0\0\0\0\0\x80\x3f\0\0\0\0";
        let mut weights = Weights::read(2, file).expect("weights");
        assert_eq!(weights.threshold, 0.5);
        assert_eq!(weights.next(1), Ok(vec![1.0]));
        assert!(weights.clone().next(1).is_err());
        assert_eq!(weights.any(), Ok(vec![]));
        assert!(weights.any().is_err());
        assert_eq!(Weights::read(1, file).err(), Some(WeightsError::Other));
        assert!(Weights::read(2, &file[..20]).is_err());
    }
}
