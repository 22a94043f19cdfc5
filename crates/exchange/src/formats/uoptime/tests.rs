use super::*;
use crate::test_reading::check;

#[test]
fn lines_that_make_no_sense_are_said() {
    check(
        "m_id,n,ns_per_op,it_setup,fork_setup,it_pos,fork_pos,b_name\n0,5.0,10,2,1,1,1,a.B.c\n1,x,10,2,1,2,1,a.B.c\n2,5,10,2,1,0,1,a.B.c\n3,5\n\
         4,5,12,2,1,2,1,a.B.c\n5,5,1",
        "uoptime-csv\n  jmh|a|B.c\n    process operations [5, 5] time [1.00000e-8 1.20000e-8]\n  \
         warning: file:3:1: left out a line: `x` is no number\n  warning: file:4:1: left out a line: no position 0\n  \
         warning: file:5:1: left out a line with too few fields\n  warning: file:7:1: the last line has no end and may be cut; it is left out",
    );
}

#[test]
fn positions_are_kept() {
    let text = "m_id,n,ns_per_op,bed_setup,it_setup,sr_setup,ir_setup,bed_pos,it_pos,sr_pos,ir_pos,b_name\n1,1,5,5,5,3,3,1,2,3,1,BenchmarkX\n";
    let list = crate::read("file", text.as_bytes()).unwrap();
    let expected = Position::Levels { instance: 0, suite_run: 2, iteration: 1 };
    assert_eq!(list[0].benchmarks[0].positions, [expected]);
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
