package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * A compiled select list with aggregates: one instance per task. The list may mix aggregates with the group's keys,
 * {@code window.start}, {@code window.end} and, where a row is made per packet, that packet's columns.
 */
public interface Aggregation {

    Accumulator create();

    /**
     * Adds a packet, minding DISTINCT and FILTER. Where it throws, the list's first aggregates may have the packet and the
     * others not: the accumulator is good for nothing more.
     */
    void update(Accumulator accumulator, Packet packet);

    /** The same, but where it throws, the accumulator stays as it was. It takes a little longer. */
    default void updateWhole(Accumulator accumulator, Packet packet) {
        update(accumulator, packet);
    }

    /** Throws what {@link #updateWhole} would throw; the accumulator stays as it is. */
    void check(Accumulator accumulator, Packet packet);

    /**
     * Whether an accumulator may refuse a packet, or another accumulator, for what it holds already, as a sum does that would
     * overflow. If not, what one accumulator refuses all do.
     */
    boolean mayOverflow();

    /** Adds all that {@code from} holds, which stays as it is. */
    void merge(Accumulator into, Accumulator from);

    /**
     * Sets every column of the packet that {@code out} has begun. The accumulator stays as it is.
     *
     * @param key     the group's key, as {@link AggregationPlan#keys} projects it; null without groups
     * @param current the packet that this row is for; null where rows are not per packet
     * @param start   of the window, microseconds; with {@code end} ignored where the list names no window
     */
    void evaluate(Accumulator accumulator, Packet key, Packet current, long start, long end, PacketWriter out);

    /** How accumulators lie as bytes; null if they hold objects. */
    default FlatAccumulators flat() {
        return null;
    }

    /** What accumulators are made of, as text: one that was written where it was another is not read. */
    default String schema() {
        return "";
    }

    void write(Accumulator accumulator, DataOutput out) throws IOException;

    Accumulator read(DataInput in) throws IOException;

    /** Accumulators that are so many bytes and nothing else, so that keyed state can hold them beside their keys. */
    interface FlatAccumulators {

        /** Bytes of an accumulator. */
        int width();

        /** A new view, to be moved; for every method of the aggregation as good as what {@link #create} makes. */
        Accumulator view();

        /** Moves a view to the accumulator at {@code bytes[at, at + width)}. */
        void move(Accumulator view, byte[] bytes, int at);

        /** Copies an accumulator to {@code bytes[at, at + width)}. */
        void put(Accumulator accumulator, byte[] bytes, int at);
    }
}
