package io.despina.spark.sink;

import io.despina.control.protocol.Refusal;
import io.despina.spark.job.GivenOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.util.QuotingUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Holds the columns of Spark's rows against those of a source: the same names and types, in any order. */
final class ColumnMatch {
    private ColumnMatch() {
    }

    /**
     * @param source in messages
     * @return by column of the source, that of the rows
     * @throws IllegalArgumentException naming every column that does not fit
     */
    static int[] ordinals(String source, StructType rows, StructType columns) {
        List<String> wrong = new ArrayList<>();
        List<String> mended = new ArrayList<>();
        int[] ordinals = new int[columns.length()];
        for (int k = 0; k < ordinals.length; k++) {
            StructField wanted = columns.fields()[k];
            int[] found = named(rows, wanted.name());
            String type = wanted.dataType().sql();
            if (found.length != 1) {
                wrong.add("there " + (found.length == 0 ? "is no column `" : "is more than one column `") + wanted.name() + "` "
                        + type);
                continue;
            }
            ordinals[k] = found[0];
            DataType given = rows.fields()[found[0]].dataType();
            boolean fits = DataType.equalsIgnoreNullability(given, wanted.dataType());
            String name = QuotingUtils.quoteIfNeeded(wanted.name());
            mended.add(fits ? "\"" + name + "\"" : "\"CAST(" + name + " AS " + type + ") AS " + name + "\"");
            if (!fits) {
                wrong.add("column `" + wanted.name() + "` is " + given.sql() + ", not " + type);
            }
        }
        for (StructField each : rows.fields()) {
            if (named(columns, each.name()).length == 0) {
                wrong.add("column `" + each.name() + "` is none of the source's");
            }
        }
        if (!wrong.isEmpty()) {
            throw GivenOptions.refused(new Refusal("columns",
                    "the DataFrame does not fit " + source + ": " + String.join("; ", wrong),
                    mended.size() < ordinals.length ? null : "df.selectExpr(" + String.join(", ", mended) + ")"));
        }
        return ordinals;
    }

    private static int[] named(StructType struct, String name) {
        return IntStream.range(0, struct.length()).filter(k -> struct.fields()[k].name().equalsIgnoreCase(name)).toArray();
    }
}
