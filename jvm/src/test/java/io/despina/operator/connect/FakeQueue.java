package io.despina.operator.connect;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RecordContent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that gives each message until it is acknowledged, under a number that it uses again. It lives longer than its readers,
 * which get messages when a test says so. A monitor: logs acknowledge from threads of their own.
 */
final class FakeQueue implements Connector {
    static final int AGAIN = 0;
    private static final int NUMBERS = 50;

    private final Deque<String> waiting = new ArrayDeque<>();
    /** By number: given, and not acknowledged. */
    private final Map<Integer, String> given = new LinkedHashMap<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private int last;
    FakeReader reader;

    synchronized FakeQueue send(String... messages) {
        waiting.addAll(List.of(messages));
        return this;
    }

    synchronized int unacknowledged() {
        return given.size();
    }

    int acknowledged() {
        return acknowledged.get();
    }

    synchronized boolean isEmpty() {
        return waiting.isEmpty() && given.isEmpty();
    }

    @Override
    public AcknowledgingReader reader(ConnectorSettings settings, DeliveryHost host) {
        reader = new FakeReader(host);
        return reader;
    }

    private synchronized void acknowledge(FakeReader by, int number) {
        if (by == reader && !by.closed) {
            acknowledged.incrementAndGet();
            given.remove(number);
        }
    }

    /** A connection is cut and made again: what was not acknowledged comes first. */
    void cut() {
        FakeReader cut = new FakeReader(reader.host);
        synchronized (this) {
            reader = cut;
        }
        cut.open();
    }

    /** Gives so many more. */
    void give(int count) {
        for (int k = 0; k < count; k++) {
            int number;
            String message;
            synchronized (this) {
                if (waiting.isEmpty() || given.size() == NUMBERS) {
                    return;
                }
                do {
                    last = last % NUMBERS + 1;
                } while (given.containsKey(last));
                number = last;
                message = waiting.remove();
                given.put(number, message);
            }
            reader.give(number, message, false);
        }
    }

    /** Reads for one instance. */
    final class FakeReader implements AcknowledgingReader {
        final DeliveryHost host;
        boolean stopped;
        volatile boolean closed;
        /** What it was told when it might go on; null before. */
        Map<String, String> last;

        FakeReader(DeliveryHost host) {
            this.host = host;
        }

        @Override
        public void open() {
            Map<Integer, String> again;
            synchronized (FakeQueue.this) {
                again = new LinkedHashMap<>(given);
            }
            again.forEach((number, message) -> give(number, message, true));
        }

        private void give(int number, String message, boolean again) {
            byte[] bytes = ((again ? "+" : "-") + message).getBytes(StandardCharsets.UTF_8);
            host.put(new Delivery(bytes, Integer.toString(number), Integer.toHexString(message.hashCode()), again,
                    () -> acknowledge(this, number)));
        }

        @Override
        public void goOn(Map<String, String> digests) {
            last = digests;
        }

        @Override
        public void stop() {
            stopped = true;
        }

        @Override
        public RecordContent content(byte[] bytes, int length) {
            return new FakeContent(bytes, length);
        }

        @Override
        public void close() {
            closed = true;
            reader.closed = true;
        }
    }

    /** A sign, and a value behind it. */
    private record FakeContent(byte[] value, int to) implements RecordContent {
        @Override
        public int from() {
            return 1;
        }

        @Override
        public String where() {
            return "queue";
        }

        @Override
        public boolean isMissing(int index) {
            return false;
        }

        @Override
        public long number(int index) {
            return value[0] == '+' ? 1 : 0;
        }

        @Override
        public byte[] binary(int index) {
            throw new IllegalArgumentException("no bytes have the index " + index);
        }

        @Override
        public byte[][] pairs(int index) {
            throw new IllegalArgumentException("no pairs have the index " + index);
        }
    }
}
