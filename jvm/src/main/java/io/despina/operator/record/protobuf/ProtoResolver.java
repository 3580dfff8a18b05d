package io.despina.operator.record.protobuf;

import io.despina.packet.Column;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * Finds how fields are read as the types of columns.
 *
 * @param zeros whether a field that does not say if it is there has its zero, and is not NULL, where it is not
 */
record ProtoResolver(ProtoFile file, boolean zeros) {

    /**
     * How a field is read.
     *
     * @param place   of the column, for messages
     * @param inEntry whether it is the key or the value of a map, which is never NULL
     */
    ProtoValue of(ProtoField field, Type type, String place, boolean inEntry) throws ProtobufException {
        ProtoValue found = field.repeated() ? repeated(field, type, place) : single(field, type, place, inEntry);
        if (found == null) {
            String better = new ProtoColumns(file).sql(field);
            throw new ProtobufException("`" + place + "` is " + word(field) + " in the message, which cannot be read as "
                    + type.sql() + (better == null ? "" : "; read it as " + better));
        }
        return found;
    }

    /** What a field is, for messages. */
    static String word(ProtoField field) {
        String type = field.typeName().isEmpty() ? field.type().word()
                : field.type() == ProtoType.ENUM ? "enum " + field.typeName() : field.typeName();
        return (field.repeated() ? "repeated " : "") + type;
    }

    /** Null if the type cannot hold it. */
    private ProtoValue repeated(ProtoField field, Type type, String place) throws ProtobufException {
        if (type instanceof Type.MapOf map) {
            ProtoMessage entry = field.type() == ProtoType.MESSAGE ? file.messageOf(field) : null;
            return entry == null || !entry.isEntry() ? null : map(map, entry, place);
        }
        if (!(type instanceof Type.Array array) || ProtoValue.isNested(array.element())
                && !(array.element() instanceof Type.Struct)) {
            return null;
        }
        ProtoValue item = single(field, array.element(), place + "[]", false);
        return item == null ? null : new ProtoItems(field, array, item);
    }

    private ProtoValue map(Type.MapOf map, ProtoMessage entry, String place) throws ProtobufException {
        if (ProtoValue.isNested(map.key()) || map.value() instanceof Type.Array || map.value() instanceof Type.MapOf) {
            return null;
        }
        ProtoField key = entry.numbered(1);
        ProtoField value = entry.numbered(2);
        return new ProtoMap(map, members(entry, List.of(new Column(key.name(), map.key(), true),
                new Column(value.name(), map.value(), true)), place + "."));
    }

    /** Null if the type cannot hold it. */
    private ProtoValue single(ProtoField field, Type type, String place, boolean inEntry) throws ProtobufException {
        if (type instanceof Type.Struct struct) {
            return !field.type().isMessage() ? null
                    : new ProtoStruct(struct, members(file.messageOf(field), struct.fields(), place + "."));
        }
        if (ProtoKnown.fits(field, type)) {
            return known(field, type, place);
        }
        if (field.type().isMessage() || !ProtoScalar.fits(field.type(), type)) {
            return null;
        }
        ProtoEnum symbols = field.type() == ProtoType.ENUM ? file.enumOf(field) : null;
        ProtoLiteral absent = field.otherwise() != null ? ProtoLiteral.of(field, symbols)
                : !inEntry && (field.presence() || !zeros) ? null
                : symbols == null ? ProtoLiteral.ZERO : new ProtoLiteral(symbols.first(), new byte[0]);
        return new ProtoScalar(field, type, symbols, absent);
    }

    private ProtoValue known(ProtoField field, Type type, String place) throws ProtobufException {
        return ProtoKnown.isTime(field) ? new ProtoTime() : new ProtoKnown(new ProtoResolver(file, true).members(
                file.messageOf(field), List.of(new Column("value", type, true)), place + "."));
    }

    /** How the fields of a message become columns. @param place of the columns, for messages; empty, or ends with a point */
    ProtoMembers members(ProtoMessage message, List<Column> columns, String place) throws ProtobufException {
        List<ProtoField> wanted = new ArrayList<>();
        for (Column column : columns) {
            wanted.add(message.find(column.name()));
        }
        ProtoShape shape = new ProtoShape(file, message,
                new LinkedHashSet<>(wanted.stream().filter(Objects::nonNull).toList()));
        int[] slots = new int[wanted.size()];
        ProtoValue[] values = new ProtoValue[slots.length];
        for (int k = 0; k < slots.length; k++) {
            ProtoField field = wanted.get(k);
            slots[k] = field == null ? ProtoIndex.NONE : shape.slot(field);
            if (field != null) {
                values[k] = of(field, columns.get(k).type(), place + columns.get(k).name(), message.isEntry());
            }
        }
        return new ProtoMembers(shape, slots, values, message.isEntry());
    }
}
