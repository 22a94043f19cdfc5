//! Positions of elements by their keys, which are stored in the elements: one hash per lookup, and no copy of
//! a key.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

/// Positions in a list by the keys of its elements. Nothing is ever removed.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// A random number per index, so that a file cannot be constructed whose keys collide.
    state: RandomState,
    /// By hash. If another key had the same hash, by the next free number.
    positions: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
}

/// A free place in an index.
#[derive(Debug)]
pub(crate) struct Vacancy(u64);

impl Index {
    /// The position of `key`, given a function that checks whether an element has it. Otherwise the place for
    /// it.
    pub(crate) fn find(
        &self,
        key: &(impl Hash + ?Sized),
        has_it: impl Fn(usize) -> bool,
    ) -> Result<usize, Vacancy> {
        let mut hash = self.state.hash_one(key);
        while let Some(&position) = self.positions.get(&hash) {
            if has_it(position) {
                return Ok(position);
            }
            hash = hash.wrapping_add(1);
        }
        Err(Vacancy(hash))
    }

    /// Stores `position` for the key with this vacancy. Nothing may have been added in between.
    pub(crate) fn add(&mut self, vacancy: Vacancy, position: usize) {
        self.positions.insert(vacancy.0, position);
    }
}

/// Hashes are not hashed again.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Only numbers are hashed here, through the method below, but any bytes would be distinguished.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_they_were_added() {
        let keys: Vec<String> = (0..1000).map(|number| format!("key {number}")).collect();
        let mut index = Index::default();
        for (position, key) in keys.iter().enumerate() {
            let vacancy = index.find(key, |at| keys[at] == *key).expect_err("not there yet");
            index.add(vacancy, position);
        }
        for (position, key) in keys.iter().enumerate() {
            assert_eq!(index.find(key, |at| keys[at] == *key).ok(), Some(position));
        }
        assert!(index.find("key", |at| keys[at] == "key").is_err());
    }

    #[test]
    fn keys_with_the_same_hash_stand_side_by_side() {
        #[derive(PartialEq)]
        struct Same(u32);
        impl Hash for Same {
            fn hash<H: Hasher>(&self, state: &mut H) {
                7.hash(state);
            }
        }
        let keys = [Same(0), Same(1), Same(2)];
        let mut index = Index::default();
        for (position, key) in keys.iter().enumerate() {
            let vacancy = index.find(key, |at| keys[at] == *key).expect_err("not there yet");
            index.add(vacancy, position);
        }
        let found: Vec<_> = keys.iter().map(|key| index.find(key, |at| keys[at] == *key).ok()).collect();
        assert_eq!(found, [Some(0), Some(1), Some(2)]);
        assert!(index.find(&Same(3), |at| keys[at] == Same(3)).is_err());
    }
}
