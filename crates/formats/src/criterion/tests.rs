use std::fs;

use crate::test_reading::check;

#[test]
fn single_files_are_called_by_their_name() {
    check(
        r#"{"sampling_mode": "Flat", "iters": [2.0, 4.0], "times": [8.0, 12.0]}"#,
        "criterion\n  cargo||file\n    process operations [2, 4] time [4.00000e-9 3.00000e-9]",
    );
    check(
        "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n\
         g,f,10,,,600.0,ns,2\ng,f,10,,,800.0,ns,2\ng,f,10,,,x,ns,2\n",
        "criterion\n  cargo||g/f/10\n    process operations [2, 2] time [3.00000e-7 4.00000e-7]\n  \
         warning: file:4:1: left out a line without numbers",
    );
}

#[test]
fn baselines_are_sets_of_their_own_and_the_copy_of_the_last_run_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |place: &str, times: &str| {
        let place = folder.path().join("g/f").join(place);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("benchmark.json"), r#"{"full_id": "g/f", "title": "g/f"}"#).unwrap();
        fs::write(place.join("sample.json"), format!(r#"{{"iters": [1.0], "times": [{times}]}}"#)).unwrap();
    };
    write("new", "5.0");
    write("base", "5.0");
    write("main", "7.0");
    let baselines = || {
        let list = crate::read_path(folder.path()).unwrap();
        list.iter().map(|imported| imported.environment["baseline"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(baselines(), ["new", "main"]);
    write("base", "6.0");
    assert_eq!(baselines(), ["new", "main", "base"]);
    fs::write(folder.path().join("g/f/new/sample.json"), "{\"iters\": [1.0").unwrap();
    let list = crate::read_path(folder.path()).unwrap();
    assert!(list[0].benchmarks.is_empty() && list[1].benchmarks.len() == 1);
    assert!(
        list[0].diagnostics[0].to_string().contains("sample.json:1:15: ends in the middle"),
        "{:?}",
        list[0].diagnostics
    );
    let one = crate::read_path(&folder.path().join("g/f/main/sample.json")).unwrap();
    assert_eq!(one[0].benchmarks[0].id.name, "g/f");
}

#[test]
fn long_titles_are_not_names_and_links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("group/new");
    fs::create_dir_all(&place).unwrap();
    let names = r#"{"full_id": "a long name of a group/f", "title": "a long name of..."}"#;
    fs::write(place.join("benchmark.json"), names).unwrap();
    fs::write(place.join("sample.json"), r#"{"iters": [1.0], "times": [5.0]}"#).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("group"), folder.path().join("again")).unwrap();
    let list = crate::read_path(folder.path()).unwrap();
    assert_eq!(list[0].benchmarks.len(), 1);
    assert_eq!(list[0].benchmarks[0].id.name, "a long name of a group/f");
    assert_eq!(list[0].benchmarks[0].processes.len(), 1, "{:?}", list[0].diagnostics);
}
