package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.EventTime;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Sends on the packets that the user's program gives, in their order, and ends when the program has said that nothing follows.
 * The thread that fills its queue wakes it.
 */
public final class InputSource implements Source {
    /** Bytes of packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    private static final byte[] NOTHING = {};
    private static final String SENT = "sent";

    private final IntFunction<? extends InputRows> queues;
    private final EventTime eventTime;
    private final boolean beginsAgain;
    private InputRows rows;
    private Output out;
    private PacketCursor packets;
    private Watermarks watermarks;
    private long sent;
    /** How many of the first packets that come were sent before a restart. */
    private long sentBefore;
    private final NamedEntries place = new NamedEntries("place", this::standing);
    private OperatorContext context;

    /**
     * @param queues      of each instance
     * @param eventTime   or null
     * @param beginsAgain whether the program gives all rows again, from the first, after a restart
     */
    public InputSource(IntFunction<? extends InputRows> queues, EventTime eventTime, boolean beginsAgain) {
        this.queues = queues;
        this.eventTime = eventTime;
        this.beginsAgain = beginsAgain;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        rows = queues.apply(context.instance());
        if (!context.isRestored()) {
            sent = rows.open(context, 0, Map.of());
        }
        out = context.output(0);
        packets = PacketCursor.reusing(out.writer().layout());
        packets.reset(NOTHING, 0, 0);
        watermarks = eventTime == null ? null : new Watermarks(eventTime, out, context.clock());
    }

    @Override
    public long produce(long now) throws IOException {
        long before = sent;
        out.due(now);
        long again = send(now);
        if (watermarks != null) {
            watermarks.batchDone(now, sent != before);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private long send(long now) throws IOException {
        PacketWriter writer = out.writer();
        int budget = BATCH_BYTES;
        while (out.hasRoom() && budget > 0) {
            Packet packet = packets.next();
            if (packet != null) {
                budget -= packet.size();
                send(packet, writer);
                continue;
            }
            byte[] next = rows.next();
            if (next == null) {
                return rows.hasEnded() ? ENDED : WHEN_WOKEN;
            }
            packets.reset(next, 0, next.length);
        }
        return now;
    }

    private void send(Packet packet, PacketWriter writer) {
        sent++;
        if (sent <= sentBefore) {
            return;
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        writer.copy(packet);
    }

    @Override
    public List<State> states() {
        List<State> states = new ArrayList<>();
        if (beginsAgain) {
            states.add(place);
        }
        if (watermarks != null) {
            states.add(watermarks.state());
        }
        return states;
    }

    @Override
    public void barrier(long epoch) {
        rows.barrier(epoch, Math.max(sent, sentBefore));
    }

    @Override
    public void acknowledge(long epoch) {
        rows.acknowledge(epoch);
    }

    @Override
    public void close() throws IOException {
        if (rows != null) {
            rows.close();
        }
    }

    /** Of rows that come again, from a log or from the program, those that were sent are skipped. */
    @Override
    public void restored() throws IOException {
        Map<String, String> before = beginsAgain ? restoredPlace() : Map.of();
        sent = rows.open(context, sentBefore, before);
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    private Map<String, String> standing() {
        Map<String, String> all = new LinkedHashMap<>(rows.origin());
        all.put(SENT, Long.toString(Math.max(sent, sentBefore)));
        return all;
    }

    private Map<String, String> restoredPlace() throws SnapshotException {
        List<Map<String, String>> found = place.restored();
        if (found.size() != context.parallelism()) {
            throw new SnapshotException("rows of the program went to " + found.size() + " instances; they cannot go on at "
                    + context.parallelism());
        }
        Map<String, String> own = found.get(context.instance());
        sentBefore = Long.parseLong(own.get(SENT));
        return own;
    }
}
