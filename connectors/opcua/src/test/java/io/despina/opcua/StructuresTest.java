package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.NamespaceTable;
import org.eclipse.milo.opcua.stack.core.channel.EncodingLimits;
import org.eclipse.milo.opcua.stack.core.serialization.OpcUaBinaryStreamEncoder;
import org.eclipse.milo.opcua.stack.core.serialization.SerializationContext;
import org.eclipse.milo.opcua.stack.core.types.DataTypeManager;
import org.eclipse.milo.opcua.stack.core.types.OpcUaDataTypeManager;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned;
import org.eclipse.milo.opcua.stack.core.types.enumerated.StructureType;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumField;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureField;
import org.junit.jupiter.api.Test;

/** Structures of a server that is none. Its types have the numbers of their nodes; values travel under a hundred more. */
class StructuresTest {
    private static final int ENCODING = 100;

    private static final SerializationContext CONTEXT = new SerializationContext() {
        @Override
        public EncodingLimits getEncodingLimits() {
            return EncodingLimits.DEFAULT;
        }

        @Override
        public NamespaceTable getNamespaceTable() {
            return new NamespaceTable();
        }

        @Override
        public DataTypeManager getDataTypeManager() {
            return OpcUaDataTypeManager.getInstance();
        }
    };

    /** Knows types by their numbers. */
    private static final class Server implements Structures.Asked {
        private final Map<NodeId, Object> definitions = new HashMap<>();
        private final Map<NodeId, NodeId> above = new HashMap<>();
        private final List<NodeId> asked = new ArrayList<>();
        private boolean away;

        Server type(int number, StructureType kind, StructureField... fields) {
            definitions.put(id(number), new StructureDefinition(id(number + ENCODING), Identifiers.Structure, kind, fields));
            return this;
        }

        @Override
        public List<NodeId> types(List<NodeId> nodes) {
            return nodes;
        }

        @Override
        public Object definition(NodeId type) throws IOException {
            if (away) {
                throw new IOException("away");
            }
            asked.add(type);
            return definitions.get(type);
        }

        @Override
        public NodeId above(NodeId type) {
            return above.get(type);
        }

        @Override
        public List<NodeId> encodings(NodeId type) {
            return List.of(id((Integer.parseInt(type.getIdentifier().toString())) + ENCODING));
        }
    }

    private final Server server = new Server();
    private final Structures structures = new Structures();

    private static NodeId id(int number) {
        return new NodeId(2, uint(number));
    }

    private static StructureField field(String name, NodeId type, int rank, boolean optional) {
        return new StructureField(name, null, type, rank, null, uint(0), optional);
    }

    private static StructureField field(String name, NodeId type) {
        return field(name, type, -1, false);
    }

    private void learn(int... numbers) throws Exception {
        for (int each : numbers) {
            structures.learn(List.of(new Item(id(each), "n" + each, "n", null, new String[0])), server);
        }
    }

    private String read(int type, Consumer<OpcUaBinaryStreamEncoder> body) {
        ByteBuf bytes = Unpooled.buffer();
        body.accept(new OpcUaBinaryStreamEncoder(CONTEXT).setBuffer(bytes));
        return ValueText.of("v", new ExtensionObject(ByteString.of(ByteBufUtil.getBytes(bytes)), id(type + ENCODING)),
                each -> structures.read(each, CONTEXT));
    }

    private String refused(int type, Consumer<OpcUaBinaryStreamEncoder> body) {
        return assertThrows(UnsupportedOperationException.class, () -> read(type, body)).getMessage();
    }

    @Test
    void theFieldsOfAStructureAreThoseOfAnObject() throws Exception {
        server.definitions.put(id(3), new EnumDefinition(new EnumField[0]));
        server.above.put(id(4), Identifiers.Double);
        server.type(2, StructureType.Structure, field("x", Identifiers.Double), field("y", id(4)));
        server.type(1, StructureType.Structure, field("name", Identifiers.String), field("at", Identifiers.UtcTime),
                field("state", id(3)), field("places", id(2), 1, false), field("none", id(2), 1, false));
        server.above.put(Identifiers.UtcTime, Identifiers.DateTime);
        learn(1, 1);
        assertEquals("{\"v\":{\"name\":\"a\",\"at\":\"2020-01-01T00:00:00Z\",\"state\":7,\"places\":[{\"x\":1.5,\"y\":2.5},"
                + "{\"x\":3.5,\"y\":4.5}],\"none\":null}}", read(1, to -> {
            to.writeString("a");
            to.writeDateTime(new DateTime(132_223_104_000_000_000L));
            to.writeInt32(7);
            to.writeInt32(2);
            List.of(1.5, 2.5, 3.5, 4.5).forEach(to::writeDouble);
            to.writeInt32(-1);
        }));
        assertEquals(5, server.asked.size(), "each type is asked for once");
    }

    @Test
    void theBitsOfANumberAreTheNumber() throws Exception {
        server.definitions.put(id(2), new EnumDefinition(new EnumField[0]));
        server.above.put(id(2), Identifiers.UInt16);
        server.type(1, StructureType.Structure, field("flags", id(2)), field("n", Identifiers.Int16));
        learn(1);
        assertEquals("{\"v\":{\"flags\":32769,\"n\":-5}}", read(1, to -> {
            to.writeUInt16(Unsigned.ushort(32_769));
            to.writeInt16((short) -5);
        }));
    }

    @Test
    void aFieldMayBeLeftOutAndAUnionHasOne() throws Exception {
        server.type(1, StructureType.StructureWithOptionalFields, field("a", Identifiers.Int32, -1, true),
                field("b", Identifiers.Int32), field("c", Identifiers.Int32, -1, true));
        server.type(2, StructureType.Union, field("d", Identifiers.Int32), field("e", Identifiers.String));
        learn(1, 2);
        assertEquals("{\"v\":{\"a\":null,\"b\":5,\"c\":6}}", read(1, to -> {
            to.writeUInt32(uint(2));
            to.writeInt32(5);
            to.writeInt32(6);
        }));
        assertEquals("{\"v\":{\"e\":\"x\"}}", read(2, to -> {
            to.writeUInt32(uint(2));
            to.writeString("x");
        }));
        assertEquals("{\"v\":null}", read(2, to -> to.writeUInt32(uint(0))));
        assertTrue(refused(2, to -> to.writeUInt32(uint(9))).contains("it has field 9 of 2"));
    }

    @Test
    void whatCannotBeReadIsSaid() throws Exception {
        server.type(1, StructureType.Structure, field("n", Identifiers.Int32));
        server.type(2, StructureType.Structure, field("m", Identifiers.Int32, 2, false));
        server.type(3, StructureType.Structure, field("own", id(3)));
        server.type(4, StructureType.Structure, field("l", id(4), 1, false));
        server.type(6, StructureType.Structure, field(null, Identifiers.Int32));
        server.type(8, StructureType.StructureWithOptionalFields, IntStream.range(0, 1_100).mapToObj(k -> field("f" + k,
                Identifiers.Int32, -1, true)).toArray(StructureField[]::new));
        server.type(9, StructureType.Structure, field("l", id(8), 1, false));
        learn(1, 2, 3, 4, 5, 6, 9);
        assertEquals("the value is a structure (encoding ns=2;i=110) that is not of its node's data type: name the nodes of its "
                + "parts", refused(10, to -> to.writeInt32(1)));
        assertTrue(refused(5, to -> to.writeInt32(1)).contains("that cannot be read: the server does not say what is in the type "
                + "ns=2;i=5 (DataTypeDefinition); name the nodes of its parts"));
        assertTrue(refused(1, to -> { }).startsWith("the value is a structure (encoding ns=2;i=101) that cannot be read: "));
        assertTrue(refused(1, to -> {
            to.writeInt32(1);
            to.writeInt32(1);
        }).contains("4 bytes are left behind its fields"));
        assertTrue(refused(2, to -> to.writeInt32(1)).contains("`m` has more dimensions than one"));
        assertTrue(refused(3, to -> { }).contains("more than 64 structures within each other"));
        assertTrue(refused(4, to -> to.writeInt32(1 << 30)).contains("a list has 1073741824 elements in 0 bytes"));
        assertTrue(refused(6, to -> to.writeInt32(1)).contains("one of its fields has no name"));
        assertTrue(refused(9, to -> {
            to.writeInt32(1_000);
            IntStream.range(0, 1_000).forEach(any -> to.writeUInt32(uint(0)));
        }).contains("it has more than 1048576 values"));
    }

    @Test
    void aTypeThatAServerCouldNotSayIsAskedForAgain() throws Exception {
        server.type(1, StructureType.Structure, field("n", Identifiers.Int32));
        server.away = true;
        assertThrows(IOException.class, () -> learn(1));
        server.away = false;
        learn(1);
        assertEquals("{\"v\":{\"n\":1}}", read(1, to -> to.writeInt32(1)));
    }
}
