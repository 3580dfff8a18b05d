package io.despina.wire.compress;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
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
 * Microseconds for a 64 KB segment: LZ4 with and without shuffling, and the entropy sample. Twins: a copy, a transposition
 * byte by byte, the entropy of all bytes. The packed sizes are printed at the start.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CompressionBenchmark {
    /** What is packed. */
    public enum Data { READINGS, RANDOM }

    /** What is packed. */
    @Param
    public Data data;

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final Entropy entropy = new Entropy();
    private final CRC32C crc = new CRC32C();
    private Segment segment;
    private int size;
    private byte[] raw;
    private byte[] shuffled;
    private byte[] packed;
    private byte[] scratch;
    private byte[] packedPlain;
    private byte[] packedShuffled;

    /** Makes the segment and both packed forms. */
    @Setup
    public void fill() {
        segment = data == Data.READINGS ? SensorSegment.readings(pool) : SensorSegment.random(pool);
        raw = segment.bytes();
        size = segment.size();
        shuffled = new byte[size];
        scratch = new byte[size];
        packed = new byte[Lz4.COMPRESSOR.maxCompressedLength(size)];
        Shuffle.transpose(raw, 0, shuffled, SensorSegment.PACKETS, SensorSegment.PACKET);
        packedPlain = Arrays.copyOf(packed, Lz4.COMPRESSOR.compress(raw, 0, size, packed, 0));
        packedShuffled = Arrays.copyOf(packed, Lz4.COMPRESSOR.compress(shuffled, 0, size, packed, 0));
        System.out.printf("%s: %d bytes; lz4 %d (%.2f), shuffled %d (%.2f)%n", data, size, packedPlain.length,
                (double) size / packedPlain.length, packedShuffled.length, (double) size / packedShuffled.length);
    }

    @Benchmark
    public byte[] copy() {
        System.arraycopy(raw, 0, scratch, 0, size);
        return scratch;
    }

    @Benchmark
    public long checksum() {
        crc.reset();
        crc.update(raw, 0, size);
        return crc.getValue();
    }

    @Benchmark
    public byte[] shuffle() {
        Shuffle.transpose(raw, 0, scratch, SensorSegment.PACKETS, SensorSegment.PACKET);
        return scratch;
    }

    @Benchmark
    public byte[] shuffleByteByByte() {
        for (int column = 0, to = 0; column < SensorSegment.PACKET; column++) {
            for (int from = column; from < size; from += SensorSegment.PACKET) {
                scratch[to++] = raw[from];
            }
        }
        return scratch;
    }

    @Benchmark
    public int lz4() {
        return Lz4.COMPRESSOR.compress(raw, 0, size, packed, 0);
    }

    @Benchmark
    public int shuffleAndLz4() {
        Shuffle.transpose(raw, 0, scratch, SensorSegment.PACKETS, SensorSegment.PACKET);
        return Lz4.COMPRESSOR.compress(scratch, 0, size, packed, 0);
    }

    @Benchmark
    public int unpackLz4() {
        return Lz4.DECOMPRESSOR.decompress(packedPlain, 0, packedPlain.length, scratch, 0, size);
    }

    @Benchmark
    public byte[] unpackShuffled() {
        Lz4.DECOMPRESSOR.decompress(packedShuffled, 0, packedShuffled.length, scratch, 0, size);
        Shuffle.transpose(scratch, 0, shuffled, SensorSegment.PACKET, SensorSegment.PACKETS);
        return shuffled;
    }

    @Benchmark
    public double entropyOfASample() {
        return entropy.bits(raw, 0, size);
    }

    @Benchmark
    public double entropyOfAll() {
        int[] counts = new int[256];
        for (int k = 0; k < size; k++) {
            counts[raw[k] & 0xff]++;
        }
        double bits = 0;
        for (int count : counts) {
            double share = (double) count / size;
            bits -= count == 0 ? 0 : share * Math.log(share);
        }
        return bits / Math.log(2);
    }
}
