package io.despina.arrow;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/**
 * Our types as Arrow's. {@link BatchWriter} and {@link BatchReader} lay values out by the same rules, whoever gets the schema:
 * only names and meanings differ.
 */
public final class ArrowSchema {
    private static final String SQL = "sql";
    private static final int DECIMAL_BITS = 128;
    private static final String ENTRIES = "entries";

    /** Of the times of TIMESTAMP. */
    private final String timeZone;
    private final boolean isWorkers;

    private ArrowSchema(String timeZone, boolean isWorkers) {
        this.timeZone = timeZone;
        this.isWorkers = isWorkers;
    }

    /**
     * The schema as an Arrow IPC message, for a worker: an interval of months is an INT of Arrow, since pyarrow has no type for
     * it, and the metadata of a field has the type as SQL.
     */
    public static byte[] ofWorker(Schema schema) {
        return new ArrowSchema("UTC", true).message(schema);
    }

    /** The schema as an Arrow IPC message, as Spark writes it. */
    static byte[] ofStream(Schema schema, String timeZone) {
        return new ArrowSchema(timeZone, false).message(schema);
    }

    private byte[] message(Schema schema) {
        return new org.apache.arrow.vector.types.pojo.Schema(fields(schema.columns())).serializeAsMessage();
    }

    private List<Field> fields(List<Column> columns) {
        return columns.stream().map(column -> field(column.name(), column.type(), column.nullable())).toList();
    }

    private Field field(String name, Type type, boolean nullable) {
        Map<String, String> metadata = isWorkers ? Map.of(SQL, type.sql()) : null;
        return new Field(name, new FieldType(nullable, arrow(type), null, metadata), children(type));
    }

    private List<Field> children(Type type) {
        if (type instanceof Type.Array array) {
            return List.of(field(isWorkers ? "item" : "element", array.element(), array.containsNull()));
        }
        if (type instanceof Type.Struct struct) {
            return fields(struct.fields());
        }
        if (type instanceof Type.MapOf map) {
            return List.of(new Field(ENTRIES, FieldType.notNullable(ArrowType.Struct.INSTANCE),
                    List.of(field("key", map.key(), false), field("value", map.value(), map.valueContainsNull()))));
        }
        return List.of();
    }

    private ArrowType arrow(Type type) {
        if (type instanceof Type.Simple simple) {
            return simple(simple);
        }
        if (type instanceof Type.Decimal decimal) {
            return new ArrowType.Decimal(decimal.precision(), decimal.scale(), DECIMAL_BITS);
        }
        if (type instanceof Type.Interval interval) {
            return interval.isMonths() ? months() : new ArrowType.Duration(TimeUnit.MICROSECOND);
        }
        if (type instanceof Type.Array) {
            return ArrowType.List.INSTANCE;
        }
        if (type instanceof Type.MapOf) {
            return new ArrowType.Map(false);
        }
        return type instanceof Type.Struct ? ArrowType.Struct.INSTANCE : ArrowType.Null.INSTANCE;
    }

    private ArrowType months() {
        return isWorkers ? new ArrowType.Int(Integer.SIZE, true) : new ArrowType.Interval(IntervalUnit.YEAR_MONTH);
    }

    private ArrowType simple(Type.Simple type) {
        return switch (type) {
            case BOOLEAN -> ArrowType.Bool.INSTANCE;
            case TINYINT -> new ArrowType.Int(Byte.SIZE, true);
            case SMALLINT -> new ArrowType.Int(Short.SIZE, true);
            case INT -> new ArrowType.Int(Integer.SIZE, true);
            case BIGINT -> new ArrowType.Int(Long.SIZE, true);
            case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case DATE -> new ArrowType.Date(DateUnit.DAY);
            case TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, timeZone);
            case TIMESTAMP_NTZ -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
            case STRING -> ArrowType.Utf8.INSTANCE;
            case BINARY -> ArrowType.Binary.INSTANCE;
        };
    }
}
