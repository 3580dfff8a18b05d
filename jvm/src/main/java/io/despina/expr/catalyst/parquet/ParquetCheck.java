package io.despina.expr.catalyst.parquet;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NumericType;
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

    private static final DataType UNSIGNED_LONG = new DecimalType(20, 0);
    private static final Map<Integer, DataType> SIGNED = Map.of(Byte.SIZE, DataTypes.ByteType, Short.SIZE, DataTypes.ShortType,
            Integer.SIZE, DataTypes.IntegerType, Long.SIZE, DataTypes.LongType);
    private static final Map<Integer, DataType> UNSIGNED = Map.of(Byte.SIZE, DataTypes.ShortType, Short.SIZE,
            DataTypes.IntegerType, Integer.SIZE, DataTypes.LongType, Long.SIZE, UNSIGNED_LONG);

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
        boolean nested = wanted instanceof StructType || wanted instanceof ArrayType || wanted instanceof MapType;
        if (found.isPrimitive()) {
            boolean isElement = wanted instanceof ArrayType && found.isRepetition(Type.Repetition.REPEATED);
            if (nested && !isElement) {
                throw unfit(path, "is one value in the file, and no " + wanted.sql());
            }
            value(found.asPrimitiveType(), isElement ? ((ArrayType) wanted).elementType() : wanted, path);
        } else if (!nested) {
            throw unfit(path, "is " + kind(found) + " in the file, and no " + wanted.sql());
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

    private UnfitException unfit(String path, String why) {
        return new UnfitException(file + ": column `" + path + "` " + why);
    }

    private static String kind(Type group) {
        LogicalTypeAnnotation annotation = group.getLogicalTypeAnnotation();
        return annotation instanceof LogicalTypeAnnotation.ListLogicalTypeAnnotation ? "a list"
                : annotation instanceof LogicalTypeAnnotation.MapLogicalTypeAnnotation ? "a map" : "a struct";
    }

    private void value(PrimitiveType column, DataType wanted, String path) throws UnfitException {
        LogicalTypeAnnotation found = column.getLogicalTypeAnnotation();
        if (found instanceof IntLogicalTypeAnnotation number) {
            number(number.getBitWidth(), number.isSigned(), wanted, path);
        } else if (found == null && column.getPrimitiveTypeName() == PrimitiveTypeName.INT32) {
            number(Integer.SIZE, true, wanted, path);
        } else if (found == null && column.getPrimitiveTypeName() == PrimitiveTypeName.INT64) {
            number(Long.SIZE, true, wanted, path);
        } else if (found instanceof LogicalTypeAnnotation.Float16LogicalTypeAnnotation) {
            throw unfit(path, "holds numbers of 16 bits with a fraction, which cannot be read; write them with 32 bits");
        }
        boolean time = wanted.equals(DataTypes.TimestampType) || wanted.equals(DataTypes.TimestampNTZType);
        if (found instanceof TimestampLogicalTypeAnnotation at && at.getUnit() == LogicalTypeAnnotation.TimeUnit.NANOS && time) {
            throw unfit(path, "holds times in nanoseconds, and a " + wanted.sql()
                    + " counts microseconds; read it as BIGINT and select timestamp_micros(" + path + " div 1000), or write the "
                    + "file in microseconds: pandas' to_parquet(…, coerce_timestamps=\"us\", allow_truncated_timestamps=True)");
        }
    }

    /** Spark's reader cuts off the bits for which the column has no room, and takes the highest one that is left for a sign. */
    private void number(int bits, boolean signed, DataType wanted, String path) throws UnfitException {
        int room = wanted.equals(DataTypes.ByteType) ? Byte.SIZE : wanted.equals(DataTypes.ShortType) ? Short.SIZE
                : wanted.equals(DataTypes.IntegerType) ? Integer.SIZE : wanted.equals(DataTypes.LongType) ? Long.SIZE : 0;
        boolean fits = room == 0 ? signed || bits < Integer.SIZE || !(wanted instanceof NumericType)
                : signed ? bits <= room : bits < room;
        if (!fits && !(bits == Long.SIZE && wanted.equals(UNSIGNED_LONG))) {
            DataType wide = signed ? SIGNED.get(bits) : UNSIGNED.get(bits);
            throw unfit(path, "holds " + (signed ? "" : "unsigned ") + "numbers of " + bits + " bits, which "
                    + (wanted.sql().startsWith("INT") ? "an " : "a ") + wanted.sql() + " cannot hold; read it as " + wide.sql());
        }
    }
}
