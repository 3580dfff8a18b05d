package io.despina.operator.python;

/**
 * How the processes of an operator are kept.
 *
 * @param timeoutMillis how long one may take for a batch, and to open the function
 * @param spare         whether one more has opened the function, and takes the place of one that dies
 * @param memoryBytes   of one, above which another takes its place between two batches; {@link #ANY} for any
 */
public record FunctionUpkeep(FunctionStarting starting, long timeoutMillis, boolean spare, long memoryBytes) {
    public static final long ANY = Long.MAX_VALUE;

    /** Without a spare, and with any memory. */
    public FunctionUpkeep(FunctionStarting starting, long timeoutMillis) {
        this(starting, timeoutMillis, false, ANY);
    }
}
