package io.despina.operator.record.avro;

import io.despina.packet.Column;
import io.despina.packet.Type;
import java.math.BigInteger;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;

/** Avro schemas: of texts, and of the columns of rows, as Spark makes them. */
public final class AvroSchemas {
    private static final int MOST_CHARACTERS = 1 << 20;
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private AvroSchemas() {
    }

    /** Reads a schema. @throws AvroException if the text is none */
    public static Schema parse(String json) throws AvroException {
        if (json.length() > MOST_CHARACTERS) {
            throw new AvroException("a schema of " + json.length() + " characters; at most " + MOST_CHARACTERS + " are read");
        }
        try {
            return new Schema.Parser().parse(json);
        } catch (RuntimeException | StackOverflowError why) {      // also those of the parser's own making
            String message = why.getMessage() == null ? "" : why.getMessage().lines().findFirst().orElse("")
                    .replaceFirst("^[a-z][\\w.]+(Exception|Error): ", "").replaceFirst(" \\(start marker .*", "");
            throw new AvroException("this is no Avro schema: " + message);
        }
    }

    /**
     * The schema of rows, as Spark would write them.
     *
     * @param name      of the record
     * @param namespace of its name; may be empty
     * @throws AvroException if Avro has no such names, or no such type
     */
    public static Schema of(List<Column> columns, String name, String namespace) throws AvroException {
        String inner = namespace.isEmpty() ? name : namespace + "." + name;
        SchemaBuilder.FieldAssembler<Schema> fields;
        try {
            fields = SchemaBuilder.record(name).namespace(namespace).fields();
            for (Column column : columns) {
                if (!NAME.matcher(column.name()).matches()) {
                    throw new AvroException("Avro has no name `" + column.name()
                            + "`: a name has letters of ASCII, digits and _");
                }
                fields.name(column.name()).type(of(column.type(), column.nullable(), column.name(), inner)).noDefault();
            }
            return fields.endRecord();
        } catch (AvroRuntimeException why) {
            throw new AvroException(why.getMessage());
        }
    }

    /** Whether Avro has such a type. */
    public static boolean canHold(Type type) {
        return type instanceof Type.Array array ? canHold(array.element())
                : type instanceof Type.MapOf map ? map.key() == Type.Simple.STRING && canHold(map.value())
                : type instanceof Type.Struct struct ? struct.fields().stream().allMatch(field -> canHold(field.type()))
                : type instanceof Type.Simple || type instanceof Type.Decimal;
    }

    private static Schema of(Type type, boolean nullable, String name, String namespace) throws AvroException {
        Schema schema = type instanceof Type.Array array
                ? Schema.createArray(of(array.element(), array.containsNull(), name, namespace))
                : type instanceof Type.MapOf map && map.key() == Type.Simple.STRING
                ? Schema.createMap(of(map.value(), map.valueContainsNull(), name, namespace))
                : type instanceof Type.Struct struct ? of(struct.fields(), name, namespace)
                : type instanceof Type.Decimal decimal ? decimal(decimal, namespace + "." + name + ".fixed")
                : type instanceof Type.Simple simple ? simple(simple) : null;
        if (schema == null) {
            throw new AvroException("Avro cannot hold `" + name + "` of type " + type.sql());
        }
        return nullable ? Schema.createUnion(schema, Schema.create(Schema.Type.NULL)) : schema;
    }

    private static Schema decimal(Type.Decimal type, String name) {
        int bytes = BigInteger.TEN.pow(type.precision()).bitLength() / Byte.SIZE + 1;
        return LogicalTypes.decimal(type.precision(), type.scale()).addToSchema(SchemaBuilder.fixed(name).size(bytes));
    }

    private static Schema simple(Type.Simple type) {
        return switch (type) {
            case BOOLEAN -> Schema.create(Schema.Type.BOOLEAN);
            case TINYINT, SMALLINT, INT -> Schema.create(Schema.Type.INT);
            case BIGINT -> Schema.create(Schema.Type.LONG);
            case FLOAT -> Schema.create(Schema.Type.FLOAT);
            case DOUBLE -> Schema.create(Schema.Type.DOUBLE);
            case STRING -> Schema.create(Schema.Type.STRING);
            case BINARY -> Schema.create(Schema.Type.BYTES);
            case DATE -> LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
            case TIMESTAMP -> LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
            case TIMESTAMP_NTZ -> LogicalTypes.localTimestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
        };
    }
}
