package io.despina.simulation;

import io.despina.packet.Column;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.BucketMap;
import io.despina.state.KeyBuckets;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sink has seen of each partition, in states of which a snapshot has what has changed: a row of its own length, as a
 * function keeps one, and a value with a long list, to which elements are added and in which some change, as ranked packets and
 * the runs of a pattern do. A row that is missing in what was restored, or comes twice, is told at once.
 */
final class SeenRows {
    private static final int BUCKETS = 256;
    /** Elements of a row. */
    private static final int EACH = 12;
    private static final Schema KEY = Schema.of(new Column("partition", Simple.BIGINT, false));
    private static final Schema ROW = Schema.of(new Column("rows", Simple.BIGINT, false),
            new Column("texts", Simple.STRING, false));
    private static final KeyBuckets DEALING = new KeyBuckets(KEY, BUCKETS);

    private final ScratchPacket key = new ScratchPacket(KEY.layout());
    private final ScratchPacket next = new ScratchPacket(ROW.layout());
    private final Packet row = new Packet(ROW.layout());
    private final KeyedPackets kept = new KeyedPackets("kept", KEY, DEALING, ROW);
    private final KeyedTable<Elements> listed = new KeyedTable<>("listed", KEY, DEALING, new ElementsFormat());

    List<State> states() {
        return List.of(kept, listed);
    }

    /** The instance that has a partition. */
    static int owner(int partition, int parallelism) {
        return BucketMap.owner(DEALING.of(key(new ScratchPacket(KEY.layout()), partition)), BUCKETS, parallelism);
    }

    private static Packet key(ScratchPacket into, int partition) {
        into.begin().setLong(0, partition);
        return into.commit();
    }

    /** @param number of the row in its partition, from 0 */
    void take(int partition, long number) {
        Packet its = key(key, partition);
        int entry = kept.find(its);
        long rows = entry == KeyedTable.NONE ? 0 : count(entry);
        int list = listed.find(its);
        list = list == KeyedTable.NONE ? listed.add(its, new Elements()) : list;
        Elements elements = listed.edit(list);
        if (rows != number || !elements.are(number)) {
            throw new AssertionError("partition " + partition + " has " + rows + " rows and elements " + elements.all
                    + " before row " + number);
        }
        PacketWriter out = next.begin();
        byte[] texts = new byte[(int) (number + 1) * EACH];
        out.setLong(0, number + 1);
        out.setBytes(1, texts, 0, texts.length);
        next.commit();
        kept.put(entry, its, next);
        elements.take(number);
    }

    private long count(int entry) {
        kept.view(entry, row);
        return row.copyOfValue(1).length == row.getLong(0) * EACH ? row.getLong(0) : -1;
    }

    /** The first element counts the rows, each row adds its number some times. */
    private static final class Elements implements ListOutput.ElementWriter {
        private final List<Long> all = new ArrayList<>();
        private final BitSet changed = new BitSet();
        private final Map<Integer, List<Long>> taken = new HashMap<>();

        private boolean are(long rows) {
            return all.isEmpty() ? rows == 0
                    : all.get(0) == rows && all.size() == 1 + rows * EACH && all.get(all.size() - 1) == rows - 1;
        }

        private void take(long number) {
            if (all.isEmpty()) {
                all.add(0L);
            }
            all.set(0, number + 1);
            changed.set(0);
            for (int k = 0; k < EACH; k++) {
                all.add(number);
            }
        }

        @Override
        public boolean hasChanged(int from, int to) {
            return changed.get(from / ListOutput.PART);
        }

        @Override
        public void keep(int from, int to) {
            changed.clear(from / ListOutput.PART);
            taken.put(from, List.copyOf(all.subList(from, to)));
        }

        @Override
        public void write(int from, int to, DataOutput out) throws IOException {
            write(from, taken.remove(from), out);
        }

        private static void write(int from, List<Long> some, DataOutput out) throws IOException {
            for (int k = 0; k < some.size(); k++) {
                out.writeInt(from + k);
                out.writeLong(some.get(k));
            }
        }
    }

    private static final class ElementsFormat implements ValueFormat<Elements> {
        @Override
        public String schema() {
            return "elements";
        }

        @Override
        public void write(Elements value, DataOutput out) throws IOException {
            int apart = ListOutput.apart(out, value, value.all.size(), value);
            out.writeInt(value.all.size() - apart);
            Elements.write(apart, value.all.subList(apart, value.all.size()), out);
        }

        @Override
        public Elements read(DataInput in) throws IOException {
            Map<Integer, Long> read = new HashMap<>();
            read(read, ListInput.begin(in, (some, part) -> read(read, some, part)), in);
            Elements value = new Elements();
            for (int k = 0; k < read.size(); k++) {
                value.all.add(read.get(k));
            }
            return value;
        }

        private static void read(Map<Integer, Long> into, int some, DataInput in) throws IOException {
            for (int k = 0; k < some; k++) {
                into.put(in.readInt(), in.readLong());
            }
        }

        @Override
        public long bytes(Elements value) {
            return 0;
        }
    }
}
