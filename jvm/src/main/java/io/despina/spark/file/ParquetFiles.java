package io.despina.spark.file;

import io.despina.expr.catalyst.parquet.ParquetCheck;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/** Spark's format {@code parquet}; what {@link ParquetCheck} finds fails the job. */
public final class ParquetFiles extends ParquetFileFormat {
    private static final long serialVersionUID = 1L;

    @Override
    public String shortName() {
        return "despina-parquet";
    }

    @Override
    public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(SparkSession spark, StructType data,
            StructType partitions, StructType required, Seq<Filter> filters, Map<String, String> options, Configuration hadoop) {
        Function1<PartitionedFile, Iterator<InternalRow>> reader = super.buildReaderWithPartitionValues(spark, data, partitions,
                required, filters, options, hadoop);
        Broadcast<SerializableConfiguration> files = SerializableConfiguration.broadcast(spark.sparkContext(), hadoop);
        return (Function1<PartitionedFile, Iterator<InternalRow>> & Serializable) file -> {
            check(file, required, files.value().value());
            return reader.apply(file);
        };
    }

    private static void check(PartitionedFile file, StructType required, Configuration hadoop) {
        try (ParquetFileReader whole = ParquetFileReader.open(HadoopInputFile.fromPath(file.toPath(), hadoop))) {
            String uri = file.toPath().toString();
            ParquetCheck.check(uri.startsWith("file:") ? file.toPath().toUri().getPath() : uri, whole.getFooter(), required,
                    hadoop);
        } catch (ParquetCheck.UnfitException unfit) {
            // a driver that was started without our jar could not read an exception of ours, and would not say why
            throw new UncheckedIOException(unfit.getMessage(), new IOException(unfit.getMessage()));
        } catch (IOException unreadable) {
            // Spark's reader finds it too
        }
    }
}
