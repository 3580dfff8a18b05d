package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.milo.opcua.sdk.core.AccessLevel;
import org.eclipse.milo.opcua.sdk.core.Reference;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.api.DataItem;
import org.eclipse.milo.opcua.sdk.server.api.ManagedNamespaceWithLifecycle;
import org.eclipse.milo.opcua.sdk.server.api.MonitoredItem;
import org.eclipse.milo.opcua.sdk.server.nodes.UaDataTypeNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaFolderNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaObjectNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaVariableNode;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.StatusCodes;
import org.eclipse.milo.opcua.stack.core.serialization.OpcUaBinaryStreamEncoder;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExtensionObject;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryData;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadDetails;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadResult;
import org.eclipse.milo.opcua.stack.core.types.structured.HistoryReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRawModifiedDetails;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;

/** The plant's nodes. What they have is not sampled: whoever sets a value gives it to all clients at once. */
final class Plant extends ManagedNamespaceWithLifecycle {
    static final String URI = "urn:despina:plant:nodes";
    private static final String POSE = "Pose";

    private final Map<String, UaFolderNode> folders = new ConcurrentHashMap<>();
    private final Map<NodeId, UaVariableNode> variables = new ConcurrentHashMap<>();
    private final List<DataItem> items = new CopyOnWriteArrayList<>();
    /** All that a node has had, but for those whose names end with State. */
    private final Map<NodeId, List<DataValue>> past = new ConcurrentHashMap<>();
    private volatile Runnable watched = () -> { };

    Plant(OpcUaServer server) {
        super(server, URI);
        getLifecycleManager().addStartupTask(this::make);
    }

    private void make() {
        UaFolderNode plant = folder("Plant");
        plant.addReference(new Reference(plant.getNodeId(), Identifiers.Organizes, Identifiers.ObjectsFolder.expanded(), false));
        for (String line : List.of("line1", "line2")) {
            UaFolderNode here = folder(line);
            plant.addOrganizes(here);
            for (String device : List.of("pump", "oven")) {
                UaFolderNode there = folder(line + "." + device);
                here.addOrganizes(there);
                there.addOrganizes(variable(line + "." + device + ".Temperature", Identifiers.Double, 20.0));
                there.addOrganizes(variable(line + "." + device + ".State", Identifiers.String, "idle"));
            }
            // and round in a circle
            here.addReference(new Reference(here.getNodeId(), Identifiers.Organizes, plant.getNodeId().expanded(), true));
        }
        makePose();
    }

    /** A variable whose values are structures. */
    private void makePose() {
        UaDataTypeNode type = new UaDataTypeNode(getNodeContext(), newNodeId(POSE), newQualifiedName(POSE),
                LocalizedText.english(POSE), null, uint(0), uint(0), false);
        UaObjectNode encoding = new UaObjectNode(getNodeContext(), newNodeId(POSE + ".Binary"),
                newQualifiedName("Default Binary"), LocalizedText.english("Default Binary"));
        getNodeManager().addNode(type);
        getNodeManager().addNode(encoding);
        type.addReference(new Reference(type.getNodeId(), Identifiers.HasEncoding, encoding.getNodeId().expanded(), true));
        folders.get("line1").addOrganizes(variable("line1." + POSE, type.getNodeId(), pose(1, 2)));
    }

    /** Two numbers. */
    ExtensionObject pose(double x, double y) {
        return new ExtensionObject(ByteString.of(ByteBuffer.allocate(2 * Double.BYTES).order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(x).putDouble(y).array()), newNodeId(POSE + ".Binary"));
    }

    /** Milo's nodes have no definitions of types. */
    @Override
    public void read(ReadContext context, Double age, TimestampsToReturn times, List<ReadValueId> which) {
        if (which.size() == 1 && which.get(0).getNodeId().equals(newNodeId(POSE))
                && which.get(0).getAttributeId().equals(StructureService.DEFINITION)) {
            context.success(List.of(new DataValue(new Variant(new ExtensionObject(ByteString.of(definition()),
                    new NodeId(0, 122))))));
        } else {
            super.read(context, age, times, which);
        }
    }

    private byte[] definition() {
        ByteBuf bytes = Unpooled.buffer();
        OpcUaBinaryStreamEncoder to = new OpcUaBinaryStreamEncoder(getServer().getSerializationContext()).setBuffer(bytes);
        to.writeNodeId(newNodeId(POSE + ".Binary"));
        to.writeNodeId(Identifiers.Structure);
        to.writeInt32(0);
        to.writeInt32(2);
        for (String name : List.of("x", "y")) {
            to.writeString(name);
            to.writeLocalizedText(LocalizedText.english(name));
            to.writeNodeId(Identifiers.Double);
            to.writeInt32(-1);
            to.writeInt32(-1);      // no dimensions
            to.writeUInt32(uint(0));
            to.writeBoolean(false);
        }
        return ByteBufUtil.getBytes(bytes);
    }

    private UaFolderNode folder(String name) {
        UaFolderNode made = new UaFolderNode(getNodeContext(), newNodeId(name), newQualifiedName(last(name)),
                LocalizedText.english(last(name)));
        getNodeManager().addNode(made);
        folders.put(name, made);
        return made;
    }

    private UaNode variable(String name, NodeId type, Object value) {
        UaVariableNode made = UaVariableNode.build(getNodeContext(), node -> node.setNodeId(newNodeId(name))
                .setBrowseName(newQualifiedName(last(name))).setDisplayName(LocalizedText.english(last(name))).setDataType(type)
                .setTypeDefinition(Identifiers.BaseDataVariableType).setUserAccessLevel(name.endsWith("State")
                        ? AccessLevel.READ_ONLY : Set.of(AccessLevel.CurrentRead, AccessLevel.HistoryRead)).buildAndAdd());
        made.setValue(new DataValue(new Variant(value), StatusCode.GOOD, DateTime.now(), DateTime.now()));
        variables.put(made.getNodeId(), made);
        return made;
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Makes another variable below a device. */
    void add(String device, String name) {
        folders.get(device).addOrganizes(variable(device + "." + name, Identifiers.Double, 1.0));
    }

    void set(String name, DataValue value) {
        NodeId node = newNodeId(name);
        variables.get(node).setValue(value);
        if (!name.endsWith("State")) {
            past.computeIfAbsent(node, any -> new CopyOnWriteArrayList<>()).add(value);
        }
        items.stream().filter(each -> each.getReadValueId().getNodeId().equals(node)).forEach(each -> each.setValue(value));
    }

    /** A page has two values, so that those who read must go on. */
    @Override
    public void historyRead(HistoryReadContext context, HistoryReadDetails details, TimestampsToReturn times,
            List<HistoryReadValueId> nodes) {
        ReadRawModifiedDetails which = (ReadRawModifiedDetails) details;
        context.success(nodes.stream().map(each -> page(each, which)).toList());
    }

    private HistoryReadResult page(HistoryReadValueId of, ReadRawModifiedDetails which) {
        if (!past.containsKey(of.getNodeId())) {
            return new HistoryReadResult(new StatusCode(StatusCodes.Bad_HistoryOperationUnsupported), null, null);
        }
        List<DataValue> all = past.get(of.getNodeId()).stream().filter(each ->
                each.getSourceTime().getUtcTime() >= which.getStartTime().getUtcTime()
                && each.getSourceTime().getUtcTime() < which.getEndTime().getUtcTime()).toList();
        int from = of.getContinuationPoint().isNullOrEmpty() ? 0 : ByteBuffer.wrap(of.getContinuationPoint().bytes()).getInt();
        int to = Math.min(from + 2, all.size());
        return new HistoryReadResult(StatusCode.GOOD, to == all.size() ? null
                : ByteString.of(ByteBuffer.allocate(Integer.BYTES).putInt(to).array()),
                ExtensionObject.encode(getServer().getSerializationContext(), new HistoryData(all.subList(from, to)
                        .toArray(DataValue[]::new))));
    }

    @Override
    public void onDataItemsCreated(List<DataItem> created) {
        created.forEach(each -> each.setValue(variables.get(each.getReadValueId().getNodeId()).getValue()));
        items.addAll(created);
        watched.run();
    }

    /** Runs that whenever a client has nodes watched, before it is told so. */
    void whenWatched(Runnable then) {
        watched = then;
    }

    @Override
    public void onDataItemsModified(List<DataItem> modified) {
        // nothing is sampled
    }

    @Override
    public void onDataItemsDeleted(List<DataItem> deleted) {
        items.removeAll(deleted);
    }

    @Override
    public void onMonitoringModeChanged(List<MonitoredItem> changed) {
        // likewise
    }
}
