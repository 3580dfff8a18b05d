package io.despina.spark.fold;

import io.despina.expr.catalyst.row.PacketRows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.spark.function.SparkPython;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Runs an operator on the groups of a Spark stream. */
public final class StreamedGroups {
    /** How many columns stand before those of the inputs: the group, and the event time with the stream's watermark. */
    static final int BEFORE = 2;

    private StreamedGroups() {
    }

    /**
     * @param rows  the group, an INT; the event time; for each input a struct of its columns, NULL but for the one that the row
     *              came from. Rows of one group of the operator have one group here
     * @param time  name of the event time's column in the result; null if it has none
     */
    public static Dataset<Row> fold(Dataset<Row> rows, String time, OperatorText text) {
        return fold(rows, time, text, null);
    }

    /**
     * The same of an operator that calls a Python function. Its rows have no event time for Spark, which would fail a query at a
     * row that the function makes too old; the engine leaves that row out where it is late.
     */
    public static Dataset<Row> call(Dataset<Row> rows, OperatorText text, SparkPython python) {
        return fold(rows, null, text, python);
    }

    private static Dataset<Row> fold(Dataset<Row> rows, String time, OperatorText text, SparkPython python) {
        Schema result = new ResumedFold(text).result();
        Encoder<Row> out = PacketRows.encoder(result);
        StructType key = new StructType(new StructField[] {rows.schema().fields()[0]});
        KeyValueGroupedDataset<Row, Row> groups = rows.groupBy(rows.col(rows.columns()[0]))
                .as(Encoders.row(key), Encoders.row(rows.schema()));
        StreamedFold processor = new StreamedFold(text, python);
        Dataset<Row> folded = time == null
                ? groups.transformWithState(processor, TimeMode.EventTime(), OutputMode.Append(), out)
                : groups.transformWithState(processor, Column.inSql(time), OutputMode.Append(), out);
        return PacketRows.typed(folded, result);
    }
}
