package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.catalogue.field.DeclaredSchema;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.database.DatabaseTable;
import io.despina.operator.database.SqlText;
import io.despina.operator.database.source.FoundTable;
import io.despina.operator.database.source.JdbcSource;
import io.despina.operator.database.source.JdbcSourceOptions;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.operator.database.source.JdbcSourceOptions.Times;
import io.despina.operator.database.source.SourceProbe;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code jdbc_source}. */
public final class JdbcSourceDefinition extends Definition {
    private static final long SETTLE_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("jdbc_source", Family.SOURCES,
            "Reads rows of a table of a database, or of a query, over JDBC; docs/databases.md says more. One instance reads, "
            + "by a cursor, so that few rows are in memory."
            + "\n- With `column` rows come in its order, and its last value is the source's place. A job that keeps its state "
            + "goes on behind it, and so does a source whose connection breaks. Rows with equal values come once each. A row "
            + "with NULL there is a bad record; such rows that come later are not seen."
            + "\n- Without `column` the rows come as the database gives them, once."
            + "\n- With `follow` the source does not end: it asks again each `poll_ms` for rows behind its place.",
            List.of(), List.of("out", "errors"), fields(), """
                "readings": {
                  "type": "jdbc_source",
                  "url": "jdbc:postgresql://127.0.0.1/plant",
                  "driver": "org.postgresql.Driver",
                  "user": "reader",
                  "password_env": "PLANT_PASSWORD",
                  "table": "readings",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "column": "ts",
                  "follow": true,
                  "event_time": {"column": "ts", "order_by": ["device"]}
                }
                """);

    private static List<FieldSpec> fields() {
        List<FieldSpec> fields = new ArrayList<>(DatabaseFields.place());
        fields.addAll(List.of(
                optional("table", TEXT, "`query`", "The table, with its schema where it needs one: `plant.readings`."),
                optional("query", TEXT, "`table`", "In its place, one SELECT in the words of the database."),
                required("schema", new FieldKind.Ddl(false), "The columns to read, as Spark DDL; of simple types. They are found "
                        + "by their names, in upper or lower case. Each may be NULL."),
                optional("column", TEXT, "none", "A column of the schema whose values rise from row to row: a whole number, a "
                        + "decimal up to 18 digits, or a time. The table should have an index of it."),
                or("follow", FLAG, "false", "true: the source does not end. It needs `column`."),
                or("poll_ms", POSITIVE_MILLIS, "1000", "With `follow`: how long it waits before it asks again."),
                optional("settle_ms", MILLIS, "1000 for a time, else 0", "With `follow`, for a `column` that is a time: rows are "
                        + "read when they are so old, by the server's clock. A transaction that ends later than others that "
                        + "began behind it does not lose its rows then, if it takes no longer than this. 0: at once."),
                or("fetch_rows", new FieldKind.Whole(1, 1_000_000), "1000", "How many rows the driver fetches at once."),
                SocketFields.RETRY));
        return List.copyOf(fields);
    }

    JdbcSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        DatabaseFields database = DatabaseFields.read(context, fields);
        if (database == null || !hasRows(context)) {
            return null;
        }
        Schema schema = DeclaredSchema.nullable(DeclaredSchema.of(fields.text("schema")));
        String problem = DatabaseTable.problem(schema);
        if (problem != null) {
            return context.refuse(fields.place("schema"), Rule.SCHEMA, problem, null);
        }
        int column = From.NONE;
        if (fields.isWritten("column")) {
            column = column(context, schema);
            if (column < 0) {
                return null;
            }
        }
        boolean follow = fields.flag("follow");
        if (follow && column == From.NONE) {
            return context.refuse(fields.place("follow"), Rule.EXCLUSIVE, "`follow` needs `column`, by which new rows are known",
                    "name one whose values rise, or leave `follow` out");
        }
        boolean isTime = column != From.NONE && isTime(schema.column(column).type());
        for (String each : List.of("settle_ms", "poll_ms")) {
            boolean wrong = each.equals("settle_ms") && follow && !isTime;
            if (fields.isWritten(each) && (!follow || wrong)) {
                return context.refuse(fields.place(each), Rule.EXCLUSIVE, "`" + each + "` is for "
                        + (wrong ? "a `column` that is a time" : "a source with `follow`"), "leave it out");
            }
        }
        JdbcSourceSpec spec = new JdbcSourceSpec(database, new From(fields.isWritten("table") ? fields.string("table", "") : null,
                query(fields), column, (int) fields.whole("fetch_rows", 0)), schema, new Times(follow,
                isTime ? fields.whole("settle_ms", SETTLE_MS) : 0, fields.whole("poll_ms", 0)), fields.whole("retry_for_ms", 0));
        return new PlanningResult(spec, new Stream(schema, null, follow), List.of(), "rows come in one order");
    }

    private static boolean hasRows(PlanningContext context) {
        Values fields = context.fields();
        if (fields.isWritten("table") == fields.isWritten("query")) {
            context.refuse(fields.place("query"), Rule.EXCLUSIVE, fields.isWritten("table")
                    ? "`table` and `query` exclude each other" : "it needs `table` or `query`", "write one of them");
            return false;
        }
        if (fields.isWritten("table")) {
            return JdbcSinkDefinition.isTable(context, "table");
        }
        String behind = SqlText.behindFirst(fields.string("query", ""));
        if (!behind.isEmpty() || query(fields).isBlank()) {
            context.refuse(fields.place("query"), Rule.OUT_OF_RANGE, "`query` is one SELECT", "leave out what stands behind it");
            return false;
        }
        return true;
    }

    /** Without what ends a statement; null where there is a table. */
    private static String query(Values fields) {
        return fields.isWritten("query") ? fields.string("query", "").strip().replaceFirst("[;\\s]+$", "") : null;
    }

    /** Negative after a refusal. */
    private static int column(PlanningContext context, Schema schema) {
        Values fields = context.fields();
        int column = context.column(schema, fields.string("column", ""), fields.place("column"));
        if (column < 0) {
            return column;
        }
        Type type = schema.column(column).type();
        boolean rises = type instanceof Type.Decimal decimal ? decimal.width() != Type.VARIABLE : isTime(type)
                || isNumber(type) && type != Type.Simple.FLOAT && type != Type.Simple.DOUBLE;
        if (!rises) {
            context.refuse(fields.place("column"), Rule.COLUMN_TYPE, "`column` is " + type.sql(),
                    "it is a whole number, a decimal up to 18 digits, or a time");
            return -1;
        }
        return column;
    }

    private static boolean isTime(Type type) {
        return type == Type.Simple.TIMESTAMP || type == Type.Simple.TIMESTAMP_NTZ;
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /** @param retryMillis while the database is away, until the job fails */
    public record JdbcSourceSpec(DatabaseFields database, From from, Schema schema, Times times, long retryMillis)
            implements ExecutableSpec {

        /** A thread of its own reads. */
        @Override
        public Blocking blocking() {
            return Blocking.OPENING;
        }

        @Override
        public String userClass() {
            return database.driver();
        }

        @Override
        public boolean canBeSilent() {
            return times.follow();
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return from.column() != From.NONE ? Promise.of(SourceGuarantee.REPLAYABLE) : new Promise<>(SourceGuarantee.NONE,
                    "rows without an order may come otherwise when they are read again", "name a `column` whose values rise");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("a place in a table is the engine's",
                    "give what Spark's own source `jdbc` reads in its place: to_spark(spark, inputs={…})"));
        }

        @Override
        public FoundTable table(InstanceContext making, long millis) throws IOException {
            return FoundTable.of(database.options(making.around().user().classes(), making.plan().settings().timeZone()), from,
                    millis);
        }

        @Override
        public Probe probe(InstanceContext making) {
            return new SourceProbe(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), from, schema);
        }

        @Override
        public Operator make(InstanceContext making) {
            return new JdbcSource(new JdbcSourceOptions(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), from, schema, times, making.operator().assigns(), retryMillis,
                    making.around().senders()));
        }
    }
}
