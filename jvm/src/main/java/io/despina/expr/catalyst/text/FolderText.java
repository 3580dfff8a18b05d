package io.despina.expr.catalyst.text;

import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.expr.catalyst.row.ValueWriter;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.execution.datasources.PartitioningUtils;
import org.apache.spark.sql.execution.datasources.PartitioningUtils$;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimeType;

/** The values that texts in the names of folders have: Spark's, which reads its tables' partitions so. */
public final class FolderText {
    private FolderText() {
    }

    /** Writes them as a packet of the columns. */
    public static void write(Schema columns, List<String> texts, String timeZone, PacketWriter out) throws IOException {
        StructType types = SparkTypes.struct(columns);
        Object[] values = values(types, texts, timeZone);
        ValueWriter[] writers = ValueWriter.of(columns.columns());
        out.begin();
        for (int k = 0; k < values.length; k++) {
            writers[k].set(out, k, values[k]);
        }
        out.commit();
    }

    /** The type that Spark infers of a column from its texts in the names of folders, as DDL. */
    public static String inferred(Set<String> texts, String timeZone) {
        // of these parts, since a path that is one text has a scheme before its first colon
        List<Path> folders = texts.stream().map(text -> new Path(null, null, "/c=" + text)).toList();
        DataType found = Analysis.under(Analysis.conf(false, timeZone), () -> PartitioningUtils$.MODULE$.parsePartitions(
                Scala.seq(folders), true, Scala.set(new Path("/")), Scala.none(), false, false, timeZone, false))
                .partitionColumns().apply(0).dataType();
        return found instanceof TimeType ? "STRING" : found.sql();      // times of day are no type of ours
    }

    /** In Spark's internal form. @throws IOException if a text is no value of its column, in words for the user */
    public static Object[] values(StructType columns, List<String> texts, String timeZone) throws IOException {
        Object[] values = new Object[texts.size()];
        for (int k = 0; k < values.length; k++) {
            DataType type = columns.apply(k).dataType();
            values[k] = value(type, texts.get(k), timeZone);
            if (values[k] == null && !texts.get(k).equals(ExternalCatalogUtils.DEFAULT_PARTITION_NAME())) {
                throw new IOException("`" + texts.get(k) + "` in the name of its folder is no " + type.sql() + " for the column `"
                        + columns.apply(k).name() + "`");
            }
        }
        return values;
    }

    /** Null for NULL, and for what is no value of the type: also a number that is too large, which Spark lets overflow. */
    private static Object value(DataType type, String text, String timeZone) {
        try {
            Object value = Analysis.under(Analysis.conf(false, timeZone),
                    () -> PartitioningUtils.castPartValueToDesiredType(type, text, DateTimeUtils.getZoneId(timeZone)));
            boolean overflows = type instanceof DecimalType decimal && value instanceof Decimal found
                    && !found.changePrecision(decimal.precision(), decimal.scale())
                    || (type instanceof ByteType || type instanceof ShortType) && value instanceof Number number
                    && number.intValue() != Integer.parseInt(text);
            return overflows ? null : value;
        } catch (RuntimeException e) {
            return null;
        }
    }
}
