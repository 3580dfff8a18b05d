package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.DataInput;
import java.io.DataOutput;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;

/** A running count per key, keys in no order: values beside their keys, values as objects, and a plain java.util.HashMap. */
@org.openjdk.jmh.annotations.State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class KeyedCountBenchmark {
    private static final int PACKETS = 1 << 18;
    private static final Schema KEY = Schema.of(new Column("key", Simple.BIGINT, true));

    @Param({"1000", "100000"})
    private int keys;

    private final KeyedTable<long[]> objects = new KeyedTable<>("objects", KEY, 256, new Objects());
    private final KeyedTable<Place> flat = new KeyedTable<>("flat", KEY, 256, new InTable());
    private final Map<Long, long[]> map = new HashMap<>();
    private final PacketCursor cursor = PacketCursor.reusing(KEY.layout());
    private byte[] packets;
    private int end;

    @Setup
    public void make() {
        packets = new byte[PACKETS * 16];
        PacketWriter writer = new PacketWriter(KEY.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < PACKETS; k++) {
            writer.begin().setLong(0, random.nextInt(keys));
            writer.commit();
        }
        end = writer.position();
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long besideTheKeys() {
        long sum = 0;
        cursor.reset(packets, 0, end);
        for (Packet p = cursor.next(); p != null; p = cursor.next()) {
            int entry = flat.find(p);
            if (entry == KeyedTable.NONE) {
                entry = flat.add(p, new Place());
            }
            Place place = flat.edit(entry);
            long count = Bytes.getLong(place.bytes, place.at) + 1;
            Bytes.putLong(place.bytes, place.at, count);
            sum += count;
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long asObjects() {
        long sum = 0;
        cursor.reset(packets, 0, end);
        for (Packet p = cursor.next(); p != null; p = cursor.next()) {
            int entry = objects.find(p);
            if (entry == KeyedTable.NONE) {
                entry = objects.add(p, new long[1]);
            }
            sum += ++objects.edit(entry)[0];
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long hashMap() {
        long sum = 0;
        cursor.reset(packets, 0, end);
        for (Packet p = cursor.next(); p != null; p = cursor.next()) {
            sum += ++map.computeIfAbsent(p.getLong(0), none -> new long[1])[0];
        }
        return sum;
    }

    /** Where a count lies. */
    private static final class Place {
        private byte[] bytes = new byte[Long.BYTES];
        private int at;
    }

    private static final class InTable implements ValueFormat.Flat<Place> {
        @Override
        public String schema() {
            return "count";
        }

        @Override
        public int width() {
            return Long.BYTES;
        }

        @Override
        public Place view() {
            return new Place();
        }

        @Override
        public void move(Place view, byte[] bytes, int at) {
            view.bytes = bytes;
            view.at = at;
        }

        @Override
        public void put(Place value, byte[] bytes, int at) {
            System.arraycopy(value.bytes, value.at, bytes, at, Long.BYTES);
        }

        @Override
        public void write(Place value, DataOutput out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Place read(DataInput in) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Objects implements ValueFormat<long[]> {
        @Override
        public String schema() {
            return "count";
        }

        @Override
        public void write(long[] value, DataOutput out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long[] read(DataInput in) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long bytes(long[] value) {
            return 24;
        }
    }
}
