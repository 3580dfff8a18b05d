package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.keyed.Deduplicate;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** {@code deduplicate}. */
public final class DeduplicateDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("deduplicate",
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
                            "Which packet leaves. `last` needs `within_ms`.")), """
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
        if (!ends && !by.isEmpty() && in.unbounded()) {
            context.warn(Rule.UNBOUNDED, "without `within_ms` every key is kept, and this stream has a source without end: "
                    + "memory grows with the number of keys",
                    "add `within_ms`, or write \"accept\": [\"unbounded\"] if keys are few");
        }
        context.needsOrder(in, "in");
        long within = ends ? fields.whole("within_ms", 0) * MICROS_PER_MS : Deduplicate.FOREVER;
        return new PlanningResult(new DeduplicateSpec(keys, Snippet.sql(by), within, last),
                in.with(in.schema(), last ? null : in.time()), List.of(Snippet.sql(by)),
                by.isEmpty() ? "without `by` it has one state" : null);
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param keys   key of a packet; null if all have the same
     * @param by     its texts
     * @param within microseconds, or {@link Deduplicate#FOREVER}
     * @param last   whether the last packet is kept
     */
    public record DeduplicateSpec(ProjectionPlan keys, List<String> by, long within, boolean last) implements ExecutableSpec {
        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled());
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
        public Operator make(InstanceContext making) {
            return new Deduplicate(making.order(0), new Deduplicate.Options(making.keys(keys), within, last));
        }
    }
}
