//! The embedded weights are those that the model cards speak of.

use benchwright_testkit::repository;
use sha2::{Digest, Sha256};

#[test]
fn weights_have_the_sums_that_were_noted_and_are_small() {
    let folder = repository().join("crates/steady/weights");
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS")).expect("the sums");
    let mut size = 0;
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").expect("a sum and a name");
        let bytes = std::fs::read(folder.join(name)).expect("weights");
        let ours: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(ours, sum, "{name}");
        size += bytes.len();
    }
    let files = std::fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(files, sums.lines().count() + 1, "a file without a sum");
    assert!(size < 4_000_000, "{size}");
}
