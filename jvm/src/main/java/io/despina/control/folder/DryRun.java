package io.despina.control.folder;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.PlanStates;
import io.despina.control.epoch.RestoreWish;
import io.despina.control.epoch.Succession;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Place;
import io.despina.descriptor.Severity;
import io.despina.json.Json;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.SnapshotStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What would become of what an epoch or a savepoint has, if a graph went on from it. Reads manifests alone, and starts nothing.
 *
 * @param from  the epoch or the savepoint, in words
 * @param fates by operator of the manifest, then those that are new
 */
public record DryRun(String from, List<Succession> fates) {
    private static final String MANIFEST = "manifest.json";

    public DryRun {
        fates = List.copyOf(fates);
    }

    /**
     * Tries it.
     *
     * @param address absolute path or URI of a state folder, of the folder of the graph in it, or of a savepoint
     * @param changes what the user said of operators that are not as they were
     * @throws Refusal if nothing there can be gone on from
     */
    public static DryRun of(JobPlan planned, String address, RestoreWish.Changes changes) throws Refusal {
        try {
            SnapshotStore store = SnapshotStores.at(address, Map.of());
            if (store.exists(MANIFEST)) {
                return of(planned, Savepoint.read(store), Succession.Base.SAVEPOINT, "the savepoint", changes);
            }
            if (!StateFolders.areAt(address, Map.of())) {
                throw new Refusal(StateFolders.RULE, address + " is neither a savepoint nor a state folder: it has no " + MANIFEST
                        + ", and no folder in it has a " + StateFolders.IDENTITY,
                        "name the folder that `despina savepoint` has written, or the one that a run had as its state");
            }
            EpochFacts epoch = newest(StateFolders.at(address, Map.of()).of(planned.plan().name()).get(0));
            return of(planned, epoch.manifest(), epoch.standing() == EpochFacts.Standing.COMMITTED ? Succession.Base.COMMITTED
                    : Succession.Base.COMMITTING, "epoch " + epoch.epoch(), changes);
        } catch (IOException unreadable) {
            throw StateFolders.refused(unreadable);
        }
    }

    private static DryRun of(JobPlan planned, Manifest manifest, Succession.Base base, String from,
            RestoreWish.Changes changes) {
        return new DryRun(from, Succession.of(manifest, base, PlanStates.of(planned), changes));
    }

    /** The newest epoch that is whole. */
    static EpochFacts newest(GraphFolder folder) throws IOException, Refusal {
        return folder.state().facts().epochs().stream().filter(each -> each.standing().isWhole())
                .max(Comparator.comparingLong(EpochFacts::epoch)).orElseThrow(() -> new Refusal(StateFolders.RULE,
                        "the state of graph `" + folder.graph() + "` has no whole epoch", "`despina state check` says why"));
    }

    /** An error for each operator that cannot go on, at its place if the graph has it. */
    public List<Diagnostic> refusals(Graph graph) {
        List<Diagnostic> all = new ArrayList<>();
        for (Succession each : fates) {
            if (each.refusal() != null) {
                Place place = graph.operators().stream().filter(written -> written.id().equals(each.operator()))
                        .map(Graph.Operator::place).findFirst().orElse(new Place(0, 1, 1, ""));
                all.add(new Diagnostic(graph.file(), place, Severity.ERROR, StateFolders.RULE, each.words(), null));
            }
        }
        return all;
    }

    /** {@code {"from", "operators": [{"operator", "fate": kept | renamed | new | dropped | refused, "words"}]}}. */
    public ObjectNode json() {
        ObjectNode answer = Json.object().put("from", from);
        ArrayNode operators = answer.putArray("operators");
        fates.forEach(each -> operators.addObject().put("operator", each.operator())
                .put("fate", each.fate().name().toLowerCase(Locale.ROOT)).put("words", each.words()));
        return answer;
    }
}
