package io.despina.plan;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.packet.Schema;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Matching;
import io.despina.spec.Rate;
import io.despina.spec.Replay;
import io.despina.spec.Window;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one operator is to do: a record per operator type, every field decoded, defaults filled in. Schemas of its ports,
 * event time and what all operators have in common are in {@link PlannedOperator}.
 */
public sealed interface OperatorSpec {

    /** Everything that is compiled for it; some may be null. */
    default List<Compiled<?>> code() {
        return List.of();
    }

    // ---- sources

    /**
     * @param count  packets of all instances together, or {@link #UNBOUNDED}
     */
    record GeneratorSource(Rows rows, long seed, long count, Rate rate) implements OperatorSpec {
        public static final long UNBOUNDED = -1;

        @Override
        public List<Compiled<?>> code() {
            return rows instanceof Rows.Select made ? List.of(made.select().compiled()) : List.of();
        }
    }

    /** What a generator makes. */
    sealed interface Rows {

        /** @param select over one input with the columns {@code id BIGINT NOT NULL} (0, 1, 2 …) and {@code seed BIGINT NOT NULL} */
        record Select(ProjectionPlan select, Schema input) implements Rows {
        }

        /**
         * Relay packets: {@code sequence BIGINT NOT NULL, due TIMESTAMP NOT NULL, payload BINARY NOT NULL}.
         *
         * @param packetBytes with the 16 bytes of sequence and due time
         * @param random      payload cut from a block of random bytes; else constant
         */
        record Packets(int packetBytes, boolean random) implements Rows {
        }
    }

    /**
     * @param path    absolute, or a URI: a file, a folder or a glob
     * @param options Spark's, names as written
     * @param columns how many columns each csv line must have; 0 for the schema's or more; {@link #BY_NAME} for as many as the
     *                file's header, whose names say where the schema's are
     * @param repeat  how often the files are read; 0 without end
     * @param unread  ordinals of csv columns that nobody reads: they may be NULL, whatever the files hold
     */
    record FileSource(String path, FileFormat format, Map<String, String> options, Schema schema, int columns,
            boolean ignoreExtraColumns, Follow follow, Replay replay, boolean preload, long repeat, Set<Integer> unread)
            implements OperatorSpec {
        public static final int BY_NAME = -1;

        public FileSource {
            unread = Set.copyOf(unread);
        }

        FileSource without(Set<Integer> columnsThatNobodyReads) {
            return new FileSource(path, format, options, schema, columns, ignoreExtraColumns, follow, replay, preload, repeat,
                    columnsThatNobodyReads);
        }
    }

    /** A source whose packets the user's program gives, in its schema; no operator type of the graph plans it. */
    record Input() implements OperatorSpec {
    }

    // ---- sinks

    /** @param path absolute, or a URI: a folder, or one file if {@code singleFile} */
    record FileSink(String path, boolean singleFile, FileFormat format, Map<String, String> options, boolean replace, Roll roll)
            implements OperatorSpec {
    }

    /**
     * When a file sink shows what it has, before its input ends.
     *
     * @param everyMs 0 for never
     * @param bytes   0 for any size
     */
    record Roll(long everyMs, long bytes) {
    }

    record CollectSink() implements OperatorSpec {
    }

    record ConsoleSink() implements OperatorSpec {
    }

    record DiscardSink(Verify verify) implements OperatorSpec {
    }

    /** Whether a discard sink verifies relay packets: every sequence number, and the payload of every 16th or of all. */
    enum Verify {
        NONE, SAMPLED, ALL
    }

    // ---- one packet at a time

    /**
     * @param sleepMs per packet
     * @param workUs  busy per packet
     * @param steps   sleep that changes with time, in place of {@code sleepMs}; may be empty
     */
    record Relay(double sleepMs, double workUs, List<SleepStep> steps) implements OperatorSpec {
        public Relay {
            steps = List.copyOf(steps);
        }
    }

    record SleepStep(long forMs, double sleepMs) {
    }

    record Project(ProjectionPlan select) implements OperatorSpec {
        @Override
        public List<Compiled<?>> code() {
            return List.of(select.compiled());
        }
    }

    /** Outputs: 0 {@code out}, 1 {@code rejected}. */
    record Filter(Compiled<Predicate> where) implements OperatorSpec {
        @Override
        public List<Compiled<?>> code() {
            return List.of(where);
        }
    }

    /**
     * A packet per element: the input's columns, then the element, which is the output's last column. A NULL array or an
     * empty one gives none, as Spark's {@code explode}.
     *
     * @param array  gives one column, an ARRAY
     * @param unread ordinals of the input's columns that come as NULL, since nobody reads them behind it
     */
    record Explode(ProjectionPlan array, Set<Integer> unread) implements OperatorSpec {
        public Explode {
            unread = Set.copyOf(unread);
        }

        Explode without(Set<Integer> columnsThatNobodyReads) {
            return new Explode(array, columnsThatNobodyReads);
        }

        @Override
        public List<Compiled<?>> code() {
            return List.of(array.compiled());
        }
    }

    /** Several streams into one, in no order. */
    record Union() implements OperatorSpec {
    }

    // ---- folds, windows, joins. Outputs: 0 `out`, 1 `late`

    /**
     * A fold in event order (arrival order if the stream has no event time).
     *
     * @param keys     key of a packet; null without groups
     * @param state    the state's columns, all nullable: rows that {@code initial} and {@code next} write have this schema
     * @param initial  over the packet: the state before a group's first packet
     * @param next     over the packet and the state before it
     * @param emitWhen over the packet, the state before it and the state after it ({@code next.name}); null for always
     * @param select   over the same three
     * @param atEnd    whether each group has one more row at the end, of its last packet and final state
     */
    record Scan(ProjectionPlan keys, Schema state, ProjectionPlan initial, ProjectionPlan next,
            Compiled<Predicate> emitWhen, ProjectionPlan select, boolean atEnd) implements OperatorSpec {

        /** Ordinals of the packet's columns that {@code select} reads. */
        public List<Integer> selected(Schema packet) {
            return select.reads().stream().filter(k -> k < packet.size()).sorted().toList();
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), initial.compiled(), next.compiled(), emitWhen,
                    select.compiled());
        }
    }

    record Aggregate(AggregationPlan plan, Window window) implements OperatorSpec {
        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(plan.keys() == null ? null : plan.keys().compiled(), plan.compiled());
        }
    }

    /**
     * Inputs: 0 {@code left}, 1 {@code right}; expressions take both packets in this order.
     *
     * @param on        the same as texts
     * @param leftKeys  what must be equal, of a left packet; null if no equality is asked for. A NULL equals nothing
     * @param rightKeys the same of a right packet, equal in types
     * @param condition what must hold besides the keys; null for nothing
     * @param right     schema of the right packet for {@code select}; all columns nullable for a left join, whose
     *                  packets without a match are given with a right packet of NULLs, laid out by this schema
     * @param outer     a left join: left packets without a match are emitted too
     */
    record Join(Equalities on, ProjectionPlan leftKeys, ProjectionPlan rightKeys, Compiled<Predicate> condition, ProjectionPlan select,
            Schema right, boolean outer, Matching matching) implements OperatorSpec {
        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(leftKeys == null ? null : leftKeys.compiled(), rightKeys == null ? null : rightKeys.compiled(),
                    condition, select.compiled());
        }
    }
}
