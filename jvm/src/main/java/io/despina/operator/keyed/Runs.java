package io.despina.operator.keyed;

import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.LastPackets;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * The runs of all groups of a pattern, by number. The numbers of those that have ended are used again.
 *
 * <pre>
 * value = list of a group's runs
 * list  = how many (4) · for each: length (4) · packet
 * part  = its first place (4) · list of its runs that have not ended
 * </pre>
 */
final class Runs {
    private static final int FIRST = 4;
    private static final int OBJECT_BYTES = 64;
    private static final int ENDED = -1;

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
    /** By number: those whose packets a snapshot may still have to write. */
    private final BitSet shared = new BitSet();
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

    /** @param run or {@link GroupRuns#NONE} */
    boolean isLive(int run) {
        return run != GroupRuns.NONE && groups[run] != ENDED;
    }

    /** Whether it has taken its last packet. @param run or {@link GroupRuns#NONE} */
    boolean isComplete(int run) {
        return run != GroupRuns.NONE && RunLayout.isComplete(packets[run]);
    }

    /** The run of a clock that began before all others, or {@link EntryQueues#NONE}. */
    int first(int clock) {
        return byStart.first(clock);
    }

    /** For the end of the input. @param giving ends the runs of a clock */
    EndOfClocks atEnd(EndOfClocks.Giving giving) {
        return new EndOfClocks(byStart, giving);
    }

    void begin(GroupRuns own, int group, Packet packet, Start start) {
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

    /** The run in a place of its group takes a packet. */
    void advance(GroupRuns own, int k, Packet packet, int step, long taken, boolean complete) {
        int run = own.run(k);
        own.change(k);
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

    /** Into the memory that the number had before, if it fits and no snapshot has yet to write it. */
    private void store(int run, Packet written) {
        Packet old = packets[run];
        if (old == null || shared.get(run) || old.bytes().length < written.size()) {
            packetBytes += written.size() - (old == null ? 0 : old.bytes().length);
            packets[run] = written.kept();
            shared.clear(run);
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
    void sweep(GroupRuns own) {
        for (int k = 0; k < own.size(); k++) {
            int run = own.run(k);
            if (run != GroupRuns.NONE && !isLive(run)) {
                own.end(k);
                release(run);
            }
        }
        own.closeUp();
    }

    private void release(int run) {
        if (freed == free.length) {
            free = Arrays.copyOf(free, 2 * freed);
        }
        free[freed++] = run;
    }

    boolean hasComplete(GroupRuns own) {
        for (int k = 0; k < own.size(); k++) {
            if (isComplete(own.run(k))) {
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
    void restored(KeyedTable<GroupRuns> table, IntUnaryOperator clockOf) {
        for (int group = 0; group < table.limit(); group++) {
            GroupRuns own = table.get(group);
            for (int k = 0; own != null && k < own.size(); k++) {
                groups[own.run(k)] = group;
            }
        }
        byStart.restore(limit, run -> true, run -> RunLayout.start(packets[run]), run -> clockOf.applyAsInt(groups[run]));
    }

    ValueFormat<GroupRuns> format() {
        return new Format();
    }

    private final class Format implements ValueFormat<GroupRuns> {
        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public void write(GroupRuns value, DataOutput out) throws IOException {
            int apart = value.size() < ListOutput.PART ? 0
                    : ListOutput.apart(out, value.list(), value.size(), new Parts(value));
            Runs.write(live(value, apart, value.size()), out);
        }

        @Override
        public GroupRuns read(DataInput in) throws IOException {
            TreeMap<Integer, List<Packet>> parts = new TreeMap<>();
            int follow = ListInput.begin(in, (some, part) -> parts.put(part.readInt(), read(part.readInt(), part)));
            List<Packet> rest = read(follow, in);
            GroupRuns own = new GroupRuns();
            parts.values().forEach(each -> restore(each, own));
            restore(rest, own);
            return own;
        }

        private List<Packet> read(int count, DataInput in) throws IOException {
            List<Packet> read = new ArrayList<>();
            for (int left = StateFormat.checkCount(count, "runs", Integer.MAX_VALUE); left > 0; left--) {
                Packet packet = new Packet(schema.layout());
                StateFormat.readPacket(in, "runs", packet);
                read.add(packet);
            }
            return read;
        }

        private void restore(List<Packet> some, GroupRuns own) {
            for (Packet packet : some) {
                if (limit == packets.length) {
                    packets = Arrays.copyOf(packets, 2 * limit);
                    groups = Arrays.copyOf(groups, 2 * limit);
                }
                packetBytes += packet.bytes().length;
                packets[limit] = packet;
                own.add(limit++);
            }
        }

        /** A packet begins a run at most: that one stands for all of the run. */
        @Override
        public Held held(GroupRuns value) {
            return new Held(value.live(), value.live());
        }

        @Override
        public long bytes(GroupRuns value) {
            return value.bytes();
        }
    }

    /** The packets of the runs in {@code [from, to)} that have not ended. */
    private List<Packet> live(GroupRuns own, int from, int to) {
        List<Packet> live = new ArrayList<>();
        for (int k = from; k < to; k++) {
            if (own.run(k) != GroupRuns.NONE) {
                live.add(packets[own.run(k)]);
            }
        }
        return live;
    }

    private static void write(List<Packet> some, DataOutput out) throws IOException {
        out.writeInt(some.size());
        for (Packet each : some) {
            StateFormat.writePacket(out, each);
        }
    }

    /** Parts that are written later. The packets of their runs are shared until the runs change. */
    private final class Parts implements ListOutput.ElementWriter {
        private final GroupRuns of;
        private final Map<Integer, List<Packet>> kept = new HashMap<>();

        Parts(GroupRuns of) {
            this.of = of;
        }

        @Override
        public boolean hasChanged(int from, int to) {
            return of.hasChanged(from);
        }

        @Override
        public void keep(int from, int to) {
            of.keep(from);
            for (int k = from; k < to; k++) {
                if (of.run(k) != GroupRuns.NONE) {
                    shared.set(of.run(k));
                }
            }
            kept.put(from, live(of, from, to));
        }

        @Override
        public void write(int from, int to, DataOutput out) throws IOException {
            out.writeInt(from);
            Runs.write(kept.remove(from), out);
        }
    }
}
