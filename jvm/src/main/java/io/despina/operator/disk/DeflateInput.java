package io.despina.operator.disk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** The text of zlib streams, one after the other; Java's own stream ends with the first. */
final class DeflateInput extends InputStream {
    private final InputStream packed;
    private final byte[] block;
    private final Inflater inflater = new Inflater();
    private int filled;

    DeflateInput(InputStream packed, int bufferBytes) {
        this.packed = packed;
        block = new byte[bufferBytes];
    }

    @Override
    public int read(byte[] to, int from, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (true) {
            int read = inflate(to, from, length);
            if (read > 0) {
                return read;
            }
            if (inflater.finished()) {
                int rest = inflater.getRemaining();
                if (rest == 0 && !fill()) {
                    return -1;
                }
                int next = rest == 0 ? filled : rest;
                inflater.reset();
                inflater.setInput(block, filled - next, next);
            } else if (inflater.needsDictionary()) {
                throw new IOException("it needs a dictionary");
            } else if (!fill()) {
                throw new EOFException("the end is missing");
            } else {
                inflater.setInput(block, 0, filled);
            }
        }
    }

    private int inflate(byte[] to, int from, int length) throws IOException {
        try {
            return inflater.inflate(to, from, length);
        } catch (DataFormatException wrong) {
            throw new IOException(wrong.getMessage(), wrong);
        }
    }

    private boolean fill() throws IOException {
        filled = packed.read(block, 0, block.length);
        return filled > 0;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        packed.close();
    }
}
