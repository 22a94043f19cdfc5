/// The line that is widest on a terminal, where a tab goes on to the next multiple of eight.
pub fn longest_line(text: &str) -> &str {
    let step = |width: usize, byte: u8| if byte == b'\t' { (width | 7) + 1 } else { width + 1 };
    text.lines().max_by_key(|line| line.bytes().fold(0, step)).unwrap_or("")
}

/// The numbers at the ends of the lines.
pub fn parse_numbers(text: &str) -> Vec<u64> {
    text.lines().filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect()
}

/// Fletcher's checksum of the bytes.
pub fn checksum(text: &str) -> u64 {
    let (mut low, mut high) = (0_u64, 0_u64);
    for byte in text.bytes() {
        low = (low + u64::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    high << 32 | low
}
