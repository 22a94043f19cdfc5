//! A checksum.

/// Fletcher's checksum of the bytes.
pub fn fletcher(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (0_u32, 0_u32);
    for &byte in bytes {
        low = (low + u32::from(byte)) % 65_535;
        high = (high + low) % 65_535;
    }
    high << 16 | low
}
