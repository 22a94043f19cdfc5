package tricky; // a comment

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Methods that end in every way. */
public class Tricky {
    private final int value;
    private final String name;
    static int started;

    static { started = 7; }

    /** Calls another constructor, which has to stay first. */
    public Tricky(int value) { this(value, "name"); work(); }

    public <T extends Comparable<T>> Tricky(final int value, java.lang.String... names) {
        super(); // a comment
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        this.value = value;
        this.name = names[0];
    }

    /** Is busy for 200 microseconds. */
    static void work() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < 200_000) { }
    }

    public static void empty() {}

    public static int oneLine() { work(); return 1; }

    public static String earlyReturn(int n, int values[][], List<? extends Comparable<String>> list) throws Exception {
        // A comment comes first.
        for (int i = 0; ; i++) {
            switch (i) {
                case 2: work(); return "early";
                default: if (n > 3) throw new Exception("late");
            }
        }
    }

    @SuppressWarnings({"unchecked", "}"})
    public static int fails() { // a comment behind the brace
        work();
        throw new IllegalStateException("as expected");
    }

    public static int recursive(int n) {
        if (n == 0) { work(); return 0; }
        return 1 + recursive(n - 1);
    }

    public static boolean even(int n) {
        if (n == 0) { work(); return true; }
        return odd(n - 1);
    }

    static boolean odd(int n) {
        if (n == 0) { work(); return false; }
        return even(n - 1);
    }

    public static int overflow(int n) { return 1 + overflow(n + 1); }

    public static int lambdas(int n) {
        IntSupplier lambda = () -> { work(); return n; };
        class Local { int get() { return n; } }
        Object anonymous = new Object() {
            @Override public String toString() { return "a" + n; }
        };
        return lambda.getAsInt() + new Local().get() + anonymous.toString().length();
    }

    public static int switches(int n) {
        return switch (n) {
            case 1 -> { work(); yield 10; }
            default -> 20;
        };
    }

    public static <T> List<T> generic(T first) { work(); List<T> list = new ArrayList<>(); list.add(first); return list; }

    public synchronized final int get() { return value + name.length(); }

    public static int forever(int n) { while (true) { if (n++ > 3) { work(); return n; } } }

    public native int nativeOne();

    public enum Colour {
        RED(1) { @Override int twice() { return 3; } }, GREEN(2);
        private final int number;
        Colour(int number) { this.number = number; }
        int twice() { return number * 2; }
        public static Colour any() { work(); return GREEN; }
    }

    public record Pair(int a, List<String> b) {
        public Pair { if (a < 0) { throw new IllegalArgumentException(); } work(); }
        public int sum() { return a + b.size(); }
    }

    public interface Shape {
        int area();
        default int twice() { return 2 * helper(); }
        private int helper() { work(); return area(); }
        static Shape unit() { return () -> 1; }
    }

    @java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE)
    @interface Note { int value() default 1; }

    public static abstract class Inner {
        protected Inner() { }
        abstract int hidden();
        public @Note int @Note [] array(final @Note int @Note [] x) { return x; }
    }

    private static class Hidden { public void notPublic() { } }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 10; i++) {
            String late = "";
            try { earlyReturn(4, null, null); } catch (Exception error) { late = error.getMessage(); }
            String failed = "";
            try { fails(); } catch (IllegalStateException error) { failed = error.getMessage(); }
            try { new Tricky(-1); } catch (IllegalArgumentException error) { failed += error.getMessage(); }
            Shape two = () -> 2;
            System.out.println(oneLine() + earlyReturn(0, null, null) + late + failed + recursive(20) + even(9)
                + lambdas(1) + switches(1) + generic("x") + new Tricky(1).get() + forever(0) + Colour.any().twice()
                + Colour.RED.twice() + new Pair(1, List.of()).sum() + two.twice() + Shape.unit().area());
        }
        try { overflow(0); } catch (StackOverflowError error) { System.out.println("deep"); }
        Thread[] threads = new Thread[4];
        for (int i = 0; i < 4; i++) {
            threads[i] = new Thread(() -> { for (int j = 0; j < 1000; j++) { empty(); } });
            threads[i].start();
        }
        for (Thread thread : threads) { thread.join(); }
        System.exit(3);
    }
}
