//! Converts numbers to bytes and restores them bit for bit.

/// Floats as bytes, eight each, least significant first.
pub(crate) fn floats_bytes(values: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * 8);
    values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    bytes
}

/// The floats of such bytes.
pub(crate) fn floats_from_bytes(bytes: &[u8]) -> Result<Vec<f64>, BadNumber> {
    let (chunks, rest) = bytes.as_chunks::<8>();
    match rest.is_empty() {
        true => Ok(chunks.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()),
        false => Err(BadNumber(format!("{} bytes of doubles", bytes.len()))),
    }
}

/// Whole numbers as bytes with seven bits each, least significant first. The eighth bit is set if more bytes
/// follow.
pub(crate) fn integers_bytes(values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * 3);
    for value in values {
        let mut rest = *value;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// The whole numbers of such bytes.
pub(crate) fn integers_from_bytes(bytes: &[u8]) -> Result<Vec<u64>, BadNumber> {
    let bad = || BadNumber(format!("{} bytes of whole numbers", bytes.len()));
    let mut values = Vec::new();
    let (mut value, mut shift) = (0_u64, 0_u32);
    for byte in bytes {
        let bits = u64::from(byte & 0x7f);
        if shift > 63 || (shift == 63 && bits > 1) {
            return Err(bad());
        }
        value |= bits << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            values.push(value);
            (value, shift) = (0, 0);
        }
    }
    if shift == 0 { Ok(values) } else { Err(bad()) }
}

/// A number that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("understand the number `{0}`")]
pub(crate) struct BadNumber(String);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(bits: u64) {
        let value = f64::from_bits(bits);
        let many = [value, 1.5, value];
        let as_bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        let expected = as_bits(many.to_vec());
        assert_eq!(as_bits(floats_from_bytes(&floats_bytes(&many)).unwrap()), expected);
    }

    #[test]
    fn odd_floats_come_back_bit_for_bit() {
        for value in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 5e-324] {
            check(value.to_bits());
        }
        for nan in [f64::NAN.to_bits(), 0x7ff8_0000_dead_beef, 0xfff0_0000_0000_0001] {
            check(nan);
        }
    }

    #[test]
    fn damaged_numbers_are_refused() {
        assert!(floats_from_bytes(&[0; 9]).is_err());
        assert!(integers_from_bytes(&[0x80]).is_err());
        assert!(integers_from_bytes(&[0xff; 11]).is_err());
    }

    proptest! {
        #[test]
        fn every_float_comes_back_bit_for_bit(bits: u64) {
            check(bits);
        }

        #[test]
        fn whole_numbers_come_back(values: Vec<u64>, edges in proptest::collection::vec(0_u32..64, 0..4)) {
            let mut all = values;
            all.extend(edges.into_iter().flat_map(|bit| [1_u64 << bit, (1_u64 << bit) - 1, u64::MAX >> bit]));
            prop_assert_eq!(integers_from_bytes(&integers_bytes(&all)).unwrap(), all);
        }
    }
}
