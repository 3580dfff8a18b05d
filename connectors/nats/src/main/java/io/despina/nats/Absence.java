package io.despina.nats;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Servers that are away: it is told once that they are, and once that they are back. Of one thread. */
final class Absence {
    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String operator;
    private final String servers;
    private final Consumer<String> warn;
    private boolean told;
    private long wait = FIRST_WAIT_NANOS;

    Absence(String operator, String servers, Consumer<String> warn) {
        this.operator = operator;
        this.servers = servers;
        this.warn = warn;
    }

    /** They do not answer. @return how long to wait before another try; longer from time to time */
    long goesOn(String why) {
        if (!told) {
            told = true;
            warn.accept("`" + operator + "`: " + why);
        }
        long now = wait;
        wait = Math.min(MOST_WAIT_NANOS, 2 * wait);
        return now;
    }

    /** They answer. */
    void ends() {
        wait = FIRST_WAIT_NANOS;
        if (told) {
            told = false;
            warn.accept("`" + operator + "`: " + servers + " answers again");
        }
    }
}
