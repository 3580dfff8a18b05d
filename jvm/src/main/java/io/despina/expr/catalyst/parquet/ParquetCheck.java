package io.despina.expr.catalyst.parquet;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Refuses, before a row is read, what Spark's reader of parquet takes for something else, or refuses in words of its own. The
 * engine and Spark both use it.
 */
public final class ParquetCheck {

    /** What a file holds cannot be read as the schema's columns. Its message names the file. */
    public static final class UnfitException extends IOException {
        private static final long serialVersionUID = 1L;

        private UnfitException(String message) {
            super(message);
        }
    }

    private final String file;

    private ParquetCheck(String file) {
        this.file = file;
    }

    /**
     * @param name   of the file, for the message
     * @param hadoop has the classes of codecs
     * @param wanted columns that the file may lack
     */
    public static void check(String name, ParquetMetadata footer, StructType wanted, Configuration hadoop) throws UnfitException {
        new ParquetCheck(name).columns(footer.getFileMetaData().getSchema(), wanted, "");
        for (BlockMetaData group : footer.getBlocks()) {
            for (ColumnChunkMetaData chunk : group.getColumns()) {
                String codec = chunk.getCodec().getHadoopCompressionCodecClassName();
                if (codec != null && hadoop.getClassByNameOrNull(codec) == null) {
                    throw new UnfitException(name + " is packed by " + chunk.getCodec().name().toLowerCase(Locale.ROOT)
                            + ", which cannot be unpacked here; write it with zstd, snappy or gzip");
                }
            }
        }
    }

    private void columns(GroupType found, StructType wanted, String path) throws UnfitException {
        for (StructField field : wanted.fields()) {
            List<Type> named = found.getFields().stream()
                    .filter(type -> type.getName().equalsIgnoreCase(field.name())).toList();
            if (named.size() > 1) {
                String names = named.stream().map(type -> "`" + path + type.getName() + "`").collect(Collectors.joining(", "));
                throw new UnfitException(file + " has the columns " + names + ", and names compare without case; "
                        + "rename one of them");
            }
            if (!named.isEmpty()) {
                values(named.get(0), field.dataType(), path + field.name());
            }
        }
    }

    private void values(Type found, DataType wanted, String path) throws UnfitException {
        if (found.isPrimitive()) {
            value(found.getLogicalTypeAnnotation(), wanted, path);
        } else if (wanted instanceof StructType struct) {
            columns(found.asGroupType(), struct, path + ".");
        } else if (wanted instanceof ArrayType array) {
            Type repeated = found.asGroupType().getType(0);
            boolean wrapped = !repeated.isPrimitive() && repeated.asGroupType().getFieldCount() == 1;
            values(wrapped ? repeated.asGroupType().getType(0) : repeated, array.elementType(), path);
        } else if (wanted instanceof MapType map && !found.asGroupType().getType(0).isPrimitive()) {
            GroupType entry = found.asGroupType().getType(0).asGroupType();
            values(entry.getType(0), map.keyType(), path);
            values(entry.getType(entry.getFieldCount() - 1), map.valueType(), path);
        }
    }

    private void value(LogicalTypeAnnotation found, DataType wanted, String path) throws UnfitException {
        if (found instanceof IntLogicalTypeAnnotation number && number.getBitWidth() == Long.SIZE && !number.isSigned()
                && wanted.equals(DataTypes.LongType)) {
            throw new UnfitException(file + ": column `" + path + "` holds unsigned numbers of 64 bits, which a BIGINT cannot "
                    + "hold; read it as DECIMAL(20,0)");
        }
        boolean time = wanted.equals(DataTypes.TimestampType) || wanted.equals(DataTypes.TimestampNTZType);
        if (found instanceof TimestampLogicalTypeAnnotation at && at.getUnit() == LogicalTypeAnnotation.TimeUnit.NANOS && time) {
            throw new UnfitException(file + ": column `" + path + "` holds times in nanoseconds, and a " + wanted.sql()
                    + " counts microseconds; read it as BIGINT and select timestamp_micros(" + path + " div 1000), or write the "
                    + "file in microseconds: pandas' to_parquet(…, coerce_timestamps=\"us\", allow_truncated_timestamps=True)");
        }
    }
}
