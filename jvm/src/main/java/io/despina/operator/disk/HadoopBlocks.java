package io.despina.operator.disk;

import io.airlift.compress.Decompressor;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * The text of a file that Hadoop has packed block by block: the length of a block's text, then pieces of it, each with its packed
 * length before it. A length may be wrong in a damaged file, so there is a limit.
 */
final class HadoopBlocks extends InputStream {
    /** Hadoop's own blocks have 256 KB. */
    private static final int MOST_BYTES = 1 << 24;
    /** What packing may add to a piece. */
    private static final int MORE_BYTES = 1 << 12;

    private final DataInputStream packed;
    private final Decompressor decompressor;
    private byte[] piece = new byte[0];
    private byte[] text = new byte[0];
    private int position;
    private int limit;
    /** How much of the block is not unpacked yet. */
    private int left;

    HadoopBlocks(InputStream packed, Decompressor decompressor) {
        this.packed = new DataInputStream(packed);
        this.decompressor = decompressor;
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        while (position == limit) {
            if (left > 0) {
                unpack();
            } else if (!nextBlock()) {
                return -1;
            }
        }
        int read = Math.min(length, limit - position);
        System.arraycopy(text, position, to, from, read);
        position += read;
        return read;
    }

    private boolean nextBlock() throws IOException {
        int first = packed.read();
        if (first < 0) {
            return false;
        }
        int rest = packed.readUnsignedByte() << 16 | packed.readUnsignedShort();
        left = checked(first << 24 | rest, MOST_BYTES);
        return true;
    }

    private void unpack() throws IOException {
        int length = checked(packed.readInt(), left + left / 4 + MORE_BYTES);
        piece = piece.length < length ? new byte[length] : piece;
        if (packed.readNBytes(piece, 0, length) < length) {
            throw new EOFException("the end is missing");
        }
        text = text.length < left ? new byte[left] : text;
        position = 0;
        limit = decompressor.decompress(piece, 0, length, text, 0, left);
        if (limit == 0) {
            throw new IOException("a piece of a block is empty");
        }
        left -= limit;
    }

    private static int checked(int length, int most) throws IOException {
        if (length < 0 || length > most) {
            throw new IOException("a length of " + Integer.toUnsignedString(length) + " bytes");
        }
        return length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public void close() throws IOException {
        packed.close();
    }
}
