package io.despina.expr;

/** What a row may say of its window. The operator sets it before each row; fields that the list does not name need no value. */
public final class WindowFacts {
    /** Event time, microseconds. */
    public long start;
    /** Event time, microseconds. */
    public long end;
    /** The least value of a window over values. */
    public long from;
    /** The value at which it ends. */
    public long to;

    /** How often the window has given a row of the group before. */
    public long revision;
    /** Whether this is the last one. */
    public boolean last;

    /** Sets the bounds, and returns this. */
    public WindowFacts set(long startMicros, long endMicros) {
        start = startMicros;
        end = endMicros;
        return this;
    }
}
