package io.despina.plan;

/** What becomes of a record that cannot be processed. */
public enum OnError {
    /** The job fails. */
    FAIL,
    /** It is counted and dropped. */
    SKIP,
    /** It is counted, and leaves by port {@code errors}. */
    DEAD_LETTER
}
