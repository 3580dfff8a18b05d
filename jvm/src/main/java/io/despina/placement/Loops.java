package io.despina.placement;

import io.despina.descriptor.Values;

/**
 * How long a machine takes for three loops, which stand for what operators do, in nanoseconds.
 *
 * @param arithmetic a step in which each result is needed for the next
 * @param memory     a read at a place that no cache has
 * @param bytes      to copy and to check 1,024 bytes
 */
public record Loops(double arithmetic, double memory, double bytes) {
    /** The machine on which the costs were measured that {@link Costs} has for want of a report. */
    static final Loops REFERENCE = new Loops(2.0, 190, 71);

    /** How many times as long as the other; none of the three counts for more. */
    double times(Loops other) {
        return Math.cbrt(arithmetic / other.arithmetic * (memory / other.memory) * (bytes / other.bytes));
    }

    /** @param written the field {@code loops_ns}; null if there is none */
    static double slowness(Values written) {
        return written == null ? 1 : new Loops(written.real("arithmetic", 0), written.real("memory", 0),
                written.real("bytes", 0)).times(REFERENCE);
    }
}
