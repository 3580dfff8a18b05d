package io.despina.opcua;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.serialization.OpcUaBinaryStreamDecoder;
import org.eclipse.milo.opcua.stack.core.serialization.SerializationContext;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.StructureType;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureField;

/**
 * Reads structures as their server describes them (OPC UA Part 3, DataTypeDefinition). What nodes may have is asked for before
 * they are watched, so that reading a value asks nobody.
 */
final class Structures {
    private static final int MOST_TYPES = 1_000;
    private static final int MOST_DEPTH = 64;
    private static final int MOST_VALUES = 1 << 20;
    private static final int SCALAR = -1;
    private static final int LIST = 1;
    /** How values of Part 6's types are read, by their numbers. Values of the abstract ones are variants. */
    private static final Map<Integer, Function<OpcUaBinaryStreamDecoder, Object>> SIMPLE = simple();

    /** Asks the server. */
    interface Asked {
        /** The data types of nodes, in the same order; null where there is none. */
        List<NodeId> types(List<NodeId> nodes) throws IOException, InterruptedException;

        /** What a data type is, in Milo's classes; null if the server does not say. */
        Object definition(NodeId type) throws IOException, InterruptedException;

        /** The data type of which that is a kind; null if there is none. */
        NodeId above(NodeId type) throws IOException, InterruptedException;

        /** The ids under which values of a data type travel. */
        List<NodeId> encodings(NodeId type) throws IOException, InterruptedException;
    }

    /** A value's own kind. */
    private interface Part {
        Object read(Body body);
    }

    /** The bytes of a structure. */
    private static final class Body {
        private final ByteBuf bytes;
        private final OpcUaBinaryStreamDecoder in;
        private int depth;
        /** Elements of lists and fields, all together. */
        private int values;

        Body(byte[] all, SerializationContext context) {
            bytes = Unpooled.wrappedBuffer(all);
            in = new OpcUaBinaryStreamDecoder(context).setBuffer(bytes);
        }

        /** So many values come. Some take no bytes, and a server may say of a few bytes that they are many. */
        void count(int more) {
            if (more > MOST_VALUES - values) {
                throw new UnsupportedOperationException("it has more than " + MOST_VALUES + " values");
            }
            values += more;
        }
    }

    private final Set<NodeId> nodes = new HashSet<>();
    private final Map<NodeId, Part> types = new HashMap<>();
    private final Map<NodeId, Part> encodings = new HashMap<>();

    private static Map<Integer, Function<OpcUaBinaryStreamDecoder, Object>> simple() {
        List<Function<OpcUaBinaryStreamDecoder, Object>> all = List.of(OpcUaBinaryStreamDecoder::readBoolean,
                OpcUaBinaryStreamDecoder::readSByte, OpcUaBinaryStreamDecoder::readByte, OpcUaBinaryStreamDecoder::readInt16,
                OpcUaBinaryStreamDecoder::readUInt16, OpcUaBinaryStreamDecoder::readInt32, OpcUaBinaryStreamDecoder::readUInt32,
                OpcUaBinaryStreamDecoder::readInt64, OpcUaBinaryStreamDecoder::readUInt64, OpcUaBinaryStreamDecoder::readFloat,
                OpcUaBinaryStreamDecoder::readDouble, OpcUaBinaryStreamDecoder::readString,
                OpcUaBinaryStreamDecoder::readDateTime, OpcUaBinaryStreamDecoder::readGuid,
                OpcUaBinaryStreamDecoder::readByteString, OpcUaBinaryStreamDecoder::readXmlElement,
                OpcUaBinaryStreamDecoder::readNodeId, OpcUaBinaryStreamDecoder::readExpandedNodeId,
                OpcUaBinaryStreamDecoder::readStatusCode, OpcUaBinaryStreamDecoder::readQualifiedName,
                OpcUaBinaryStreamDecoder::readLocalizedText, OpcUaBinaryStreamDecoder::readExtensionObject,
                OpcUaBinaryStreamDecoder::readDataValue, OpcUaBinaryStreamDecoder::readVariant,
                OpcUaBinaryStreamDecoder::readDiagnosticInfo, OpcUaBinaryStreamDecoder::readVariant,
                OpcUaBinaryStreamDecoder::readVariant, OpcUaBinaryStreamDecoder::readVariant,
                OpcUaBinaryStreamDecoder::readInt32);
        Map<Integer, Function<OpcUaBinaryStreamDecoder, Object>> simple = new HashMap<>();
        all.forEach(each -> simple.put(simple.size() + 1, each));
        return simple;
    }

    /** Asks what structures these nodes may have, if it has not been asked before. Blocks. */
    void learn(List<Item> items, Asked asked) throws IOException, InterruptedException {
        List<NodeId> more = items.stream().map(Item::node).filter(each -> !nodes.contains(each)).distinct().toList();
        for (NodeId type : new HashSet<>(asked.types(more))) {
            if (type != null && !types.containsKey(type) && simple(type) == null) {
                Part part = part(type, asked);
                for (NodeId encoding : asked.encodings(type)) {
                    encodings.put(encoding, part);
                }
            }
        }
        nodes.addAll(more);
    }

    private static Function<OpcUaBinaryStreamDecoder, Object> simple(NodeId type) {
        return type.getNamespaceIndex().intValue() == 0 && type.getIdentifier() instanceof UInteger number
                ? SIMPLE.get(number.intValue()) : null;
    }

    private Part part(NodeId type, Asked asked) throws IOException, InterruptedException {
        Function<OpcUaBinaryStreamDecoder, Object> simple = simple(type);
        if (simple != null) {
            return body -> simple.apply(body.in);
        }
        Part known = types.get(type);
        if (known != null) {
            return known;
        }
        if (types.size() == MOST_TYPES) {
            return unread("its types have more than " + MOST_TYPES + " others in them");
        }
        types.put(type, body -> nested(body, types.get(type)));         // a structure may have others of its own kind in it
        boolean learnt = false;
        try {
            types.put(type, asked(type, asked));
            learnt = true;
            return types.get(type);
        } finally {
            if (!learnt) {
                types.remove(type);
            }
        }
    }

    private Part asked(NodeId type, Asked asked) throws IOException, InterruptedException {
        Object definition = asked.definition(type);
        if (definition instanceof StructureDefinition structure) {
            return structure(structure, asked);
        }
        NodeId above = asked.above(type);
        if (above != null && !above.equals(Identifiers.Structure)) {
            return part(above, asked);      // an EnumDefinition may be that of the bits of a number
        }
        return definition instanceof EnumDefinition ? part(Identifiers.Int32, asked)
                : unread("the server does not say what is in the type " + type.toParseableString() + " (DataTypeDefinition)");
    }

    private static Object nested(Body body, Part part) {
        if (body.depth++ == MOST_DEPTH) {
            throw new UnsupportedOperationException("there are more than " + MOST_DEPTH + " structures within each other");
        }
        Object read = part.read(body);
        body.depth--;
        return read;
    }

    private static Part unread(String why) {
        return body -> {
            throw new UnsupportedOperationException(why);
        };
    }

    private Part structure(StructureDefinition of, Asked asked) throws IOException, InterruptedException {
        StructureField[] fields = of.getFields() == null ? new StructureField[0] : of.getFields();
        Map<String, Part> parts = new LinkedHashMap<>();
        List<Boolean> optional = new ArrayList<>();
        for (StructureField each : fields) {
            if (each.getName() == null) {
                return unread("one of its fields has no name");
            }
            Part element = part(each.getDataType(), asked);
            int rank = each.getValueRank();
            parts.put(each.getName(), rank == SCALAR ? element : rank == LIST ? body -> list(body, element)
                    : unread("`" + each.getName() + "` has more dimensions than one, or says nothing of them"));
            optional.add(Boolean.TRUE.equals(each.getIsOptional()));
        }
        StructureType kind = of.getStructureType();
        if (kind == null || parts.size() != fields.length) {
            return unread(kind == null ? "it is of a newer kind of structures" : "two of its fields have one name");
        }
        return kind == StructureType.Union ? body -> nested(body, in -> union(in, parts))
                : body -> nested(body, in -> fields(in, parts, kind == StructureType.Structure ? null : optional));
    }

    /** @param optional whether each field may be left out; null if none may */
    private static Map<String, Object> fields(Body body, Map<String, Part> parts, List<Boolean> optional) {
        body.count(parts.size());
        long there = optional == null ? 0 : body.in.readUInt32().longValue();
        Map<String, Object> values = new LinkedHashMap<>();
        int k = 0;
        int bit = 0;
        for (Map.Entry<String, Part> each : parts.entrySet()) {
            boolean isThere = optional == null || !optional.get(k++) || (there >> bit++ & 1) == 1;
            values.put(each.getKey(), isThere ? each.getValue().read(body) : null);
        }
        return values;
    }

    /** One of the fields; null for none. */
    private static Map<String, Object> union(Body body, Map<String, Part> parts) {
        long which = body.in.readUInt32().longValue();
        if (which > parts.size()) {
            throw new UnsupportedOperationException("it has field " + which + " of " + parts.size());
        }
        Map<String, Object> values = new LinkedHashMap<>();
        long k = 0;
        for (Map.Entry<String, Part> each : parts.entrySet()) {
            if (++k == which) {
                values.put(each.getKey(), each.getValue().read(body));
            }
        }
        return which == 0 ? null : values;
    }

    private static Object[] list(Body body, Part element) {
        int length = body.in.readInt32();
        if (length < 0) {
            return null;
        }
        if (length > body.bytes.readableBytes()) {
            throw new UnsupportedOperationException("a list has " + length + " elements in " + body.bytes.readableBytes()
                    + " bytes");
        }
        body.count(length);
        Object[] all = new Object[length];
        for (int k = 0; k < length; k++) {
            all[k] = element.read(body);
        }
        return all;
    }

    /**
     * The fields of a structure by their names: values in Milo's classes, maps for structures, arrays for lists.
     *
     * @throws UnsupportedOperationException if it cannot be read; the message says why
     */
    Object read(ExtensionObject structure, SerializationContext context) {
        String encoding = "the value is a structure (encoding " + structure.getEncodingId().toParseableString() + ")";
        Part part = encodings.get(structure.getEncodingId());
        if (part == null || !(structure.getBody() instanceof ByteString bytes)) {
            throw new UnsupportedOperationException(encoding + " that is not of its node's data type: name the nodes of its "
                    + "parts");
        }
        Body body = new Body(bytes.bytesOrEmpty(), context);
        String why;
        try {
            Object read = part.read(body);
            if (!body.bytes.isReadable()) {
                return read;
            }
            why = body.bytes.readableBytes() + " bytes are left behind its fields";
        } catch (RuntimeException broken) {
            why = broken.getMessage();
        }
        throw new UnsupportedOperationException(encoding + " that cannot be read: " + why + "; name the nodes of its parts");
    }
}
