package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A compiled select list with aggregates: one instance per task. The list may mix aggregates with the group's keys, {@code
 * window.start}, {@code window.end} and, if a row is made per packet, that packet's columns.
 */
public interface Aggregation {

    Accumulator create();

    /**
     * Adds a packet, with DISTINCT and FILTER. If it throws, the list's first aggregates may contain the packet and the others
     * not: the accumulator is then unusable.
     */
    void update(Accumulator accumulator, Packet packet);

    /** The same, but if it throws, the accumulator is unchanged. A little slower. */
    default void updateWhole(Accumulator accumulator, Packet packet) {
        update(accumulator, packet);
    }

    /** Throws what {@link #updateWhole} would throw, without changing the accumulator. */
    void check(Accumulator accumulator, Packet packet);

    /**
     * Whether the content of an accumulator may make it refuse a packet or another accumulator, such as a sum that would
     * overflow. If not, what one accumulator refuses all refuse.
     */
    boolean mayOverflow();

    /** Adds the content of {@code from}, which does not change. */
    void merge(Accumulator into, Accumulator from);

    /**
     * Sets every column of the packet begun in {@code out}. Does not change the accumulator.
     *
     * @param key     the group's key, projected by {@link AggregationPlan#keys}; null without groups
     * @param current the packet of this row; null if rows are not per packet
     * @param start   of the window, microseconds; ignored, like {@code end}, if the list names no window
     */
    void evaluate(Accumulator accumulator, Packet key, Packet current, WindowFacts window, PacketWriter out);

    /** Accumulators as plain bytes; null if they hold objects. */
    default FlatAccumulators flat() {
        return null;
    }

    /** The content of accumulators, as text. One that was written with another text is not read. */
    default String schema() {
        return "";
    }

    void write(Accumulator accumulator, DataOutput out) throws IOException;

    Accumulator read(DataInput in) throws IOException;

    /** Accumulators that consist of a fixed number of bytes, so that keyed state can store them beside their keys. */
    interface FlatAccumulators {

        /** Bytes of an accumulator. */
        int width();

        /** A new view, to be moved. Every method of the aggregation accepts it like an accumulator of {@link #create}. */
        Accumulator view();

        /** Moves a view to the accumulator at {@code bytes[at, at + width)}. */
        void move(Accumulator view, byte[] bytes, int at);

        /** Copies an accumulator to {@code bytes[at, at + width)}. */
        void put(Accumulator accumulator, byte[] bytes, int at);

        /** Reads over an accumulator what {@link Aggregation#write} wrote of one. */
        void read(Accumulator over, DataInput in) throws IOException;
    }
}
