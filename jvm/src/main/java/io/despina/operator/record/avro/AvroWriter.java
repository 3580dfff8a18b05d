package io.despina.operator.record.avro;

import io.despina.operator.record.value.BinaryWriter;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketMap;
import io.despina.packet.Type;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.EncoderFactory;

/** Writes rows as records of a schema: columns as the fields of their names, and fields without a column as their default. */
public final class AvroWriter implements BinaryWriter {
    private static final int NONE = -1;

    /** A field of a record. */
    private record Part(int column, AvroSink sink, byte[] otherwise) {
    }

    private final List<Part> parts;

    /** @throws AvroException if the schema has no place for a column, or no value for a field */
    public AvroWriter(Schema schema, io.despina.packet.Schema columns) throws AvroException {
        parts = parts(schema, columns.columns(), "");
    }

    @Override
    public void write(Packet packet, OutputStream out) throws IOException {
        try {
            write(parts, packet, out);
        } catch (ArithmeticException beyond) {
            throw new IllegalArgumentException("a value is beyond what its schema holds: " + beyond.getMessage(), beyond);
        }
    }

    private static void write(List<Part> parts, Packet packet, OutputStream out) throws IOException {
        for (Part part : parts) {
            int k = part.column;
            if (k == NONE) {
                out.write(part.otherwise);
            } else if (packet.isNull(k)) {
                part.sink.writeNull(out);
            } else if (packet.layout().type(k).width() == Type.VARIABLE) {
                int from = packet.valueStart(k);
                part.sink.write(packet.bytes(), from, packet.valueEnd(), out);
            } else {
                part.sink.write(packet.bytes(), packet.fixedStart(k), 0, out);
            }
        }
    }

    private static List<Part> parts(Schema schema, List<Column> columns, String place) throws AvroException {
        if (schema.getType() != Schema.Type.RECORD) {
            throw new AvroException("the schema is " + AvroNames.of(schema) + ", and a row is written as a record");
        }
        List<Part> parts = new ArrayList<>();
        boolean[] written = new boolean[columns.size()];
        for (Schema.Field field : schema.getFields()) {
            int column = NONE;
            for (int k = 0; k < columns.size(); k++) {
                column = AvroNames.indexOf(schema.getFields(), columns.get(k).name()) == field.pos() ? k : column;
            }
            if (column == NONE) {
                parts.add(new Part(NONE, null, otherwise(field, place)));
            } else {
                written[column] = true;
                String name = place + columns.get(column).name();
                parts.add(new Part(column, sink(field.schema(), columns.get(column).type(), name), null));
            }
        }
        for (int k = 0; k < written.length; k++) {
            if (!written[k]) {
                throw new AvroException("the schema " + schema.getFullName() + " has no field for column `" + place
                        + columns.get(k).name() + "`");
            }
        }
        return parts;
    }

    private static byte[] otherwise(Schema.Field field, String place) throws AvroException {
        if (!field.hasDefaultValue()) {
            throw new AvroException("the schema's field `" + place + field.name()
                    + "` has no default, and there is no column for it");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            var encoder = EncoderFactory.get().directBinaryEncoder(bytes, null);
            new GenericDatumWriter<Object>(field.schema()).write(GenericData.get().getDefaultValue(field), encoder);
            encoder.flush();
        } catch (IOException | AvroRuntimeException why) {
            throw new AvroException("the default of the schema's field `" + place + field.name() + "`: " + why.getMessage());
        }
        return bytes.toByteArray();
    }

    private static AvroSink sink(Schema schema, Type type, String name) throws AvroException {
        boolean isUnion = schema.getType() == Schema.Type.UNION;
        List<Schema> branches = isUnion ? schema.getTypes() : List.of(schema);
        int ofNull = NONE;
        for (int k = 0; k < branches.size(); k++) {
            ofNull = branches.get(k).getType() == Schema.Type.NULL ? k : ofNull;
        }
        for (int k = 0; k < branches.size(); k++) {
            AvroSink sink = branch(branches.get(k), type, name);
            if (sink != null) {
                return sink.named("`" + name + "`").within(isUnion ? k : NONE, ofNull);
            }
        }
        throw new AvroException("the schema has `" + name + "` as " + (isUnion
                ? String.join(" or ", branches.stream().map(AvroNames::of).toList()) : AvroNames.of(schema))
                + ", which cannot hold " + type.sql());
    }

    /** Null if the schema cannot hold the type. */
    private static AvroSink branch(Schema schema, Type type, String name) throws AvroException {
        if (type instanceof Type.Array array) {
            return schema.getType() == Schema.Type.ARRAY
                    ? new OfArray(array, sink(schema.getElementType(), array.element(), name + "[]")) : null;
        }
        if (type instanceof Type.MapOf map) {
            return schema.getType() == Schema.Type.MAP && map.key() == Type.Simple.STRING
                    ? new OfMap(map, sink(schema.getValueType(), map.value(), name + "[]")) : null;
        }
        if (type instanceof Type.Struct struct) {
            return schema.getType() == Schema.Type.RECORD
                    ? new OfRecord(struct, parts(schema, struct.fields(), name + ".")) : null;
        }
        return AvroOut.of(schema, type);
    }

    private static void items(PacketArray items, AvroSink keys, PacketArray named, AvroSink sink, OutputStream out)
            throws IOException {
        int count = items.count();
        if (count > 0) {
            AvroOut.zigzag(count, out);
        }
        for (int k = 0; k < count; k++) {
            if (keys != null) {
                item(named, k, keys, out);
            }
            item(items, k, sink, out);
        }
        out.write(0);
    }

    private static void item(PacketArray items, int k, AvroSink sink, OutputStream out) throws IOException {
        if (items.isNull(k)) {
            sink.writeNull(out);
        } else if (items.element().width() == Type.VARIABLE) {
            int from = items.valueStart(k);
            sink.write(items.bytes(), from, items.valueEnd(), out);
        } else {
            sink.write(items.bytes(), items.fixedStart(k), 0, out);
        }
    }

    private static final class OfArray extends AvroSink {
        private final AvroSink items;
        private final PacketArray view;

        OfArray(Type.Array type, AvroSink items) {
            this.items = items;
            view = new PacketArray(type.element(), type.containsNull());
        }

        @Override
        void value(byte[] bytes, int from, int to, OutputStream out) throws IOException {
            items(view.wrap(bytes, from, to), null, null, items, out);
        }
    }

    private static final class OfMap extends AvroSink {
        private final AvroSink keys = AvroOut.of(Schema.create(Schema.Type.STRING), Type.Simple.STRING);
        private final AvroSink values;
        private final PacketMap view;

        OfMap(Type.MapOf type, AvroSink values) {
            this.values = values;
            view = new PacketMap(type);
        }

        @Override
        void value(byte[] bytes, int from, int to, OutputStream out) throws IOException {
            view.wrap(bytes, from, to);
            items(view.values(), keys, view.keys(), values, out);
        }
    }

    private static final class OfRecord extends AvroSink {
        private final List<Part> parts;
        private final Packet view;

        OfRecord(Type.Struct type, List<Part> parts) {
            this.parts = parts;
            view = new Packet(PacketLayout.of(type));
        }

        @Override
        void value(byte[] bytes, int from, int to, OutputStream out) throws IOException {
            AvroWriter.write(parts, view.wrapBody(bytes, from, to), out);
        }
    }
}
