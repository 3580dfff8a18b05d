package io.despina.operator.record.registry;

import io.despina.operator.record.protobuf.ProtoFile;
import io.despina.operator.record.protobuf.ProtobufException;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BinaryWriter;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryClient.Found;
import io.despina.registry.RegistryClient.Reference;
import io.despina.registry.RegistryException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Records of Protobuf. A registry has the text of a .proto file, and gives it as a descriptor too.
 *
 * @param options  of the graph
 * @param defaults a row with the default of each column that has one; null for none
 */
public record ProtobufOfRegistry(Map<String, String> options, Schema columns, Packet defaults) implements RegisteredSchemas {
    private static final int MOST_FILES = 1_000;
    /** Of all files, as of a descriptor file. */
    private static final long MOST_BYTES = 16 << 20;

    @Override
    public BinaryReader reader(RegistryClient client, int id) throws RegistryException, UnreadableSchemaException {
        String name = RegisteredSchemas.name(id);
        List<byte[]> files = files(client, name, client.descriptor(id));
        try {
            return new ProtobufOptions(options).reader(ProtoFile.of(name, files), columns, defaults);
        } catch (ProtobufException why) {
            throw new UnreadableSchemaException(name + " cannot be read as the columns: " + why.getMessage());
        }
    }

    /**
     * Writes records by the newest schema of a subject, each behind the schema's number and those of its message. Blocks.
     *
     * @throws RegistryException if the registry has no such schema, or the columns cannot be written as its message
     */
    static BinaryWriter writer(RegistryClient client, String subject, Map<String, String> options, Schema columns)
            throws RegistryException {
        RegistryClient.Numbered newest = client.newestDescriptor(subject);
        String name = RegisteredSchemas.name(newest.id()) + ", the newest of the subject `" + subject + "`,";
        try {
            return new ProtobufOptions(options).writer(ProtoFile.of(name, files(client, name, newest.found())),
                    new RegisteredId(newest.id()), columns);
        } catch (ProtobufException why) {
            throw new RegistryException(RegistryException.Why.REFUSED, name + " cannot be written of the columns: "
                    + why.getMessage(), why);
        } catch (UnreadableSchemaException why) {
            throw new RegistryException(RegistryException.Why.REFUSED, why.getMessage(), why);
        }
    }

    /** The descriptors of a schema and of all that it imports. */
    private static List<byte[]> files(RegistryClient client, String name, Found found) throws RegistryException,
            UnreadableSchemaException {
        if (!found.type().equals("PROTOBUF")) {
            throw new UnreadableSchemaException(name + " is " + found.type() + ", not Protobuf");
        }
        List<byte[]> files = new ArrayList<>();
        collect(client, name, found, files, new HashSet<>());
        return files;
    }

    /** Adds the descriptor of a file, and then of those that it imports. */
    private static void collect(RegistryClient client, String name, Found found, List<byte[]> files, Set<Reference> seen)
            throws RegistryException, UnreadableSchemaException {
        if (files.size() == MOST_FILES || files.stream().mapToLong(each -> each.length).sum() > MOST_BYTES) {
            throw new UnreadableSchemaException(name + " imports more than " + MOST_FILES + " files, or more than " + MOST_BYTES
                    + " bytes");
        }
        try {
            files.add(Base64.getDecoder().decode(found.text()));
        } catch (IllegalArgumentException text) {
            throw new UnreadableSchemaException(name + " comes as the text of a .proto file: this registry gives no descriptors "
                    + "(format=serialized). Name a `descriptorFile`, and the number of the schema in `schemaId` (\"any\" in a "
                    + "source), in place of the registry");
        }
        for (Reference each : found.references()) {
            if (seen.add(each)) {
                collect(client, name, client.descriptor(each), files, seen);
            }
        }
    }
}
