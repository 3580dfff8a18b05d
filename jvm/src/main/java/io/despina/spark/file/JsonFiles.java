package io.despina.spark.file;

import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.text.EpochTime;
import io.despina.expr.catalyst.text.JsonRecordParser;
import java.io.Serializable;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.json.JSONOptions;
import org.apache.spark.sql.catalyst.json.JSONOptionsInRead;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.json.JsonDataSource;
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SessionStateHelper;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Spark's format {@code json}, read by {@link JsonRecordParser}; it has the option {@link TextOptions#TIMESTAMP_UNIT} too. */
public final class JsonFiles extends JsonFileFormat implements SessionStateHelper {
    private static final long serialVersionUID = 1L;

    @Override
    public String shortName() {
        return "despina-json";
    }

    /** {@code filters} are left to Spark: a record of which a part was read only could not be judged. */
    @Override
    public Function1<PartitionedFile, Iterator<InternalRow>> buildReader(SparkSession spark, StructType data,
            StructType partitions, StructType required, Seq<Filter> filters, Map<String, String> options, Configuration hadoop) {
        SQLConf conf = getSqlConf(spark);
        JSONOptions json = new JSONOptionsInRead(options, conf.sessionLocalTimeZone(), conf.columnNameOfCorruptRecord());
        TimeUnit unit = EpochTime.unit(CollectionConverters.asJava(options));
        StructType record = new StructType(Arrays.stream(required.fields())
                .filter(field -> !field.name().equals(json.columnNameOfCorruptRecord())).toArray(
                        StructField[]::new));
        Broadcast<SerializableConfiguration> files = SerializableConfiguration.broadcast(spark.sparkContext(), hadoop);
        return (Function1<PartitionedFile, Iterator<InternalRow>> & Serializable) file -> JsonDataSource.apply(json)
                .readFile(files.value().value(), file, new JsonRecordParser(record, json, unit), required);
    }
}
