package io.despina.compare;

import java.util.HashSet;
import java.util.Set;

/**
 * The relay's sink: counts packets, checks every sequence number and the payload of every 16th packet, takes ages from due
 * times. What is reordered, missing, damaged or came twice is counted and told, never hidden. One thread.
 */
public final class Arrivals {
    private static final int VERIFY_EVERY = 16;
    private static final int MOST_GAPS = 1 << 20;

    private final RelayPackets packets;
    private final Meter meter;
    private final int sleepMillis;
    private long expected;
    private volatile long reordered;
    private volatile long missing;
    private volatile long damaged;
    private volatile long doubled;
    /** Sequence numbers that later ones have overtaken. */
    private final Set<Long> gaps = new HashSet<>();

    public Arrivals(Settings settings) {
        packets = new RelayPackets(settings.number("packet_bytes"));
        sleepMillis = settings.number("sleep_ms", 0);
        meter = new Meter(settings, "sink", this::facts);
    }

    /** As the step of a sink. */
    public static Step step(Settings settings) {
        Arrivals arrivals = new Arrivals(settings);
        return (input, packet, out) -> arrivals.accept(packet);
    }

    /** Takes one packet. */
    public void accept(byte[] packet) {
        long sequence = RelayPackets.sequence(packet);
        if (sequence == expected) {
            expected++;
        } else {
            disorder(sequence);
        }
        if (sequence % VERIFY_EVERY == 0 && !packets.isWhole(packet)) {
            damaged = damaged + 1;
        }
        long due = RelayPackets.dueNanos(packet);
        if (due != 0) {
            meter.recordAge(due);
        }
        meter.add();
        if (sleepMillis > 0) {
            sleep();
        }
    }

    private void sleep() {
        try {
            Thread.sleep(sleepMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A later packet than expected opens a gap; an earlier one comes late and fills a place in one, or has come before. Of more
     * gaps than are remembered none is told from a packet that has come before.
     */
    private void disorder(long sequence) {
        if (sequence > expected) {
            missing = missing + (sequence - expected);
            for (long gap = expected; gap < sequence && gaps.size() < MOST_GAPS; gap++) {
                gaps.add(gap);
            }
            expected = sequence + 1;
        } else if (gaps.remove(sequence) || gaps.size() == MOST_GAPS) {
            reordered = reordered + 1;
            missing = missing - 1;
        } else {
            doubled = doubled + 1;
        }
    }

    private String facts() {
        return "\"reordered\": " + reordered + ", \"missing\": " + missing + ", \"damaged\": " + damaged
                + ", \"doubled\": " + doubled;
    }
}
