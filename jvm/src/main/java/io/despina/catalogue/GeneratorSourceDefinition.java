package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.experiment.RelayPackets;
import io.despina.operator.source.GeneratedRows;
import io.despina.operator.source.Generator;
import io.despina.packet.Schema;
import io.despina.plan.ExpressionChecker;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Rate;
import io.despina.spec.SourceGuarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** {@code generator_source}. */
public final class GeneratorSourceDefinition extends Definition {
    private static final int MIN_RELAY_PACKET = 17;
    private static final int MAX_RELAY_PACKET = 524_288;
    private static final FieldKind RATE = new FieldKind.Real(0, true);
    private static final FieldKind RATE_OR_ZERO = new FieldKind.Real(0, false);

    private static final FieldKind ROWS = new FieldKind.Variant("rows", List.of(
            Section.of("select", "Rows of expressions.",
                    required("select", EXPRESSIONS, "`expr AS name` over the columns `id` (0, 1, 2 …) and `seed`.")),
            Section.of("packets", "Relay packets, for measuring: columns `sequence BIGINT, due TIMESTAMP, payload BINARY`.",
                    required("packet_bytes", new FieldKind.Whole(MIN_RELAY_PACKET, MAX_RELAY_PACKET),
                            "Size of one packet; 16 bytes of it are its sequence number and due time."),
                    or("content", words("random", "cut from a block of random bytes: does not compress",
                            "constant", "always the same bytes"), "\"random\"", "What the payload holds."))));

    private static final FieldKind SHAPE = new FieldKind.Variant("shape", List.of(
            Section.of("constant", "Always `rate_per_s`."),
            Section.of("sine", "The rate swings between a low and a high one.",
                    required("period_ms", POSITIVE_MILLIS, "From one low to the next."),
                    required("low_per_s", RATE_OR_ZERO, "The lowest rate."),
                    required("high_per_s", RATE, "The highest rate.")),
            Section.of("step", "One rate after the other; the last one stays.",
                    required("steps", new FieldKind.ListOf(new FieldKind.Fields(Section.of("rate_step",
                            "A rate, and how long it lasts.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("rate_per_s", RATE_OR_ZERO, "The rate."))), 1), "The steps."))));

    private static final OperatorType TYPE = new OperatorType("generator_source", Family.SOURCES,
            "Makes packets: rows of expressions, or packets for measuring.",
            List.of(), List.of("out", "errors"), List.of(
                    required("rows", ROWS, "What it makes."),
                    or("seed", new FieldKind.Whole(Long.MIN_VALUE, Long.MAX_VALUE), "1", "The value of column `seed`, and where "
                            + "random payloads begin."),
                    optional("count", new FieldKind.Whole(0, Long.MAX_VALUE), "without end",
                            "How many packets all instances make "
                            + "together."),
                    optional("rate_per_s", RATE, "as fast as it can", "How many packets all instances make together in a "
                            + "second."),
                    or("shape", SHAPE, "{\"type\": \"constant\"}", "How the rate changes with time.")), """
                "readings": {
                  "type": "generator_source",
                  "rows": {
                    "type": "select",
                    "select": ["timestamp_millis(1700000000000 + id * 10) AS ts", "id % 4 AS device", "20 + id % 7 AS celsius"]
                  },
                  "count": 100000,
                  "event_time": {"column": "ts"}
                }
                """);

    GeneratorSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Values written = fields.fields("rows");
        long seed = fields.whole("seed", 1);
        List<Snippet> select = written.word().equals("select") ? Snippet.of(written.texts("select")) : List.of();
        GeneratedRows rows = select.isEmpty() ? packets(written, seed) : rows(context, select, seed);
        Rate rate = rows == null ? null : rate(context);
        long count = fields.whole("count", Generator.UNBOUNDED);
        Schema schema = rows instanceof GeneratedRows.Select made ? made.result() : RelayPackets.SCHEMA;
        return rate == null ? null : PlanningResult.of(new GeneratorSourceSpec(rows, select, count, rate),
                new Stream(schema, null, count == Generator.UNBOUNDED));
    }

    private static GeneratedRows rows(PlanningContext context, List<Snippet> select, long seed) {
        ProjectionPlan plan = context.expressions().project(Scope.of(GeneratedRows.Select.INPUT), select);
        return plan == null ? null : new GeneratedRows.Select(plan.compiled(), plan.result(), seed);
    }

    private static GeneratedRows packets(Values written, long seed) {
        return new GeneratedRows.Packets(new RelayPackets.Options((int) written.whole("packet_bytes", 0),
                written.constant("content", RelayPackets.Content.class), seed));
    }

    private static Rate rate(PlanningContext context) {
        Values fields = context.fields();
        Values shape = fields.fields("shape");
        if (shape.word().equals("constant")) {
            return fields.isWritten("rate_per_s") ? new Rate.Constant(fields.real("rate_per_s", 0)) : Rate.FLAT_OUT;
        }
        if (fields.isWritten("rate_per_s")) {
            return context.refuse(fields.place("rate_per_s"), Rule.EXCLUSIVE, "`rate_per_s` and `shape` " + shape.word()
                    + " exclude each other", "leave one of them out");
        }
        if (shape.word().equals("step")) {
            return new Rate.Steps(shape.list("steps").stream()
                    .map(s -> new Rate.Step(s.whole("for_ms", 0), s.real("rate_per_s", 0))).toList());
        }
        double low = shape.real("low_per_s", 0);
        double high = shape.real("high_per_s", 0);
        return low <= high ? new Rate.Sine(shape.whole("period_ms", 0), low, high)
                : context.refuse(shape.place("low_per_s"), Rule.OUT_OF_RANGE, "`low_per_s` " + low + " is more than `high_per_s` "
                        + high, null);
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        if (((GeneratorSourceSpec) declared.spec()).rows() instanceof GeneratedRows.Packets) {
            return context.refuse(context.operator().place(), Rule.INPUT,
                    "`" + context.operator().id() + "` makes relay packets, in place"
                    + " of which no rows can be given", "give rows to a generator_source with \"select\", or to a file_source");
        }
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /**
     * @param select the select list; empty for relay packets
     * @param count  packets of all instances together, or {@link Generator#UNBOUNDED}
     */
    public record GeneratorSourceSpec(GeneratedRows rows, List<Snippet> select, long count, Rate rate) implements ExecutableSpec {
        @Override
        public List<Compiled<?>> code() {
            return rows instanceof GeneratedRows.Select made ? List.of(made.compiled()) : List.of();
        }

        /** Its rate says when its packets come. */
        @Override
        public boolean canBeSilent() {
            return false;
        }

        @Override
        public Set<Integer> rising(ExpressionChecker expressions) {
            return select.isEmpty() ? Set.of() : expressions.rising(Scope.of(GeneratedRows.Select.INPUT), select);
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return Promise.of(SourceGuarantee.REPLAYABLE);
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            List<SparkGap> gaps = new ArrayList<>();
            if (rows instanceof GeneratedRows.Packets) {
                gaps.add(new SparkGap("relay packets are for measuring the engine", "use rows of type select"));
            }
            if (count == Generator.UNBOUNDED && target == Target.SPARK) {
                gaps.add(new SparkGap("a generator without `count` has no end", "give it a count"));
            }
            boolean steady = rate == Rate.FLAT_OUT || rate instanceof Rate.Constant constant
                    && constant.perSecond() == Math.rint(constant.perSecond());
            if (target == Target.SPARK_STREAMING && !steady) {
                gaps.add(new SparkGap("there a generator makes the same whole number of rows each second",
                        "give it a whole `rate_per_s`, or leave `shape` out"));
            }
            return gaps;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Generator(new Generator.Options(rows, count, rate, making.operator().assigns()));
        }
    }
}
