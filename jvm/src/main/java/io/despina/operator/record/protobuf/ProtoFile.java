package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All messages and enums of a descriptor file, as {@code protoc --include_imports --descriptor_set_out} writes it, or of a schema
 * of a registry.
 */
public final class ProtoFile {
    private static final long MOST_BYTES = 16 << 20;
    private static final String MAKE = "; make it with protoc --include_imports --descriptor_set_out=FILE";
    private static final int MOST_NAMES = 10;

    /** For messages. */
    private final String name;
    /** How a better one is made; empty if nobody knows. */
    private final String make;
    /** Of the schema itself, and not of what it imports. */
    private final List<ProtoMessage> own = new ArrayList<>();
    private final Map<String, ProtoMessage> messages = new LinkedHashMap<>();
    private final Map<String, ProtoEnum> enums = new LinkedHashMap<>();

    private ProtoFile(String name, String make) {
        this.name = name;
        this.make = make;
    }

    /** Reads the file. @throws ProtobufException if it is none */
    public static ProtoFile read(String path) throws ProtobufException {
        try {
            Path file = Path.of(path);
            if (Files.size(file) > MOST_BYTES) {
                throw new ProtobufException("descriptorFile " + path + " has more than " + MOST_BYTES + " bytes");
            }
            return of(path, Files.readAllBytes(file));
        } catch (NoSuchFileException none) {
            throw new ProtobufException("there is no descriptorFile " + path);
        } catch (IOException why) {
            throw new ProtobufException("descriptorFile " + path + " cannot be read: " + why);
        }
    }

    /** @param path where it is from, for messages */
    static ProtoFile of(String path, byte[] bytes) throws ProtobufException {
        ProtoFile file = new ProtoFile("descriptorFile " + path, MAKE);
        try {
            ByteCursor in = new ByteCursor();
            in.open(bytes, 0, bytes.length);
            ProtoWire wire = new ProtoWire(in);
            while (wire.next()) {
                if (wire.number() == 1 && wire.wire() == ProtoWire.BYTES) {
                    new ProtoParser(file.messages, file.enums).file(bytes, wire.from(), wire.to());
                }
            }
        } catch (BrokenRecord none) {
            throw new ProtobufException("descriptorFile " + path + " is none: " + none.getMessage() + MAKE);
        } catch (ProtobufException why) {
            throw new ProtobufException("descriptorFile " + path + ": " + why.getMessage());
        }
        if (file.messages.isEmpty()) {
            throw new ProtobufException("descriptorFile " + path + " has no message" + MAKE);
        }
        return file;
    }

    /**
     * A schema of a registry.
     *
     * @param name  for messages
     * @param files FileDescriptorProtos: the schema's own, and then those that it imports, but for Protobuf's own
     */
    public static ProtoFile of(String name, List<byte[]> files) throws ProtobufException {
        ProtoFile file = new ProtoFile(name, "");
        KnownMessages.all().forEach(each -> file.messages.put(each.name(), each));
        try {
            for (byte[] each : files) {
                Map<String, ProtoMessage> found = new LinkedHashMap<>();
                new ProtoParser(found, file.enums).file(each, 0, each.length);
                file.messages.putAll(found);
                if (each == files.get(0)) {
                    file.own.addAll(found.values());
                }
            }
        } catch (BrokenRecord none) {
            throw new ProtobufException("it is no descriptor: " + none.getMessage());
        }
        return file;
    }

    /** The schema's first message. */
    ProtoMessage first() throws ProtobufException {
        return own.stream().filter(each -> each.path().equals(List.of(0))).findFirst()
                .orElseThrow(() -> new ProtobufException("it has no message"));
    }

    /** The schema's own message of that name. */
    ProtoMessage own(String of) throws ProtobufException {
        return own.stream().filter(each -> each.name().equals(of)).findFirst()
                .orElseThrow(() -> new ProtobufException("it has no message " + of + "; it has " + names(
                own.stream().filter(each -> !each.isEntry()).map(ProtoMessage::name))));
    }

    /** The message of that name. */
    ProtoMessage message(String of) throws ProtobufException {
        ProtoMessage found = messages.get(of);
        if (found == null) {
            throw new ProtobufException(name + " has no message " + of + "; it has " + names(
                    messages.values().stream().filter(each -> !each.isEntry()).map(ProtoMessage::name)));
        }
        return found;
    }

    /** The name of the only message that stands in no other one, and is not Protobuf's own. */
    String only() throws ProtobufException {
        List<String> found = messages.values().stream().filter(each -> each.path().size() == 1).map(ProtoMessage::name)
                .filter(each -> !each.startsWith("google.protobuf.")).toList();
        if (found.size() != 1) {
            throw new ProtobufException(name + " has " + found.size() + " messages: say which one, by "
                    + "messageName; it has " + names(found.stream()));
        }
        return found.get(0);
    }

    private static String names(Stream<String> of) {
        List<String> sorted = of.sorted().toList();
        return String.join(", ", sorted.stream().limit(MOST_NAMES).toList()) + (sorted.size() > MOST_NAMES ? ", …" : "");
    }

    /** That of a field. */
    ProtoMessage messageOf(ProtoField field) throws ProtobufException {
        ProtoMessage found = messages.get(field.typeName());
        if (found == null) {
            throw missing(field);
        }
        return found;
    }

    ProtoEnum enumOf(ProtoField field) throws ProtobufException {
        ProtoEnum found = enums.get(field.typeName());
        if (found == null) {
            throw missing(field);
        }
        return found;
    }

    private ProtobufException missing(ProtoField field) {
        return new ProtobufException("`" + field.name() + "` is " + field.typeName() + ", which " + name + " does not have"
                + make);
    }
}
