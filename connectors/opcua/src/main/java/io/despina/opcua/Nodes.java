package io.despina.opcua;

import static org.eclipse.milo.opcua.stack.core.types.builtin.unsigned.Unsigned.uint;

import io.despina.connect.ConnectorSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.milo.opcua.stack.core.AttributeId;
import org.eclipse.milo.opcua.stack.core.Identifiers;
import org.eclipse.milo.opcua.stack.core.types.builtin.ByteString;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.ExpandedNodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;
import org.eclipse.milo.opcua.stack.core.types.builtin.QualifiedName;
import org.eclipse.milo.opcua.stack.core.types.enumerated.BrowseDirection;
import org.eclipse.milo.opcua.stack.core.types.enumerated.BrowseResultMask;
import org.eclipse.milo.opcua.stack.core.types.enumerated.NodeClass;
import org.eclipse.milo.opcua.stack.core.types.enumerated.TimestampsToReturn;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseNextRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseNextResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.BrowseResult;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadRequest;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadResponse;
import org.eclipse.milo.opcua.stack.core.types.structured.ReadValueId;
import org.eclipse.milo.opcua.stack.core.types.structured.ReferenceDescription;
import org.eclipse.milo.opcua.stack.core.types.structured.ViewDescription;

/** Finds the variables that a graph names, by their ids and by paths. It reads no value. */
final class Nodes {
    private static final int CLASSES = NodeClass.Object.getValue() | NodeClass.Variable.getValue();
    private static final int RESULTS = BrowseResultMask.NodeClass.getValue() | BrowseResultMask.BrowseName.getValue();
    private static final ViewDescription ALL = new ViewDescription(NodeId.NULL_VALUE, DateTime.MIN_VALUE, uint(0));

    /**
     * What was found.
     *
     * @param missing what the graph names and is not there, each with why
     */
    record Found(List<Item> items, List<String> missing) {
    }

    /** A node on the way down a path. @param at where that is in the path */
    private record Step(NodeId node, List<String> names, long at) {
    }

    private final List<String> written;
    private final List<String> levels;
    private final Link link;
    private final Batches batches = new Batches();
    private final Branches branches;
    private final Map<NodeId, Item> items = new LinkedHashMap<>();
    private final List<String> missing = new ArrayList<>();

    private Nodes(ConnectorSettings settings, Link link) {
        written = settings.texts("nodes");
        levels = settings.texts("levels");
        this.link = link;
        branches = new Branches(new Browsing(link));
    }

    /** Asks the server for all of them. Blocks. */
    static Found find(ConnectorSettings settings, Link link) throws IOException, InterruptedException {
        Nodes nodes = new Nodes(settings, link);
        nodes.findNamed();
        for (String each : nodes.written) {
            if (each.startsWith("/")) {
                nodes.findBelow(each);
            }
        }
        return new Found(List.copyOf(nodes.items.values()), nodes.missing);
    }

    private void findNamed() throws IOException, InterruptedException {
        List<Item> named = new ArrayList<>();
        for (String each : written) {
            if (!each.startsWith("/")) {
                ExpandedNodeId.parse(each).toNodeId(link.namespaces()).ifPresentOrElse(
                        node -> named.add(new Item(node, each, each, null, new String[levels.size()])),
                        () -> missing.add(each + " (the server has no such namespace)"));
            }
        }
        List<DataValue> classes = batches.ask(named, some -> link.ask(ReadResponse.class, header -> new ReadRequest(header, 0.0,
                TimestampsToReturn.Neither, some.stream().map(each -> new ReadValueId(each.node(),
                AttributeId.NodeClass.uid(), null, QualifiedName.NULL_VALUE)).toArray(ReadValueId[]::new))).getResults());
        for (int k = 0; k < named.size(); k++) {
            String problem = problem(classes.get(k));
            if (problem == null) {
                items.putIfAbsent(named.get(k).node(), named.get(k));
            } else {
                missing.add(named.get(k).text() + " (" + problem + ")");
            }
        }
    }

    private static String problem(DataValue nodeClass) {
        if (nodeClass.getStatusCode() != null && !nodeClass.getStatusCode().isGood()) {
            return Words.name(nodeClass.getStatusCode());
        }
        return Integer.valueOf(NodeClass.Variable.getValue()).equals(nodeClass.getValue().getValue()) ? null
                : "it is no variable";
    }

    /** Goes down from the Objects folder, a level of all branches at a time. */
    private void findBelow(String text) throws IOException, InterruptedException {
        NodePath path = new NodePath(text);
        Set<Step> seen = new HashSet<>();
        List<Step> steps = List.of(new Step(Identifiers.ObjectsFolder, List.of(), path.start()));
        boolean found = false;
        while (!steps.isEmpty()) {
            List<Step> below = new ArrayList<>();
            List<List<ReferenceDescription>> references = branches.below(steps.stream().map(Step::node).toList());
            for (int k = 0; k < steps.size(); k++) {
                for (ReferenceDescription each : references.get(k)) {
                    Step next = step(path, steps.get(k), each);
                    if (next == null) {
                        continue;
                    }
                    if (path.isEnd(next.at) && each.getNodeClass() == NodeClass.Variable) {
                        found = true;
                        items.putIfAbsent(next.node, item(next, path));
                    }
                    // a node that has been here by another way is not gone down again: references may go in circles
                    if (path.goesOn(next.at) && seen.add(new Step(next.node, List.of(), next.at))) {
                        below.add(next);
                    }
                }
            }
            steps = below;
        }
        if (!found) {
            missing.add(text + " (no variable is there)");
        }
    }

    /** Two nodes may have one path, for namespaces of names do not count there. */
    private Item item(Step step, NodePath path) {
        NodeId node = step.node;
        String way = "/" + String.join("/", step.names);
        return new Item(node, way + " " + link.namespaces().getUri(node.getNamespaceIndex()) + " " + node.getIdentifier(),
                node.toParseableString(), way, path.named(step.names, levels));
    }

    /** Null for a node that the path does not mean, or that another server has. */
    private Step step(NodePath path, Step from, ReferenceDescription to) {
        String name = String.valueOf(to.getBrowseName().getName());
        long at = path.after(from.at, name);
        NodeId node = at == 0 ? null : to.getNodeId().toNodeId(link.namespaces()).orElse(null);
        if (node == null) {
            return null;
        }
        List<String> names = new ArrayList<>(from.names);
        names.add(name);
        return new Step(node, names, at);
    }

    /** Asks the server what is below nodes. */
    private record Browsing(Link link) implements Branches.Asked {
        @Override
        public BrowseResult[] below(List<NodeId> nodes) throws IOException, InterruptedException {
            return link.ask(BrowseResponse.class, header -> new BrowseRequest(header, ALL, uint(0), nodes.stream()
                    .map(each -> new BrowseDescription(each, BrowseDirection.Forward, Identifiers.HierarchicalReferences, true,
                    uint(CLASSES), uint(RESULTS))).toArray(BrowseDescription[]::new))).getResults();
        }

        @Override
        public BrowseResult[] more(ByteString point) throws IOException, InterruptedException {
            return link.ask(BrowseNextResponse.class, header -> new BrowseNextRequest(header, false, new ByteString[] {point}))
                    .getResults();
        }
    }
}
