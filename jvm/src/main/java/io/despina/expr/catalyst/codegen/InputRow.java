package io.despina.expr.catalyst.codegen;

import io.despina.packet.Packet;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/**
 * What an expression of ours reads, handed as Spark's "input row" to expressions that Spark cannot compile: the packets, an
 * aggregation's buffers and window, and, as the row's own columns, values worked out before.
 */
public final class InputRow extends GenericInternalRow {
    private static final long serialVersionUID = 1L;

    public transient Packet[] packets;
    public transient Slots slots;
    /** Of a merge: the buffers that are added. */
    public transient Slots other;
    public long windowStart;
    public long windowEnd;

    /** @param extras how many values may be worked out before */
    public InputRow(int extras) {
        super(extras);
    }
}
