package org.example.shelf;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Filling a shelf, with parameters. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 50, timeUnit = TimeUnit.MILLISECONDS)
@Fork(3)
public class Sorting {

    /** In which order the books come. */
    public enum Order { RISING, FALLING }

    @Param({"10", "100"})
    public int size;

    @Param
    public Order order;

    @Benchmark
    public int fill() {
        Shelf shelf = new Shelf();
        for (int i = 0; i < size; i++) {
            shelf.add(order == Order.RISING ? i : size - i);
        }
        return shelf.size();
    }
}
