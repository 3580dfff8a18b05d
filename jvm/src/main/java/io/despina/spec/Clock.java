package io.despina.spec;

/** What an operator takes for the time of its packets. */
public enum Clock {
    /** The event time of the stream. */
    EVENT,
    /** The wall clock, when it takes a packet. */
    PROCESSING
}
