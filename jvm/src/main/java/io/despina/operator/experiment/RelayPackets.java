package io.despina.operator.experiment;

import io.despina.operator.Output;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The relay packets that experiments send: a sequence number, a due time and a payload cut from one fixed block, so that a
 * receiver that knows the seed can check every byte. A packet counts as 8 + 8 + payload bytes.
 */
public final class RelayPackets {

    public static final Schema SCHEMA = Schema.of(
            new Column("sequence", Type.Simple.BIGINT, false),
            new Column("due", Type.Simple.TIMESTAMP, false),
            new Column("payload", Type.Simple.BINARY, false));

    /** Bytes of sequence and due time. */
    public static final int HEAD_BYTES = 16;
    static final int BLOCK_BYTES = 1 << 20;
    private static final byte CONSTANT = 'D';

    /** What payloads are made of. */
    public enum Content {
        /** Random bytes, which do not compress. */
        RANDOM,
        /** One byte over and over. */
        CONSTANT
    }

    /**
     * Which packets.
     *
     * @param packetBytes {@link #HEAD_BYTES} and the payload
     * @param seed        of the block of random bytes
     */
    public record Options(int packetBytes, Content content, long seed) {
        public Options {
            if (packetBytes < HEAD_BYTES || packetBytes >= BLOCK_BYTES) {
                throw new IllegalArgumentException("packet_bytes=" + packetBytes + "; relay packets have "
                        + HEAD_BYTES + " to " + (BLOCK_BYTES - 1) + " bytes");
            }
        }
    }

    /** The blocks that payloads are cut from, shared by all users in this JVM with equal options. */
    private static final Map<Object, WeakReference<byte[]>> BLOCKS = new HashMap<>();

    private final byte[] block;
    private final int payloadBytes;
    private final int offsets;

    public RelayPackets(Options options) {
        payloadBytes = options.packetBytes - HEAD_BYTES;
        offsets = BLOCK_BYTES - options.packetBytes;
        block = block(options);
    }

    private static byte[] block(Options options) {
        Object key = options.content == Content.CONSTANT ? options.content : options.seed;
        synchronized (BLOCKS) {
            WeakReference<byte[]> known = BLOCKS.get(key);
            byte[] block = known == null ? null : known.get();
            if (block == null) {
                block = new byte[BLOCK_BYTES];
                if (options.content == Content.RANDOM) {
                    new SplittableRandom(options.seed).nextBytes(block);
                } else {
                    Arrays.fill(block, CONSTANT);
                }
                BLOCKS.values().removeIf(other -> other.get() == null);
                BLOCKS.put(key, new WeakReference<>(block));
            }
            return block;
        }
    }

    /** Where in the block the payload of packet {@code sequence} begins. */
    int offset(long sequence) {
        return (int) (sequence % offsets * payloadBytes % offsets);
    }

    /**
     * Writes packets {@code first}, {@code first + step} … until {@code count} are written, or the output's region is handed on
     * and the output is full.
     *
     * @param dueMicros of all of them
     * @return how many were written
     */
    public long write(Output out, long first, int step, long count, long dueMicros) {
        PacketWriter writer = out.writer();
        int advance = offset(step);
        int offset = offset(first);
        long sequence = first;
        for (long written = 0; written < count;) {
            writer.begin();
            writer.setLong(0, sequence);
            writer.setLong(1, dueMicros);
            writer.setBytes(2, block, offset, payloadBytes);
            writer.commit();
            written++;
            sequence += step;
            offset += advance;
            offset = offset >= offsets ? offset - offsets : offset;
            if (writer.beganRegion() && !out.hasRoom()) {
                return written;
            }
        }
        return count;
    }

    /** Whether a packet's payload matches its sequence number. */
    public boolean hasItsPayload(Packet packet) {
        int from = packet.valueStart(2);
        int expected = offset(packet.getLong(0));
        return Arrays.equals(packet.bytes(), from, packet.valueEnd(), block, expected, expected + payloadBytes);
    }
}
