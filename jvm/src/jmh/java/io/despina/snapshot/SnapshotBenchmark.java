package io.despina.snapshot;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A table of a million keys with values of 24 bytes: updates alone, updates while a snapshot is written, and a snapshot alone.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = {"-Xmx2g"})
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 7, time = 2)
public class SnapshotBenchmark {
    private static final Schema KEY = Schema.of(new Column("key", Simple.BIGINT, false));
    private static final Schema VALUE = Schema.of(new Column("a", Simple.BIGINT, false), new Column("b", Simple.BIGINT, false),
            new Column("c", Simple.DOUBLE, false));
    private static final int KEYS = 1_000_000;
    private static final int UPDATES = 1 << 20;
    private static final int BATCH = 1 << 8;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Of ten updates, how many go to a hundredth of the keys: 1 is about uniform. */
    @Param({"0", "9"})
    private int hot;

    private final KeyedPackets table = new KeyedPackets("table", KEY, 256, VALUE);
    private final PacketCursor cursor = PacketCursor.reusing(KEY.layout());
    private final ExecutorService disk = Executors.newSingleThreadExecutor();
    private final Packet value = new Packet(VALUE.layout());
    private byte[] packets;
    private int end;
    private long alone;
    private Path folder;
    private EpochFile file;
    private InstanceSnapshot running;
    private long epoch;

    /** What the calls of a snapshot took. Read the largest of the iterations: JMH adds them up. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Calls {
        public long longestMicros;
        /** The processor time of the call that took most of it. */
        public long mostProcessorMicros;
        /** The table's memory while a snapshot is written, at its most, of what it is without one. */
        public long memoryPercent;
        public long megabytesPerSecond;
        public long snapshots;

        @Setup(Level.Iteration)
        public void clear() {
            longestMicros = 0;
            mostProcessorMicros = 0;
            memoryPercent = 0;
            megabytesPerSecond = 0;
            snapshots = 0;
        }

        private void add(long nanos, long processorNanos) {
            longestMicros = Math.max(longestMicros, nanos / 1_000);
            mostProcessorMicros = Math.max(mostProcessorMicros, processorNanos / 1_000);
        }

        private void memory(long percent) {
            memoryPercent = Math.max(memoryPercent, percent);
        }
    }

    @Setup
    public void make() throws IOException {
        folder = Files.createTempDirectory("snapshot");
        SplittableRandom random = new SplittableRandom(1);
        packets = new byte[UPDATES * 9];
        PacketWriter writer = new PacketWriter(KEY.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        for (int k = 0; k < UPDATES; k++) {
            writer.begin().setLong(0, random.nextInt(random.nextInt(10) < hot ? KEYS / 100 : KEYS));
            writer.commit();
        }
        end = writer.position();
        byte[] one = new byte[25];
        PacketWriter ofValue = new PacketWriter(VALUE.layout(), (w, needed) -> { });
        ofValue.open(one, 0, one.length);
        ofValue.begin();
        ofValue.setLong(0, 1);
        ofValue.setLong(1, 2);
        ofValue.setDouble(2, 3);
        ofValue.commit();
        value.wrap(one, 0, one.length);
        byte[] key = new byte[9];
        Packet view = new Packet(KEY.layout());
        for (int k = 0; k < KEYS; k++) {
            writer.open(key, 0, key.length);
            writer.begin().setLong(0, k);
            writer.commit();
            view.wrap(key, 0, key.length);
            table.put(KeyedTable.NONE, view, value);
        }
    }

    @TearDown
    public void drop() throws IOException {
        disk.shutdownNow();
        new LocalStore(folder).delete("");
    }

    private void update(int packets) {
        for (int k = 0; k < packets; k++) {
            Packet key = cursor.next();
            table.put(table.find(key), key, value);
        }
    }

    @Benchmark
    @OperationsPerInvocation(UPDATES)
    public void update() {
        cursor.reset(packets, 0, end);
        update(UPDATES);
    }

    /** A slice is written when a batch's updates have taken ten times as long as the last one: what a task can spare. */
    @Benchmark
    @OperationsPerInvocation(UPDATES)
    public void updateWhileASnapshotIsWritten(Calls calls) throws Exception {
        cursor.reset(packets, 0, end);
        long owed = 0;
        for (int k = 0; k < UPDATES; k += BATCH) {
            long before = System.nanoTime();
            update(BATCH);
            long now = System.nanoTime();
            owed += (now - before) / 12;
            if (owed > 0) {
                slice(calls);
                owed -= System.nanoTime() - now;
            }
        }
    }

    private void slice(Calls calls) throws Exception {
        if (running == null) {
            alone = table.bytes();
        }
        long processor = THREADS.getCurrentThreadCpuTime();
        long before = System.nanoTime();
        if (running == null) {
            begin();
        }
        InstanceSnapshot.SliceResult progress = running.write();
        calls.add(System.nanoTime() - before, THREADS.getCurrentThreadCpuTime() - processor);
        calls.memory(table.bytes() * 100 / alone);
        if (progress == InstanceSnapshot.SliceResult.DONE) {
            running.close();
            running = null;
            file.finish();
            calls.snapshots++;
        }
    }

    private void begin() {
        LocalStore store = new LocalStore(folder);
        String last = "x/" + epoch++;
        disk.execute(() -> {
            try {
                store.delete(last);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        file = new EpochFile(store, "x/" + epoch, disk);
        running = file.begin("x", 0, List.of(table), () -> { });
    }

    /** To the local disk, its fsync included. */
    @Benchmark
    @OutputTimeUnit(TimeUnit.MILLISECONDS)
    public void snapshot(Calls calls) throws Exception {
        long began = System.nanoTime();
        begin();
        while (true) {
            long processor = THREADS.getCurrentThreadCpuTime();
            long before = System.nanoTime();
            InstanceSnapshot.SliceResult progress = running.write();
            calls.add(System.nanoTime() - before, THREADS.getCurrentThreadCpuTime() - processor);
            if (progress == InstanceSnapshot.SliceResult.DONE) {
                break;
            }
            if (progress == InstanceSnapshot.SliceResult.WAITS) {
                LockSupport.parkNanos(20_000);
            }
        }
        long bytes = file.finish().get().files().get(0).length();
        running.close();
        running = null;
        calls.megabytesPerSecond = bytes * 1_000 / (System.nanoTime() - began);
        calls.snapshots++;
    }
}
