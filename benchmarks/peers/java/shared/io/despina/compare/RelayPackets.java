package io.despina.compare;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The relay's packets, the same on every engine: an 8-byte sequence number, an 8-byte due time (nanoseconds of the monotonic
 * clock), and payload cut from 1,048,576 bytes of {@code SplittableRandom(1)} at {@code sequence × payload mod (1,048,576 −
 * packet)}, so that packets do not compress and every byte can be checked. Little-endian.
 */
public final class RelayPackets {
    /** Bytes of sequence number and due time. */
    public static final int HEAD_BYTES = 16;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Made once a process; nobody writes it afterwards. */
    private static final byte[] BLOCK = new byte[BLOCK_BYTES];

    static {
        new SplittableRandom(1).nextBytes(BLOCK);
    }

    private final int packetBytes;
    private final int payloadBytes;
    private final int wrap;
    private long nextSequence;
    private int nextOffset;

    public RelayPackets(int packetBytes) {
        this(packetBytes, 0);
    }

    /** Begins with the packet of that sequence number. */
    public RelayPackets(int packetBytes, long first) {
        if (packetBytes < HEAD_BYTES || packetBytes >= BLOCK_BYTES) {
            throw new IllegalArgumentException("packet_bytes=" + packetBytes);
        }
        this.packetBytes = packetBytes;
        payloadBytes = packetBytes - HEAD_BYTES;
        wrap = BLOCK_BYTES - packetBytes;
        nextSequence = first;
        nextOffset = (int) (first % wrap * payloadBytes % wrap);
    }

    public int packetBytes() {
        return packetBytes;
    }

    /** Writes the next packet into {@code into}, of {@link #packetBytes} bytes. */
    public void next(byte[] into, long dueNanos) {
        LONG.set(into, 0, nextSequence++);
        LONG.set(into, 8, dueNanos);
        System.arraycopy(BLOCK, nextOffset, into, HEAD_BYTES, payloadBytes);
        nextOffset += payloadBytes;
        if (nextOffset >= wrap) {
            nextOffset -= wrap;
        }
    }

    public static long sequence(byte[] packet) {
        return (long) LONG.get(packet, 0);
    }

    public static long dueNanos(byte[] packet) {
        return (long) LONG.get(packet, 8);
    }

    /** Whether the packet has its size and the payload that its sequence number says. */
    public boolean isWhole(byte[] packet) {
        int offset = (int) (sequence(packet) % wrap * payloadBytes % wrap);
        return packet.length == packetBytes
                && Arrays.equals(packet, HEAD_BYTES, packetBytes, BLOCK, offset, offset + payloadBytes);
    }
}
