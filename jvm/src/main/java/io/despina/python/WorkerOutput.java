package io.despina.python;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What a worker prints: it goes to a log at a bounded rate, and the last lines are kept for the report of its end. */
final class WorkerOutput {
    private static final int LAST_LINES = 12;
    private static final int LONGEST_LINE = 500;
    /** So many lines a second go to the log. */
    private static final int MOST_LINES = 100;
    private static final long END_MS = 500;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Consumer<String> log;
    private final Thread reader;
    /** Guarded by itself. */
    private final Deque<String> last = new ArrayDeque<>();
    private long since = System.nanoTime();
    private int lines;
    private long left;

    WorkerOutput(InputStream stream, Consumer<String> log) {
        this.log = log;
        reader = new Thread(() -> read(stream), "despina-python-output");
        reader.setDaemon(true);
        reader.start();
    }

    private void read(InputStream stream) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                take(line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…");
            }
        } catch (IOException closed) {
            return;
        } finally {
            tellLeft();
        }
    }

    private void take(String line) {
        synchronized (last) {
            last.add(line);
            if (last.size() > LAST_LINES) {
                last.remove();
            }
        }
        long now = System.nanoTime();
        if (now - since >= SECOND) {
            since = now;
            lines = 0;
            tellLeft();
        }
        if (lines++ < MOST_LINES) {
            log.accept(line);
        } else {
            left++;
        }
    }

    private void tellLeft() {
        if (left > 0) {
            log.accept("… and " + left + " lines more, since no more than " + MOST_LINES + " a second are shown");
            left = 0;
        }
    }

    /** Waits a moment for what is still to be read of a process that has ended. */
    void awaitEnd() {
        try {
            reader.join(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last lines as one, or an empty text. */
    String last() {
        synchronized (last) {
            return String.join(" | ", last);
        }
    }
}
