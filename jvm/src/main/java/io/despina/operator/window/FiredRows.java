package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.WindowFacts;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** Writes the rows of windows that fire more than once to port {@code out}. */
final class FiredRows {
    private final OperatorContext context;
    private final Output out;
    private final Aggregation aggregation;
    private final WindowFacts facts = new WindowFacts();

    FiredRows(OperatorContext context, Aggregation aggregation) {
        this.context = context;
        out = context.output(0);
        this.aggregation = aggregation;
    }

    /** The window of the rows that follow. @param last whether they are its last ones */
    FiredRows of(long start, long end, boolean last) {
        facts.set(start, end);
        facts.last = last;
        return this;
    }

    /** @param key of the group, as an aggregation expects it */
    void write(Packet key, FiredGroup group) throws Exception {
        facts.revision = group.leave();
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(group.accumulator(), key, null, facts, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("window [" + facts.start + ", " + facts.end + "): " + Reason.of(bad), "");
        }
    }
}
