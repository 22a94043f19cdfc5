package org.example.shelf;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Parameters that are hard to write on a command line. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
public class Texts {

    @Param({"plain", "a,b", "x/y=z", "Größe 10 %", ""})
    public String title;

    @Benchmark
    public int hash() {
        int hash = 7;
        for (int i = 0; i < title.length(); i++) {
            hash = hash * 31 + title.charAt(i);
        }
        return hash;
    }
}
