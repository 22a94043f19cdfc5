package org.example.shelf;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counters of its own, and two methods that run against each other. */
@State(Scope.Group)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Counted {

    private final AtomicLong value = new AtomicLong();

    /** What JMH reports beside the score. */
    @AuxCounters
    @State(Scope.Thread)
    public static class Hits {
        public long even;
    }

    @Benchmark
    @Group("both")
    @BenchmarkMode(Mode.AverageTime)
    public long write() {
        return value.incrementAndGet();
    }

    @Benchmark
    @Group("both")
    @BenchmarkMode(Mode.AverageTime)
    public long read() {
        return value.get();
    }

    @Benchmark
    @Group("aside")
    @BenchmarkMode(Mode.Throughput)
    public long count(Hits hits) {
        long now = value.incrementAndGet();
        if (now % 2 == 0) {
            hits.even++;
        }
        return now;
    }
}
