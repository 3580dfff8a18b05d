package io.despina.operator.record.protobuf;

import io.despina.operator.Rows;
import io.despina.operator.record.value.BinaryReader;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;
import java.util.List;
import org.apache.orc.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.orc.protobuf.DescriptorProtos.FileDescriptorSet;
import org.apache.orc.protobuf.Descriptors;
import org.apache.orc.protobuf.Descriptors.Descriptor;
import org.apache.orc.protobuf.Descriptors.FileDescriptor;
import org.apache.orc.protobuf.DurationProto;
import org.apache.orc.protobuf.DynamicMessage;
import org.apache.orc.protobuf.TextFormat;
import org.apache.orc.protobuf.TimestampProto;
import org.apache.orc.protobuf.WrappersProto;

/** Messages beside Protobuf's own library, which Spark's jars have under another name. */
public final class ProtoSamples {
    private static final List<FileDescriptor> KNOWN = List.of(TimestampProto.getDescriptor(), DurationProto.getDescriptor(),
            WrappersProto.getDescriptor());

    private final FileDescriptor file;

    private ProtoSamples(FileDescriptor file) {
        this.file = file;
    }

    /** @param parts of a file in the package t, in Protobuf's text format: {@link #message}, {@link #symbols} */
    public static ProtoSamples of(String syntax, String... parts) {
        FileDescriptorProto.Builder built = FileDescriptorProto.newBuilder().setName("t.proto").setPackage("t");
        if (!syntax.equals("proto2")) {
            built.setSyntax(syntax);
        }
        KNOWN.forEach(known -> built.addDependency(known.getName()));
        try {
            TextFormat.merge(String.join(" ", parts), built);
            return new ProtoSamples(FileDescriptor.buildFrom(built.build(), KNOWN.toArray(FileDescriptor[]::new)));
        } catch (TextFormat.ParseException | Descriptors.DescriptorValidationException wrong) {
            throw new IllegalArgumentException(wrong);
        }
    }

    public static String message(String name, String... parts) {
        return "message_type {name: '" + name + "' " + String.join(" ", parts) + "}";
    }

    /** @param type as in a .proto: {@code repeated int32}, {@code .t.Inner}, {@code enum .t.State} */
    public static String field(String name, int number, String type, String... parts) {
        String[] words = type.split(" ");
        boolean labelled = List.of("repeated", "required", "optional").contains(words[0]);
        String[] rest = labelled ? Arrays.copyOfRange(words, 1, words.length) : words;
        String named = rest[rest.length - 1];
        String kind = rest.length > 1 ? rest[0].toUpperCase() : named.startsWith(".") ? "MESSAGE" : named.toUpperCase();
        return "field {name: '" + name + "' number: " + number + " label: LABEL_"
                + (labelled ? words[0] : "optional").toUpperCase()
                + " type: TYPE_" + kind + (named.startsWith(".") ? " type_name: '" + named + "'" : "") + " "
                + String.join(" ", parts) + "}";
    }

    /** An enum with the values 0, 1, …. */
    static String symbols(String name, String... values) {
        StringBuilder text = new StringBuilder("enum_type {name: '" + name + "'");
        for (int k = 0; k < values.length; k++) {
            text.append(" value {name: '").append(values[k]).append("' number: ").append(k).append('}');
        }
        return text.append('}').toString();
    }

    /** A map's field, and the entry that stands in its message. */
    static String mapOf(String name, int number, String message, String key, String value) {
        String entry = Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Entry";
        return field(name, number, "repeated .t." + message + "." + entry) + " nested_type {name: '" + entry
                + "' options {map_entry: true} " + field("key", 1, key) + field("value", 2, value) + "}";
    }

    /** A message R with one field, v, which may be a map: {@code map string .t.Inner}. */
    static String one(String type) {
        String[] words = type.split(" ", 3);
        return message("R", words[0].equals("map") ? mapOf("v", 1, "R", words[1], words[2]) : field("v", 1, type));
    }

    public byte[] descriptors() {
        FileDescriptorSet.Builder set = FileDescriptorSet.newBuilder();
        KNOWN.forEach(known -> set.addFile(known.toProto()));
        return set.addFile(file.toProto()).build().toByteArray();
    }

    ProtoFile file() throws ProtobufException {
        return ProtoFile.of("t.desc", descriptors());
    }

    public Descriptor descriptor(String message) {
        return file.findMessageTypeByName(message);
    }

    /** @param text in Protobuf's text format */
    byte[] encoded(String message, String text) throws TextFormat.ParseException {
        DynamicMessage.Builder built = DynamicMessage.newBuilder(descriptor(message));
        TextFormat.merge(text, built);
        return built.build().toByteArray();
    }

    ProtobufReader reader(String message, Schema columns, boolean zeros) throws ProtobufException {
        ProtoFile read = file();
        return new ProtobufReader(new ProtoResolver(read, zeros), read.message("t." + message), columns, null);
    }

    /** The row, as a text; or why there is none. */
    static String read(BinaryReader reader, byte[] record, Schema columns) {
        PacketWriter out = Rows.growing(columns);
        byte[] around = new byte[record.length + 6];
        Arrays.fill(around, (byte) -1);
        System.arraycopy(record, 0, around, 3, record.length);      // it looks at its own part alone
        String why = reader.read(around, 3, around.length - 3, out);
        List<List<Object>> rows = Rows.decode(columns, out.bytes(), 0, out.position());
        if (rows.size() != (why == null ? 1 : 0)) {
            throw new AssertionError(why + " and " + rows);
        }
        return why == null ? rows.get(0).toString() : "!" + why;
    }
}
