package io.despina.spec;

import static io.despina.spec.Never.NEVER;

/** Which right packets a left packet may match in a join, by event time. */
public sealed interface Matching {

    /** What tells the time. */
    default Clock clock() {
        return Clock.EVENT;
    }

    /**
     * Those with {@code from <= right time - left time <= to}, microseconds.
     *
     * @param from at most {@code to}
     */
    record Between(long from, long to) implements Matching {
        public Between {
            if (from > to) {
                throw new IllegalArgumentException("from=" + from + " is greater than to=" + to);
            }
        }
    }

    /**
     * The latest in event order at or before the left one.
     *
     * @param maxAge       how much earlier it may be, in microseconds; {@link #ANY_AGE} for any
     * @param strict       only right packets of an earlier event time
     * @param compareOrder whether {@code order_by} (of the same types on both sides) breaks ties of equal event times between the
     *                     sides; if not, all right packets of that time are at or before the left one
     */
    record AsOf(long maxAge, boolean strict, boolean compareOrder) implements Matching {
        public static final long ANY_AGE = NEVER;
    }

    /**
     * Those that share a tumbling or sliding window with it: a pair for each window that both are in.
     *
     * @param clock by which packets are in windows
     */
    record SameWindow(Windows windows, Clock clock) implements Matching {
    }
}
