package org.example.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableSortedMap;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.StringUtils;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Public libraries at work, with JMH's own numbers of iterations. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Libraries {

    private final ObjectMapper mapper = new ObjectMapper();
    private String json;
    private String one;
    private String other;
    private Integer[] keys;

    @Setup
    public void prepare() {
        Random random = new Random(42);
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < 200; i++) {
            text.append(i == 0 ? "" : ",").append("{\"id\":").append(random.nextInt()).append(",\"name\":\"")
                    .append(Long.toString(random.nextLong(), 36)).append("\",\"share\":").append(random.nextDouble()).append('}');
        }
        json = text.append(']').toString();
        one = letters(random);
        other = letters(random);
        keys = random.ints(500).distinct().boxed().toArray(Integer[]::new);
    }

    private static String letters(Random random) {
        return random.ints(120, 'a', 'g').collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Benchmark
    public JsonNode jacksonReadsATree() throws IOException {
        return mapper.readTree(json);
    }

    @Benchmark
    public int langCountsEdits() {
        return StringUtils.getLevenshteinDistance(one, other);
    }

    @Benchmark
    public int guavaBuildsASortedMap() {
        ImmutableSortedMap.Builder<Integer, Integer> map = ImmutableSortedMap.naturalOrder();
        for (Integer key : keys) {
            map.put(key, key);
        }
        return map.build().size();
    }
}
