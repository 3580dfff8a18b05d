package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The packets that {@link ListedPackets} have written. Those that were marked later come behind younger ones in a chain, and the
 * values of their keys may come behind all of them. So they wait here until all are read, and are given from the oldest on.
 */
final class ReturnedPackets {
    private static final int FIRST = 16;

    private final String name;
    private final boolean markable;
    private final PacketArena arena = new PacketArena();
    private final Packet view;
    private long[] places = {};
    private long[] ranks = {};
    private boolean[] marks = {};
    private int size;

    /** Takes a packet, whose view is valid during the call. */
    @FunctionalInterface
    interface MarkTaker {
        void take(Packet packet, boolean marked) throws SnapshotException;
    }

    /**
     * @param name     of their state
     * @param markable as of {@link ListedPackets.Part}; packets that are not come in their order
     */
    ReturnedPackets(String name, Schema schema, boolean markable) {
        this.name = name;
        this.markable = markable;
        view = new Packet(schema.layout());
    }

    /** Reads an entry, and answers a view of its packet. */
    Packet read(SectionReader entry) throws IOException {
        ListedPackets.Mark mark = ListedPackets.read(entry, view);
        if (mark != null != markable) {
            throw new SnapshotException("state `" + name + "`: a packet that " + (markable ? "does not say" : "says")
                    + " whether it is marked");
        }
        if (size == places.length) {
            int to = Math.max(FIRST, 2 * size);
            places = Arrays.copyOf(places, to);
            ranks = Arrays.copyOf(ranks, to);
            marks = Arrays.copyOf(marks, to);
        }
        places[size] = arena.add(view);
        ranks[size] = mark == null ? 0 : mark.rank();
        marks[size++] = mark != null && mark.isMarked();
        return view;
    }

    /** Gives all packets. Their memory is free again, chunk by chunk, while they are taken. */
    void giveTo(MarkTaker taker) throws SnapshotException {
        int[] order = order();
        for (int at : order) {
            arena.view(places[at], view);
            taker.take(view, marks[at]);
            arena.free(places[at]);
        }
        clear();
    }

    /** Their numbers by rank. They have come in few runs that ascend, a few for each section, which are merged. */
    private int[] order() {
        int[] order = IntStream.range(0, size).toArray();
        int[] merged = new int[size];
        int runs;
        do {
            runs = 0;
            for (int from = 0; from < size; runs++) {
                int middle = runEnd(order, from);
                int end = runEnd(order, middle);
                merge(order, from, middle, end, merged);
                from = end;
            }
            int[] swapped = order;
            order = merged;
            merged = swapped;
        } while (runs > 1);
        return order;
    }

    private int runEnd(int[] order, int from) {
        int end = Math.min(size, from + 1);
        while (end < size && ranks[order[end - 1]] <= ranks[order[end]]) {
            end++;
        }
        return end;
    }

    private void merge(int[] order, int from, int middle, int end, int[] merged) {
        int left = from;
        int right = middle;
        for (int k = from; k < end; k++) {
            boolean isLeft = right == end || left < middle && ranks[order[left]] <= ranks[order[right]];
            merged[k] = isLeft ? order[left++] : order[right++];
        }
    }

    void clear() {
        arena.clear();
        places = new long[0];
        ranks = new long[0];
        marks = new boolean[0];
        size = 0;
    }

    /** Memory held, in bytes. */
    long bytes() {
        return arena.bytes() + (long) places.length * (2 * Long.BYTES + 1);
    }
}
