package io.despina.expr.catalyst.row;

import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Interval.Unit;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType$;
import org.apache.spark.sql.types.BooleanType$;
import org.apache.spark.sql.types.ByteType$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType$;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType$;
import org.apache.spark.sql.types.FloatType$;
import org.apache.spark.sql.types.IntegerType$;
import org.apache.spark.sql.types.LongType$;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.NullType$;
import org.apache.spark.sql.types.ShortType$;
import org.apache.spark.sql.types.StringType$;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType$;
import org.apache.spark.sql.types.TimestampType$;
import org.apache.spark.sql.types.YearMonthIntervalType;

/**
 * Converts packet types to Spark's types and back. Each type is taken from its own object: Spark's {@code DataTypes} has them
 * all, and with STRING come ICU's collations, which take a tenth of a second of a JVM that has no text.
 */
public final class SparkTypes {

    private SparkTypes() {
    }

    public static StructType struct(Schema schema) {
        return struct(schema.columns());
    }

    /** The columns of a struct as Spark's JSON has it; each may be NULL. */
    public static Schema columns(String json) {
        return schema(((StructType) DataType.fromJson(json)).asNullable());
    }

    /** The schema of a struct that a packet can hold. */
    static Schema schema(StructType struct) {
        return new Schema(columns(struct));
    }

    private static StructType struct(List<Column> columns) {
        return DataTypes.createStructType(columns.stream()
                .map(c -> new StructField(c.name(), spark(c.type()), c.nullable(), metadata(c)))
                .toArray(StructField[]::new));
    }

    /** Where Spark's readers of files look for what a column is that a record leaves out. */
    private static Metadata metadata(Column column) {
        return column.absent() == null ? Metadata.empty() : new MetadataBuilder().putString("EXISTS_DEFAULT",
                "CAST(" + column.absent() + " AS " + column.type().sql() + ")").build();
    }

    public static DataType spark(Type type) {
        if (type instanceof Type.Decimal d) {
            return new DecimalType(d.precision(), d.scale());
        }
        if (type instanceof Type.Array a) {
            return new ArrayType(spark(a.element()), a.containsNull());
        }
        if (type instanceof Type.MapOf m) {
            return new MapType(spark(m.key()), spark(m.value()), m.valueContainsNull());
        }
        if (type instanceof Type.Struct s) {
            return struct(s.fields());
        }
        if (type instanceof Type.Interval i) {
            return i.isMonths() ? DataTypes.createYearMonthIntervalType(field(i.from(), Unit.YEAR), field(i.to(), Unit.YEAR))
                    : DataTypes.createDayTimeIntervalType(field(i.from(), Unit.DAY), field(i.to(), Unit.DAY));
        }
        if (type instanceof Type.Void) {
            return NullType$.MODULE$;
        }
        return switch ((Type.Simple) type) {
            case BOOLEAN -> BooleanType$.MODULE$;
            case TINYINT -> ByteType$.MODULE$;
            case SMALLINT -> ShortType$.MODULE$;
            case INT -> IntegerType$.MODULE$;
            case BIGINT -> LongType$.MODULE$;
            case FLOAT -> FloatType$.MODULE$;
            case DOUBLE -> DoubleType$.MODULE$;
            case DATE -> DateType$.MODULE$;
            case TIMESTAMP -> TimestampType$.MODULE$;
            case TIMESTAMP_NTZ -> TimestampNTZType$.MODULE$;
            case STRING -> StringType$.MODULE$;
            case BINARY -> BinaryType$.MODULE$;
        };
    }

    /** The packet type for a Spark type, or null if a packet cannot hold it (VARIANT, CHAR(n), collations …). */
    public static Type type(DataType type) {
        if (type instanceof DecimalType d) {
            return d.scale() < 0 ? null : new Type.Decimal(d.precision(), d.scale());
        }
        if (type instanceof ArrayType a) {
            Type element = type(a.elementType());
            return element == null ? null : new Type.Array(element, a.containsNull());
        }
        if (type instanceof MapType m) {
            Type key = type(m.keyType());
            Type value = type(m.valueType());
            return key == null || value == null ? null : new Type.MapOf(key, value, m.valueContainsNull());
        }
        if (type instanceof StructType s) {
            List<Column> fields = columns(s);
            return fields == null ? null : new Type.Struct(fields);
        }
        if (type instanceof YearMonthIntervalType i) {
            return new Type.Interval(unit(i.startField(), Unit.YEAR), unit(i.endField(), Unit.YEAR));
        }
        if (type instanceof DayTimeIntervalType i) {
            return new Type.Interval(unit(i.startField(), Unit.DAY), unit(i.endField(), Unit.DAY));
        }
        if (type.equals(NullType$.MODULE$)) {
            return new Type.Void();
        }
        for (Type.Simple simple : Type.Simple.values()) {
            if (spark(simple).equals(type)) {
                return simple;
            }
        }
        return null;
    }

    /** Spark numbers the units of each kind of interval from the largest. */
    private static byte field(Unit unit, Unit largest) {
        return (byte) (unit.ordinal() - largest.ordinal());
    }

    private static Unit unit(byte field, Unit largest) {
        return Unit.values()[largest.ordinal() + field];
    }

    /** The columns of a struct, or null if a packet cannot hold one of them. */
    private static List<Column> columns(StructType struct) {
        List<Column> columns = new ArrayList<>();
        for (StructField f : struct.fields()) {
            Type type = type(f.dataType());
            if (type == null) {
                return null;
            }
            columns.add(new Column(f.name(), type, f.nullable()));
        }
        return columns;
    }
}
