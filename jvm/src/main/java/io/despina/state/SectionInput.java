package io.despina.state;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The bytes of one section, block by block. An entry's content is read where it lies, unless it is longer than a block. */
final class SectionInput implements Closeable {
    /** The most bytes read at once, so that a damaged length cannot cause a large allocation. */
    private static final int BLOCK = 1 << 16;
    /** Read first: most sections are no longer, and a block costs more to make than they to read. */
    private static final int FIRST = 1 << 10;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final InputStream in;
    private final String name;
    private final StateFormat.Head head;
    private byte[] block = new byte[FIRST];
    private int at;
    private int end;

    /** Reads the head. @param name of the state, for exceptions */
    SectionInput(InputStream in, String name) throws IOException {
        this.in = in;
        this.name = name;
        try {
            head = StateFormat.head(new DataInputStream(in), name);
        } catch (EOFException cut) {
            throw new SnapshotException("state `" + name + "`: the section is cut short", cut);
        }
    }

    StateFormat.Head head() {
        return head;
    }

    /** The number at {@code bytes[at, at + 4)}. */
    static int intAt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    int readInt() throws IOException {
        have(Integer.BYTES);
        int value = (int) INT.get(block, at);
        at += Integer.BYTES;
        return value;
    }

    long readLong() throws IOException {
        long high = readInt();
        return high << Integer.SIZE | readInt() & 0xFFFF_FFFFL;
    }

    boolean isAtEnd() throws IOException {
        return at == end && in.read() < 0;
    }

    /** Moves over so many bytes; {@link #bytes} has them at {@link #start} until the next call. */
    void content(int length) throws IOException {
        have(length);
        at += length;
    }

    byte[] bytes() {
        return block;
    }

    /** @param length of the content that was moved over last */
    int start(int length) {
        return at - length;
    }

    void skip(int length) throws IOException {
        int there = Math.min(length, end - at);
        at += there;
        try {
            in.skipNBytes(length - there);
        } catch (EOFException cut) {
            throw cut(cut);
        }
    }

    /** Has so many bytes in the block, from {@code at} on. */
    private void have(int length) throws IOException {
        if (end - at >= length) {
            return;
        }
        byte[] next = end == block.length && end < BLOCK ? new byte[BLOCK] : block;
        System.arraycopy(block, at, next, 0, end - at);
        block = next;
        end -= at;
        at = 0;
        while (end < length) {
            if (end == block.length) {
                block = Arrays.copyOf(block, (int) Math.max(BLOCK, Math.min(length, 2L * block.length)));
            }
            int read = in.read(block, end, block.length - end);
            if (read < 0) {
                throw cut(null);
            }
            end += read;
        }
    }

    private SnapshotException cut(EOFException cause) {
        return new SnapshotException("state `" + name + "`: the section is cut short", cause);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
