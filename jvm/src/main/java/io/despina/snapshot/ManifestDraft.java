package io.despina.snapshot;

import io.despina.state.SnapshotException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the manifest of an epoch from what its resources have written and said. */
public final class ManifestDraft {
    private final Manifest.Origin origin;
    private final int attempt;
    private final long epoch;
    private final List<Manifest.DataFile> files = new ArrayList<>();
    private final Map<String, List<Manifest.StateType>> states = new HashMap<>();
    private final Map<String, TreeMap<Integer, Manifest.Instance>> instances = new TreeMap<>();
    /** By operator and instance: what a file has of it. */
    private final Map<String, Map<Integer, Located>> located = new HashMap<>();

    /** By operator whose buckets have moved. */
    private final Map<String, String> buckets;

    private record Located(List<Manifest.Piece> chain, Map<String, Map<String, String>> texts) {
    }

    /** @param buckets by operator whose buckets have moved, which instance has which, as in {@link Manifest.Operator} */
    public ManifestDraft(Manifest.Origin origin, int attempt, long epoch, Map<String, String> buckets) {
        this.origin = origin;
        this.buckets = buckets;
        this.attempt = attempt;
        this.epoch = epoch;
    }

    /** The same, where none has moved. */
    public ManifestDraft(Manifest.Origin origin, int attempt, long epoch) {
        this(origin, attempt, epoch, Map.of());
    }

    /** The file of a resource, and those that it goes on from. */
    public void add(EpochFile.Written written) {
        int first = files.size();
        files.addAll(written.files());
        states.putAll(written.states());
        for (EpochFile.WrittenInstance each : written.instances()) {
            List<Manifest.Piece> chain = each.chain().stream()
                    .map(piece -> new Manifest.Piece(first + piece.file(), piece.bytes())).toList();
            located.computeIfAbsent(each.operator(), any -> new HashMap<>()).put(each.instance(),
                    new Located(chain, each.texts()));
        }
    }

    /** An instance of an operator, after the files of all resources; one without states is in no file. */
    public void add(String operator, int instance, InstanceFacts facts) {
        Located in = located.getOrDefault(operator, Map.of()).get(instance);
        instances.computeIfAbsent(operator, any -> new TreeMap<>()).put(instance, new Manifest.Instance(
                in == null ? List.of() : in.chain, facts.ended(), facts.watermark(), facts.counters(),
                in == null ? Map.of() : in.texts, facts.log()));
    }

    /**
     * What an instance has said beside its states.
     *
     * @param ended     whether its inputs have ended
     * @param watermark in microseconds, or {@link Long#MIN_VALUE}
     */
    public record InstanceFacts(boolean ended, long watermark, Map<String, Long> counters, List<Manifest.Segment> log) {
    }

    /**
     * The manifest.
     *
     * @param types by operator id: its type in the graph file
     * @throws SnapshotException if an operator has an instance less than its last one says
     */
    public Manifest whole(Map<String, String> types, long nowMillis) throws SnapshotException {
        Map<String, Manifest.Operator> operators = new TreeMap<>();
        for (Map.Entry<String, TreeMap<Integer, Manifest.Instance>> each : instances.entrySet()) {
            String id = each.getKey();
            if (each.getValue().lastKey() != each.getValue().size() - 1) {
                throw new SnapshotException("epoch " + epoch + ": operator `" + id + "` has the instances "
                        + each.getValue().keySet());
            }
            operators.put(id, new Manifest.Operator(types.get(id), states.getOrDefault(id, List.of()),
                    List.copyOf(each.getValue().values()), buckets.get(id)));
        }
        return new Manifest(Manifest.formatOf(operators.values()), origin, attempt, epoch, nowMillis, files, operators);
    }
}
