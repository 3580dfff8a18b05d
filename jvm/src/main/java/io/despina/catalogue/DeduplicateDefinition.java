package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.keyed.ApproximateDeduplicate;
import io.despina.operator.keyed.Deduplicate;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.EventTime;
import io.despina.state.KeyFilter;
import io.despina.state.KeyFilters;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** {@code deduplicate}. */
public final class DeduplicateDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final FieldKind APPROXIMATE = new FieldKind.Fields(Section.of("approximate",
            "Keys are not kept, only bits of them (a Bloom filter). No duplicate leaves, but a few packets are dropped "
            + "that are no duplicates."
            + "\n- While no more keys are remembered than expected, at most so many of them are dropped: 2.2 % with 8 "
            + "`bits_per_key`, 0.31 % with 12, 0.046 % with 16, 0.0067 % with 20, 0.001 % with 24. With `within_ms` it is "
            + "eight times as many. With twice as many keys as expected and 16 bits it is 4 %."
            + "\n- With `within_ms` a key is forgotten when its time has passed, or up to a seventh of it later. A packet "
            + "that comes in between may be dropped."
            + "\n- With time per key each clock has its own bits, for so many `keys`."
            + "\n- It needs `by` and `keep` first. On the engine only: Spark would give other rows.",
            required("keys", new FieldKind.Whole(1, 1_000_000_000_000L), "How many different keys are expected in all, or within "
                    + "`within_ms`."),
            or("bits_per_key", new FieldKind.Whole(4, 40), "16", "How much memory is taken, by all instances together: so many "
                    + "bits for each of the `keys`, a seventh more with `within_ms`, and a little more because keys are not "
                    + "shared out evenly.")));

    private static final OperatorType TYPE = new OperatorType("deduplicate", Family.GROUPS,
            "Of packets with the same key that come close together, keeps the first in event order, or the last. The others are "
            + "dropped.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("by", EXPRESSIONS, "all packets have the same key", "The key: packets for which these have the same "
                            + "values are duplicates. Without it, one instance does all, and on Spark one partition."),
                    optional("within_ms", POSITIVE_MILLIS, "for ever", "How long after the first packet of a key the others are "
                            + "duplicates. A packet that comes exactly so long after it begins anew, and is the first again. A "
                            + "key is forgotten when its time has passed. Without it every key is kept for as long as the job "
                            + "runs: memory grows with the number of keys."),
                    or("keep", words("first", "it leaves when the watermark has passed it", "last",
                            "it leaves when `within_ms` has passed since the first. The stream at `out` then has no event time: "
                            + "the watermark has passed it"), "\"first\"",
                            "Which packet leaves. `last` needs `within_ms`."),
                    optional("approximate", APPROXIMATE, "keys are compared in full", "Takes a fixed memory for many keys, and "
                            + "drops a few packets too many.")), """
                "once": {"type": "deduplicate", "by": ["device", "id"], "within_ms": 600000}
                """);

    DeduplicateDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Stream in = context.input();
        boolean last = fields.string("keep", "first").equals("last");
        boolean ends = fields.isWritten("within_ms");
        if (last && !ends) {
            return context.refuse(fields.place("keep"), Rule.EXCLUSIVE, "`keep` last needs `within_ms`: without it the last "
                    + "packet of a key is never known", "add `within_ms`");
        }
        List<Snippet> by = Snippet.of(fields.texts("by"));
        ProjectionPlan keys = by.isEmpty() ? null : context.expressions().keys(in.schema(), by);
        if (keys == null && !by.isEmpty() || ends && !context.hasTime(in, "in", "`within_ms`")) {
            return null;
        }
        long within = ends ? fields.whole("within_ms", 0) * MICROS_PER_MS : NEVER;
        Values approximate = fields.fields("approximate");
        KeyFilter.Options filter = approximate == null ? null : new KeyFilter.Options(approximate.whole("keys", 0),
                (int) approximate.whole("bits_per_key", 0), within);
        if (filter != null && !canApproximate(context, keys, last, filter)) {
            return null;
        }
        if (filter == null && !ends && !by.isEmpty() && in.unbounded()) {
            context.warn(Rule.UNBOUNDED, "without `within_ms` every key is kept, and this stream has a source without end: "
                    + "memory grows with the number of keys",
                    "add `within_ms`, or write \"accept\": [\"unbounded\"] if keys are few");
        }
        if (!KeyClocks.fit(context, keys, "by")) {
            return null;
        }
        context.needsOrder(in, "in");
        KeyClocks clocks = KeyClocks.of(context, keys);
        return new PlanningResult(new DeduplicateSpec(keys, Snippet.sql(by), within, last, filter, clocks),
                in.with(in.schema(), last ? null : in.time()), List.of(KeyClocks.dealing(context, Snippet.sql(by))),
                by.isEmpty() ? "without `by` it has one state" : null);
    }

    private static boolean canApproximate(PlanningContext context, ProjectionPlan keys, boolean last, KeyFilter.Options filter) {
        Values approximate = context.fields().fields("approximate");
        if (keys == null || last) {
            context.refuse(context.fields().place("approximate"), Rule.EXCLUSIVE, keys == null
                    ? "`approximate` needs `by`: without it all packets have one key"
                    : "`approximate` cannot keep the last packet: it keeps none",
                    keys == null ? "add `by`, or leave it out" : "leave out `keep` or `approximate`");
            return false;
        }
        EventTime time = context.input().time();
        if (time != null && time.isPerKey() && filter.bytesAlone() > KeyFilters.MAX_BYTES) {
            context.refuse(approximate.place("keys"), Rule.OUT_OF_RANGE, "so many keys take more than 64 MiB, and with `per` "
                    + "each of its values has so many", "say how many keys one of them has");
            return false;
        }
        if (filter.bucketBytes(keys.result(), context.planning().settings().buckets()) > KeyFilter.MAX_BYTES) {
            context.refuse(approximate.place("keys"), Rule.OUT_OF_RANGE, "so many keys take more than 1 GiB in a bucket",
                    "raise `buckets` in the graph's settings");
            return false;
        }
        return true;
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param keys   key of a packet; null if all have the same
     * @param by     its texts
     * @param within microseconds, or {@code NEVER}
     * @param last   whether the last packet is kept
     * @param filter in place of the keys; null if they are kept
     * @param clocks of its keys; null if all packets have one clock
     */
    public record DeduplicateSpec(ProjectionPlan keys, List<String> by, long within, boolean last, KeyFilter.Options filter,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return true;
        }

        @Override
        public boolean ordersOut() {
            return !last;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), clocks == null ? null : clocks.keys().compiled());
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.KEPT;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return filter == null ? List.of() : List.of(new SparkGap("which packets `approximate` drops depends on all keys "
                    + "before them, and Spark has each key by itself", "leave it out: then both compare keys in full"));
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public long remembersMicros() {
            return within;
        }

        @Override
        public Map<String, Object> resolved() {
            return Map.of("group_by", by);
        }

        @Override
        public String losesTime() {
            return last ? "with `keep` last its rows leave when the watermark may have passed them" : null;
        }

        @Override
        public Operator make(InstanceContext making) {
            return filter != null ? new ApproximateDeduplicate(making.order(0), making.keys(keys, clocks), filter)
                    : new Deduplicate(making.order(0), new Deduplicate.Options(making.keys(keys, clocks), within, last));
        }
    }
}
