package io.despina.connect;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long a job waits at its start for a server where nobody listens yet: its field {@code connect_ms}. A job that goes on while
 * its server begins anew would otherwise fail as often as it may within seconds, and end.
 */
public final class StartPatience {
    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MOST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long nanos;
    private final LongSupplier clock;
    private final Sleep sleep;

    /** Makes a connection. Blocks. */
    public interface Reaching<T> {
        T connect() throws IOException, InterruptedException;
    }

    /** Waits for so many nanoseconds. */
    interface Sleep {
        void of(long nanos) throws InterruptedException;
    }

    public StartPatience(ConnectorSettings settings) {
        this(settings.whole("connect_ms"), System::nanoTime, TimeUnit.NANOSECONDS::sleep);
    }

    /** @param clock in nanoseconds */
    StartPatience(long millis, LongSupplier clock, Sleep sleep) {
        nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        this.clock = clock;
        this.sleep = sleep;
    }

    /** Connects, again and again while nobody listens. @throws IOException of the last try */
    public <T> T await(Reaching<T> server) throws IOException, InterruptedException {
        long since = clock.getAsLong();
        for (long wait = FIRST_WAIT_NANOS;; wait = Math.min(MOST_WAIT_NANOS, 2 * wait)) {
            try {
                return server.connect();
            } catch (IOException why) {
                if (!isOfNobody(why) || clock.getAsLong() - since + wait >= nanos) {
                    throw why;
                }
            }
            sleep.of(wait);
        }
    }

    private static boolean isOfNobody(Throwable why) {
        return why != null && (why instanceof ConnectException || isOfNobody(why.getCause()));
    }
}
