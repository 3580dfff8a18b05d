package io.despina.spec;

/** What happens to a record that cannot be processed. */
public enum OnError {
    /** The job fails. */
    FAIL,
    /** It is counted and dropped. */
    SKIP,
    /** It is counted and leaves by the port {@code errors}, with the reason. */
    DEAD_LETTER
}
