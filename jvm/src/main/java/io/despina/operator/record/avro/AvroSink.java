package io.despina.operator.record.avro;

import java.io.IOException;
import java.io.OutputStream;

/** Writes values of a type under a schema, which may be one branch of a union. */
abstract class AvroSink {
    private static final int NONE = -1;

    /** What the value is called in messages. */
    private String name = "";
    /** In the union that the schema is a branch of: of itself, and of null. */
    private int branch = NONE;
    private int branchOfNull = NONE;

    final AvroSink named(String place) {
        name = place;
        return this;
    }

    final AvroSink within(int index, int indexOfNull) {
        branch = index;
        branchOfNull = indexOfNull;
        return this;
    }

    /** Writes a value that is not NULL: {@code bytes[from, to)}, as a packet has it. */
    abstract void value(byte[] bytes, int from, int to, OutputStream out) throws IOException;

    final void write(byte[] bytes, int from, int to, OutputStream out) throws IOException {
        if (branch != NONE) {
            AvroOut.zigzag(branch, out);
        }
        value(bytes, from, to, out);
    }

    final void writeNull(OutputStream out) throws IOException {
        if (branchOfNull == NONE) {
            throw new IllegalArgumentException(name + " is NULL, and its schema has no null");
        }
        AvroOut.zigzag(branchOfNull, out);
    }
}
