package io.despina.link;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.Partition;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Nanoseconds per 50-byte packet: written through a port into segments, and walked at the other end of a local channel. The plain
 * twin writes the same bytes into one array by hand, and walks them by their lengths.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SegmentBenchmark {
    private static final int PACKETS = 1285;
    private static final int PAYLOAD = 34;
    private static final Schema RELAY = Schema.of(new Column("sequence", Type.Simple.BIGINT, false),
            new Column("due", Type.Simple.TIMESTAMP, false), new Column("payload", Type.Simple.BINARY, false));

    private static final int HEADER = 16;

    private final byte[] plain = new byte[PACKETS * (1 + HEADER + PAYLOAD)];
    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final byte[] payload = new byte[PAYLOAD];
    private final PacketCursor cursor = PacketCursor.reusing(RELAY.layout());
    private final Inbox channel = new Inbox(new QueueBounds(192 << 10, 384 << 10), 100_000_000, System::nanoTime);
    private final PortOutput port = PortOutputs.create(RELAY.layout(), List.of(new OutLink(
            new LinkSpec("a->b", new Partition.Forward(), BufferSpec.DEFAULT, CompressionSpec.DEFAULT,
                    List.of(ChannelSpec.local(1, "a->b"))), List.of(channel), new LinkCounters(1))),
            new PortSettings(pool, 1 << 20, System::nanoTime, pool.overdraft().rank(0)));

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long plainWriteAndWalk() {
        int at = 0;
        for (int k = 0; k < PACKETS; k++) {
            plain[at] = HEADER + PAYLOAD;
            Bytes.putLong(plain, at + 1, k);
            Bytes.putLong(plain, at + 9, k);
            System.arraycopy(payload, 0, plain, at + 1 + HEADER, PAYLOAD);
            at += 1 + HEADER + PAYLOAD;
        }
        long sum = 0;
        for (int from = 0; from < at; from += 1 + plain[from]) {
            sum += Bytes.getLong(plain, from + 1);
        }
        return sum;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long writeAndWalk() {
        PacketWriter writer = port.writer();
        for (int k = 0; k < PACKETS && port.hasRoom(); k++) {
            writer.begin();
            writer.setLong(0, k);
            writer.setLong(1, k);
            writer.setBytes(2, payload, 0, PAYLOAD);
            writer.commit();
        }
        port.flush(System.nanoTime());
        long sum = 0;
        Segment segment;
        while ((segment = channel.poll()) != null) {
            cursor.reset(segment.bytes(), segment.start, segment.end);
            for (Packet p = cursor.next(); p != null; p = cursor.next()) {
                sum += p.getLong(0);
            }
            channel.consumed(segment);
        }
        return sum;
    }
}
