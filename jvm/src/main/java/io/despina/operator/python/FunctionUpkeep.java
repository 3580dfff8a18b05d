package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

/**
 * How the processes of an operator are kept.
 *
 * @param openMillis    how long one may take to import and open the function
 * @param timeoutMillis how long one may take for a batch
 * @param spare         whether one more has opened the function, and takes the place of one that dies
 * @param memoryBytes   of one, above which another takes its place between two batches; {@link #ANY} for any
 */
public record FunctionUpkeep(FunctionStarting starting, long openMillis, long timeoutMillis, boolean spare, long memoryBytes) {
    public static final long ANY = Long.MAX_VALUE;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Without a spare, with any memory, and as long for one as for the other. */
    public FunctionUpkeep(FunctionStarting starting, long timeoutMillis) {
        this(starting, timeoutMillis, timeoutMillis, false, ANY);
    }

    /** The same, started by another. */
    FunctionUpkeep by(FunctionStarting other) {
        return new FunctionUpkeep(other, openMillis, timeoutMillis, spare, memoryBytes);
    }

    /** When one that was started then has had its time to open the function; never if that is beyond all times. */
    long openUntil(long since) {
        return until(since, openMillis);
    }

    /** The same of one that has had a batch since then. */
    long answerUntil(long since) {
        return until(since, timeoutMillis);
    }

    private static long until(long since, long millis) {
        long end = since + millis * NANOS_PER_MILLI;
        return end < since ? NEVER : end;
    }

    /** Why one is killed that has not opened the function in its time. */
    static String notOpened(long openMillis) {
        return "did not import and open it within open_timeout_ms=" + openMillis;
    }
}
