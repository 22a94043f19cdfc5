package benchwright;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the calls of functions and slows functions down. It is part of a build for `benchwright grade` and never of
 * the program that is shipped. The counters are written when the virtual machine shuts down.
 */
public final class Probe {
    /** How many functions have a number. The cells after theirs are for measuring the probe itself. */
    private static final int FUNCTIONS = __COUNT__;

    /** For each function its calls, its own nanoseconds and the nanoseconds added to it. */
    private static final AtomicLongArray CELLS = new AtomicLongArray(3 * FUNCTIONS + 3);

    /** Picoseconds that each function still has to wait. */
    private static final AtomicLongArray DEBTS = new AtomicLongArray(FUNCTIONS + 1);

    /** For each function 0 outside its calls, else 1 and the number of calls within the outermost one. */
    private static final ThreadLocal<long[]> OPEN = new ThreadLocal<long[]>() {
        @Override
        protected long[] initialValue() {
            return new long[FUNCTIONS + 1];
        }
    };

    /** What {@link #enter} returns for a call within another call of the function. */
    private static final long NESTED = Long.MIN_VALUE;

    /** The debt is paid when it has reached this many picoseconds; a shorter wait would be inexact. */
    private static final long PAY_FROM = 1000 * 1000;

    /** Time beyond what was wanted, as the probe itself takes some, counts against later calls, but no more than this. */
    private static final long MAX_CREDIT = 10 * 1000 * 1000;

    /** Waits of this length or longer look at the clock again and again. */
    private static final long CLOCK_FROM = 1000;

    private static volatile long sink;

    /** 0, which compilers do not know. */
    private static long noBits;

    static {
        final String directory = System.getenv("BENCHWRIGHT_PROBE_DIR");
        if (directory != null && !directory.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(new Thread() {
                @Override
                public void run() {
                    write(directory);
                }
            });
        }
    }

    private Probe() {
    }

    /** Counts a call. */
    public static void count(int id) {
        CELLS.getAndIncrement(3 * id);
    }

    /** Begins a call that {@link #leave} ends. */
    public static long enter(int id) {
        Costs.prepare();
        return begin(id);
    }

    /** Ends a call and makes it longer by the factor. */
    public static void leave(int id, double factor, long start) {
        if (start != NESTED) {
            end(id, factor, start, Costs.INSIDE, Costs.CALL, Costs.NESTED_CALL);
        }
    }

    /** Counts a call and waits. */
    public static void busy(int id, long nanos) {
        if (nanos < CLOCK_FROM) {
            turnBusy(id, (nanos * 1000 - Loop.WAIT) / Loop.TURN, Loop.UNSEEN);
        } else {
            CELLS.getAndIncrement(3 * id);
            CELLS.getAndAdd(3 * id + 2, spin(nanos));
        }
    }

    /**
     * Processors compute nothing across a reading of the clock. Without one at each end, much of a short wait would
     * pass while they are still busy with the code before it, or already with the code behind it.
     */
    private static void turnBusy(int id, long turns, long unseen) {
        CELLS.getAndIncrement(3 * id);
        long start = System.nanoTime();
        long x = turn(start, turns);
        long passed = System.nanoTime() - start + (x & noBits);
        CELLS.getAndAdd(3 * id + 2, passed + (unseen + 500) / 1000);
    }

    private static long begin(int id) {
        CELLS.getAndIncrement(3 * id);
        long[] open = OPEN.get();
        if (open[id]++ > 0) {
            return NESTED;
        }
        long start = System.nanoTime();
        return start == NESTED ? start + 1 : start;
    }

    private static void end(int id, double factor, long start, long inside, long call, long nestedCall) {
        long elapsed = System.nanoTime() - start;
        long[] open = OPEN.get();
        long nested = open[id] - 1;
        open[id] = 0;
        long own = elapsed * 1000 - inside - nested * nestedCall;
        long cost = call + nested * nestedCall;
        CELLS.getAndAdd(3 * id + 1, Math.floorDiv(own + 500, 1000L));
        long added = (cost + 500) / 1000;
        long owes = (long) (own * factor) - cost;
        long owed = DEBTS.addAndGet(id, owes);
        if (owed >= PAY_FROM) {
            owed = DEBTS.getAndSet(id, 0);
            if (owed > 0) {
                // What goes far beyond is an interruption by the system. If it counted, the next calls would not be slow.
                long spent = Math.min(spin(owed / 1000) * 1000, owed + MAX_CREDIT);
                DEBTS.getAndAdd(id, owed - spent);
                added += spent / 1000;
            }
        } else if (owes < 0 && owed < -MAX_CREDIT) {
            DEBTS.getAndAdd(id, -owes);
        }
        CELLS.getAndAdd(3 * id + 2, added);
    }

    /** Is busy until the time has passed, and returns how long it was. */
    private static long spin(long nanos) {
        long start = System.nanoTime();
        while (true) {
            long passed = System.nanoTime() - start;
            if (passed >= nanos) {
                return passed;
            }
        }
    }

    /** Computes random numbers, each from the last, which no compiler can shorten. */
    private static long turn(long seed, long times) {
        long x = seed | 1;
        for (long i = 0; i < times; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private static void write(String directory) {
        ByteBuffer bytes = ByteBuffer.allocate(FUNCTIONS * 24).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < FUNCTIONS * 3; i++) {
            bytes.putLong(CELLS.get(i));
        }
        String name = process() + "-" + Long.toHexString(System.nanoTime()) + "-"
                + Integer.toHexString(System.identityHashCode(CELLS));
        File unfinished = new File(directory, "." + name + ".tmp");
        try {
            FileOutputStream out = new FileOutputStream(unfinished);
            try {
                out.write(bytes.array());
            } finally {
                out.close();
            }
            if (!unfinished.renameTo(new File(directory, name + ".probe"))) {
                throw new IOException("cannot rename " + unfinished);
            }
        } catch (IOException error) {
            System.err.println("benchwright: cannot write counters to " + directory + ": " + error);
        }
    }

    /** The number of this process. Java 8 has no call for it; Linux shows it as the target of a link. */
    private static String process() {
        try {
            Class<?> handle = Class.forName("java.lang.ProcessHandle");
            Object current = handle.getMethod("current").invoke(null);
            return String.valueOf(handle.getMethod("pid").invoke(current));
        } catch (ReflectiveOperationException older) {
            try {
                return new File("/proc/self").getCanonicalFile().getName();
            } catch (IOException unknown) {
                return "0";
            }
        }
    }

    private static long lateMedian(long[] values) {
        long[] late = Arrays.copyOfRange(values, values.length * 3 / 4, values.length);
        Arrays.sort(late);
        return late[late.length / 2];
    }

    /** Times of the probe itself in picoseconds, from calls that do nothing. */
    private static final class Costs {
        static final long INSIDE;
        static final long CALL;
        static final long NESTED_CALL;

        static {
            // So many rounds that the compiler has done its work in the last quarter.
            int rounds = 2000;
            int perRound = 64;
            long[] inside = new long[rounds];
            long[] call = new long[rounds];
            long[] nested = new long[rounds];
            int id = FUNCTIONS;
            for (int round = 0; round < rounds; round++) {
                long ownBefore = CELLS.get(3 * id + 1);
                long start = System.nanoTime();
                for (int i = 0; i < perRound; i++) {
                    end(id, 0, begin(id), 0, 0, 0);
                }
                call[round] = (System.nanoTime() - start) * 1000 / perRound;
                inside[round] = (CELLS.get(3 * id + 1) - ownBefore) * 1000 / perRound;
                long outer = begin(id);
                start = System.nanoTime();
                for (int i = 0; i < perRound; i++) {
                    if (begin(id) != NESTED) {
                        sink = i;
                    }
                }
                nested[round] = (System.nanoTime() - start) * 1000 / perRound;
                end(id, 0, outer, 0, 0, 0);
            }
            INSIDE = lateMedian(inside);
            CALL = lateMedian(call);
            NESTED_CALL = lateMedian(nested);
        }

        static void prepare() {
        }
    }

    /** What a wait takes without its loop, how much of that its clock does not see, and a turn, in picoseconds. */
    private static final class Loop {
        static final long WAIT;
        static final long UNSEEN;
        static final long TURN;

        static {
            int rounds = 2000;
            int perRound = 64;
            int turns = 500;
            int id = FUNCTIONS;
            long[] wait = new long[rounds];
            long[] unseen = new long[rounds];
            long[] turn = new long[rounds];
            for (int round = 0; round < rounds; round++) {
                long seenBefore = CELLS.get(3 * id + 2);
                long start = System.nanoTime();
                for (int i = 0; i < perRound; i++) {
                    turnBusy(id, 0, 0);
                }
                long taken = System.nanoTime() - start;
                wait[round] = taken * 1000 / perRound;
                unseen[round] = (taken - (CELLS.get(3 * id + 2) - seenBefore)) * 1000 / perRound;
                start = System.nanoTime();
                for (int i = 0; i < 4; i++) {
                    sink = turn(i, turns);
                }
                turn[round] = (System.nanoTime() - start) * 1000 / (4 * turns);
            }
            WAIT = lateMedian(wait);
            UNSEEN = lateMedian(unseen);
            TURN = Math.max(1, lateMedian(turn));
        }
    }
}
