package io.despina.operator.keyed;

import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import io.despina.state.SnapshotException;
import io.despina.state.StateFormat;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The first packets of one group and window: a heap of at most n, the last of them at its root. A new packet is compared with
 * that one alone, and takes its place if it comes before it. When the window closes, the packets are sorted once and leave in
 * order. Where all are kept the first is at the root, and leaves from there: nothing is sorted at once.
 *
 * <p>A kept packet is a byte array: its rank, then the packet. It has its place until another takes it, and the heap is of
 * places: so a snapshot has of many packets those that have come since the one before. Packets that have left stay until all
 * have, and are known by their number, since they leave in one order.
 *
 * <pre>
 * value = how many have come (8) · list of those that have not left; or, if it has some apart, of all · how many have left (4)
 * list  = number of packets (4) · for each: the number of its arrival (8) · length (4) · its rank · the packet
 * </pre>
 */
final class TopRows {
    private static final int HEADER_BYTES = 64;
    private static final int ROW_BYTES = 32;
    private static final int FIRST = 4;
    /** Every packet is kept. */
    static final int ALL = Integer.MAX_VALUE;

    /** The window's packets that are in no later one, kept or not, as {@link KeyedTop} counts them. No part of a snapshot. */
    long packets;
    /** By place. */
    private byte[][] rows = new byte[FIRST][];
    /** By place: in which order they came, which breaks the last ties. */
    private long[] arrivals = new long[FIRST];
    private int places;
    /** By {@link ListOutput#PART} places, whether a packet was replaced since a snapshot took them; null if none has parts. */
    private BitSet replaced;
    /** Places. */
    private int[] heap = new int[FIRST];
    /** Of the heap, those before have left. */
    private int first;
    private int size;
    private long arrived;
    private boolean sorted;
    private long held;

    /** What the values of one operator share. */
    static final class RowsFormat implements ValueFormat<TopRows> {
        private final String schema;
        private final int most;
        /** 1 if the last packet is at the root, -1 if the first is. */
        private final int root;
        private final PacketOrder order;
        private final Packet rank;
        private final Packet other;

        /** 1 if of equal ranks the packet that came first is the first, -1 if it is the last. */
        private final int arrival;

        /**
         * @param most       how many packets of a group are kept; {@link TopRows#ALL}
         * @param laterFirst whether of equal ranks the packet that came last is the first
         */
        RowsFormat(PacketRanks ranks, Schema packets, int most, boolean laterFirst) {
            schema = (most == ALL ? "all" : "first " + most) + " of " + packets.sql() + " by " + ranks.text()
                    + (laterFirst ? " later first" : "");
            this.most = most;
            root = most == ALL ? -1 : 1;
            arrival = laterFirst ? -1 : 1;
            order = PacketOrder.by(ranks.schema().layout(), ranks.order());
            rank = new Packet(ranks.schema().layout());
            other = new Packet(ranks.schema().layout());
        }

        /** Greater than 0 if a row belongs further up in the heap than another. */
        private int compareUp(TopRows of, int a, int b) {
            return root * compare(of, a, b);
        }

        private int compare(TopRows of, int a, int b) {
            int one = of.heap[a];
            int two = of.heap[b];
            rank.wrap(of.rows[one], 0, of.rows[one].length);
            other.wrap(of.rows[two], 0, of.rows[two].length);
            int c = order.compare(rank, other);
            return c != 0 ? c : arrival * Long.compare(of.arrivals[one], of.arrivals[two]);
        }

        private boolean isBefore(Packet of, byte[] kept) {
            other.wrap(kept, 0, kept.length);
            int c = order.compare(of, other);
            return c < 0 || c == 0 && arrival < 0;
        }

        @Override
        public String schema() {
            return schema;
        }

        @Override
        public void write(TopRows value, DataOutput out) throws IOException {
            out.writeLong(value.arrived);
            int apart = value.places < ListOutput.PART || value.isEmpty() ? 0
                    : ListOutput.apart(out, value, value.places, value.parts(most == ALL));
            if (apart == 0) {
                out.writeInt(value.size - value.first);
                for (int k = value.first; k < value.size; k++) {
                    write(value.rows[value.heap[k]], value.arrivals[value.heap[k]], out);
                }
            } else {
                out.writeInt(value.places - apart);
                for (int place = apart; place < value.places; place++) {
                    write(value.rows[place], value.arrivals[place], out);
                }
                out.writeInt(value.left());
            }
        }

        private static void write(byte[] row, long arrival, DataOutput out) throws IOException {
            out.writeLong(arrival);
            out.writeInt(row.length);
            out.write(row);
        }

        @Override
        public TopRows read(DataInput in) throws IOException {
            TopRows value = new TopRows();
            value.packets = 1;
            value.arrived = in.readLong();
            int follow = ListInput.begin(in, (some, part) -> read(value, some, part));
            boolean apart = value.places > 0;
            read(value, follow, in);
            if (apart) {
                for (int left = StateFormat.readCount(in, "windows", value.places); left > 0; left--) {
                    value.removeFirst(this);
                }
            }
            return value;
        }

        private void read(TopRows value, int some, DataInput in) throws IOException {
            if (some < 0 || some > most - value.places) {
                throw new SnapshotException("a group has " + some + " packets more than " + value.places + ", and at most " + most
                        + " are kept");
            }
            for (int k = 0; k < some; k++) {
                long arrival = in.readLong();
                byte[] row = new byte[Math.max(0, in.readInt())];
                in.readFully(row);
                try {
                    rank.wrap(row, 0, row.length);
                } catch (MalformedPacketException e) {
                    throw new SnapshotException("a rank: " + e.getMessage());
                }
                value.add(row, arrival, this);
            }
        }

        @Override
        public long bytes(TopRows value) {
            return HEADER_BYTES + (long) value.rows.length * (2 * Long.BYTES + Integer.BYTES) + value.held;
        }
    }

    /** Whether {@link #offer} would keep a packet of that rank. */
    boolean keeps(Packet rank, RowsFormat format) {
        return size < format.most || format.isBefore(rank, rows[heap[0]]);
    }

    /** Keeps a copy of a packet that {@link #keeps} has answered true for. */
    void offer(Packet rank, Packet packet, RowsFormat format) {
        byte[] row = Arrays.copyOfRange(rank.bytes(), rank.start(), rank.end() + packet.size());
        System.arraycopy(packet.bytes(), packet.start(), row, rank.size(), packet.size());
        long arrival = arrived++;
        if (size < format.most) {
            add(row, arrival, format);
            return;
        }
        int place = heap[0];
        held += row.length - rows[place].length;
        rows[place] = row;
        arrivals[place] = arrival;
        if (replaced != null) {
            replaced.set(place / ListOutput.PART);
        }
        sink(0, size, format);
    }

    private void add(byte[] row, long arrival, RowsFormat format) {
        if (places == rows.length) {
            int to = Math.min(format.most, 2 * places);
            rows = Arrays.copyOf(rows, to);
            arrivals = Arrays.copyOf(arrivals, to);
            heap = Arrays.copyOf(heap, to);
        }
        rows[places] = row;
        arrivals[places] = arrival;
        held += row.length + ROW_BYTES;
        int k = size++;
        heap[k] = places++;
        while (k > 0 && format.compareUp(this, k, (k - 1) / 2) > 0) {
            swap(k, (k - 1) / 2);
            k = (k - 1) / 2;
        }
    }

    /** Moves a row down the heap of {@code limit} rows to where no row below it belongs further up. */
    private void sink(int from, int limit, RowsFormat format) {
        int k = from;
        while (2 * k + 1 < limit) {
            int below = 2 * k + 1;
            if (below + 1 < limit && format.compareUp(this, below + 1, below) > 0) {
                below++;
            }
            if (format.compareUp(this, below, k) <= 0) {
                return;
            }
            swap(k, below);
            k = below;
        }
    }

    private void swap(int a, int b) {
        int place = heap[a];
        heap[a] = heap[b];
        heap[b] = place;
    }

    /** Whether all have left. */
    boolean isEmpty() {
        return first == size;
    }

    private int left() {
        return places - (size - first);
    }

    /** The first that has not left; no more are offered. @param into a packet of the layout that was offered */
    void first(Packet into, RowsFormat format) {
        sort(format);
        byte[] row = rows[heap[first]];
        into.wrap(row, format.rank.wrap(row, 0, row.length), row.length);
    }

    private void sort(RowsFormat format) {
        if (!sorted && format.most != ALL) {
            for (int last = size - 1; last > 0; last--) {
                swap(0, last);
                sink(0, last, format);
            }
            sorted = true;
        }
    }

    /** The first has left. */
    void removeFirst(RowsFormat format) {
        sort(format);
        if (format.most == ALL) {
            swap(0, --size);
            sink(0, size, format);
        } else {
            first++;
        }
    }

    /** Parts that are written later. @param forEver whether no packet takes the place of another */
    private ListOutput.ElementWriter parts(boolean forEver) {
        replaced = forEver || replaced != null ? replaced : new BitSet();
        return forEver ? (from, to, out) -> write(rows, arrivals, from, to, out) : new Parts();
    }

    private static void write(byte[][] rows, long[] arrivals, int from, int to, DataOutput out) throws IOException {
        for (int place = from; place < to; place++) {
            RowsFormat.write(rows[place], arrivals[place], out);
        }
    }

    /** Parts with the packets that they had. */
    private final class Parts implements ListOutput.ElementWriter {
        private final Map<Integer, byte[][]> keptRows = new HashMap<>();
        private final Map<Integer, long[]> keptArrivals = new HashMap<>();

        @Override
        public boolean hasChanged(int from, int to) {
            return replaced.get(from / ListOutput.PART);
        }

        @Override
        public void keep(int from, int to) {
            replaced.clear(from / ListOutput.PART);
            keptRows.put(from, Arrays.copyOfRange(rows, from, to));
            keptArrivals.put(from, Arrays.copyOfRange(arrivals, from, to));
        }

        @Override
        public void write(int from, int to, DataOutput out) throws IOException {
            TopRows.write(keptRows.remove(from), keptArrivals.remove(from), 0, to - from, out);
        }
    }
}
