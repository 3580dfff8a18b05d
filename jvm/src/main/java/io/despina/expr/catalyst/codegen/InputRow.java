package io.despina.expr.catalyst.codegen;

import io.despina.expr.WindowFacts;
import io.despina.packet.Packet;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * The inputs of our expressions, passed as Spark's "input row" to expressions that Spark cannot compile: the packets, an
 * aggregation's buffers and window, and, as the row's own columns, values computed before.
 */
public final class InputRow extends GenericInternalRow {
    private static final long serialVersionUID = 1L;

    public transient Packet[] packets;
    public transient Slots slots;
    /** The other buffers of a merge. */
    public transient Slots other;
    public transient WindowFacts window;

    /** @param extras the number of values computed before */
    public InputRow(int extras) {
        super(extras);
    }
}
