package io.despina.expr.catalyst.row;

import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import scala.Function2;

/** Makes packets of Spark's rows. One thread. */
public final class RowPackets {
    private final List<Column> columns;
    private final int[] ordinals;
    private final ValueWriter[] writers;
    private final List<Function2<SpecializedGetters, Object, Object>> getters;

    /** Of rows that have the packets' columns, in their order. */
    public RowPackets(Schema packets) {
        this(packets, IntStream.range(0, packets.size()).toArray());
    }

    /** @param ordinals by column of the packets, that of the rows */
    public RowPackets(Schema packets, int[] ordinals) {
        columns = packets.columns();
        this.ordinals = ordinals.clone();
        writers = ValueWriter.of(columns);
        getters = columns.stream().map(c -> InternalRow.getAccessor(SparkTypes.spark(c.type()), true)).toList();
    }

    /** @throws IllegalArgumentException for no value in a column that is NOT NULL */
    public void write(InternalRow row, PacketWriter out) {
        out.begin();
        for (int k = 0; k < writers.length; k++) {
            int at = ordinals[k];
            Object value = row.isNullAt(at) ? null : getters.get(k).apply(row, at);
            if (value == null && !columns.get(k).nullable()) {
                throw new IllegalArgumentException("column `" + columns.get(k).name() + "` is NOT NULL but has no value");
            }
            writers[k].set(out, k, value);
        }
        out.commit();
    }
}
