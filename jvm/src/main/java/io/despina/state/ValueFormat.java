package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Writes, reads and measures the values of a keyed table. */
public interface ValueFormat<V> {

    /** Stored in snapshots, and compared on restore. */
    String schema();

    /**
     * Writes a value. Lists that may become long are written as a {@link io.despina.packet.ListOutput} wants them, so that a
     * snapshot has only what has come to them; {@code out} is one.
     */
    void write(V value, DataOutput out) throws IOException;

    V read(DataInput in) throws IOException;

    /** An estimate of the memory of {@code value}, in bytes. */
    long bytes(V value);

    /** What {@code value} has of packets whose rows have not all left, see {@link State#held}. */
    default Held held(V value) {
        return Held.NONE;
    }

    /** For values that no snapshot has: they are made anew of what it has in place of them, whose schema this gives. */
    interface Rebuilt<V> extends ValueFormat<V> {

        @Override
        default void write(V value, DataOutput out) {
            throw new IllegalStateException("a snapshot does not have these values");
        }

        @Override
        default V read(DataInput in) {
            throw new IllegalStateException("a snapshot does not have these values");
        }
    }

    /**
     * For packets, each in memory of its own, which are replaced and not {@linkplain KeyedTable#edit edited}: a snapshot shares
     * the memory, and {@link KeyedTable#reuse} tells whether it does. They are written as {@link StateFormat#writePacket} does.
     */
    interface Replaced extends ValueFormat<Packet> {
        @Override
        default void write(Packet value, DataOutput out) throws IOException {
            StateFormat.writePacket(out, value);
        }
    }

    /**
     * For values that consist of a fixed number of bytes: the table stores them beside their keys, and shows them through one
     * view that it moves.
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

        /** Reads a value to {@code bytes[at, at + width)}. */
        default void read(DataInput in, byte[] bytes, int at) throws IOException {
            put(read(in), bytes, at);
        }

        @Override
        default long bytes(V value) {
            return 0;
        }
    }
}
