package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DeclaredSchema;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.LakeSource;
import io.despina.operator.connect.LakeSourceOptions;
import io.despina.operator.connect.LakeSourceOptions.Reading;
import io.despina.operator.disk.FileAddress;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.ReadsFiles;
import io.despina.plan.Settings;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.FileFormat;
import io.despina.spec.SourceGuarantee;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code delta_source}. */
public final class DeltaSourceDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("delta_source", Family.SOURCES,
            "Reads rows of a Delta table of this machine; docs/delta.md says more. Its library comes with "
            + "`pip install 'despina[delta]'`."
            + "\n- It reads one version, whole, and ends. With `follow` it does not end: it goes on with the rows that later "
            + "versions add."
            + "\n- The version and the place in its files are in the job's snapshots, so each row is taken once."
            + "\n- Rows come version by version, and within one file by file, the oldest first. One instance reads: "
            + "`parallelism` is 1."
            + "\n- Deletion vectors are heeded, and columns that are renamed by `name` are found. A table that its library "
            + "cannot read is refused in words.",
            List.of(), List.of("out", "errors"), List.of(
                    required("path", TEXT, "The table's folder."),
                    required("schema", new FieldKind.Ddl(false), "The columns to read, as Spark DDL. They are found by their "
                            + "names, in upper or lower case, and must have these types. Each may be NULL."),
                    optional("version", new FieldKind.Whole(0, Long.MAX_VALUE), "the newest when the job first starts",
                            "Which version is read first."),
                    or("follow", FLAG, "false", "true: the source does not end, and reads what later versions add."),
                    or("only_new", FLAG, "false", "With `follow`: true: rows of the first version itself are left out."),
                    or("on_change", words("fail", "the job fails, and says which version", "skip", "the version is passed over, "
                            + "with rows that it adds, and a line on standard error says so"), "\"fail\"", "With `follow`: what "
                            + "it does about a version that removes or changes rows of earlier ones, by DELETE, UPDATE, MERGE "
                            + "or an overwriting writer. One that only writes the same rows into other files, as OPTIMIZE "
                            + "does, has nothing to read."),
                    or("poll_ms", POSITIVE_MILLIS, "1000", "With `follow`: how long it waits before it looks for a version."),
                    or("retry_for_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "120000", "How long it tries again while the "
                            + "folder cannot be read; then the job fails.")), """
                "readings": {
                  "type": "delta_source",
                  "path": "lake/readings",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "follow": true,
                  "event_time": {"column": "ts", "max_delay_ms": 60000, "order_by": ["device"]}
                }
                """);

    DeltaSourceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        String folder = DeltaFields.folder(context, "read");
        Schema schema = folder == null ? null : DeclaredSchema.ofFiles(context, FileFormat.PARQUET);
        if (schema == null) {
            return null;
        }
        boolean follow = fields.flag("follow");
        for (String each : List.of("only_new", "on_change", "poll_ms")) {
            if (fields.isWritten(each) && !follow) {
                return context.refuse(fields.place(each), Rule.EXCLUSIVE, "`" + each + "` is for a source with `follow`",
                        "add \"follow\": true, or leave it out");
            }
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("path", folder);
        if (fields.isWritten("version")) {
            settings.put("version", fields.whole("version", 0));
        }
        Reading reading = new Reading(fields.whole("version", Reading.NEWEST), fields.flag("only_new"), follow,
                fields.string("on_change", "").equals("skip"), fields.whole("poll_ms", 0), fields.whole("retry_for_ms", 0));
        return new PlanningResult(new DeltaSourceSpec(new ConnectorSettings(settings), schema, reading), new Stream(schema, null,
                follow), List.of(), "versions of a table have one order");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }

    /** @param table fields of the connector */
    public record DeltaSourceSpec(ConnectorSettings table, Schema schema, Reading reading) implements ExecutableSpec,
            ReadsFiles {

        @Override
        public String path() {
            return table.text("path");
        }

        @Override
        public String connectorJar() {
            return DeltaFields.CONNECTOR;
        }

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public boolean canBeSilent() {
            return reading.follow();
        }

        @Override
        public boolean keepsRowsHere() {
            return true;
        }

        @Override
        public Promise<SourceGuarantee> comesAgain(UserPromises user) {
            return Promise.of(SourceGuarantee.REPLAYABLE);
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("Delta is no part of Spark's own distribution",
                    "give what delta-spark reads in its place: to_spark(spark, inputs={…})"));
        }

        @Override
        public Map<String, Object> resolved() {
            return Map.of("path", path());
        }

        @Override
        public Probe probe(InstanceContext making) {
            return ConnectorJars.probe(DeltaFields.CONNECTOR, table.with("schema", Expressions.parquetSchema(schema)),
                    Connector.Use.READ);
        }

        @Override
        public Operator make(InstanceContext making) {
            Settings settings = making.plan().settings();
            LakeSourceOptions.Files files = (path, columns, from) -> Expressions.parquet(FileAddress.uri(path),
                    new FileRows.Options(columns, Map.of(), Set.of(), settings.timeZone(), settings.ansi()), from);
            return new LakeSource(new LakeSourceOptions(() -> ConnectorJars.load(DeltaFields.CONNECTOR), table, schema,
                    Expressions::parquetSchema, files, making.operator().assigns(), reading));
        }
    }
}
