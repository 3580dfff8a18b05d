package io.despina.control.folder;

import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;

/**
 * The state folder of one graph.
 *
 * @param path in the store, with a slash at its end
 */
record GraphFolder(String graph, String path, SnapshotStore store) {

    StateFolder state() {
        return StateFolder.at(store, graph);
    }
}
