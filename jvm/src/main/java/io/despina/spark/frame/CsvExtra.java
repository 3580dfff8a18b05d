package io.despina.spark.frame;

import io.despina.expr.catalyst.text.CsvCut;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** For Spark: reads CSV lines with more columns than the schema, which its reader reports as bad, by cutting them. */
public final class CsvExtra {
    private static final String AGAIN = "_despina_again";

    private CsvExtra() {
    }

    /**
     * Reads bad lines again, without the columns beyond the schema.
     *
     * @param read    a line's columns, then the corrupt record's, as from Spark's permissive reader; what is behind it is kept
     * @param corrupt name of that last column; NULL if the line is now good
     * @param options the reader's options
     * @param any     as of {@link CsvCut}
     */
    public static Dataset<Row> ignore(Dataset<Row> read, String corrupt, Map<String, String> options, boolean any) {
        StructField[] all = read.schema().fields();
        StructType schema = new StructType(Arrays.copyOf(all, 1 + read.schema().fieldIndex(corrupt)));
        scala.collection.immutable.Map<String, String> named =
                scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options));
        CSVOptions csv = new CSVOptions(named, false, read.sparkSession().conf().get("spark.sql.session.timeZone"));
        CsvCut cut = new CsvCut(csv, schema.size() - 1, any);
        UserDefinedFunction first = functions.udf((UDF1<String, String>) cut::text, DataTypes.StringType);
        Column bad = read.col(corrupt).isNotNull();
        Column again = functions.from_csv(first.apply(read.col(corrupt)), schema, named);
        Dataset<Row> both = read.withColumn(AGAIN, functions.when(bad, again));
        List<Column> columns = new ArrayList<>();
        for (String name : schema.fieldNames()) {
            Column better = both.col(AGAIN).getField(name);
            Column chosen = name.equals(corrupt) ? functions.when(better.isNotNull(), both.col(corrupt))
                    : functions.when(both.col(corrupt).isNotNull(), better)
                    .otherwise(both.col(io.despina.packet.Column.inSql(name)));
            columns.add(chosen.as(name));
        }
        for (StructField kept : Arrays.asList(all).subList(schema.size(), all.length)) {
            columns.add(both.col(io.despina.packet.Column.inSql(kept.name())));
        }
        return both.select(columns.toArray(Column[]::new));
    }
}
