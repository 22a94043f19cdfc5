package org.example.shelf;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Prints what looks like results, and lines without an end. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Talking {

    private long sum;

    @Setup(Level.Iteration)
    public void before() {
        System.out.println("Iteration   1: 999999.000 ns/op");
        System.err.println("<no failure>");
    }

    @TearDown(Level.Iteration)
    public void after() {
        System.out.print("no end of line");
    }

    @Benchmark
    public long add() {
        return sum++;
    }
}
