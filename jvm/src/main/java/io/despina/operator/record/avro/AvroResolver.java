package io.despina.operator.record.avro;

import io.despina.operator.record.avro.AvroScalar.ReadAs;
import io.despina.packet.Column;
import io.despina.packet.Type;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/** Says how a writer's schema is read as the types of columns: Avro's rules of resolution, and its logical types. */
final class AvroResolver {
    private AvroResolver() {
    }

    /**
     * How values are read.
     *
     * @param place of the value, for messages: {@code `a`.b[]}
     * @throws AvroException if no value could be read
     */
    static AvroValue of(Schema writer, Type type, String place) throws AvroException {
        if (writer.getType() == Schema.Type.UNION) {
            return union(writer, type, place);
        }
        AvroValue value = writer.getType() == Schema.Type.NULL ? new AvroValue.OfNull()
                : type instanceof Type.Array array ? array(writer, array, place)
                : type instanceof Type.MapOf map ? map(writer, map, place)
                : type instanceof Type.Struct struct ? record(writer, struct, place)
                : type instanceof Type.Decimal decimal ? decimal(writer, decimal)
                : type instanceof Type.Simple simple ? simple(writer, simple) : null;
        if (value == null) {
            throw new AvroException(place + " is " + AvroNames.of(writer) + " in the writer's schema, which cannot be read as "
                    + type.sql() + advice(writer));
        }
        return value;
    }

    /** What to read it as. */
    private static String advice(Schema writer) {
        String logical = String.valueOf(writer.getObjectProp("logicalType"));
        String type = switch (writer.getType()) {
            case BOOLEAN -> "BOOLEAN";
            case INT -> logical.equals("date") ? "DATE" : "INT";
            case LONG -> logical.startsWith("timestamp") ? "TIMESTAMP" : logical.startsWith("local") ? "TIMESTAMP_NTZ" : "BIGINT";
            case FLOAT -> "FLOAT";
            case DOUBLE -> "DOUBLE";
            case STRING, ENUM -> "STRING";
            case BYTES, FIXED -> writer.getLogicalType() instanceof LogicalTypes.Decimal decimal
                    ? new Type.Decimal(Math.min(decimal.getPrecision(), Type.Decimal.MAX_PRECISION),
                            Math.min(decimal.getScale(), decimal.getPrecision())).sql() : "BINARY";
            case ARRAY -> "ARRAY<…>";
            case MAP -> "MAP<STRING, …>";
            case RECORD -> "STRUCT<…>";
            default -> "";
        };
        return type.isEmpty() ? "" : "; read it as " + type;
    }

    private static AvroValue union(Schema writer, Type type, String place) throws AvroException {
        List<Schema> branches = writer.getTypes();
        AvroValue[] values = new AvroValue[branches.size()];
        AvroException first = null;
        boolean any = branches.isEmpty();
        for (int k = 0; k < values.length; k++) {
            try {
                values[k] = of(branches.get(k), type, place);
                any |= branches.get(k).getType() != Schema.Type.NULL || branches.size() == 1;
            } catch (AvroException unfit) {
                values[k] = new AvroValue.Unreadable(unfit.getMessage());
                first = first == null ? unfit : first;
            }
        }
        if (!any && first != null) {
            throw first;
        }
        return new AvroValue.OfUnion(values);
    }

    private static AvroValue array(Schema writer, Type.Array type, String place) throws AvroException {
        if (writer.getType() != Schema.Type.ARRAY) {
            return null;
        }
        AvroSkip skip = AvroSkip.of(writer.getElementType());
        if (skip.isEmpty()) {
            throw new AvroException(place + " has items without bytes, of " + AvroNames.of(writer.getElementType())
                    + ": leave the column out");
        }
        return new AvroNested.OfArray(type, of(writer.getElementType(), type.element(), place + "[]"), skip);
    }

    private static AvroValue map(Schema writer, Type.MapOf type, String place) throws AvroException {
        if (writer.getType() != Schema.Type.MAP || type.key() != Type.Simple.STRING) {
            return null;
        }
        return new AvroNested.OfMap(type, of(writer.getValueType(), type.value(), place + "[]"),
                AvroSkip.of(writer.getValueType()));
    }

    private static AvroValue record(Schema writer, Type.Struct type, String place) throws AvroException {
        if (writer.getType() != Schema.Type.RECORD) {
            return null;
        }
        List<Schema.Field> fields = writer.getFields();
        int[] origins = new int[type.fields().size()];
        AvroValue[] values = new AvroValue[origins.length];
        for (int k = 0; k < origins.length; k++) {
            Column field = type.fields().get(k);
            origins[k] = AvroNames.indexOf(fields, field.name());
            if (origins[k] >= 0) {
                values[k] = of(fields.get(origins[k]).schema(), field.type(), place + "." + field.name());
            }
        }
        AvroSkip[] skips = fields.stream().map(field -> AvroSkip.of(field.schema())).toArray(AvroSkip[]::new);
        return new AvroNested.OfRecord(type, skips, origins, values);
    }

    private static AvroValue decimal(Schema writer, Type.Decimal type) {
        boolean isFixed = writer.getType() == Schema.Type.FIXED;
        return writer.getLogicalType() instanceof LogicalTypes.Decimal decimal
                && (isFixed || writer.getType() == Schema.Type.BYTES)
                ? AvroScalar.decimal(type, isFixed ? writer.getFixedSize() : -1, decimal.getScale()) : null;
    }

    private static AvroValue simple(Schema writer, Type.Simple type) {
        ReadAs form = switch (writer.getType()) {
            case BOOLEAN -> type == Type.Simple.BOOLEAN ? ReadAs.BOOLEAN : null;
            case INT -> ofInt(writer, type);
            case LONG -> ofLong(writer, type);
            case FLOAT -> type == Type.Simple.FLOAT ? ReadAs.FLOAT : type == Type.Simple.DOUBLE ? ReadAs.FLOAT_AS_DOUBLE : null;
            case DOUBLE -> type == Type.Simple.DOUBLE ? ReadAs.DOUBLE : null;
            case STRING, BYTES -> type == Type.Simple.STRING ? ReadAs.TEXT : type == Type.Simple.BINARY ? ReadAs.BYTES : null;
            default -> null;
        };
        if (form != null) {
            return AvroScalar.of(form, type);
        }
        if (writer.getType() == Schema.Type.ENUM && type == Type.Simple.STRING) {
            return AvroScalar.symbol(writer.getEnumSymbols());
        }
        if (writer.getType() == Schema.Type.FIXED && type == Type.Simple.STRING
                && writer.getLogicalType() instanceof LogicalTypes.Uuid) {
            return AvroScalar.fixed(ReadAs.UUID, type, writer.getFixedSize());
        }
        return writer.getType() == Schema.Type.FIXED && type == Type.Simple.BINARY
                ? AvroScalar.fixed(ReadAs.FIXED, type, writer.getFixedSize()) : null;
    }

    private static ReadAs ofInt(Schema writer, Type.Simple type) {
        return switch (type) {
            case INT -> ReadAs.INT;
            case BIGINT -> ReadAs.INT;
            case TINYINT, SMALLINT -> ReadAs.SHORTER;
            case FLOAT -> ReadAs.LONG_AS_FLOAT;
            case DOUBLE -> ReadAs.LONG_AS_DOUBLE;
            case DATE -> writer.getLogicalType() instanceof LogicalTypes.Date ? ReadAs.INT : null;
            default -> null;
        };
    }

    private static ReadAs ofLong(Schema writer, Type.Simple type) {
        return switch (type) {
            case BIGINT -> ReadAs.LONG;
            case FLOAT -> ReadAs.LONG_AS_FLOAT;
            case DOUBLE -> ReadAs.LONG_AS_DOUBLE;
            case TIMESTAMP -> time(writer, "timestamp-");
            case TIMESTAMP_NTZ -> time(writer, "local-timestamp-");
            default -> null;
        };
    }

    private static ReadAs time(Schema writer, String prefix) {
        String logical = String.valueOf(writer.getObjectProp("logicalType"));
        return logical.equals(prefix + "millis") ? ReadAs.MILLIS : logical.equals(prefix + "micros") ? ReadAs.LONG
                : logical.equals(prefix + "nanos") ? ReadAs.NANOS : null;
    }
}
