package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BinaryWriter;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a graph says of records of Protobuf: which message they are, and the descriptor file that has it. */
public final class ProtobufOptions {
    public static final String FILE = "descriptorFile";
    public static final String MESSAGE = "messageName";
    public static final String ID = "schemaId";
    /**
     * Whether a field that does not say if it is there has its zero where it is not. The name is Spark's; its default is not, as
     * that makes a NULL of each zero that a writer of proto3 has measured.
     */
    private static final String ZEROS = "emit.default.values";
    /** A value of {@link #ID}: records of any schema. */
    private static final String ANY = "any";
    private static final String NUMBER = "\\d{1,9}";
    /** The options that a graph may write. */
    public static final List<String> NAMES = List.of(FILE, MESSAGE, ID);
    /** Those of them that are true or false. */
    public static final List<String> FLAGS = List.of(ZEROS);

    private final Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    public ProtobufOptions(Map<String, String> options) {
        this.options.putAll(options);
    }

    /** Whether they name a descriptor file; else a registry has the messages. */
    public boolean haveFile() {
        return options.containsKey(FILE);
    }

    /** Looks at what can be seen without the file. @param isRead else they are written */
    public void check(boolean isRead) throws ProtobufException {
        String id = options.get(ID);
        if (id != null && !id.matches(NUMBER) && !(isRead && id.equalsIgnoreCase(ANY))) {
            throw new ProtobufException("`" + ID + "` is the number of a schema" + (isRead ? ", or any" : "") + ", not `" + id
                    + "`");
        }
    }

    /**
     * A reader of their message. Reads the descriptor file.
     *
     * @param defaults a row with the default of each column that has one; null for none
     */
    public BinaryReader reader(Schema columns, Packet defaults) throws ProtobufException {
        check(true);
        ProtoFile file = ProtoFile.read(options.get(FILE));
        ProtoMessage message = file.message(options.get(MESSAGE));
        ProtobufReader reader = new ProtobufReader(resolver(file), message, columns, defaults);
        String id = options.get(ID);
        if (id == null) {
            return reader;
        }
        BinaryReader behind = new ProtoPath(message).before(reader);
        return id.equalsIgnoreCase(ANY) ? RegisteredId.beforeAny(behind) : new RegisteredId(Integer.parseInt(id)).before(behind);
    }

    /**
     * A reader of records of a registry's schema, each behind the numbers of its message: of {@code messageName}, or else of the
     * first message.
     */
    public BinaryReader reader(ProtoFile schema, Schema columns, Packet defaults) throws ProtobufException {
        ProtoMessage message = ofRegistry(schema);
        return new ProtoPath(message).before(new ProtobufReader(resolver(schema), message, columns, defaults));
    }

    private ProtoMessage ofRegistry(ProtoFile schema) throws ProtobufException {
        String name = options.get(MESSAGE);
        return name == null ? schema.first() : schema.own(name);
    }

    private ProtoResolver resolver(ProtoFile file) {
        return new ProtoResolver(file, Boolean.parseBoolean(options.getOrDefault(ZEROS, "true")));
    }

    /**
     * A message as columns, as Spark makes them.
     *
     * @param message its name
     * @param leftOut fields that no column can hold: messages without fields, and those within themselves
     */
    public record Described(String message, Schema columns, List<String> leftOut) {
    }

    /** What their message has; without a name, the only message of the file. Reads the descriptor file. */
    public Described described() throws ProtobufException {
        ProtoFile file = ProtoFile.read(options.get(FILE));
        String name = options.containsKey(MESSAGE) ? options.get(MESSAGE) : file.only();
        ProtoColumns columns = new ProtoColumns(file);
        return new Described(name, new Schema(columns.of(name)), columns.leftOut());
    }

    /** A writer of their message. Reads the descriptor file. */
    public BinaryWriter writer(Schema columns) throws ProtobufException {
        check(false);
        ProtoFile file = ProtoFile.read(options.get(FILE));
        ProtoMessage message = file.message(options.get(MESSAGE));
        ProtobufWriter writer = new ProtobufWriter(file, message, columns);
        String id = options.get(ID);
        return id == null ? writer : behind(new RegisteredId(Integer.parseInt(id)), message, writer);
    }

    /** A writer of records of a registry's schema, each behind the numbers of schema and message; which one, as for a reader. */
    public BinaryWriter writer(ProtoFile schema, RegisteredId id, Schema columns) throws ProtobufException {
        ProtoMessage message = ofRegistry(schema);
        return behind(id, message, new ProtobufWriter(schema, message, columns));
    }

    private static BinaryWriter behind(RegisteredId id, ProtoMessage message, BinaryWriter writer) {
        ProtoPath path = new ProtoPath(message);
        return (packet, out) -> {
            id.write(out);
            path.write(out);
            writer.write(packet, out);
        };
    }
}
