package io.despina.spec;

/** Whether files are followed as they grow, and then what happens when one is cut short. */
public enum Follow {
    NO,
    /** The source fails. */
    FAIL_ON_TRUNCATE,
    /** It reads the file again from its beginning. */
    RESTART_ON_TRUNCATE
}
