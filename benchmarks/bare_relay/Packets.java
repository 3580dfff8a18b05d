import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Relay packets: an 8-byte sequence number, an 8-byte due time in nanoseconds, payload cut from one fixed block of random bytes
 * at {@code sequence × payload mod (block - packet)}. Not thread-safe.
 */
final class Packets {
    private static final int HEADER_BYTES = 16;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int VERIFY_EVERY = 16;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] block = new byte[BLOCK_BYTES];
    private final byte[] payload;
    private final int wrap;
    /** Where the payload of the packet written next begins. */
    private int next;

    Packets(int packetBytes) {
        payload = new byte[packetBytes - HEADER_BYTES];
        wrap = BLOCK_BYTES - packetBytes;
        new SplittableRandom(1).nextBytes(block);
    }

    /** Packets are written in their order, from 0 on. */
    void write(ByteBuffer out, int at, long sequence, long due) {
        LONG.set(out, at, sequence);
        LONG.set(out, at + 8, due);
        out.put(at + HEADER_BYTES, block, next, payload.length);
        next += payload.length;
        if (next >= wrap) {
            next -= wrap;
        }
    }

    static long due(ByteBuffer in, int at) {
        return (long) LONG.get(in, at + 8);
    }

    /** Checks every packet's sequence number, every 16th one's payload. */
    void verify(ByteBuffer in, int at, long expected) {
        if ((long) LONG.get(in, at) != expected) {
            throw new IllegalStateException("packet " + LONG.get(in, at) + " in place of " + expected);
        }
        if (expected % VERIFY_EVERY == 0) {
            int offset = offset(expected);
            in.get(at + HEADER_BYTES, payload);
            if (!Arrays.equals(payload, 0, payload.length, block, offset, offset + payload.length)) {
                throw new IllegalStateException("payload of packet " + expected + " differs");
            }
        }
    }

    private int offset(long sequence) {
        return (int) (sequence * payload.length % wrap);
    }
}
