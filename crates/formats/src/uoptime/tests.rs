use super::*;
use crate::test_reading::check;

#[test]
fn lines_that_make_no_sense_are_said() {
    check(
        "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n0,5.0,10,2,1,1,1,a.B.c\n1,x,10,2,1,2,1,a.B.c\n2,5,10,2,1,0,1,a.B.c\n3,5\n\
         4,5,12,2,1,2,1,a.B.c\n5,5,1",
        "uoptime-csv\n  jmh|a|B.c\n    process operations [5, 5] time [1.00000e-8 1.20000e-8]\n  \
         warning: file:3:1: left out a line: `x` is not a number\n  warning: file:4:1: left out a line: no position 0\n  \
         warning: file:5:1: left out a line with too few fields\n  \
         error: file:7:1: the last line has no end and may be cut; it is left out (a newline after it says that it is whole)",
    );
}

#[test]
fn positions_are_kept() {
    let text = "m_id,n,ns_per_op,bed_setup,it_setup,sr_setup,ir_setup,bed_pos,it_pos,sr_pos,ir_pos,b_name\n1,1,5,5,5,3,3,1,2,3,1,BenchmarkX\n";
    let list = crate::read("file", text.as_bytes()).unwrap();
    let expected = Position::Levels { instance: 0, suite_run: 2, iteration: 1 };
    assert_eq!(list[0].benchmarks[0].positions, [expected]);
}

/// The positions of the values of every process, and the diagnostics.
fn places(rows: &[(u32, u32)]) -> (Vec<Vec<Vec<u32>>>, Vec<String>) {
    let mut text = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n".to_owned();
    for (fork, iteration) in rows {
        text.push_str(&format!("0,5,1{fork}{iteration},20,3,{iteration},{fork},a.B.c\n"));
    }
    let list = crate::read("file", text.as_bytes()).unwrap();
    let said = list[0].diagnostics.iter().map(ToString::to_string).collect();
    (list[0].benchmarks.iter().map(|benchmark| benchmark.inner_positions.clone()).collect(), said)
}

#[test]
fn a_line_that_came_twice_is_no_second_benchmark() {
    let check = |rows: &[(u32, u32)], expected: &[&[&[u32]]]| {
        let (found, said) = places(rows);
        assert_eq!(
            found,
            expected.iter().map(|one| one.iter().map(|p| p.to_vec()).collect()).collect::<Vec<Vec<_>>>()
        );
        assert!(
            said[0].contains("left out 1 values of `a:B.c` whose position is taken by others"),
            "{said:?}"
        );
    };
    check(&[(1, 1), (1, 2), (1, 2), (1, 3), (1, 4)], &[&[&[0, 1, 2, 3]]]);
    check(&[(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (1, 3)], &[&[&[0, 1, 2], &[0, 1, 2]]]);
    check(&[(1, 1), (1, 2), (2, 1), (2, 1), (2, 2)], &[&[&[0, 1], &[0, 1]]]);
    // A block that is nearly as large as the first belongs to another benchmark.
    let (found, said) = places(&[(1, 1), (1, 2), (1, 3), (1, 4), (1, 1), (1, 2), (1, 3)]);
    assert_eq!(found.len(), 2);
    assert!(said[0].contains("share a name"), "{said:?}");
    // The same holds for one of equal size.
    let (found, said) = places(&[(1, 1), (1, 2), (1, 1), (1, 2), (2, 1), (2, 2), (2, 1), (2, 2)]);
    assert_eq!(found.len(), 2);
    assert!(said[0].contains("share a name"), "{said:?}");
}

#[test]
fn a_value_that_is_left_out_leaves_a_gap_and_names_are_kept() {
    let text = "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n\
                0,5,10,3,1,1,1,p#a.B.c#x=1\n1,5,NaN,3,1,2,1,p#a.B.c#x=1\n2,5,12,3,1,3,1,p#a.B.c#x=1\n";
    let list = crate::read("file", text.as_bytes()).unwrap();
    let benchmark = &list[0].benchmarks[0];
    assert_eq!((benchmark.written_name.as_str(), benchmark.id.name.as_str()), ("p#a.B.c#x=1", "B.c/x=1"));
    assert_eq!(benchmark.inner_positions, [[0, 2]]);
}

#[test]
fn the_recorded_data_sets_are_read_whole() {
    let Some(folder) = benchwright_testkit::data("uoptime") else { return };
    let check = |file: &str, benchmarks: usize, values: usize| {
        let list = crate::read_path(&folder.join(file)).unwrap();
        let processes = || list[0].benchmarks.iter().flat_map(|benchmark| &benchmark.processes);
        let found: usize = processes().map(|process| process.operations.len()).sum();
        assert_eq!(
            (list[0].benchmarks.len(), found),
            (benchmarks, values),
            "{file}: {:?}",
            list[0].diagnostics.first()
        );
    };
    check("go/zap-v1.19.1.csv.gz", 21, 21 * 225);
    check("go/toml-v2.0.5.csv.gz", 35, 35 * 225);
    check("java-fse20/laaber_byte-buddy.csv.gz", 39, 19500);
    check("java-fse20/laaber_protostuff.csv.gz", 31, 15500);
}

#[test]
fn all_parameters_are_in_the_name() {
    assert_eq!(identity("p#a.B.c#x=1&y=2,3", 1, false), BenchmarkId::new("jmh", "a", "B.c/x=1/y=2,3#2"));
    assert_eq!(identity("BenchmarkX/a=1", 0, true), BenchmarkId::new("go", "", "BenchmarkX/a=1"));
}
