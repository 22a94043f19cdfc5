//! Set operations on sorted slices.

/// How many elements two sorted slices share.
pub fn common<T: Ord>(a: &[T], b: &[T]) -> usize {
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, n) = (i + 1, j + 1, n + 1),
        }
    }
    n
}

/// The sorted elements without repetition.
pub fn unique<T: Ord + Clone>(elements: &[T]) -> Vec<T> {
    let mut result = elements.to_vec();
    result.sort();
    result.dedup();
    result
}
