package io.despina.opcua;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.milo.opcua.sdk.core.Reference;
import org.eclipse.milo.opcua.sdk.server.OpcUaServer;
import org.eclipse.milo.opcua.sdk.server.api.DataItem;
import org.eclipse.milo.opcua.sdk.server.api.ManagedNamespaceWithLifecycle;
import org.eclipse.milo.opcua.sdk.server.api.MonitoredItem;
import org.eclipse.milo.opcua.sdk.server.nodes.UaFolderNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaNode;
import org.eclipse.milo.opcua.sdk.server.nodes.UaVariableNode;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.LocalizedText;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;

/** The plant's nodes. What they have is not sampled: whoever sets a value gives it to all clients at once. */
final class Plant extends ManagedNamespaceWithLifecycle {
    static final String URI = "urn:despina:plant:nodes";

    private final Map<String, UaFolderNode> folders = new ConcurrentHashMap<>();
    private final Map<NodeId, UaVariableNode> variables = new ConcurrentHashMap<>();
    private final List<DataItem> items = new CopyOnWriteArrayList<>();
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
                .setTypeDefinition(Identifiers.BaseDataVariableType).buildAndAdd());
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
        items.stream().filter(each -> each.getReadValueId().getNodeId().equals(node)).forEach(each -> each.setValue(value));
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
