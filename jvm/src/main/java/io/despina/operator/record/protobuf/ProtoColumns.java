package io.despina.operator.record.protobuf;

import io.despina.packet.Column;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.List;

/** What columns Spark makes of a message. */
public final class ProtoColumns {
    private static final int DIGITS_OF_64_BITS = 20;
    private static final Type DURATION = new Type.Interval(Type.Interval.Unit.DAY, Type.Interval.Unit.SECOND);

    /** With those within others. Messages that name each other often would make columns without end. */
    private static final int MOST = 10_000;
    /** Messages within each other, as of Protobuf's own libraries. */
    private static final int MOST_DEPTH = 100;

    private final ProtoFile file;
    private int made;
    /** The messages that the walk is in. */
    private final List<String> open = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();

    public ProtoColumns(ProtoFile file) {
        this.file = file;
    }

    /** The columns of a message. @throws ProtobufException if the file does not have it, or has no fields for columns */
    public List<Column> of(String message) throws ProtobufException {
        List<Column> columns = columns(file.message(message), "");
        if (columns.isEmpty()) {
            throw new ProtobufException("the message " + message + " has no field that a column can hold");
        }
        return columns;
    }

    /** Fields that have no columns, as they contain themselves or have none. */
    public List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    /** The type of a field as Spark writes it, for messages; null if there is none. */
    String sql(ProtoField field) throws ProtobufException {
        Type type = type(field, field.name());
        return type == null ? null : type.sql();
    }

    private List<Column> columns(ProtoMessage message, String place) throws ProtobufException {
        List<Column> columns = new ArrayList<>();
        open.add(message.name());
        if (open.size() > MOST_DEPTH) {
            throw new ProtobufException("the message " + open.get(0) + " has more than " + MOST_DEPTH
                    + " messages within each other");
        }
        for (ProtoField field : message.fields()) {
            if (++made > MOST) {
                throw new ProtobufException("the message " + message.name() + " and those around it have more than " + MOST
                        + " fields, with those of messages within them");
            }
            Type type = type(field, place + field.name());
            if (type == null) {
                leftOut.add(place + field.name());
            } else {
                columns.add(new Column(field.name(), type, true));
            }
        }
        open.remove(open.size() - 1);
        return columns;
    }

    private Type type(ProtoField field, String place) throws ProtobufException {
        ProtoMessage message = field.type().isMessage() ? file.messageOf(field) : null;
        if (message != null && message.isEntry()) {
            Type key = single(message.numbered(1), place + ".key");
            Type value = single(message.numbered(2), place + ".value");
            return value == null ? null : new Type.MapOf(key, value, true);
        }
        Type one = single(field, place);
        return one == null || !field.repeated() ? one : new Type.Array(one, true);
    }

    private Type single(ProtoField field, String place) throws ProtobufException {
        return switch (field.type()) {
            case DOUBLE -> Type.Simple.DOUBLE;
            case FLOAT -> Type.Simple.FLOAT;
            case INT64, SINT64, SFIXED64 -> Type.Simple.BIGINT;
            case UINT64, FIXED64 -> new Type.Decimal(DIGITS_OF_64_BITS, 0);
            case INT32, SINT32, SFIXED32 -> Type.Simple.INT;
            case UINT32, FIXED32 -> Type.Simple.BIGINT;
            case BOOL -> Type.Simple.BOOLEAN;
            case STRING, ENUM -> Type.Simple.STRING;
            case BYTES -> Type.Simple.BINARY;
            case MESSAGE, GROUP -> message(field, place);
        };
    }

    private Type message(ProtoField field, String place) throws ProtobufException {
        if (field.typeName().equals(KnownMessages.TIMESTAMP)) {
            return Type.Simple.TIMESTAMP;
        }
        if (field.typeName().equals(KnownMessages.DURATION)) {
            return DURATION;
        }
        if (ProtoKnown.wrapped(field.typeName()) != null) {
            ProtoField value = file.messageOf(field).numbered(1);
            return value == null || value.type().isMessage() ? null : single(value, place);
        }
        if (open.contains(field.typeName())) {
            return null;
        }
        List<Column> fields = columns(file.messageOf(field), place + ".");
        return fields.isEmpty() ? null : new Type.Struct(fields);
    }
}
