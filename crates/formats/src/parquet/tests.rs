//! A file written by Arrow, and reading it after damage.

use std::path::PathBuf;

use super::Table;
use super::table::read_columns;

const COLUMNS: [&str; 7] =
    ["system", "fork", "iteration_time_s", "outliers", "changepoints", "values", "no such column"];

fn file() -> PathBuf {
    benchwright_testkit::repository().join("fixtures/jmh-steady/excerpt/series-0.parquet")
}

#[test]
fn columns_of_every_type_are_read() {
    let table = Table::read(&file(), &COLUMNS).expect("a table");
    assert_eq!(table.rows(), 8);
    let systems = table.texts("system").expect("texts");
    assert!(systems.iter().all(|system| system.as_deref().is_some_and(|name| name.contains('/'))));
    let forks = table.wholes("fork").expect("whole numbers");
    assert!(forks.iter().all(|fork| fork.is_some_and(|fork| (0..10).contains(&fork))));
    assert_eq!(table.reals("iteration_time_s").expect("numbers"), vec![Some(0.1); 8]);
    let values = table.real_lists("values").expect("lists");
    assert!(values.iter().all(|values| values.len() == 3000 && values.iter().all(|value| *value > 0.0)));
    let ends = table.whole_lists("changepoints").expect("lists");
    assert!(ends.iter().all(|ends| matches!(ends.last(), Some(2998 | 2999))));
    let outliers = table.whole_lists("outliers").expect("lists");
    assert!(outliers.iter().any(|outliers| !outliers.is_empty()));
}

#[test]
fn what_is_not_there_is_said() {
    let table = Table::read(&file(), &COLUMNS).expect("a table");
    assert!(!table.has("no such column") && table.has("values"));
    let error = table.texts("values").expect_err("lists are no texts");
    assert!(error.to_string().starts_with("find a column of texts `values` in `"), "{error}");
    let error = Table::read(&file().with_file_name("nothing"), &[]).expect_err("no file");
    assert!(error.to_string().starts_with("read `"), "{error}");
    let error = Table::read(&file().with_file_name("subjects.csv"), &[]).expect_err("no Parquet");
    assert!(error.to_string().contains("does not begin and end with PAR1"), "{error}");
}

/// Every damage causes an error, never a panic or an endless loop.
#[test]
fn damage_is_an_error() {
    let bytes = std::fs::read(file()).expect("the file");
    for length in [0, 3, 8, 12, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(read_columns(&bytes[..length], &COLUMNS).is_err(), "{length}");
    }
    let small = ["system", "fork", "changepoints"];
    let mut state = 7_usize;
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        for _ in 0..4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Damages headers and the footer; values in between are only numbers.
            let edge = state % 6000;
            let place = if state & 1 << 40 == 0 { edge } else { bytes.len() - 1 - edge };
            damaged[place] ^= (state >> 20) as u8;
        }
        // Either result is acceptable, because the damaged part may not be read.
        let _ = read_columns(&damaged, &small);
    }
}
