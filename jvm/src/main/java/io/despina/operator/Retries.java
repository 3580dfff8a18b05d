package io.despina.operator;

import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Waits between attempts to reach a peer: each time twice as long, up to a limit, and by chance up to a half less. */
public final class Retries {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Consumer<String> warn;
    private final LongSupplier clock;
    private final long giveUpNanos;
    private final Waiting waiting;
    private long delay;
    private long since;
    /** The user knows that attempts fail. */
    private boolean told;

    /**
     * How it waits.
     *
     * @param random so that many sinks that lost one peer do not all come back at the same instant
     */
    public record Waiting(Sleeper sleeper, RandomGenerator random) {
        public static final Waiting REAL = new Waiting(TimeUnit.NANOSECONDS::sleep, RandomGenerator.getDefault());
    }

    /** @param giveUpMillis how long attempts may fail */
    public Retries(OperatorContext context, long giveUpMillis, Waiting waiting) {
        this(context::warn, context.clock(), giveUpMillis, waiting);
    }

    /**
     * Where there is no operator.
     *
     * @param warn         tells the user
     * @param clock        in nanoseconds
     * @param giveUpMillis how long attempts may fail
     */
    public Retries(Consumer<String> warn, LongSupplier clock, long giveUpMillis, Waiting waiting) {
        this.warn = warn;
        this.clock = clock;
        giveUpNanos = TimeUnit.MILLISECONDS.toNanos(giveUpMillis);
        this.waiting = waiting;
    }

    /** An attempt was successful. */
    public void reset() {
        delay = 0;
        told = false;
    }

    /** Warns of the first problem since an attempt was successful; not who is told to end, which may be why it has failed. */
    public void tell(String problem) {
        if (!told && !Thread.currentThread().isInterrupted()) {
            told = true;
            warn.accept(problem + "; trying again");
        }
    }

    /**
     * An attempt has failed: waits.
     *
     * @param least   nanoseconds that the peer wants to be left alone; it is asked once more when the time is up
     * @param problem what the error says when the time is up
     */
    public void await(long least, String problem) throws IOException, InterruptedException {
        SharedThreads.waits("waits for its peer");
        long now = clock.getAsLong();
        if (delay == 0) {
            since = now;
        }
        if (now - since >= giveUpNanos) {
            throw new IOException(problem + "; tried again for retry_for_ms=" + TimeUnit.NANOSECONDS.toMillis(giveUpNanos));
        }
        delay = delay == 0 ? FIRST_NANOS : Math.min(2 * delay, MOST_NANOS);
        long jittered = delay / 2 + (long) (waiting.random().nextDouble() * (delay / 2));
        waiting.sleeper().sleep(Math.max(1, Math.min(Math.max(least, jittered), since + giveUpNanos - now)));
    }
}
