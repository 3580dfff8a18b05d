package io.despina.wire;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.metrics.LinkCounters;
import io.despina.spec.CompressionSpec;
import io.despina.wire.compress.Compressor;
import io.despina.wire.compress.SensorSegment;
import io.despina.wire.frame.FrameException;
import io.despina.wire.frame.FrameReader;
import io.despina.wire.frame.FrameWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Microseconds to frame a full segment of readings, and to read the frame back, socket left out. The plain twin copies the
 * payload into a direct buffer, or out of one into a segment, and does nothing else.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FrameBenchmark implements FrameReader.SegmentHandler {
    private static final int BUFFER = 128 << 10;

    /** Compression modes. */
    private static final ChannelId ID = new ChannelId(Attempt.first("job"), 1);

    @Param({"NEVER", "ENTROPY", "ALWAYS", "ADAPTIVE"})
    public CompressionSpec.Mode mode;

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final LinkCounters.WireCounters counters = new LinkCounters(1).wire(0);
    private Segment template;
    private ByteBuf buffer;
    private ByteBuf frame;
    /** The segment's bytes as they are. */
    private ByteBuf plain;
    private FrameWriter writer;
    private int received;

    /** Makes the segment's bytes, and its frame. */
    @Setup
    public void fill() {
        template = SensorSegment.readings(pool);
        buffer = PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER);
        frame = PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER);
        plain = PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER);
        plain.writeBytes(template.bytes(), 0, template.size());
        write(writer(), frame);
        writer = writer();
    }

    private FrameWriter writer() {
        return new FrameWriter(ID.number(), ID.attempt().number(),
                new Compressor(new CompressionSpec(mode, 6), pool, System::nanoTime), counters);
    }

    /** Holds the same packets as the template; making it costs a copy, which {@link #copyIn} has as well. */
    private Segment full() {
        Segment segment = pool.take(template.size());
        System.arraycopy(template.bytes(), 0, segment.bytes(), 0, template.size());
        segment.end = template.size();
        segment.packets = template.packets;
        return segment;
    }

    private void write(FrameWriter to, ByteBuf out) {
        to.begin(full());
        to.fill(out).release();
    }

    @Benchmark
    public int encode() {
        buffer.clear();
        write(writer, buffer);
        return buffer.readableBytes();
    }

    @Benchmark
    public int decode() throws FrameException {
        FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(), 1 << 20, this);
        reader.read(frame.duplicate());
        return received;
    }

    @Benchmark
    public int copyIn() {
        buffer.clear();
        Segment segment = full();
        buffer.writeBytes(segment.bytes(), 0, segment.end);
        segment.release();
        return buffer.readableBytes();
    }

    @Benchmark
    public int copyOut() {
        Segment segment = pool.take(template.size());
        plain.getBytes(0, segment.bytes(), 0, template.size());
        segment.release();
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
    public Segment signal(SegmentKind kind, long value, boolean exact) {
        return pool.signal(kind, value, exact);
    }

    @Override
    public boolean received(Segment segment) {
        received += segment.packets;
        segment.release();
        return true;
    }
}
