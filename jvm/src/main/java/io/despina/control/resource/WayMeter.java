package io.despina.control.resource;

import io.despina.control.protocol.Conversation;
import io.despina.wire.Wire;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongSupplier;

/** Measures what is between this resource and another one, over a connection of its own, in a tenth of a second or two. */
final class WayMeter {
    private static final byte ECHO = Byte.MAX_VALUE;
    private static final byte[] ANSWER = {0};
    private static final int ROUNDS = 20;
    private static final int FIRST_BYTES = 1 << 16;
    private static final int MOST_BYTES = 1 << 23;
    /** Longer than a packet that is late by chance, and than the start of a connection. */
    private static final long NANOS = 100_000_000;
    private static final double NANOS_PER_MS = 1e6;
    /** Of bytes in a nanosecond. */
    private static final double MBIT = Byte.SIZE * 1e3;

    private final Conversation peer;
    private final LongSupplier clock;

    /** What is between two resources. */
    record Way(double mbitPerS, double roundTripMillis) {
    }

    private WayMeter(Conversation peer, LongSupplier clock) {
        this.peer = peer;
        this.clock = clock;
    }

    /**
     * Measures it.
     *
     * @param wire  that knows the secret of the other one, whose data port is there
     * @param clock nanoseconds
     */
    static Way to(Wire wire, String host, int port, LongSupplier clock) throws IOException, InterruptedException {
        try (Conversation peer = new Conversation(wire, host, port)) {
            return new WayMeter(peer, clock).measure();
        }
    }

    /** What the other side answers; null if that is no question of this class. */
    static byte[] answer(byte[] question) {
        return question.length > 0 && question[0] == ECHO ? ANSWER : null;
    }

    private Way measure() throws IOException, InterruptedException {
        long trip = Long.MAX_VALUE;
        for (int k = 0; k < ROUNDS; k++) {
            trip = Math.min(trip, nanos(1));
        }
        double fastest = 0;
        long end = clock.getAsLong() + NANOS;
        for (int bytes = FIRST_BYTES; clock.getAsLong() < end; bytes = Math.min(MOST_BYTES, 2 * bytes)) {
            fastest = Math.max(fastest, (double) bytes / Math.max(1, nanos(bytes) - trip));
        }
        return new Way(fastest * MBIT, trip / NANOS_PER_MS);
    }

    private long nanos(int bytes) throws IOException, InterruptedException {
        byte[] question = new byte[bytes];
        Arrays.fill(question, ECHO);
        long begin = clock.getAsLong();
        peer.ask(question, 0);
        return clock.getAsLong() - begin;
    }
}
