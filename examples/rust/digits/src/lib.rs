//! Digits of a number.

/// The sum of the decimal digits.
pub fn sum(mut n: u64) -> u64 {
    let mut result = 0;
    while n > 0 {
        result += n % 10;
        n /= 10;
    }
    result
}

/// The decimal digits, most significant first.
pub fn list(n: u64) -> Vec<u8> {
    n.to_string().bytes().map(|byte| byte - b'0').collect()
}
