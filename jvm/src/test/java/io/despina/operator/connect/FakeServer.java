package io.despina.operator.connect;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.PositionReader;
import io.despina.connect.ReaderHost;
import io.despina.connect.Records;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A server that numbers the records of each partition. It lives longer than its readers, which read when a test says so. */
final class FakeServer implements Connector {
    static final int KEY = 0;
    static final int NUMBER = 1;
    static final int EMPTY = 2;
    static final int HEADERS = 3;
    /** When the record at the position 0 came. */
    static final long ARRIVED = 1_700_000_000_000_000L;

    /** One record. */
    record Entry(String key, String value) {
    }

    final Map<String, List<Entry>> partitions = new TreeMap<>();
    final List<FakeReader> readers = new ArrayList<>();
    final List<Map<String, String>> acknowledged = new ArrayList<>();
    boolean bounded;

    FakeServer partition(String name, String... values) {
        List<Entry> entries = partitions.computeIfAbsent(name, key -> new ArrayList<>());
        for (String value : values) {
            entries.add(new Entry(null, value));
        }
        return this;
    }

    FakeServer put(String name, String key, String value) {
        partition(name);
        partitions.get(name).add(new Entry(key, value));
        return this;
    }

    @Override
    public PositionReader reader(ConnectorSettings settings, ReaderHost host) {
        readers.add(new FakeReader(host));
        return last();
    }

    FakeReader last() {
        return readers.get(readers.size() - 1);
    }

    /** Reads for one instance. */
    final class FakeReader implements PositionReader {
        final ReaderHost host;
        final Map<String, Integer> next = new TreeMap<>();
        private boolean started;
        boolean closed;

        private FakeReader(ReaderHost host) {
            this.host = host;
        }

        @Override
        public List<Start> open(Map<String, String> known, boolean resumed) {
            List<Start> starts = new ArrayList<>();
            int k = 0;
            for (String partition : partitions.keySet()) {
                if (k++ % host.parallelism() == host.instance()) {
                    int from = Integer.parseInt(known.getOrDefault(partition, "0"));
                    next.put(partition, from);
                    starts.add(new Start(partition, Integer.toString(from), from < partitions.get(partition).size()));
                }
            }
            return starts;
        }

        @Override
        public void start() {
            started = true;
        }

        /** Gives what is there, at most so many records of each partition. */
        void read(int most) {
            for (String partition : next.keySet()) {
                read(partition, most);
            }
        }

        /** The next record of the partition is gone. */
        FakeReader pass(String partition) {
            next.merge(partition, 1, Integer::sum);
            return this;
        }

        void read(String partition, int most) {
            if (!started) {
                throw new AssertionError("it reads before it was started");
            }
            List<Entry> all = partitions.get(partition);
            int from = next.get(partition);
            int to = Math.min(all.size(), from + most);
            next.put(partition, to);
            host.put(new Batch(partition, from, List.copyOf(all.subList(from, to)), bounded && to == all.size()));
        }

        @Override
        public void stop() {
            started = false;
        }

        @Override
        public void acknowledge(Map<String, String> positions) {
            acknowledged.add(positions);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** Records of a partition. */
    private static final class Batch implements Records {
        private final String partition;
        private final int first;
        private final List<Entry> entries;
        private final boolean last;
        private int at = -1;
        private byte[] value;

        Batch(String partition, int first, List<Entry> entries, boolean last) {
            this.partition = partition;
            this.first = first;
            this.entries = entries;
            this.last = last;
        }

        @Override
        public String partition() {
            return partition;
        }

        @Override
        public long bytes() {
            return 100L * entries.size();
        }

        @Override
        public boolean next() {
            if (at + 1 >= entries.size()) {
                at = entries.size();
                return false;
            }
            at++;
            String text = entries.get(at).value();
            value = text == null ? null : ("[" + text + "]").getBytes(StandardCharsets.UTF_8);
            return true;
        }

        @Override
        public byte[] value() {
            return value;
        }

        @Override
        public int from() {
            return 1;
        }

        @Override
        public int to() {
            return value.length - 1;
        }

        @Override
        public String where() {
            return partition + "@" + (first + at);
        }

        @Override
        public String at() {
            return Integer.toString(first + Math.max(at, 0));
        }

        @Override
        public String behind() {
            return Integer.toString(first + Math.min(at + 1, entries.size()));
        }

        @Override
        public boolean isLast() {
            return last;
        }

        @Override
        public long arrived() {
            return ARRIVED + first + at;
        }

        @Override
        public boolean isMissing(int index) {
            return index == KEY && entries.get(at).key() == null;
        }

        @Override
        public long number(int index) {
            return index == EMPTY ? value == null ? 1 : 0 : first + at;
        }

        @Override
        public byte[] binary(int index) {
            return entries.get(at).key().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[][] pairs(int index) {
            return new byte[][] {{'a'}, {1, 2}, {'b'}, null};
        }
    }
}
