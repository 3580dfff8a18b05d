package io.despina.control.epoch;

/**
 * How far the rows have come that programs give to a job's sources, a program's epoch at a time. Such an epoch is in one of the
 * job's as a whole: while an epoch freezes nothing is given, and while a source has rows that were given, none begins. So a
 * source keeps none of them, and where the job goes on from an epoch, it is known which of a program's epochs it has.
 */
public enum Intake {
    /** Buckets of keys are about to move, or do: no epoch begins. */
    STILL,
    /** Nothing was asked since the last epoch was begun. */
    NONE,
    /** A program waits for what it gives to be taken. */
    WAITING,
    /** A source has rows that it has not sent on. */
    GIVING,
    /** All are sent on, and the program waits for an epoch that has them. */
    GIVEN
}
