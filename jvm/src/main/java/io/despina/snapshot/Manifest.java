package io.despina.snapshot;

import io.despina.state.SnapshotException;
import io.despina.state.StateDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a job was at the end of an epoch, and where it lies: everything that is needed to go on from it. It is written once and
 * never changed. A file that no manifest names does not exist.
 *
 * @param format        {@link #formatOf} what it has, or the older one that was read
 * @param origin        what ran
 * @param attempt       the start of the job that wrote it
 * @param epoch         ascends from 1 and never falls in a state folder
 * @param takenAtMillis since 1970-01-01T00:00Z, by the coordinator's clock; 0 if it is not known
 * @param files         {@link Piece} names them by their index
 * @param operators     by id
 */
public record Manifest(int format, Origin origin, int attempt, long epoch, long takenAtMillis, List<DataFile> files,
        Map<String, Operator> operators) {
    public static final int FORMAT = 7;
    /** The same, where buckets have moved: an engine that knows nothing of that must not go on from it. */
    public static final int WITH_BUCKETS = 8;
    private static final int LONGEST = 256 << 20;

    public Manifest {
        files = List.copyOf(files);
        operators = new TreeMap<>(operators);
    }

    /**
     * What ran.
     *
     * @param engine      its version
     * @param graph       name of the graph
     * @param graphDigest of the graph's text
     * @param planDigest  of the plan and of where its tasks ran
     * @param buckets     the graph's number of buckets for keys
     * @param nowMicros   the value of {@code now()} in the job, since 1970-01-01T00:00Z
     * @param schedules   the changed schedules of sources, by operator
     * @param given       by source and program (a query of Spark's), the last of the program's epochs whose rows it has
     */
    public record Origin(String engine, String graph, String graphDigest, String planDigest, int buckets, long nowMicros,
            Map<String, String> schedules, Map<String, Map<String, Long>> given) {
        public Origin {
            schedules = new TreeMap<>(schedules);
            given = new TreeMap<>(given);
        }
    }

    /**
     * A file of states.
     *
     * @param path   in the store
     * @param length in bytes
     * @param crc32c of all its bytes, in hexadecimal
     */
    public record DataFile(String path, long length, String crc32c) {
    }

    /**
     * One operator.
     *
     * @param type      as in the graph file
     * @param states    what its instances keep; empty if it is not known
     * @param instances in order; as many as the parallelism at that time
     * @param buckets   which of them had which bucket of keys, as a {@link io.despina.spec.BucketMap} says it; null if each had
     *                  those that it has when a job starts with all of them
     */
    public record Operator(String type, List<StateType> states, List<Instance> instances, String buckets) {
        public Operator {
            states = List.copyOf(states);
            instances = List.copyOf(instances);
        }

        /** One of whose buckets none has moved. */
        public Operator(String type, List<StateType> states, List<Instance> instances) {
            this(type, states, instances, null);
        }
    }

    /** The format in which a manifest of these operators is written. */
    public static int formatOf(Collection<Operator> all) {
        return all.stream().anyMatch(each -> each.buckets != null) ? WITH_BUCKETS : FORMAT;
    }

    /**
     * A state of an operator.
     *
     * @param rule   who takes an entry at another parallelism
     * @param schema the types of its keys and values, and its aggregates
     */
    public record StateType(String name, String rule, String schema) {

        static StateType of(StateDescriptor state) {
            return new StateType(state.name(), state.rule().name(), state.schema());
        }

        /** Whether it is the same. Java spins a record's own {@code equals} at the first call, which is 40 ms of a dry run. */
        public boolean isLike(StateType other) {
            return other != null && name.equals(other.name) && rule.equals(other.rule) && schema.equals(other.schema);
        }
    }

    /**
     * One instance of an operator.
     *
     * @param chain     where its states are: a base, and the changes since, the oldest first
     * @param ended     whether its inputs had ended
     * @param watermark in microseconds; {@link Long#MIN_VALUE} if there is none
     * @param counters  what it has counted since the job first started
     * @param texts     by state: its places, and the epochs that a sink has prepared. For people; what is restored are the files
     * @param log       the segments of logs that belong to the epoch
     */
    public record Instance(List<Piece> chain, boolean ended, long watermark, Map<String, Long> counters,
            Map<String, Map<String, String>> texts, List<Segment> log) {
        public Instance {
            chain = List.copyOf(chain);
            counters = new TreeMap<>(counters);
            texts = new TreeMap<>(texts);
            log = List.copyOf(log);
        }
    }

    /**
     * What a file has of an instance. Where, the file's own index says.
     *
     * @param file  index in {@link Manifest#files}
     * @param bytes of all its sections
     */
    public record Piece(int file, long bytes) {
    }

    /**
     * The part of a log that belongs to an epoch.
     *
     * @param path    in the state folder, or on a disk of the resource
     * @param records from the segment's beginning on; later ones are of a later epoch
     */
    public record Segment(String path, long records, long bytes) {
    }

    /** Whether a file is needed to go on from it. */
    public boolean names(String path) {
        return files.stream().anyMatch(each -> each.path.equals(path));
    }

    /** The paths of the files with which chains begin. Without one, all that go on from it are lost. */
    public Set<String> bases() {
        return operators.values().stream().flatMap(each -> each.instances.stream()).map(Instance::chain)
                .filter(chain -> !chain.isEmpty()).map(chain -> files.get(chain.get(0).file).path)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Bytes of the files that were written for this epoch, and not for one before it. */
    public long newBytes() {
        return operators.values().stream().flatMap(each -> each.instances.stream()).map(Instance::chain)
                .filter(chain -> !chain.isEmpty()).map(chain -> chain.get(chain.size() - 1).file).distinct()
                .mapToLong(newest -> files.get(newest).length).sum();
    }

    /**
     * Writes the manifest, unless there is a file of that path.
     *
     * @return whether it was written
     */
    public boolean create(SnapshotStore store, String path) throws IOException {
        return store.createIfAbsent(path, ManifestText.of(this));
    }

    /**
     * Reads a manifest of this or an older format.
     *
     * @throws SnapshotException if it is damaged, or of another format; {@link CutShortException} if its end is missing
     */
    public static Manifest read(SnapshotStore store, String path) throws IOException {
        try (InputStream in = store.open(path, 0)) {
            return ManifestText.parse(path, in.readNBytes(LONGEST));
        }
    }
}
