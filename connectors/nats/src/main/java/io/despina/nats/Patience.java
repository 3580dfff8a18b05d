package io.despina.nats;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.WriterHost;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** How long a sink tries while nothing gets to its servers. */
final class Patience {
    private final ConnectorSettings settings;
    private final Absence absence;
    private final long nanos;
    private long since = System.nanoTime();
    /** Whether nothing has moved since it was lost. */
    private boolean failing;

    Patience(ConnectorSettings settings, WriterHost host) {
        this.settings = settings;
        absence = new Absence(host.operator(), settings.text("servers"), host::warn);
        nanos = TimeUnit.MILLISECONDS.toNanos(settings.whole("retry_for_ms"));
    }

    /** Something new is tried; that gives no more time to servers that took nothing of what was tried before. */
    void begin() {
        if (!failing) {
            since = System.nanoTime();
        }
    }

    /** A server has taken something. */
    void moved() {
        since = System.nanoTime();
        failing = false;
        absence.ends();
    }

    /** So long nothing was there to be taken. */
    void excuse(long spent) {
        since += spent;
    }

    /** Whether nothing has moved for as long as it may. */
    boolean isOver() {
        return System.nanoTime() - since >= nanos;
    }

    /**
     * Waits a moment before another try.
     *
     * @throws IOException if it has been tried for long enough, or another try is of no use
     */
    void lost(IOException why) throws IOException, InterruptedException {
        if (why instanceof RefusedException) {
            throw why;
        }
        failing = true;
        if (isOver()) {
            throw new IOException("NATS at `servers` " + settings.text("servers") + " has taken no message for retry_for_ms="
                    + settings.whole("retry_for_ms") + ": " + why.getMessage(), why);
        }
        TimeUnit.NANOSECONDS.sleep(absence.goesOn(why.getMessage() + "; it tries again"));
    }
}
