package io.despina.operator.keyed;

import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.LastPackets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.EntryQueues;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.StateFormat;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** The runs of all groups of a pattern, by number. The numbers of those that have ended are used again. */
final class Runs {
    private static final int FIRST = 4;
    private static final int OBJECT_BYTES = 64;
    private static final int ENDED = -1;

    /** The runs of one group, by their beginnings. */
    static final class OfGroup {
        private int[] runs = new int[FIRST];
        private int size;

        int size() {
            return size;
        }

        int run(int k) {
            return runs[k];
        }

        private void add(int run) {
            if (size == runs.length) {
                runs = Arrays.copyOf(runs, 2 * size);
            }
            runs[size++] = run;
        }

        private long bytes() {
            return OBJECT_BYTES + (long) runs.length * Integer.BYTES;
        }
    }

    /** Of a run: its group's clock, its time, and whether it is complete with its first packet. */
    record Start(int clock, long time, boolean complete) {
    }

    private final RunLayout layout;
    private final LastPackets last;
    private final Schema schema;
    private final ScratchPacket scratch;
    private final Packet blank;

    /** By number. */
    private Packet[] packets = new Packet[FIRST];
    private int[] groups = new int[FIRST];
    private int limit;
    private int[] free = new int[FIRST];
    private int freed;
    private long packetBytes;
    /** By clock. */
    private final EntryQueues byStart = new EntryQueues();

    Runs(Schema input, RunLayout layout) {
        this.layout = layout;
        last = new LastPackets(input, layout.schema(), layout.reads());
        schema = last.kept(layout.schema());
        scratch = new ScratchPacket(schema.layout());
        ScratchPacket none = new ScratchPacket(layout.schema().layout());
        layout.blank(none.begin());
        blank = none.commit();
    }

    /** A run that has taken nothing. */
    Packet blank() {
        return blank;
    }

    Packet packet(int run) {
        return packets[run];
    }

    /** The last packet that a run took, until the next call. */
    Packet lastOf(Packet run) {
        return last.of(run);
    }

    int group(int run) {
        return groups[run];
    }

    boolean isLive(int run) {
        return groups[run] != ENDED;
    }

    /** The run of a clock that began before all others, or {@link EntryQueues#NONE}. */
    int first(int clock) {
        return byStart.first(clock);
    }

    /** For the end of the input. @param giving ends the runs of a clock */
    EndOfClocks atEnd(EndOfClocks.Giving giving) {
        return new EndOfClocks(byStart, giving);
    }

    void begin(OfGroup own, int group, Packet packet, Start start) {
        int run = freed > 0 ? free[--freed] : limit++;
        if (run == packets.length) {
            packets = Arrays.copyOf(packets, 2 * run);
            groups = Arrays.copyOf(groups, 2 * run);
        }
        groups[run] = group;
        write(run, blank, packet, start.time, 0, 1, start.complete);
        own.add(run);
        byStart.add(start.clock, run);
    }

    /** A run takes a packet. */
    void advance(int run, Packet packet, int step, long taken, boolean complete) {
        write(run, packets[run], packet, RunLayout.start(packets[run]), step, taken, complete);
    }

    private void write(int run, Packet before, Packet packet, long start, int step, long taken, boolean complete) {
        PacketWriter out = scratch.begin();
        RunLayout.set(out, start, step, taken);
        if (complete) {
            RunLayout.setComplete(out);
        }
        layout.advance(before, packet, step, taken, out);
        last.keep(packet, out);
        store(run, scratch.commit());
    }

    /** Into the memory that the number had before, if it fits. */
    private void store(int run, Packet written) {
        Packet old = packets[run];
        if (old == null || old.bytes().length < written.size()) {
            packetBytes += written.size() - (old == null ? 0 : old.bytes().length);
            packets[run] = written.kept();
        } else {
            System.arraycopy(written.bytes(), written.start(), old.bytes(), 0, written.size());
            old.wrap(old.bytes(), 0, written.size());
        }
    }

    /** The run stays in its group until {@link #sweep}. */
    void end(int run) {
        groups[run] = ENDED;
        byStart.remove(run);
    }

    /** Removes the runs of a group that have ended. */
    void sweep(OfGroup own) {
        int to = 0;
        for (int k = 0; k < own.size; k++) {
            int run = own.runs[k];
            if (isLive(run)) {
                own.runs[to++] = run;
            } else {
                release(run);
            }
        }
        own.size = to;
    }

    private void release(int run) {
        if (freed == free.length) {
            free = Arrays.copyOf(free, 2 * freed);
        }
        free[freed++] = run;
    }

    boolean hasComplete(OfGroup own) {
        for (int k = 0; k < own.size; k++) {
            if (RunLayout.isComplete(packets[own.runs[k]])) {
                return true;
            }
        }
        return false;
    }

    /** Memory besides that of the groups, in bytes. */
    long bytes() {
        return packetBytes + (long) packets.length * OBJECT_BYTES + byStart.bytes();
    }

    /** After a restore, which knows of each group's runs. @param clockOf a group */
    void restored(KeyedTable<OfGroup> table, IntUnaryOperator clockOf) {
        for (int group = 0; group < table.limit(); group++) {
            OfGroup own = table.get(group);
            for (int k = 0; own != null && k < own.size; k++) {
                groups[own.runs[k]] = group;
            }
        }
        byStart.restore(limit, run -> true, run -> RunLayout.start(packets[run]), run -> clockOf.applyAsInt(groups[run]));
    }

    ValueFormat<OfGroup> format() {
        return new Format();
    }

    private final class Format implements ValueFormat<OfGroup> {
        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public void write(OfGroup value, DataOutput out) throws IOException {
            out.writeInt(value.size);
            for (int k = 0; k < value.size; k++) {
                StateFormat.writePacket(out, packets[value.runs[k]]);
            }
        }

        @Override
        public OfGroup read(DataInput in) throws IOException {
            OfGroup own = new OfGroup();
            Packet view = new Packet(schema.layout());
            for (int left = StateFormat.readCount(in, "runs", Integer.MAX_VALUE); left > 0; left--) {
                StateFormat.readPacket(in, "runs", view);
                if (limit == packets.length) {
                    packets = Arrays.copyOf(packets, 2 * limit);
                    groups = Arrays.copyOf(groups, 2 * limit);
                }
                store(limit, view);
                own.add(limit++);
            }
            return own;
        }

        /** A packet begins a run at most: that one stands for all of the run. */
        @Override
        public Held held(OfGroup value) {
            return new Held(value.size, value.size);
        }

        @Override
        public long bytes(OfGroup value) {
            return value.bytes();
        }
    }
}
