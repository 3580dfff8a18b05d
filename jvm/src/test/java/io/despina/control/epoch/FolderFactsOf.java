package io.despina.control.epoch;

import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.EpochFacts.Standing;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Writes down what lies in a state folder, for tests. */
final class FolderFactsOf {
    static final String GRAPH = "g";
    static final int BUCKETS = 256;
    static final PlanFacts PLAN = new PlanFacts(GRAPH, BUCKETS, Map.of("x", new PlanFacts.OperatorFacts("scan", 1, List.of())));

    private final List<Claim> claims = new ArrayList<>();
    private final List<EpochFacts> epochs = new ArrayList<>();
    private int attempt;

    FolderFactsOf claimed(int ofAttempt) {
        attempt = ofAttempt;
        claims.add(new Claim(attempt, "c" + attempt, "host", attempt, 0, 5, Map.of(), null));
        return this;
    }

    FolderFactsOf started(int ofAttempt, long from, String savepoint) {
        attempt = ofAttempt;
        claims.add(new Claim(attempt, "c" + attempt, "host", attempt, 0, 5, Map.of(), new Claim.Start(from, savepoint)));
        return this;
    }

    FolderFactsOf started(int ofAttempt, long from) {
        return started(ofAttempt, from, null);
    }

    FolderFactsOf with(long epoch, Standing standing) {
        boolean readable = standing.isWhole() || standing == Standing.FENCED;
        epochs.add(new EpochFacts(epoch, standing, readable ? manifest(attempt, epoch) : null, standing == Standing.COMMITTED,
                standing.isWhole() ? null : "epochs/" + epoch + ".manifest.json: " + standing));
        return this;
    }

    FolderFactsOf marked(long epoch, Standing standing) {
        epochs.add(new EpochFacts(epoch, standing, null, true, "epochs/" + epoch + ".manifest.json: " + standing));
        return this;
    }

    FolderFactsOf with(Manifest manifest, Standing standing) {
        epochs.add(new EpochFacts(manifest.epoch(), standing, manifest, standing == Standing.COMMITTED, null));
        return this;
    }

    /** Its files are damaged, and sink `x` has prepared the epochs that are named. */
    FolderFactsOf rotten(long epoch, boolean marked, Map<String, String> sink) {
        Manifest whole = manifest(attempt, epoch);
        Manifest manifest = new Manifest(Manifest.FORMAT, whole.origin(), attempt, epoch, whole.takenAtMillis(), whole.files(),
                Map.of("x", new Manifest.Operator("scan", List.of(), List.of(instance(Map.of("sink_epochs", sink))))));
        epochs.add(new EpochFacts(epoch, Standing.ROTTEN, manifest, marked, "data/" + epoch + ": ROTTEN"));
        return this;
    }

    /** A query has given so many of its epochs to source `in`. If its files are damaged, no sink has shown a row of it. */
    FolderFactsOf given(long epoch, Standing standing, long last) {
        Manifest.Origin origin = new Manifest.Origin("0.3.0", GRAPH, "d", "p", BUCKETS, 5, Map.of(),
                Map.of("in", Map.of("query", last)));
        Manifest whole = manifest(attempt, epoch);
        Manifest manifest = new Manifest(Manifest.FORMAT, origin, attempt, epoch, whole.takenAtMillis(), whole.files(),
                whole.operators());
        epochs.add(new EpochFacts(epoch, standing, manifest, standing == Standing.COMMITTED,
                standing.isWhole() ? null : "data/" + epoch + ": " + standing));
        return this;
    }

    FolderFacts facts() {
        return new FolderFacts("id", attempt, epochs.isEmpty() ? 0 : epochs.get(epochs.size() - 1).epoch(), claims, epochs);
    }

    static Manifest.Instance instance(Map<String, Map<String, String>> texts) {
        return new Manifest.Instance(List.of(new Manifest.Piece(0, 1)), false, 0, Map.of(), texts, List.of());
    }

    static Manifest.Origin origin(int buckets) {
        return new Manifest.Origin("0.3.0", GRAPH, "d", "p", buckets, 5, Map.of(), Map.of());
    }

    static Manifest manifest(int attempt, long epoch) {
        return new Manifest(Manifest.FORMAT, origin(BUCKETS), attempt, epoch, epoch * 1_000,
                List.of(new Manifest.DataFile(GRAPH + "/data/" + attempt + "/" + epoch + ".r.base", 1, "0")),
                Map.of("x", new Manifest.Operator("scan", List.of(), List.of(instance(Map.of())))));
    }
}
