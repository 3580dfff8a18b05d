package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** How the values of a keyed table are written, read and counted. */
public interface ValueFormat<V> {

    /** Told in snapshots, and compared on restore. */
    String schema();

    void write(V value, DataOutput out) throws IOException;

    V read(DataInput in) throws IOException;

    /** What {@code value} takes, in bytes, an estimate. */
    long bytes(V value);

    /**
     * Of values that all have the same number of bytes and are nothing else: they lie in the table, beside their keys, and are
     * seen through a view that is moved from one to the next.
     */
    interface Flat<V> extends ValueFormat<V> {

        /** Bytes of a value. */
        int width();

        /** A new view, to be moved. */
        V view();

        /** Moves a view to the value at {@code bytes[at, at + width)}. */
        void move(V view, byte[] bytes, int at);

        /** Copies a value to {@code bytes[at, at + width)}. */
        void put(V value, byte[] bytes, int at);

        @Override
        default long bytes(V value) {
            return 0;
        }
    }
}
