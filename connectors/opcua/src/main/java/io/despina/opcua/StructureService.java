package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.serialization.OpcUaBinaryStreamDecoder;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.UInteger;
import org.eclipse.milo.opcua.stack.core.types.enumerated.BrowseDirection;
import org.eclipse.milo.opcua.stack.core.types.enumerated.StructureType;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.EnumField;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.ReferenceDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureDefinition;
import org.eclipse.milo.opcua.stack.core.types.structured.StructureField;
import org.eclipse.milo.opcua.stack.core.types.structured.ViewDescription;

/** Asks a server what its structures are. */
record StructureService(Link link) implements Structures.Asked {
    private static final ViewDescription ALL = new ViewDescription(NodeId.NULL_VALUE, DateTime.MIN_VALUE, uint(0));
    /** The attribute DataTypeDefinition, which Milo 0.6 does not name. */
    static final UInteger DEFINITION = uint(23);
    private static final NodeId STRUCTURE = new NodeId(0, 122);
    private static final NodeId ENUM = new NodeId(0, 123);
    /** Most have three encodings; a type has one above it. */
    private static final int REFERENCES = 100;

    @Override
    public List<NodeId> types(List<NodeId> nodes) throws IOException, InterruptedException {
        return read(nodes, AttributeId.DataType.uid()).stream().map(each -> each.getValue().getValue() instanceof NodeId type
                ? type : null).toList();
    }

    private List<DataValue> read(List<NodeId> nodes, UInteger which) throws IOException, InterruptedException {
        return new Batches().ask(nodes, some -> link.ask(ReadResponse.class, header -> new ReadRequest(header, 0.0,
                TimestampsToReturn.Neither, some.stream().map(each -> new ReadValueId(each, which, null,
                QualifiedName.NULL_VALUE)).toArray(ReadValueId[]::new))).getResults());
    }

    @Override
    public Object definition(NodeId type) throws IOException, InterruptedException {
        Object found;
        try {
            found = read(List.of(type), DEFINITION).get(0).getValue().getValue();
        } catch (FaultException unknown) {
            return null;        // an attribute of 1.04: older servers may answer anything
        }
        if (!(found instanceof ExtensionObject object) || !(object.getBody() instanceof ByteString bytes)) {
            return null;
        }
        return object.getEncodingId().equals(STRUCTURE) ? structure(bytes) : object.getEncodingId().equals(ENUM)
                ? new EnumDefinition(new EnumField[0]) : null;
    }

    /** Part 6, 5.2; Milo knows the class, and has no reader of it. Null if it is none. */
    private StructureDefinition structure(ByteString bytes) {
        ByteBuf body = Unpooled.wrappedBuffer(bytes.bytesOrEmpty());
        OpcUaBinaryStreamDecoder in = new OpcUaBinaryStreamDecoder(link.context()).setBuffer(body);
        try {
            NodeId encoding = in.readNodeId();
            NodeId base = in.readNodeId();
            StructureType kind = StructureType.from(in.readInt32());
            int count = Math.max(0, in.readInt32());
            if (count > body.readableBytes()) {
                return null;
            }
            StructureField[] fields = new StructureField[count];
            for (int k = 0; k < count; k++) {
                fields[k] = new StructureField(in.readString(), in.readLocalizedText(), in.readNodeId(), in.readInt32(),
                        in.readUInt32Array(null), in.readUInt32(), in.readBoolean());
            }
            return new StructureDefinition(encoding, base, kind, fields);
        } catch (RuntimeException none) {
            return null;
        }
    }

    @Override
    public NodeId above(NodeId type) throws IOException, InterruptedException {
        return references(type, Identifiers.HasSubtype, BrowseDirection.Inverse).stream().findFirst().orElse(null);
    }

    @Override
    public List<NodeId> encodings(NodeId type) throws IOException, InterruptedException {
        return references(type, Identifiers.HasEncoding, BrowseDirection.Forward);
    }

    private List<NodeId> references(NodeId from, NodeId kind, BrowseDirection direction) throws IOException,
            InterruptedException {
        ReferenceDescription[] found = Batches.only(link.ask(BrowseResponse.class, header -> new BrowseRequest(header, ALL,
                uint(REFERENCES), new BrowseDescription[] {new BrowseDescription(from, direction, kind, true, uint(0), uint(0))}))
                .getResults()).getReferences();
        return Stream.of(found == null ? new ReferenceDescription[0] : found)
                .map(each -> each.getNodeId().toNodeId(link.namespaces()).orElse(null)).filter(Objects::nonNull).toList();
    }
}
