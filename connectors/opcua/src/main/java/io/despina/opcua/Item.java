package io.despina.opcua;

import org.eclipse.milo.opcua.stack.core.types.builtin.NodeId;

/**
 * A node that is watched.
 *
 * @param name   what stays when a server begins anew, and numbers its namespaces in another order; it has no spaces
 * @param text   its id, as the graph has it, or as the server has it for one that was found by a path
 * @param path   by which it was found; null for one that the graph names
 * @param levels what stands in the path in place of the names of levels; null where there is none
 */
record Item(NodeId node, String name, String text, String path, String[] levels) {
    Item {
        name = name.replace("%", "%25").replace(" ", "%20");
    }
}
