package io.despina.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts what one thread does, and measures it within the window that the harness asks for. It tells of the first count by the
 * file {@code NAME.first}, waits for the file {@code window} (begin and end, nanoseconds of the monotonic clock), and at its
 * end writes {@code NAME.json}: counts at both ends, one count per second between, whether counting had finished before, and
 * latencies if any were recorded.
 */
public final class Meter {
    private static final VarHandle COUNT;
    private static final int DIGITS = 3;
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final double NANOS_PER_MS = 1e6;
    private static final long LONGEST_SLEEP_MILLIS = 50;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(Meter.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Settings settings;
    private final String name;
    private final Supplier<String> facts;
    private final SingleWriterRecorder latencies = new SingleWriterRecorder(1, LONGEST_NANOS, DIGITS);
    /** Written by the counting thread alone, opaque; read by this meter's thread. */
    private long count;
    /** When the counting thread said that it will count no more, 0 until then; the window ends there at the latest. */
    private volatile long finishedNanos;

    /**
     * Starts its thread.
     *
     * @param facts members to add to the JSON, as its text ({@code "missing": 0}); empty for none
     */
    public Meter(Settings settings, String name, Supplier<String> facts) {
        this.settings = settings;
        this.name = name;
        this.facts = facts;
        Presence.announce(settings, name);
        Thread thread = new Thread(this::measure, "meter-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Counts one; only the counting thread may call this. */
    public void add() {
        COUNT.setOpaque(this, count + 1);
    }

    /** Says that nothing will be counted any more; only the counting thread may call this. */
    public void finish() {
        finishedNanos = System.nanoTime();
    }

    /** Records how old a packet is that was due at that time; only the counting thread may call this. */
    public void recordAge(long dueNanos) {
        latencies.recordValue(Math.min(LONGEST_NANOS, Math.max(1, System.nanoTime() - dueNanos)));
    }

    /** How many so far. */
    public long count() {
        return (long) COUNT.getOpaque(this);
    }

    private void measure() {
        for (long millis = 1; count() == 0; millis = Math.min(LONGEST_SLEEP_MILLIS, millis + 1)) {
            sleep(millis);
        }
        Presence.write(settings, name + ".first", Long.toString(System.nanoTime()));
        long[] window = awaitWindow();
        sleepUntil(window[0]);
        Histogram discarded = latencies.getIntervalHistogram();
        long begin = System.nanoTime();
        long before = count();
        StringJoiner perSecond = new StringJoiner(", ", "[", "]");
        long last = before;
        long seconds = (window[1] - window[0]) / TimeUnit.SECONDS.toNanos(1);
        for (long k = 1; k <= seconds && finishedNanos == 0; k++) {
            sleepUntil(window[0] + TimeUnit.SECONDS.toNanos(k));
            long now = count();
            perSecond.add(Long.toString(now - last));
            last = now;
        }
        sleepUntil(window[1]);
        long finished = finishedNanos;
        long end = finished == 0 ? System.nanoTime() : finished;
        long after = count();
        Histogram histogram = latencies.getIntervalHistogram(discarded);
        String text = String.format(Locale.ROOT, "{\"pid\": %d, \"begin_ns\": %d, \"end_ns\": %d, \"count\": %d, "
                + "\"total\": %d, \"finished\": %b, \"per_second\": %s%s%s}%n", ProcessHandle.current().pid(), begin, end,
                after - before, after, finished != 0, perSecond, latency(histogram), withComma(facts.get()));
        Presence.write(settings, name + ".json", text);
    }

    private static String withComma(String members) {
        return members.isEmpty() ? "" : ", " + members;
    }

    private static String latency(Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return "";
        }
        return String.format(Locale.ROOT, ", \"latency_ms\": {\"count\": %d, \"p50\": %.4f, \"p95\": %.4f, \"p99\": %.4f, "
                + "\"p999\": %.4f, \"max\": %.4f}", histogram.getTotalCount(), at(histogram, 50), at(histogram, 95),
                at(histogram, 99), at(histogram, 99.9), histogram.getMaxValue() / NANOS_PER_MS);
    }

    private static double at(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / NANOS_PER_MS;
    }

    private long[] awaitWindow() {
        Path file = settings.folder().resolve("window");
        while (!Files.exists(file)) {
            sleep(10);
        }
        try {
            String[] words = Files.readString(file).trim().split(" ");
            return new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])};
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sleeps until then, or until nothing will be counted any more. */
    private void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0 && finishedNanos == 0; left = nanos - System.nanoTime()) {
            sleep(Math.min(LONGEST_SLEEP_MILLIS, Math.max(1, TimeUnit.NANOSECONDS.toMillis(left))));
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while measuring", e);
        }
    }
}
