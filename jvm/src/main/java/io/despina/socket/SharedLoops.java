package io.despina.socket;

import java.util.concurrent.TimeUnit;

/** The IO threads of this process for all its sockets to programs outside. They live while somebody uses them. */
final class SharedLoops {
    private static final int MOST_THREADS = 4;

    /** Guarded by the class: null while nobody uses it. */
    private static Transport shared;
    /** Guarded by the class. */
    private static int users;

    private SharedLoops() {
    }

    /** Every call needs one of {@link #give}. */
    static synchronized Transport take() {
        if (users++ == 0) {
            shared = Transport.open(Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()));
        }
        return shared;
    }

    static synchronized void give() {
        if (--users == 0) {
            shared.group().shutdownGracefully(0, 1, TimeUnit.SECONDS);
            shared = null;
        }
    }
}
