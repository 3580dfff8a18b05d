package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.RowChange;
import io.despina.operator.program.CollectSink;
import io.despina.operator.program.ProgramSink;
import io.despina.operator.program.SpoolSink;
import io.despina.operator.program.UpsertSink;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Snippet;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.Never;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** {@code collect_sink}. */
public final class CollectSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("collect_sink", Family.SINKS,
            "Hands the packets to Python: `job.rows()`, `job.batches()`.",
            List.of("in"), List.of("errors"), List.of(
                    or("mode", words("append", "each packet is a row, handed over as it comes, or with a state folder when its "
                            + "epoch is complete", "upsert", "a packet takes the "
                            + "place of the one before it with the same `keys`", "changelog", "column `op` says what a packet "
                            + "does to the row of its `keys`: `insert` and `update` put it there, `delete` removes it; any other "
                            + "value is a bad record. The rows do not have that column"), "\"append\"",
                            "What the rows are. `upsert` and `changelog` are for the engine alone: on Spark packets have "
                            + "no order of arrival."
                            + "\n- With `upsert` and `changelog` the rows are those that are there at the end, in no order. "
                            + "The newest row of a key is the last to arrive at the sink; the operator `latest` uses event "
                            + "order instead."
                            + "\n- They are kept in memory, one for each key, and handed over when the input has ended. A "
                            + "job that is stopped before hands over none, so a stream without end is refused."
                            + "\n- Tests and `spark.read` see the packets that reach the sink."),
                    optional("keys", EXPRESSIONS, "none, for `append` only", "What makes rows the same: those for which these "
                            + "have the same values. NULL is a value.")), """
                "rows": {"type": "collect_sink"}
                """);

    CollectSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        String mode = fields.string("mode", "append");
        if (mode.equals("append")) {
            return !fields.isWritten("keys") ? PlanningResult.of(new CollectSinkSpec(null), null)
                    : context.refuse(fields.place("keys"), Rule.EXCLUSIVE, "`keys` needs `mode` upsert or changelog",
                            "say which, or leave `keys` out");
        }
        if (!fields.isWritten("keys")) {
            return context.refuse(fields.place("mode"), Rule.EXCLUSIVE, "`mode` " + mode + " needs `keys`",
                    "for example \"keys\": [\"id\"]");
        }
        if (context.isUnbounded()) {
            return context.refuse(fields.place("mode"), Rule.UNBOUNDED, "rows of `mode` " + mode + " are known at the end of the "
                    + "stream, and this stream has a source without end",
                    "put `latest` with every_ms before a sink that appends, or bound the source");
        }
        List<Snippet> by = Snippet.of(fields.texts("keys"));
        boolean changes = mode.equals("changelog");
        if (changes && !SinkMode.isChangelog(context)) {
            return null;
        }
        Schema in = context.input().schema();
        ProjectionPlan keys = context.expressions().keys(in, by);
        return keys == null ? null : new PlanningResult(new CollectSinkSpec(new Upsert(keys, Snippet.sql(by),
                changes ? in.indexOf(RowChange.COLUMN) : RowChange.NONE, in)), null, List.of(Snippet.sql(by)), null);
    }

    /**
     * Rows by key.
     *
     * @param by its texts
     * @param op ordinal of the column that says what a packet does, or {@link RowChange#NONE}
     * @param in the packets
     */
    record Upsert(ProjectionPlan keys, List<String> by, int op, Schema in) {
        Schema rows() {
            List<Column> columns = new ArrayList<>(in.columns());
            if (op != RowChange.NONE) {
                columns.remove(op);
            }
            return new Schema(columns);
        }
    }

    /** @param upsert null to append */
    public record CollectSinkSpec(Upsert upsert) implements ExecutableSpec {

        /** The columns that Python gets. @param in those of the packets */
        public Schema rows(Schema in) {
            return upsert == null ? in : upsert.rows();
        }

        /** It blocks while Python does not take rows. */
        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(upsert == null ? null : upsert.keys.compiled());
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return Promise.of(SinkGuarantee.TRANSACTIONAL);
        }

        @Override
        public boolean keepsRowsHere() {
            return true;
        }

        @Override
        public boolean waitsInLog() {
            return true;
        }

        @Override
        public long shownMillis() {
            return upsert == null ? 0 : Never.NEVER;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return upsert == null ? List.of() : List.of(new SparkGap("which row is the newest is decided by the order of "
                    + "arrival, and there is none there", "put `latest` before the sink: it goes by event order on both"));
        }

        @Override
        public boolean isKeyed() {
            return upsert != null;
        }

        @Override
        public Map<String, Object> resolved() {
            return upsert == null ? Map.of() : Map.of("keys", upsert.by);
        }

        @Override
        public Operator make(InstanceContext making) {
            PythonConnections python = making.around().python();
            ProgramSink out = python.keepsRows() ? new SpoolSink(instance -> python.keptRows(making.id(), instance), true)
                    : new CollectSink(python.rows(making.id()));
            return upsert == null ? out
                    : new UpsertSink(out, new UpsertSink.Options(making.keys(upsert.keys), upsert.op, upsert.rows()));
        }
    }
}
