use crate::test_reading::check;

#[test]
fn lines_that_make_no_sense_are_said() {
    check(
        "p;c;a.B.c;;i;0;0;0;avgt;ns/op;1;5\np;c;a.B.c;;i;0;0;-1;avgt;ns/op;1;5\nshort;line\np;c;a.B.c;;i;0;0;1;avgt;ns/op;0;7\n",
        "pa-csv at c\n  project = p\n  jmh|a|B.c\n    process operations [1, 1] time [5.00000e-9 7.00000e-9]\n  \
         warning: file:2:1: left out a line: no position `-1`\n  warning: file:3:1: left out a line with 2 fields, 12 are needed",
    );
}

#[test]
fn parameters_instances_and_iterations_are_told_apart() {
    check(
        "p;c;a.B.c;x=1&y=2;i;0;0;0;avgt;s/op;3;10\np;c;a.B.c;x=1&y=2;i;0;0;0;avgt;s/op;1;14\np;c;a.B.c;x=1&y=2;i;0;0;1;avgt;s/op;1;5\n\
         p;c;a.B.c;x=1&y=2;j;0;0;0;avgt;s/op;1;6\n",
        "pa-csv at c\n  project = p\n  jmh|a|B.c/x=1/y=2\n    process operations [4, 1] time [11 5]\n    process operations [1] time [6]",
    );
}
