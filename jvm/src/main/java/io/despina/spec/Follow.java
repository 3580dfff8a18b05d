package io.despina.spec;

/** Whether growing files are followed, and what happens when one is truncated. */
public enum Follow {
    NO,
    /** The source fails. */
    FAIL_ON_TRUNCATE,
    /** The source reads the file again from its beginning. */
    RESTART_ON_TRUNCATE
}
