package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import scala.Function1;

/** Converts packets to Spark's rows. */
public final class PacketRows {
    private final PacketRow view;
    private final Function1<Object, Object> toRow;

    public PacketRows(Schema schema) {
        view = ValueType.row(schema);
        toRow = CatalystTypeConverters.createToScalaConverter(SparkTypes.struct(schema));
    }

    /** The row of a packet; it does not depend on the packet's bytes any more. */
    public Row of(Packet packet) {
        return (Row) toRow.apply(view.on(packet));
    }

    /** For Datasets of such rows; {@link #typed} finishes them. */
    public static Encoder<Row> encoder(Schema schema) {
        return Encoders.row(SparkTypes.struct(schema));
    }

    /** Restores the types of intervals. Spark's rows only know the kinds DAY TO SECOND and YEAR TO MONTH. */
    public static Dataset<Row> typed(Dataset<Row> rows, Schema schema) {
        StructField[] wanted = SparkTypes.struct(schema).fields();
        StructField[] found = rows.schema().fields();
        Column[] columns = new Column[found.length];
        boolean same = true;
        for (int k = 0; k < found.length; k++) {
            Column column = rows.col(io.despina.packet.Column.inSql(found[k].name()));
            boolean equal = DataType.equalsIgnoreNullability(found[k].dataType(), wanted[k].dataType());
            columns[k] = equal ? column : column.cast(wanted[k].dataType()).as(wanted[k].name());
            same &= equal;
        }
        return same ? rows : rows.select(columns);
    }
}
