package io.despina.operator.record.value;

import java.io.IOException;
import java.io.OutputStream;

/**
 * What clients of a schema registry write before a record: a zero, and the number of its schema in four bytes, the highest first.
 *
 * @param id of the only schema
 */
public record RegisteredId(int id) {
    /** Before the record. */
    public static final int BYTES = 1 + Integer.BYTES;

    private static final String MISSING =
            "it does not begin with a zero and the number of a schema, as the option `schemaId` says";

    /** Reads records behind it; one of another schema is bad. */
    public BinaryReader before(BinaryReader reader) {
        return (bytes, from, to, out) -> {
            if (!isThere(bytes, from, to)) {
                return MISSING;
            }
            int found = of(bytes, from);
            return found == id ? reader.read(bytes, from + BYTES, to, out) : "it is of the schema " + found
                    + ", and the option `schemaId` says " + id;
        };
    }

    /** Reads records behind any such number. */
    public static BinaryReader beforeAny(BinaryReader reader) {
        return (bytes, from, to, out) -> isThere(bytes, from, to) ? reader.read(bytes, from + BYTES, to, out) : MISSING;
    }

    /** Whether the record {@code bytes[from, to)} begins with one. */
    public static boolean isThere(byte[] bytes, int from, int to) {
        return to - from >= BYTES && bytes[from] == 0;
    }

    /** That of a record that {@linkplain #isThere has} one. */
    public static int of(byte[] bytes, int from) {
        int found = 0;
        for (int k = from + 1; k < from + BYTES; k++) {
            found = found << Byte.SIZE | bytes[k] & 0xFF;
        }
        return found;
    }

    public void write(OutputStream out) throws IOException {
        out.write(0);
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            out.write(id >>> shift);
        }
    }
}
