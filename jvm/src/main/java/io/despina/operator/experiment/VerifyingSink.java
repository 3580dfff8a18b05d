package io.despina.operator.experiment;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks relay packets, then drops them: each source instance's sequence numbers, as far as their order is known, and the payload
 * of every 16th packet or of all. The first wrong packet fails the job. Counts each packet's latency by its own due time.
 */
public final class VerifyingSink implements Sink {
    private static final int SAMPLE = 16;
    /** Columns of {@link RelayPackets#SCHEMA}. */
    private static final int SEQUENCE = 0;
    private static final int DUE = 1;

    /** What can be checked of one source instance's sequence numbers. */
    public enum Sequence {
        /** In order, none missing and none twice. */
        WHOLE,
        /** In order; missing numbers went to another instance of the sink. */
        RISING,
        /** Nothing: several instances on the way shared them out. */
        ANY
    }

    /**
     * What to check.
     *
     * @param packets  the options of the source
     * @param sources  the source's parallelism; instance i makes the sequence numbers ≡ i modulo it
     * @param all      whether to compare every payload, not every 16th
     */
    public record Options(RelayPackets.Options packets, int sources, boolean all, Sequence sequence) {
    }

    private final Options options;
    private final RelayPackets packets;
    /** Per source instance: the next sequence number. */
    private final long[] expected;
    private final NamedEntries sequences = new NamedEntries("sequences", this::standing);
    private OperatorContext context;
    private int untilSample = 1;

    public VerifyingSink(Options options) {
        this.options = options;
        packets = new RelayPackets(options.packets);
        expected = new long[options.sources];
        for (int k = 0; k < options.sources; k++) {
            expected[k] = k;
        }
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
    }

    @Override
    public void process(int port, PacketCursor cursor) {
        Packet packet = cursor.next();
        if (packet == null) {
            return;
        }
        int sources = expected.length;
        int left = untilSample;
        long firstDue = packet.getLong(DUE);
        long due = firstDue;
        long alike = 0;
        for (; packet != null; packet = cursor.next()) {
            long sequence = packet.getLong(SEQUENCE);
            int source = sources == 1 ? 0 : (int) Math.floorMod(sequence, (long) sources);
            long next = expected[source];
            if (sequence != next) {
                jumped(sequence, source);
            }
            expected[source] = sequence + sources;
            if (--left == 0) {
                left = options.all ? 1 : SAMPLE;
                check(packet, sequence);
            }
            if (packet.getLong(DUE) != due) {
                count(due - firstDue, alike);
                due = packet.getLong(DUE);
                alike = 0;
            }
            alike++;
        }
        untilSample = left;
        count(due - firstDue, alike);
    }

    private void count(long laterMicros, long packets) {
        context.latency(TimeUnit.MICROSECONDS.toNanos(laterMicros), packets);
    }

    private void jumped(long sequence, int source) {
        if (options.sequence == Sequence.WHOLE || options.sequence == Sequence.RISING && sequence < expected[source]) {
            throw new IllegalStateException(context.operatorId() + ": packet " + sequence + " came where packet "
                    + expected[source] + " was due" + (expected.length == 1 ? "" : " from source instance " + source));
        }
    }

    private void check(Packet packet, long sequence) {
        if (!packets.hasItsPayload(packet)) {
            throw new IllegalStateException(context.operatorId() + ": the payload of packet " + sequence
                    + " is not what its source wrote");
        }
    }

    private Map<String, String> standing() {
        Map<String, String> standing = new LinkedHashMap<>();
        for (int k = 0; k < expected.length; k++) {
            standing.put(Integer.toString(k), Long.toString(expected[k]));
        }
        return standing;
    }

    @Override
    public List<State> states() {
        return List.of(sequences);
    }

    @Override
    public void restored() throws SnapshotException {
        for (Map<String, String> each : sequences.restored()) {
            if (!each.isEmpty() && each.size() != expected.length) {
                throw new SnapshotException("snapshot of " + each.size() + " source instances; there are " + expected.length);
            }
            each.forEach((source, next) -> {
                int k = Integer.parseInt(source);
                expected[k] = Math.max(expected[k], Long.parseLong(next));
            });
        }
    }
}
