package io.despina.wake;

/** Holds, where tests run, that nothing waits for a disk or for an answer on a thread that many tasks share. */
public final class SharedThreads {
    /** The names of such threads begin with it. */
    public static final String NAME = "despina-worker-";
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    private SharedThreads() {
    }

    /**
     * Called before something that waits. Does nothing without {@code -Ddespina.checks=true}.
     *
     * @throws AssertionError on a thread that many tasks share
     */
    public static void waits(String what) {
        if (CHECKS && Thread.currentThread().getName().startsWith(NAME)) {
            throw new AssertionError(what + " on " + Thread.currentThread().getName());
        }
    }
}
