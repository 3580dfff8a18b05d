package io.despina.expr;

/** What the aggregates of one group (and window) have come to. Made, fed and read by its {@link Aggregation} alone. */
public interface Accumulator {

    /** An estimate of the memory it takes, in bytes, to be counted against the budget. */
    long bytes();
}
