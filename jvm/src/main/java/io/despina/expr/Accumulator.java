package io.despina.expr;

/** The state of the aggregates of one group (and window). Only its {@link Aggregation} creates, updates and reads it. */
public interface Accumulator {

    /** An estimate of its memory in bytes, charged to the budget. */
    long bytes();
}
