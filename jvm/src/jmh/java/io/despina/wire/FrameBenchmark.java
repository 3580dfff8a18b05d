package io.despina.wire;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.link.CompressionSpec;
import io.despina.metrics.LinkCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Microseconds to frame a full segment of 50-byte packets and to read it back, socket left out. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FrameBenchmark implements FrameReader.Target {
    private static final int PACKETS = 1285;
    private static final int PACKET = 51;

    /** Compression modes. */
    @Param({"NEVER", "ENTROPY", "ALWAYS"})
    public CompressionSpec.Mode mode;

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private FrameWriter writer;
    private FrameReader reader;
    private int received;

    private Segment full() {
        Segment segment = pool.take(PACKETS * PACKET);
        for (int k = 0; k < PACKETS; k++) {
            segment.bytes()[k * PACKET] = PACKET - 1;
        }
        segment.end = PACKETS * PACKET;
        segment.packets = PACKETS;
        return segment;
    }

    @Benchmark
    public int writeAndRead() throws FrameException {
        if (writer == null) {
            writer = new FrameWriter(1, new Compressor(new CompressionSpec(mode, 6), pool, System::nanoTime),
                    new LinkCounters(1).wire(0));
            reader = new FrameReader(1, 1 << 20, this);
        }
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(128 << 10);
        writer.begin(full());
        writer.fill(buffer).release();
        reader.read(buffer);
        buffer.release();
        return received;
    }

    @Override
    public Segment take(int bytes) {
        return pool.take(bytes);
    }

    @Override
    public Segment scratch(int bytes) {
        return pool.take(bytes);
    }

    @Override
    public Segment signal(Segment.Kind kind, long value, boolean exact) {
        return pool.signal(kind, value, exact);
    }

    @Override
    public boolean received(Segment segment) {
        received += segment.packets;
        segment.release();
        return true;
    }
}
