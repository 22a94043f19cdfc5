package org.example.shelf;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Fails where it is told to, by an exception or by leaving. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
public class Broken {

    @Param("no")
    public String fails;

    @Benchmark
    public int take() {
        if (fails.equals("throws")) {
            throw new IllegalStateException("the shelf is empty");
        }
        if (fails.equals("leaves")) {
            System.exit(3);
        }
        return fails.length();
    }
}
