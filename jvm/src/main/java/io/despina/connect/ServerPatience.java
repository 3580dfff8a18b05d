package io.despina.connect;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** How long a sink tries while its server takes nothing: its field {@code retry_for_ms}. Of one thread. */
public final class ServerPatience {
    private final String server;
    private final long millis;
    private final ServerOutage outage;
    private final long nanos;
    private long since = System.nanoTime();
    /** Whether nothing has moved since it was lost. */
    private boolean failing;
    /** Whether the server has ever taken anything. */
    private boolean taken;

    /** What is asked of the server. */
    public interface Asking<T> {
        T ask() throws IOException, InterruptedException;
    }

    /** @param field that names the server */
    public ServerPatience(ConnectorSettings settings, String field, WriterHost host) {
        server = "`" + field + "` " + settings.text(field);
        millis = settings.whole("retry_for_ms");
        outage = new ServerOutage(host.operator(), settings.text(field), host::warn);
        nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Something new is tried; that gives no more time to a server that took nothing of what was tried before. */
    public void begin() {
        if (!failing) {
            since = System.nanoTime();
        }
    }

    /** The server has taken something. That it answers is not enough. */
    public void moved() {
        since = System.nanoTime();
        failing = false;
        taken = true;
        outage.ends();
    }

    /** So long nothing was there to be taken. */
    public void excuse(long spent) {
        since += spent;
    }

    /** Whether nothing has moved for as long as it may. */
    public boolean isOver() {
        return System.nanoTime() - since >= nanos;
    }

    /**
     * Asks until there is an answer.
     *
     * @param lost gives up what is left of the connection, before another try
     */
    public <T> T ask(Asking<T> what, Runnable lost) throws IOException, InterruptedException {
        begin();
        while (true) {
            try {
                return what.ask();
            } catch (IOException why) {
                lost.run();
                lost(why);
            }
        }
    }

    /** What to throw where another try begins with the epoch's mark: an earlier one may have written it. Waits a moment. */
    public IOException repeat(IOException why) throws InterruptedException {
        try {
            lost(why);
        } catch (IOException forGood) {
            return forGood;
        }
        return new RecordWriter.RepeatException(why.getMessage(), why);
    }

    /**
     * Waits a moment before another try.
     *
     * @throws IOException if it has been tried for long enough, or another try is of no use
     */
    public void lost(IOException why) throws IOException, InterruptedException {
        if (why instanceof RefusedException || why instanceof LoginException && !taken) {
            throw why;
        }
        failing = true;
        if (isOver()) {
            throw new IOException(server + " has taken nothing for retry_for_ms=" + millis + ": " + why.getMessage(), why);
        }
        TimeUnit.NANOSECONDS.sleep(outage.goesOn(why, "; it tries again"));
    }
}
