package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BinaryWriter;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Writes rows as messages of one type: columns as the fields of their names, in the order of the fields' numbers. */
final class ProtobufWriter implements BinaryWriter {
    private final ProtoFile file;
    private final List<ProtoPart> parts;
    private final ProtoOut message = new ProtoOut();

    /** @throws ProtobufException if the message has no field for a column, or must have one for which there is none */
    ProtobufWriter(ProtoFile file, ProtoMessage message, Schema columns) throws ProtobufException {
        this.file = file;
        parts = parts(message, columns.columns(), "");
    }

    @Override
    public void write(Packet packet, OutputStream out) throws IOException {
        message.clear();
        ProtoPart.write(parts, packet, message);
        message.copyTo(out);
    }

    private List<ProtoPart> parts(ProtoMessage of, List<Column> columns, String place) throws ProtobufException {
        List<ProtoPart> found = new ArrayList<>();
        List<ProtoField> taken = new ArrayList<>();
        for (int k = 0; k < columns.size(); k++) {
            String name = place + columns.get(k).name();
            ProtoField field = of.find(columns.get(k).name());
            if (field == null) {
                throw new ProtobufException("the message " + of.name() + " has no field for column `" + name + "`; it has "
                        + of.fieldNames());
            }
            if (taken.contains(field)) {
                throw new ProtobufException("two columns go to the field `" + place + field.name() + "` of " + of.name());
            }
            taken.add(field);
            found.add(new ProtoPart(k, sink(field, columns.get(k).type(), name)));
        }
        for (ProtoField field : of.fields()) {
            if (field.required() && !taken.contains(field)) {
                throw new ProtobufException("the message " + of.name() + " must have `" + place + field.name()
                        + "`, and there is no column for it");
            }
        }
        found.sort(Comparator.comparingInt(part -> part.sink().field().number()));
        return found;
    }

    private ProtoSink sink(ProtoField field, Type type, String place) throws ProtobufException {
        ProtoSink found = null;
        if (!field.repeated()) {
            found = single(field, type, place);
        } else if (type instanceof Type.MapOf map && field.type().isMessage() && file.messageOf(field).isEntry()) {
            ProtoMessage entry = file.messageOf(field);
            found = new ProtoSink.OfEntries(field, map, sink(entry.numbered(1), map.key(), place + ".key"),
                    sink(entry.numbered(2), map.value(), place + ".value"));
        } else if (type instanceof Type.Array array) {
            ProtoSink items = single(field, array.element(), place + "[]");
            found = items == null ? null : new ProtoSink.OfItems(field, array, items);
        }
        if (found == null) {
            throw new ProtobufException("the message has `" + place + "` as " + ProtoResolver.word(field) + ", which cannot hold "
                    + type.sql());
        }
        return found;
    }

    /** Null if the field cannot hold the type. */
    private ProtoSink single(ProtoField field, Type type, String place) throws ProtobufException {
        if (type instanceof Type.Struct struct) {
            return field.type().isMessage()
                    ? new ProtoSink.OfMessage(field, struct, parts(file.messageOf(field), struct.fields(), place + ".")) : null;
        }
        if (!field.type().isMessage()) {
            return !ProtoNumber.fits(type, field.type()) ? null
                    : new ProtoNumber(field, type, field.type() == ProtoType.ENUM ? file.enumOf(field) : null);
        }
        if (ProtoKnown.isTime(field)) {
            return ProtoKnown.fits(field, type) ? new ProtoBoxed.OfMicros(field) : null;
        }
        ProtoType wrapped = ProtoKnown.wrapped(field.typeName());
        ProtoField value = wrapped == null ? null : file.messageOf(field).numbered(1);
        return value == null || !ProtoNumber.fits(type, wrapped) ? null
                : new ProtoBoxed.OfValue(field, new ProtoNumber(value, type, null));
    }
}
