package io.despina.operator.keyed;

import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import io.despina.state.SnapshotException;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The first packets of one group and window: a heap of at most n, the last of them at its root. A new packet is compared with
 * that one alone, and takes its place if it comes before it. When the window closes, the packets are sorted once and leave in
 * order. Where all are kept the first is at the root, and leaves from there: nothing is sorted at once.
 *
 * <p>A kept packet is a byte array: its rank, then the packet.
 */
final class TopRows {
    private static final int HEADER_BYTES = 64;
    private static final int ROW_BYTES = 32;
    private static final int FIRST = 4;
    /** Every packet is kept. */
    static final int ALL = Integer.MAX_VALUE;

    /** The window's packets that are in no later one, kept or not, as {@link KeyedTop} counts them. No part of a snapshot. */
    long packets;
    private byte[][] rows = new byte[FIRST][];
    /** In which order they came, which breaks the last ties. */
    private long[] arrivals = new long[FIRST];
    /** Those before have left. */
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
            rank.wrap(of.rows[a], 0, of.rows[a].length);
            other.wrap(of.rows[b], 0, of.rows[b].length);
            int c = order.compare(rank, other);
            return c != 0 ? c : arrival * Long.compare(of.arrivals[a], of.arrivals[b]);
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
            out.writeInt(value.size - value.first);
            for (int k = value.first; k < value.size; k++) {
                out.writeLong(value.arrivals[k]);
                out.writeInt(value.rows[k].length);
                out.write(value.rows[k]);
            }
        }

        @Override
        public TopRows read(DataInput in) throws IOException {
            TopRows value = new TopRows();
            value.packets = 1;
            value.arrived = in.readLong();
            int n = in.readInt();
            if (n < 0 || n > most) {
                throw new SnapshotException("a group has " + n + " packets, and at most " + most + " are kept");
            }
            for (int k = 0; k < n; k++) {
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
            return value;
        }

        @Override
        public long bytes(TopRows value) {
            return HEADER_BYTES + (long) value.rows.length * 2 * Long.BYTES + value.held;
        }
    }

    /** Whether {@link #offer} would keep a packet of that rank. */
    boolean keeps(Packet rank, RowsFormat format) {
        return size < format.most || format.isBefore(rank, rows[0]);
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
        held += row.length - rows[0].length;
        rows[0] = row;
        arrivals[0] = arrival;
        sink(0, size, format);
    }

    private void add(byte[] row, long arrival, RowsFormat format) {
        if (size == rows.length) {
            int to = Math.min(format.most, 2 * size);
            rows = Arrays.copyOf(rows, to);
            arrivals = Arrays.copyOf(arrivals, to);
        }
        rows[size] = row;
        arrivals[size] = arrival;
        held += row.length + ROW_BYTES;
        int k = size++;
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
        byte[] row = rows[a];
        long arrival = arrivals[a];
        rows[a] = rows[b];
        arrivals[a] = arrivals[b];
        rows[b] = row;
        arrivals[b] = arrival;
    }

    /** Whether all have left. */
    boolean isEmpty() {
        return first == size;
    }

    /** The first that has not left; no more are offered. @param into a packet of the layout that was offered */
    void first(Packet into, RowsFormat format) {
        if (!sorted && format.most != ALL) {
            for (int last = size - 1; last > 0; last--) {
                swap(0, last);
                sink(0, last, format);
            }
            sorted = true;
        }
        byte[] row = rows[first];
        into.wrap(row, format.rank.wrap(row, 0, row.length), row.length);
    }

    /** The first has left. */
    void removeFirst(RowsFormat format) {
        held -= rows[first].length + ROW_BYTES;
        if (format.most == ALL) {
            swap(0, --size);
            rows[size] = null;
            sink(0, size, format);
        } else {
            rows[first++] = null;
        }
    }
}
