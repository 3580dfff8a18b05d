package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.RowChange;
import io.despina.operator.database.DatabaseTable;
import io.despina.operator.database.sink.JdbcSink;
import io.despina.operator.database.sink.JdbcSinkOptions;
import io.despina.operator.database.sink.SinkLeftovers;
import io.despina.operator.database.sink.SinkProbe;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** {@code jdbc_sink}. */
public final class JdbcSinkDefinition extends Definition {
    private static final FieldKind NAMES = new FieldKind.ListOf(TEXT, 1);
    /** A name, or several with points between them; each plain, or in quotes. */
    private static final Pattern TABLE = Pattern.compile("(?:\\w+|\"(?:[^\"]|\"\")+\")(?:\\.(?:\\w+|\"(?:[^\"]|\"\")+\"))*",
            Pattern.UNICODE_CHARACTER_CLASS);
    private static final int MOST_ROWS = 1_000_000;

    private static final OperatorType TYPE = new OperatorType("jdbc_sink", Family.SINKS,
            "Writes rows into a table of a database, over JDBC; docs/databases.md says more."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete (`delivery`). Then all rows "
            + "of the epoch are written in one transaction, with the epoch's number in `epochs_table`. If nobody knows whether a "
            + "transaction has ended, the sink asks there. So each row comes exactly once."
            + "\n- Otherwise rows that have gathered are written in a transaction, and may come twice after a failure."
            + "\n- A row that the database does not take goes to `on_error`, with the database's words; the others of its "
            + "transaction are stored. A number that does not fit its column is such a row."
            + "\n- A broken connection, a deadlock or a full disk passes: the sink tries again for `retry_for_ms`."
            + "\n- The table must be there, with a column for each of the stream's. Missing names and types that do not fit are "
            + "errors at the start."
            + "\n- Each instance has a connection of its own. With PostgreSQL's driver, rows that are appended go by COPY.",
            List.of("in"), List.of("errors"), fields(), """
                "stored": {
                  "type": "jdbc_sink",
                  "url": "jdbc:postgresql://127.0.0.1/plant",
                  "driver": "org.postgresql.Driver",
                  "user": "writer",
                  "password_env": "PLANT_PASSWORD",
                  "table": "readings",
                  "columns": ["device", "celsius"]
                }
                """);

    private static List<FieldSpec> fields() {
        List<FieldSpec> fields = new ArrayList<>(DatabaseFields.place());
        fields.addAll(List.of(
                required("table", TEXT, "The table, with its schema where it needs one: `plant.readings`."),
                optional("columns", NAMES, "all of the stream", "The stream's columns to write. Each goes into the column of "
                        + "its name, in upper or lower case. Other columns of the table get their defaults."),
                or("mode", words("append", "each packet is a row more", "upsert", "a packet takes the place of the row with the "
                        + "same `keys`", "changelog", "column `op` says what a packet does to the row of its `keys`: `insert` "
                        + "and `update` put it there, `delete` removes it; any other value is a bad record. The table does not "
                        + "have that column"), "\"append\"", "What a packet does. Packets with the same `keys` go to one "
                        + "instance, in order. PostgreSQL and SQLite do it by ON CONFLICT, MySQL by ON DUPLICATE KEY, others by "
                        + "MERGE."),
                optional("keys", NAMES, "none, for `append` only", "The columns that say which row it is; the table has a "
                        + "primary key or a unique index of just these. A packet with NULL in one is a bad record."),
                or("epochs_table", TEXT, "\"despina_epochs\"", "The table with the last epoch of each sink that keeps state. It "
                        + "is made if it is not there. A row of it belongs to an outbox, and may go when that has gone."),
                or("batch_rows", new FieldKind.Whole(1, MOST_ROWS), "50000", "Rows are written when there are so many, or 1 MB "
                        + "of them. With `keys`, rows that wait for their epoch gather up to 8 MB."),
                or("flush_after_ms", MILLIS, "100", "They are written when the first has waited so long, too. Of no effect where "
                        + "rows wait for their epoch."),
                SocketFields.DELIVERY, SocketFields.OUTBOX, SocketFields.RETRY));
        return List.copyOf(fields);
    }

    JdbcSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        DatabaseFields database = DatabaseFields.read(context, fields);
        if (database == null || !isTable(context, "table") || !isTable(context, "epochs_table")) {
            return null;
        }
        String mode = fields.string("mode", "append");
        if (mode.equals("append") == fields.isWritten("keys")) {
            return context.refuse(fields.place(mode.equals("append") ? "keys" : "mode"), Rule.EXCLUSIVE,
                    mode.equals("append") ? "`keys` needs `mode` upsert or changelog" : "`mode` " + mode + " needs `keys`",
                    mode.equals("append") ? "say which, or leave `keys` out" : "for example \"keys\": [\"id\"]");
        }
        boolean changes = mode.equals("changelog");
        if (changes && !SinkMode.isChangelog(context)) {
            return null;
        }
        Schema in = context.input().schema();
        int op = changes ? in.indexOf(RowChange.COLUMN) : RowChange.NONE;
        List<Integer> columns = fields.isWritten("columns") ? ordinals(context, "columns")
                : IntStream.range(0, in.size()).filter(k -> k != op).boxed().toList();
        List<Integer> keys = ordinals(context, "keys");
        if (columns == null || keys == null || !canHold(context, columns, keys)) {
            return null;
        }
        JdbcSinkSpec spec = new JdbcSinkSpec(database, new JdbcSinkOptions.To(fields.string("table", ""), columns, keys, op,
                fields.string("epochs_table", "")), new JdbcSinkOptions.Batch((int) fields.whole("batch_rows", 0),
                fields.whole("flush_after_ms", 0)), fields.whole("retry_for_ms", 0), Leaving.of(context));
        return keys.isEmpty() ? PlanningResult.of(spec, null) : new PlanningResult(spec, null, List.of(keys.stream()
                .map(key -> Column.inSql(in.column(key).name())).toList()), null);
    }

    /** Whether a field is the name of a table; refuses it if not. */
    static boolean isTable(PlanningContext context, String field) {
        String name = context.fields().string(field, "");
        if (!TABLE.matcher(name).matches()) {
            context.refuse(context.fields().place(field), Rule.OUT_OF_RANGE, "`" + name + "` is no name of a table",
                    "a name, perhaps behind its schema's and a point; one with other signs than letters, digits and _ in double "
                    + "quotes");
            return false;
        }
        return true;
    }

    /** Of the columns that a field names; null after a refusal. */
    static List<Integer> ordinals(PlanningContext context, String field) {
        List<Integer> ordinals = new ArrayList<>();
        for (Text name : context.fields().texts(field)) {
            int ordinal = context.column(context.input().schema(), name.value(), name.place());
            if (ordinal < 0) {
                return null;
            }
            if (ordinals.contains(ordinal)) {
                return context.refuse(name.place(), Rule.DUPLICATE_COLUMN, "`" + name.value() + "` stands in `" + field
                        + "` twice", "leave one of them out");
            }
            ordinals.add(ordinal);
        }
        return ordinals;
    }

    private static boolean canHold(PlanningContext context, List<Integer> columns, List<Integer> keys) {
        Schema in = context.input().schema();
        Values fields = context.fields();
        for (int column : columns) {
            if (!DatabaseTable.has(in.column(column).type())) {
                context.refuse(fields.place(fields.isWritten("columns") ? "columns" : "table"), Rule.COLUMN_TYPE, "column `"
                        + in.column(column).name() + "` is " + in.column(column).type().sql()
                        + ", and a column of a table has a simple type",
                        "make a text of it by a project before, with to_json, or leave it out of `columns`");
                return false;
            }
        }
        for (int k = 0; k < keys.size(); k++) {
            Type type = in.column(keys.get(k)).type();
            if (!columns.contains(keys.get(k))) {
                context.refuse(fields.texts("keys").get(k).place(), Rule.UNKNOWN_COLUMN, "key `"
                        + in.column(keys.get(k)).name() + "` is not written", "add it to `columns`");
                return false;
            }
            if (type == Type.Simple.FLOAT || type == Type.Simple.DOUBLE) {
                context.refuse(fields.texts("keys").get(k).place(), Rule.COLUMN_TYPE, "key `"
                        + in.column(keys.get(k)).name() + "` is " + type.sql(), "a key is a text, a time or a whole number");
                return false;
            }
        }
        return true;
    }

    /** @param retryMillis while the database is away or fails, until the job fails */
    public record JdbcSinkSpec(DatabaseFields database, JdbcSinkOptions.To to, JdbcSinkOptions.Batch batch, long retryMillis,
            Leaving leaving) implements LeavingSpec {

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public String userClass() {
            return database.driver();
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.UNUSED;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return leaving.byEpoch() ? Promise.of(SinkGuarantee.MARKED) : !to.keys().isEmpty()
                    ? Promise.of(SinkGuarantee.IDEMPOTENT)
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "`delivery` is at_least_once, and rows that are appended come "
                            + "again", "leave `delivery` out, or upsert by `keys`");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("it keeps its epochs in a table beside its rows, by the engine's numbers",
                    "write its DataFrame by Spark's own sink `jdbc`, which appends: df.write.format(\"jdbc\")"));
        }

        @Override
        public Probe probe(InstanceContext making) {
            return new SinkProbe(new JdbcSinkOptions(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), to, batch, retryMillis), making.input(0).schema(), leaving.byEpoch());
        }

        @Override
        public Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
            return new SinkLeftovers(database.options(making.around().user().classes(), making.plan().settings().timeZone()),
                    to.marks(), names, removes);
        }

        @Override
        public Operator make(InstanceContext making) {
            return leaving.of(new JdbcSink(new JdbcSinkOptions(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), to, batch, retryMillis)), making);
        }
    }
}
