package io.despina.spec;

/** The end of time. */
public final class Never {
    /** An instant that never comes, or a time without end; in any unit. */
    public static final long NEVER = Long.MAX_VALUE;

    private Never() {
    }
}
