package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Values;

/** A link whose ends have been found. */
record ResolvedLink(int index, Graph.Link link, Graph.Operator from, String fromPort, Graph.Operator to, String toPort) {

    Values fields() {
        return link.fields();
    }

    /** The link's name in reports: its ends as the file writes them. */
    String name() {
        return fields().string("from", "") + "->" + fields().string("to", "");
    }
}
