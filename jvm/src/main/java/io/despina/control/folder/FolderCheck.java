package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.json.Json;
import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Pin;
import io.despina.snapshot.RestoredStates;
import io.despina.state.Sections;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Reads every byte that a state folder's manifests name, and says what is damaged. */
final class FolderCheck {
    private final GraphFolder folder;
    private final ArrayNode problems;
    private long bytes;
    private int whole;

    private FolderCheck(GraphFolder folder, ArrayNode problems) {
        this.folder = folder;
        this.problems = problems;
    }

    static ObjectNode of(StateFolders folders, List<GraphFolder> wanted) {
        ObjectNode answer = Json.object().put("folder", folders.address());
        ArrayNode graphs = answer.putArray("graphs");
        for (GraphFolder each : wanted) {
            ObjectNode graph = graphs.addObject().put("graph", each.graph());
            FolderCheck check = new FolderCheck(each, graph.putArray("problems"));
            try {
                check.all();
            } catch (IOException unreadable) {
                check.found(0, unreadable.getMessage());
            }
            graph.put("whole_epochs", check.whole).put("bytes", check.bytes);
        }
        return answer;
    }

    private void all() throws IOException {
        FolderFacts facts = folder.state().facts();
        TreeSet<Integer> claimed = new TreeSet<>(facts.claims().stream().map(Claim::attempt).toList());
        for (String name : folder.store().list(folder.path() + "attempts")) {
            if (name.matches("[0-9]{1,9}[.]json") && !claimed.contains(Integer.valueOf(name.substring(0, name.indexOf('.'))))) {
                found(0, folder.path() + "attempts/" + name + ": damaged, or cut short");
            }
        }
        for (EpochFacts epoch : facts.epochs()) {
            if (epoch.standing() == EpochFacts.Standing.HALF || epoch.standing() == EpochFacts.Standing.ROTTEN) {
                found(epoch.epoch(), epoch.problem());
            } else if (epoch.manifest() != null) {
                Pin pinned = folder.state().pin(epoch.epoch(), Pin.OF_PROCESS);
                try (pinned) {
                    verify(epoch);
                }
            }
        }
    }

    private void verify(EpochFacts epoch) throws IOException {
        if (!folder.store().exists(folder.state().paths().manifest(epoch.epoch()))) {
            return;     // a job that runs has collected it meanwhile
        }
        RestoredStates states = new RestoredStates(folder.store(), epoch.manifest());
        boolean damaged = false;
        for (Map.Entry<String, Manifest.Operator> each : epoch.manifest().operators().entrySet()) {
            try {
                read(states.of(each.getKey()), each.getValue());
            } catch (IOException problem) {
                damaged = true;
                found(epoch.epoch(), problem.getMessage());
            }
        }
        bytes += epoch.manifest().files().stream().mapToLong(Manifest.DataFile::length).sum();
        whole += !damaged && epoch.standing().isWhole() ? 1 : 0;
    }

    /** The first section of a file has the whole file verified. */
    private static void read(List<Sections> instances, Manifest.Operator operator) throws IOException {
        for (int k = 0; k < instances.size(); k++) {
            if (!operator.instances().get(k).chain().isEmpty()) {
                for (Manifest.StateType state : operator.states()) {
                    for (int piece = 0; piece < instances.get(k).pieces(); piece++) {
                        try (InputStream in = instances.get(k).section(state.name(), piece)) {
                            in.transferTo(OutputStream.nullOutputStream());
                        }
                    }
                }
            }
        }
    }

    private void found(long epoch, String problem) {
        for (int k = 0; k < problems.size(); k++) {
            if (problems.get(k).path("problem").asText().equals(problem)) {
                return;     // of the same file
            }
        }
        ObjectNode one = problems.addObject().put("problem", problem);
        if (epoch > 0) {
            one.put("epoch", epoch);
        }
    }
}
