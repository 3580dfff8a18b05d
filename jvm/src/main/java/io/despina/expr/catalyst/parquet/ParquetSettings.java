package io.despina.expr.catalyst.parquet;

import io.despina.expr.catalyst.analysis.Analysis;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.spark.internal.config.ConfigEntry;
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** What Spark's parquet classes are told: the defaults of Spark's settings, and the options of an operator. */
final class ParquetSettings {
    /** Settings of Spark that its parquet classes look for in Hadoop's configuration. */
    private static final List<String> SHARED = List.of("spark.sql.parquet.", "spark.sql.legacy.parquet.", "spark.sql.variant.",
            "spark.sql.caseSensitive", "spark.sql.session.timeZone", "spark.sql.optimizer.nestedSchemaPruning.enabled");

    private final SQLConf spark;
    private final Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    ParquetSettings(Map<String, String> options, String timeZone, boolean ansi) {
        spark = Analysis.conf(ansi, timeZone);
        this.options.putAll(options);
    }

    SQLConf spark() {
        return spark;
    }

    ParquetOptions options() {
        return new ParquetOptions(CaseInsensitiveMap$.MODULE$.apply(
                scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options))), spark);
    }

    /**
     * Hadoop's configuration, for files of this machine without its files of defaults. Options of parquet's own are in it too,
     * and those of file systems.
     */
    private Configuration hadoop(boolean local) {
        Configuration hadoop = new Configuration(!local);
        hadoop.set("fs.file.impl", LocalFileSystem.class.getName());
        for (ConfigEntry<?> setting : SQLConf$.MODULE$.getConfigEntries()) {
            String value = setting.defaultValueString();
            if (SHARED.stream().anyMatch(setting.key()::startsWith) && !value.startsWith("<")) {
                hadoop.set(setting.key(), spark.getConfString(setting.key(), value));
            }
        }
        options.forEach(hadoop::set);
        return hadoop;
    }

    /** For reading those columns. */
    Configuration reading(StructType schema, boolean local) {
        Configuration hadoop = hadoop(local);
        String json = schema.asNullable().json();
        hadoop.set(ParquetInputFormat.READ_SUPPORT_CLASS, ParquetReadSupport.class.getName());
        hadoop.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA(), json);
        hadoop.set(ParquetWriteSupport.SPARK_ROW_SCHEMA(), json);
        return hadoop;
    }

    /** For writing those columns. */
    Configuration writing(StructType schema) {
        Configuration hadoop = hadoop(true);
        ParquetWriteSupport.setSchema(schema, hadoop);
        return hadoop;
    }
}
