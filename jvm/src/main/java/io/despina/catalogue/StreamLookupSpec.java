package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.LookupKeys;
import io.despina.catalogue.field.PairSelect;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FurtherInput;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.lookup.StreamLookup;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code lookup} in the rows of a stream. Inputs: 0 {@code in}, 1 {@code table}.
 *
 * @param deletes  over a row of the stream: whether it takes that of its key away; null if none does
 * @param mostRows of an instance
 * @param waits    whether packets wait for the end of the stream
 */
record StreamLookupSpec(LookupRow row, Compiled<Predicate> deletes, long mostRows, boolean waits)
        implements ExecutableSpec {
    private static final String STREAM = "stream";
    private static final String TABLE = "table";
    private static final int USUAL_ROWS = 1_000_000;

    static final Section SECTION = Section.of(STREAM, "The rows that come at port `table`: of each key the last that has "
            + "come. A packet meets the table as it is when it arrives, so rows that come later do not change what has left."
            + "\n- Which of two packets at different ports comes first may differ from run to run. An as-of `join` goes by event "
            + "time, and gives the same rows in each run; so does `wait_for_end`, if the rows of a key come from one "
            + "instance of one source."
            + "\n- The table is in the snapshots of a job that keeps its state. Both ports are partitioned by the key, so "
            + "each instance has a part of the table."
            + "\n- Event time and watermarks are those of the stream at `in`. A row whose key has a NULL is left out.",
            optional("delete_when", EXPRESSION, "no row is deleted", "A condition over the columns of a row at `table`: a row "
                    + "for which it is true takes the row of its key away, and is not in the table itself."),
            or("max_rows", new FieldKind.Whole(1, Integer.MAX_VALUE), "1000000", "How many keys an instance's table may have. A "
                    + "row of one more key is a bad record. The memory counts as state. A table that is restored with fewer "
                    + "instances may have more: it keeps them, and takes no others."),
            or("wait_for_end", FLAG, "false", "true: packets at `in` wait until the stream at `table` has ended, as that of a "
                    + "file or of a database's table does. They count as state; a stop of the job before that counts them as "
                    + "`held`."));

    static final FurtherInput INPUT = new FurtherInput(TABLE, "\"from\": {\"type\": \"stream\"}", StreamLookupSpec::isOf);

    static boolean isOf(Values written) {
        return written.fields("from").word().equals(STREAM);
    }

    static PlanningResult plan(PlanningContext context) {
        Values from = context.fields().fields("from");
        Stream in = context.input();
        Stream rows = context.inputs().get(1);
        if (context.fields().isWritten("cache")) {
            return context.refuse(context.fields().place("cache"), Rule.EXCLUSIVE,
                    "`cache` is for a database: the rows of a stream are in memory", "leave it out");
        }
        if (from.flag("wait_for_end") && rows.unbounded()) {
            return context.refuse(from.place("wait_for_end"), Rule.UNBOUNDED, "packets would wait for the end of the stream at "
                    + "`table`, which has a source without end", "leave `wait_for_end` out, or bound the source");
        }
        Text condition = from.text("delete_when");
        Compiled<Predicate> deletes = condition == null ? null : context.expressions().predicate(
                new Scope(List.of(new Scope.Input(TABLE, rows.schema()))), Snippet.of(condition));
        LookupKeys keys = LookupKeys.read(context, rows.schema());
        ProjectionPlan select = keys == null ? null : PairSelect.read(context, TABLE, rows.schema(), keys.columns());
        if (select == null || condition != null && deletes == null) {
            return null;
        }
        boolean left = context.fields().string("how", "left").equals("left");
        StreamLookupSpec spec = new StreamLookupSpec(new LookupRow(keys, rows.schema(), select, left), deletes,
                from.whole("max_rows", USUAL_ROWS), from.flag("wait_for_end"));
        return new PlanningResult(spec, new Stream(select.result(), EventTimes.through(in.time(), select.origins()),
                context.isUnbounded()), List.of(keys.texts().left(), keys.named(rows.schema())), null);
    }

    @Override
    public List<Compiled<?>> code() {
        List<Compiled<?>> all = new ArrayList<>(row.code());
        all.add(deletes);
        return all;
    }

    @Override
    public Map<String, Object> resolved() {
        return row.resolved();
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return List.of(new SparkGap("rows of its table count as they arrive, and Spark does not tell which of two streams comes "
                + "first", "an as-of `join` goes by event time"));
    }

    @Override
    public boolean passesOn() {
        return true;       // also where it waits: watermarks keep their place between the packets
    }

    @Override
    public boolean keepsState() {
        return true;
    }

    @Override
    public boolean keepsAll() {
        return false;
    }

    @Override
    public boolean holdsBack() {
        return waits;
    }

    /** What it waits for is in the stream. */
    @Override
    public boolean goesByClock() {
        return false;
    }

    @Override
    public boolean goesByArrival() {
        return !waits;
    }

    @Override
    public boolean goesBy(int port) {
        return port == 0;
    }

    @Override
    public Operator make(InstanceContext making) {
        return new StreamLookup(row.options(making), new StreamLookup.Kept(row.tableKeys(making), deletes, mostRows, waits));
    }
}
