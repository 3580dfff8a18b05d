package io.despina.operator.record.value;

import java.io.ByteArrayOutputStream;

/** Bytes that are written, and read where they are. */
public final class OpenBytes extends ByteArrayOutputStream {
    /** More is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    /** The first {@link #size} of them are written. */
    public byte[] bytes() {
        return buf;
    }

    /** Memory that it takes. */
    public int heldBytes() {
        return buf.length;
    }

    /** Forgets all but the first {@code length} bytes. */
    public void cut(int length) {
        count = length;
        if (length == 0 && buf.length > KEPT_BYTES) {
            buf = new byte[KEPT_BYTES];
        }
    }
}
