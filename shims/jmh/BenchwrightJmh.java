import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.BenchmarkException;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Defaults;
import org.openjdk.jmh.runner.IterationType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * JMH with every number in full: compiled against the suite's own JMH, put before it on the class path.
 *
 * <pre>
 * version                                           the version of JMH
 * list ARGUMENT...                                  every benchmark, mode and combination of parameters
 * run NAME MODE ITERATIONS NANOSECONDS COUNT (PARAMETER VALUE){COUNT} ARGUMENT...
 *                                                   one of them in one fork; MODE empty: its only one;
 *                                                   ITERATIONS 0: as the suite says
 * </pre>
 *
 * ARGUMENTs are JMH's own. Facts are lines of fields separated by tabs, the first of which is {@link #MARK} and the last a
 * full stop, so that neither what a benchmark prints nor a line that was cut is taken for one. The first fact of "run" is a random
 * token; the mark of all further ones has it, so that a benchmark, which runs in another VM, cannot forge them. Names and values are escaped both
 * ways, see {@link #escaped}. Java 8, and of JMH only what has been there for years: {@code OutputFormat}, whose methods vary, is
 * implemented by a proxy.
 */
public final class BenchwrightJmh {

    private static final String MARK = "#benchwright";

    private static String mark = MARK;

    private BenchwrightJmh() {
    }

    public static void main(String[] args) {
        try {
            switch (args.length == 0 ? "" : args[0]) {
                case "version":
                    say("version", version());
                    break;
                case "list":
                    list(Arrays.copyOfRange(args, 1, args.length));
                    break;
                case "run":
                    run(args);
                    break;
                default:
                    throw new IllegalArgumentException("expected version, list or run");
            }
        } catch (Throwable failure) {
            Throwable cause = cause(failure);
            if (failure.getCause() instanceof BenchmarkException) {
                // JMH has printed where it happened.
                say("failure", cause.toString());
            } else {
                say("failure", cause == failure ? failure.toString() : failure + " (" + cause + ")");
                failure.printStackTrace();
            }
            System.exit(1);
        }
        // Threads that a benchmark left behind in this VM must not keep it alive.
        System.exit(0);
    }

    private static void list(String[] args) throws Exception {
        CommandLineOptions options = new CommandLineOptions(args);
        for (BenchmarkListEntry entry
                : BenchmarkList.defaultList().find(format(), options.getIncludes(), options.getExcludes())) {
            Collection<Mode> asked = options.getBenchModes();
            for (Mode mode : modes(asked.isEmpty() ? Collections.singleton(entry.getMode()) : asked)) {
                for (Map<String, String> parameters : combinations(entry, options)) {
                    List<String> fields = new ArrayList<>(
                            Arrays.asList("benchmark", entry.getUsername(), mode.shortLabel()));
                    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
                        fields.add(parameter.getKey());
                        fields.add(parameter.getValue());
                    }
                    say(fields.toArray(new String[0]));
                }
            }
        }
    }

    private static List<Mode> modes(Collection<Mode> asked) {
        List<Mode> modes = new ArrayList<>(asked);
        if (modes.remove(Mode.All)) {
            for (Mode mode : Mode.values()) {
                if (mode != Mode.All && !modes.contains(mode)) {
                    modes.add(mode);
                }
            }
        }
        return modes;
    }

    /** Every combination of parameter values; none if a parameter has no values. */
    private static List<Map<String, String>> combinations(BenchmarkListEntry entry, CommandLineOptions options) {
        List<Map<String, String>> all = new ArrayList<>();
        all.add(new LinkedHashMap<String, String>());
        if (!entry.getParams().hasValue()) {
            return all;
        }
        for (Map.Entry<String, String[]> parameter : entry.getParams().get().entrySet()) {
            String name = parameter.getKey();
            Collection<String> values = options.getParameter(name).hasValue()
                    ? options.getParameter(name).get()
                    : Arrays.asList(parameter.getValue());
            if (values.isEmpty()) {
                say("missing", entry.getUsername(), name);
            }
            List<Map<String, String>> longer = new ArrayList<>();
            for (Map<String, String> before : all) {
                for (String value : values) {
                    Map<String, String> with = new LinkedHashMap<>(before);
                    with.put(name, value);
                    longer.add(with);
                }
            }
            all = longer;
        }
        return all;
    }

    private static void run(String[] args) throws Exception {
        String token = UUID.randomUUID().toString();
        say("token", token);
        mark = MARK + "-" + token;
        int count = Integer.parseInt(args[5]);
        int own = 6 + 2 * count;
        CommandLineOptions given = new CommandLineOptions(Arrays.copyOfRange(args, own, args.length));
        String pattern = "^" + Pattern.quote(unescaped(args[1])) + "$";
        Mode mode = mode(args[2], pattern, given);
        ChainedOptionsBuilder options = new OptionsBuilder().parent(given)
                .include(pattern)
                .mode(mode)
                .forks(1)
                .warmupForks(0)
                .shouldFailOnError(true);
        for (int i = 6; i < own; i += 2) {
            options.param(unescaped(args[i]), unescaped(args[i + 1]));
        }
        int iterations = Integer.parseInt(args[3]);
        // A single shot is a cold one unless the suite warms up: its numbers of iterations say what it means.
        if (iterations > 0 && mode != Mode.SingleShotTime) {
            configured(pattern);
            options.warmupIterations(0).measurementIterations(iterations);
            if (!given.getMeasurementTime().hasValue()) {
                options.measurementTime(new TimeValue(Long.parseLong(args[4]), TimeUnit.NANOSECONDS));
            }
        }
        new Runner(options.build(), format()).run();
    }

    /** What the suite would do by itself: numbers and nanoseconds of iterations to warm up and measured, and forks. */
    private static void configured(String pattern) {
        List<String> nothing = Collections.emptyList();
        for (BenchmarkListEntry entry
                : BenchmarkList.defaultList().find(format(), Collections.singletonList(pattern), nothing)) {
            say("configured",
                    String.valueOf(entry.getWarmupIterations().orElse(Defaults.WARMUP_ITERATIONS)),
                    nanoseconds(entry.getWarmupTime().orElse(Defaults.WARMUP_TIME)),
                    String.valueOf(entry.getMeasurementIterations().orElse(Defaults.MEASUREMENT_ITERATIONS)),
                    nanoseconds(entry.getMeasurementTime().orElse(Defaults.MEASUREMENT_TIME)),
                    String.valueOf(entry.getForks().orElse(Defaults.MEASUREMENT_FORKS)));
            return;
        }
    }

    private static String nanoseconds(TimeValue time) {
        return Long.toString(time.convertTo(TimeUnit.NANOSECONDS));
    }

    /** The mode asked for, or the benchmark's only one. */
    private static Mode mode(String asked, String pattern, CommandLineOptions given) {
        if (!asked.isEmpty()) {
            return Mode.deepValueOf(asked);
        }
        if (!given.getBenchModes().isEmpty()) {
            return modes(given.getBenchModes()).get(0);
        }
        List<String> nothing = Collections.emptyList();
        for (BenchmarkListEntry entry
                : BenchmarkList.defaultList().find(format(), Collections.singletonList(pattern), nothing)) {
            return modes(Collections.singleton(entry.getMode())).get(0);
        }
        throw new IllegalArgumentException("no benchmark matches " + pattern);
    }

    /** Prints a fact per iteration and passes on what others print, but for headings and progress. */
    private static OutputFormat format() {
        InvocationHandler handler = new InvocationHandler() {
            @Override
            public Object invoke(Object proxy, Method method, Object[] args) {
                switch (method.getName()) {
                    case "iterationResult":
                        iteration(args);
                        break;
                    case "print":
                    case "println":
                        text(String.valueOf(args[0]), method.getName().equals("println"));
                        break;
                    case "write":
                        if (args[0] instanceof byte[]) {
                            byte[] bytes = (byte[]) args[0];
                            System.out.write(bytes, 0, bytes.length);
                        } else {
                            System.out.write((Integer) args[0]);
                        }
                        System.out.flush();
                        break;
                    case "hashCode":
                        return System.identityHashCode(proxy);
                    case "equals":
                        return proxy == args[0];
                    case "toString":
                        return "BenchwrightJmh";
                    default:
                        break;
                }
                return null;
            }
        };
        Class<?>[] types = {OutputFormat.class};
        return (OutputFormat) Proxy.newProxyInstance(BenchwrightJmh.class.getClassLoader(), types, handler);
    }

    private static void text(String text, boolean isLine) {
        if (text.startsWith("# ")) {
            return;
        }
        System.out.print(isLine ? text + "\n" : text);
        System.out.flush();
    }

    private static void iteration(Object[] args) {
        String type = "measurement";
        String mode = "";
        IterationResult result = null;
        for (Object argument : args) {
            if (argument instanceof IterationParams && ((IterationParams) argument).getType() == IterationType.WARMUP) {
                type = "warmup";
            }
            if (argument instanceof BenchmarkParams) {
                mode = ((BenchmarkParams) argument).getMode().shortLabel();
            }
            if (argument instanceof IterationResult) {
                result = (IterationResult) argument;
            }
        }
        if (result == null) {
            return;
        }
        List<String> fields = new ArrayList<>(Arrays.asList("iteration", type, mode, operations(result)));
        add(fields, "", result.getPrimaryResult());
        for (Map.Entry<String, ?> other : ((Map<String, ?>) result.getSecondaryResults()).entrySet()) {
            add(fields, other.getKey(), (Result) other.getValue());
        }
        say(fields.toArray(new String[0]));
    }

    private static void add(List<String> fields, String label, Result result) {
        fields.add(label);
        fields.add(Double.toString(result.getScore()));
        fields.add(String.valueOf(result.getScoreUnit()));
    }

    /** Operations of the iteration; "-" where this version does not say. */
    private static String operations(IterationResult result) {
        try {
            Object metadata = IterationResult.class.getMethod("getMetadata").invoke(result);
            Number number = (Number) metadata.getClass().getMethod("getMeasuredOps").invoke(metadata);
            return Long.toString(Math.round(number.doubleValue()));
        } catch (ReflectiveOperationException | RuntimeException absent) {
            return "-";
        }
    }

    private static String version() throws Exception {
        Class<?> version = Class.forName("org.openjdk.jmh.util.Version");
        try {
            return (String) version.getMethod("getPlainVersion").invoke(null);
        } catch (NoSuchMethodException older) {
            return (String) version.getMethod("getVersion").invoke(null);
        }
    }

    /** What really happened: JMH wraps it, and keeps what threads threw as suppressed. */
    private static Throwable cause(Throwable failure) {
        Throwable last = failure;
        for (int depth = 0; depth < 20; depth++) {
            Throwable next = last.getCause();
            if (next == null && last.getSuppressed().length > 0) {
                next = last.getSuppressed()[0];
            }
            if (next == null || next == last) {
                break;
            }
            last = next;
        }
        return last;
    }

    /** One line in one piece, on a line of its own even where a benchmark did not end the one before. */
    private static void say(String... fields) {
        StringBuilder line = new StringBuilder("\n").append(mark);
        for (String field : fields) {
            line.append('\t').append(escaped(String.valueOf(field)));
        }
        System.out.print(line.append("\t.\n"));
        System.out.flush();
    }

    /** Printable ASCII, whatever the encoding of streams and arguments on this machine: a backslash, u and four digits for the rest. */
    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c >= ' ' && c < 127 && c != '\\') {
                escaped.append(c);
            } else {
                escaped.append(String.format("\\u%04x", (int) c));
            }
        }
        return escaped.toString();
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.startsWith("\\u", i) && i + 6 <= text.length()) {
                plain.append((char) Integer.parseInt(text.substring(i + 2, i + 6), 16));
                i += 5;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }
}
