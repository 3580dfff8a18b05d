package io.despina.spark.fold;

import io.despina.operator.Operator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.plan.PlannedOperator;

/** Feeds an operator packet by packet, with a watermark before each new time, and keeps what it gives until that is read. */
final class FoldedOperator {
    private static final int NO_TIME = -1;

    private final SteppedOperator operator;
    /** By input, the column of event time; {@link #NO_TIME} if its packets have none. */
    private final int[] times;
    private final PacketCursor[] inputs;
    private long now = Long.MIN_VALUE;
    /** A packet that was not processed yet; or null. */
    private Packet taken;
    /** To which it comes. */
    private int into;
    /** Whether the last watermark has been passed on. */
    private boolean passed = true;
    private boolean ending;
    private boolean flushed;
    private Packet result;

    /** @param port of the results */
    FoldedOperator(PlannedOperator spec, Operator operator, int port) {
        this.operator = new SteppedOperator(spec, operator, false, port);
        times = spec.inputs().stream().mapToInt(in -> in.eventTime() == null ? NO_TIME : in.eventTime().column()).toArray();
        inputs = spec.inputs().stream().map(in -> PacketCursor.reusing(in.schema().layout())).toArray(PacketCursor[]::new);
    }

    void take(int itsPort, Packet packet) {
        taken = packet;
        into = itsPort;
        int time = times[into];
        long at = time == NO_TIME || packet.isNull(time) ? Long.MIN_VALUE : packet.getLong(time);
        passed = at <= now;
        now = Math.max(now, at);
    }

    void endInput() {
        ending = true;
    }

    /** Goes on to the next result of what was taken; false if there is none, and the operator is done with it. */
    boolean next() {
        PacketCursor results = operator.results();
        while (results.isEmpty() && (taken != null || ending)) {
            if (taken == null) {
                end();
            } else if (passed) {
                PacketCursor input = inputs[into];
                input.reset(taken.bytes(), taken.start(), taken.end());
                operator.process(into, input);
                taken = input.isEmpty() ? null : taken;     // one whose rows have no room is read again
            } else {
                passed = operator.watermark(now);
            }
        }
        if (results.isEmpty()) {
            return false;
        }
        result = results.next();
        return true;
    }

    Packet packet() {
        return result;
    }

    private void end() {
        if (!flushed) {
            flushed = operator.watermark(Long.MAX_VALUE);
        } else if (operator.end()) {
            operator.close();
            ending = false;
        }
    }
}
