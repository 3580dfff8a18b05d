package io.despina.operator.lookup;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.Origins;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.HeldPackets;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * Gives each packet the row of its key in a table that a stream keeps, as the table is when the packet arrives. If it waits,
 * packets are held until the stream of the table has ended. Watermarks keep their place between them, and idleness waits: what
 * was late before is late behind, and nothing else. Ports: in, table; out.
 */
public final class StreamLookup implements Operator {
    private static final int TABLE = 1;
    /** Packets that leave in one call: most of them may have no row, and so fill no output. */
    private static final int MOST_AT_ONCE = 1000;

    /**
     * How the table is kept.
     *
     * @param keys     of its rows
     * @param deletes  over a row of the stream: whether it takes that of its key away; null if none does
     * @param mostRows of an instance
     * @param waits    whether packets are held until the stream has ended
     */
    public record Kept(Keys keys, Compiled<Predicate> deletes, long mostRows, boolean waits) {
    }

    private final Kept kept;
    private final Keys asked;
    private final StreamTable table;
    private final Lookup lookup;

    private OperatorContext context;
    private Output out;
    private HeldPackets held;
    private final Origins origins = new Origins();
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;
    private boolean complete;
    /** The last watermark that was sent between packets that were held. */
    private long passed = Long.MIN_VALUE;
    /** Whether the inputs are idle, and the task behind has not been told, because packets are held. */
    private boolean idle;
    /** When the packet came that was held last, in microseconds since 1970. */
    private long last = Long.MIN_VALUE;

    /** @param leaves keys there are of packets, and not null */
    public StreamLookup(Lookup.Options leaves, Kept kept) {
        this.kept = kept;
        asked = leaves.keys();
        table = new StreamTable(new StreamTable.Options(kept.keys, leaves.table(), kept.deletes, kept.mostRows));
        lookup = new Lookup(leaves, () -> table);
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        out = opened.output(0);
        lookup.open(opened);
        progress = new NamedNumbers("watermark", Long.MIN_VALUE);
        held = new HeldPackets("held", opened.input(0), new KeyReader(asked, opened.instance())::bucket);
        state = new OperatorState(opened).with(table.state(), progress, held).counting(origins::bytes);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (port == TABLE) {
            table.take(packets);
        } else if (isWaiting()) {
            idle = false;
            hold(packets);
        } else {
            lookup.process(port, packets);
        }
        state.report();
    }

    /** Packets that are held leave first. */
    private boolean isWaiting() {
        return kept.waits && !complete || !held.isEmpty();
    }

    private void hold(PacketCursor packets) {
        last = Math.max(last, context.wallMicros());
        int had = held.size();
        for (Packet packet = packets.next(); packet != null; packet = packets.next()) {
            held.add(last, packet, watermark);
        }
        origins.add(held.size() - had, context.origin());
    }

    @Override
    public void inputWatermark(int port, long grown) {
        if (port == TABLE && grown == Long.MAX_VALUE) {
            complete = true;
            context.wake();
        }
    }

    @Override
    public boolean timer(long micros) throws Exception {
        return !complete || letGo();
    }

    /** @return false if more is held than there is room for, or than leaves in one call */
    private boolean letGo() throws Exception {
        if (held.isEmpty()) {
            return true;
        }
        boolean all = giveHeld();
        state.report();
        if (all) {
            pass(watermark, false);
            if (idle) {
                idle = false;
                out.idle();
            }
        }
        return all;
    }

    private boolean giveHeld() throws Exception {
        long now = context.clock().getAsLong();
        long due = Long.MIN_VALUE;
        for (int k = 0; k < MOST_AT_ONCE && !held.isEmpty(); k++) {
            if (!context.hasRoom()) {
                return false;
            }
            origins.shrink(held.size());
            long origin = origins.first(now);
            if (origin != due) {
                due = origin;
                out.due(due);
            }
            pass(held.firstWatermark(), true);
            if (!lookup.take(held.first())) {
                return false;
            }
            held.removeFirst();
        }
        origins.shrink(held.size());
        return held.isEmpty();
    }

    /** @param exact whether a packet follows that may be late */
    private void pass(long before, boolean exact) {
        if (before > passed) {
            passed = before;
            out.watermark(before, exact);
        }
    }

    @Override
    public boolean watermark(long grown) {
        watermark = grown;
        progress.set(0, grown);
        return true;
    }

    @Override
    public long outputWatermark(long grown) {
        return held.isEmpty() ? grown : Math.min(grown, held.firstWatermark());
    }

    @Override
    public boolean passesIdle() {
        idle = !held.isEmpty();
        return !idle;
    }

    @Override
    public boolean end() throws Exception {
        return letGo();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(0);
        held.settle(watermark);
        origins.add(held.size(), context.clock().getAsLong());     // nobody has kept when they were due
        last = held.isEmpty() ? Long.MIN_VALUE : held.timeAt(held.size() - 1);
    }

    @Override
    public void close() throws IOException {
        lookup.close();
    }
}
