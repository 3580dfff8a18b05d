package io.despina.control.folder;

import io.despina.control.protocol.Refusal;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.SnapshotStores;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The state folders at an address.
 *
 * @param all at least one, in the order of their graphs
 */
record StateFolders(String address, List<GraphFolder> all) {
    static final String RULE = "state";
    static final String IDENTITY = "folder.json";

    StateFolders {
        all = List.copyOf(all);
    }

    /**
     * Finds them.
     *
     * @param given  what a run had as its {@code state}, or the folder of one graph in it: an absolute path or a URI
     * @param hadoop Hadoop's settings
     * @throws Refusal if there is none
     */
    static StateFolders at(String given, Map<String, String> hadoop) throws Refusal {
        try {
            StateFolders found = find(given, hadoop);
            if (found == null) {
                throw new Refusal(RULE, given + " is no state folder: no folder in it has a " + IDENTITY,
                        "give the folder that a run had as its state");
            }
            return found;
        } catch (IOException unreadable) {
            throw refused(unreadable);
        }
    }

    /** Whether there is one. */
    static boolean areAt(String given, Map<String, String> hadoop) throws IOException {
        return find(given, hadoop) != null;
    }

    private static StateFolders find(String given, Map<String, String> hadoop) throws IOException {
        String address = given.replaceFirst("/+$", "");
        SnapshotStore store = SnapshotStores.at(address, hadoop);
        if (store.exists(IDENTITY)) {
            int slash = address.lastIndexOf('/');
            SnapshotStore above = SnapshotStores.at(address.substring(0, slash), hadoop);
            return new StateFolders(address.substring(0, slash), List.of(folder(above, address.substring(slash + 1))));
        }
        List<GraphFolder> all = store.list("").stream().filter(name -> isState(store, name)).map(name -> folder(store, name))
                .sorted(Comparator.comparing(GraphFolder::graph)).toList();
        return all.isEmpty() ? null : new StateFolders(address, all);
    }

    private static boolean isState(SnapshotStore store, String name) {
        try {
            return store.exists(name + "/" + IDENTITY);
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** Of a graph whose name has other characters than letters, digits, dot, dash and underline they are written as in a URL. */
    private static GraphFolder folder(SnapshotStore store, String name) {
        String graph = name.equals("%") ? "" : URLDecoder.decode(name.replace("+", "%2B"), StandardCharsets.UTF_8);
        return new GraphFolder(graph, name + "/", store);
    }

    /** All, or that of one graph. @param graph null for all */
    List<GraphFolder> of(String graph) throws Refusal {
        List<GraphFolder> found = all.stream().filter(each -> graph == null || each.graph().equals(graph)).toList();
        if (found.isEmpty()) {
            throw new Refusal(RULE, address + " has no state of graph `" + graph + "`", "there is " + graphs());
        }
        return found;
    }

    String graphs() {
        return all.stream().map(each -> "`" + each.graph() + "`").collect(Collectors.joining(", "));
    }

    /** What the file system, or what lies in it, says against it. */
    static Refusal refused(IOException problem) {
        boolean denied = problem instanceof AccessDeniedException;
        return new Refusal(RULE, denied ? problem.getMessage() + ": this user may not read it" : problem.getMessage(),
                denied ? "run the command as the user of the job" : null);
    }
}
