package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DatabaseFields;
import io.despina.catalogue.field.DeclaredSchema;
import io.despina.catalogue.field.PairSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.Reason;
import io.despina.operator.database.DatabaseTable;
import io.despina.operator.database.SqlText;
import io.despina.operator.database.SqlUpdate;
import io.despina.operator.database.StatementOptions;
import io.despina.operator.database.StatementProbe;
import io.despina.operator.database.StatementTable;
import io.despina.operator.lookup.Lookup;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** {@code sql}. */
public final class SqlDefinition extends Definition {
    private static final int MOST_ROWS = 100_000;
    /** Characters of a second statement. */
    private static final int SHOWN = 40;

    /** A statement that changes nothing. */
    private static final Pattern QUERY = Pattern.compile("\\s*(?:SELECT|VALUES)\\b", Pattern.CASE_INSENSITIVE);

    private static final OperatorType TYPE = new OperatorType("sql", Family.JOINS,
            "Executes a statement in a database for each packet; on the engine only. With `schema` it is a query: each row "
            + "that it gives leaves beside the packet. Without, it gives no rows, and the packet goes on when it is committed. "
            + "Each instance has a connection and a thread of its own. After a failure statements may be executed again: write "
            + "them so that it does no harm.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("connection", new FieldKind.Fields(new Section("connection", "How to reach the database.",
                            DatabaseFields.specs())), "The database."),
                    required("statement", TEXT, "One statement in the words of the database. `:column` stands for a column of "
                            + "the packet, of a simple type. It is bound as a parameter, never put into the text; so it cannot "
                            + "stand for a name."),
                    optional("schema", new FieldKind.Ddl(false), "no rows", "The columns of the statement's rows, in order, as "
                            + "Spark DDL; of simple types."),
                    or("how", words("inner", "packets with a row only", "left", "packets without a row too, with NULL for its "
                            + "columns"), "\"inner\"", "With `schema`: which packets leave."),
                    optional("select", EXPRESSIONS, "the packet's columns, then the row's", "With `schema`: the row that leaves, "
                            + "over `packet.x` and `result.x`; a name that only one of them has may stand alone. It is required "
                            + "where both have a column of one name."),
                    or("batch_rows", new FieldKind.Whole(1, MOST_ROWS), "1", "Without `schema`: at most so many packets are "
                            + "written in one transaction. It has those that are there: none waits for others. If it fails, "
                            + "each packet gets one of its own.")), """
                "stored": {
                  "type": "sql",
                  "connection": {"url": "jdbc:sqlite:plant.db", "driver": "org.sqlite.JDBC"},
                  "statement": "INSERT INTO readings VALUES (:device, :celsius)",
                  "batch_rows": 500
                }
                """);

    SqlDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Stream in = context.input();
        boolean gives = fields.isWritten("schema");
        for (String other : gives ? List.of("batch_rows") : List.of("how", "select")) {
            if (fields.isWritten(other)) {
                return context.refuse(fields.place(other), Rule.EXCLUSIVE, "`" + other + "` is for a statement that gives "
                        + (gives ? "no rows, and `schema` says that it does" : "rows, whose columns `schema` says"),
                        gives ? "leave one of them out" : "add \"schema\", or leave it out");
            }
        }
        DatabaseFields database = DatabaseFields.read(context, fields.fields("connection"));
        SqlText statement = SqlText.parse(fields.text("statement").value());
        List<Integer> parameters = parameters(context, statement);
        if (database == null || parameters == null) {
            return null;
        }
        if (!gives) {
            return PlanningResult.of(new SqlSpec(database, statement.sql(), parameters, null, fields.whole("batch_rows", 1)), in);
        }
        Schema rows = DeclaredSchema.nullable(DeclaredSchema.of(fields.text("schema")));
        String problem = DatabaseTable.problem(rows);
        boolean left = fields.string("how", "inner").equals("left");
        ProjectionPlan select = problem == null ? PairSelect.read(context, "result", rows, List.of())
                : context.refuse(fields.place("schema"), Rule.SCHEMA, problem, null);
        return select == null ? null : PlanningResult.of(new SqlSpec(database, statement.sql(), parameters,
                new Result(rows, select, left), 0), in.with(select.result(), EventTimes.through(in.time(), select.origins())));
    }

    /** Ordinals of the packet's columns, or null after a refusal. */
    private static List<Integer> parameters(PlanningContext context, SqlText statement) {
        Text written = context.fields().text("statement");
        if (statement.sql().isBlank()) {
            return context.refuse(written.place(), Rule.OUT_OF_RANGE, "the statement is empty", null);
        }
        String behind = SqlText.behindFirst(written.value());
        if (!behind.isEmpty()) {
            return context.refuse(written.place(), Rule.OUT_OF_RANGE, "`statement` is one statement, and behind its `;` stands `"
                    + Reason.shortened(Reason.visible(behind), SHOWN) + "`", "give each statement an operator of its own, one "
                    + "behind the other");
        }
        Schema in = context.input().schema();
        List<Integer> parameters = new ArrayList<>();
        for (String name : statement.columns()) {
            int column = context.column(in, name, written.place());
            if (column < 0) {
                return null;
            }
            if (!DatabaseTable.has(in.column(column).type())) {
                return context.refuse(written.place(), Rule.COLUMN_TYPE, "`:" + name + "` is "
                        + in.column(column).type().sql() + ", and a parameter has a simple type",
                        "make a text of it by a project before, with to_json");
            }
            parameters.add(column);
        }
        return parameters;
    }

    /**
     * What a query gives.
     *
     * @param select over the packet and a row
     * @param left   whether packets without a row leave
     */
    record Result(Schema rows, ProjectionPlan select, boolean left) {
    }

    /**
     * One statement.
     *
     * @param parameters by question mark, the ordinal of the packet's column
     * @param result     null if it gives no rows
     * @param batchRows  if not, how many packets may have one transaction
     */
    record SqlSpec(DatabaseFields database, String sql, List<Integer> parameters, Result result, long batchRows)
            implements ExecutableSpec {
        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.UNUSED;
        }

        @Override
        public List<Compiled<?>> code() {
            return result == null ? List.of() : List.of(result.select().compiled());
        }

        @Override
        public boolean blocks() {
            return true;
        }

        @Override
        public String userClass() {
            return database.driver();
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return result != null && QUERY.matcher(sql).lookingAt() ? null
                    : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "statements of packets after the last epoch are executed again",
                    "write it so that this does no harm");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("a database is asked packet by packet by the engine alone",
                    "run the graph on the engine"));
        }

        @Override
        public Probe probe(InstanceContext making) {
            return new StatementProbe(new StatementOptions(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), sql, parameters), making.input(0).schema(),
                    result == null ? 0 : result.rows().size());
        }

        @Override
        public Operator make(InstanceContext making) {
            StatementOptions options = new StatementOptions(database.options(making.around().user().classes(),
                    making.plan().settings().timeZone()), sql, parameters);
            return result == null ? new SqlUpdate(options, (int) batchRows)
                    : new Lookup(new Lookup.Options(null, result.rows(), result.select().compiled(), result.left()),
                            () -> new StatementTable(options, result.rows()));
        }
    }
}
