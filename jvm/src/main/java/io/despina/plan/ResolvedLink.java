package io.despina.plan;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Values;

/** A link with its ends resolved. */
record ResolvedLink(int index, Graph.Link link, Graph.Operator from, String fromPort, Graph.Operator to, String toPort) {

    Values fields() {
        return link.fields();
    }

    /** The link's name in reports: its ends as in the file. */
    String name() {
        return fields().string("from", "") + "->" + fields().string("to", "");
    }
}
