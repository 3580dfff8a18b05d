package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.connect.ConnectorJars;
import io.despina.operator.connect.LakeSink;
import io.despina.operator.connect.LakeSinkOptions;
import io.despina.operator.connect.PartitionTexts;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Settings;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** {@code delta_sink}. */
public final class DeltaSinkDefinition extends Definition {
    /** Delta's log has them nowhere else than in files. */
    private static final Pattern STRANGE = Pattern.compile("[ ,;{}()\n\t=]");

    private static final OperatorType TYPE = new OperatorType("delta_sink", Family.SINKS,
            "Appends rows to a Delta table of this machine; docs/delta.md says more. Its library comes with "
            + "`pip install 'despina[delta]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete. Then one version of the "
            + "table takes them all in, with the epoch's number. So each row is there once."
            + "\n- With `delivery` at_least_once rows are taken in at each epoch, and in a job without state each "
            + "`roll_every_ms` and at its end."
            + "\n- A table that is not there is made. One that is there has the stream's columns, of the same types; columns "
            + "that it has besides are NULL."
            + "\n- Others may write to it meanwhile.",
            List.of("in"), List.of("errors"), List.of(
                    required("path", TEXT, "The table's folder."),
                    optional("partition_by", new FieldKind.ListOf(TEXT, 1), "none, or what the table has", "Columns by whose "
                            + "values a new table is partitioned. A table that is there must be partitioned in this way."),
                    SocketFields.DELIVERY, SocketFields.OUTBOX,
                    or("roll_every_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "60000", "In a job without state: how long "
                            + "rows wait until the table takes them in."),
                    or("retry_for_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "120000", "How long it tries again while the "
                            + "folder cannot be written to, or others always come first; then the job fails."),
                    SinkMode.APPEND_ONLY), """
                "kept": {"type": "delta_sink", "path": "lake/readings"}
                """);

    DeltaSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        String folder = DeltaFields.folder(context, "written");
        if (folder == null || !SinkMode.isAppend(context) || !canHold(context)) {
            return null;
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("path", folder);
        if (fields.isWritten("partition_by")) {
            List<String> names = partitions(context);
            if (names == null) {
                return null;
            }
            settings.put("partition_by", names);
        }
        return PlanningResult.of(new DeltaSinkSpec(new ConnectorSettings(settings), new LakeSinkOptions.Roll(
                fields.whole("roll_every_ms", 0), fields.whole("retry_for_ms", 0)), Leaving.of(context)), null);
    }

    private static boolean canHold(PlanningContext context) {
        for (Column each : context.input().schema().columns()) {
            if (!canHold(each.type())) {
                context.refuse(context.operator().place(), Rule.COLUMN_TYPE, "column `" + each.name() + "` is "
                        + each.type().sql() + ", which no column of a Delta table is here", "CAST it in a project before: "
                        + "TIMESTAMP_NTZ to TIMESTAMP");
                return false;
            }
            if (STRANGE.matcher(each.name()).find()) {
                context.refuse(context.operator().place(), Rule.BAD_NAME, "column `" + each.name() + "` has a sign in its name "
                        + "that Delta does not allow", "give it another name in a project before: no blank, and none of ,;{}()=");
                return false;
            }
        }
        return true;
    }

    private static boolean canHold(Type type) {
        if (type instanceof Type.Struct struct) {
            return !struct.fields().isEmpty() && struct.fields().stream().allMatch(each -> canHold(each.type()));
        }
        if (type instanceof Type.Array array) {
            return canHold(array.element());
        }
        if (type instanceof Type.MapOf map) {
            return canHold(map.key()) && canHold(map.value());
        }
        return type instanceof Type.Decimal || type instanceof Simple && type != Simple.TIMESTAMP_NTZ;
    }

    /** Null after a refusal. */
    private static List<String> partitions(PlanningContext context) {
        Schema in = context.input().schema();
        List<String> names = new ArrayList<>();
        for (Text name : context.fields().texts("partition_by")) {
            int column = context.column(in, name.value(), name.place());
            if (column < 0) {
                return null;
            }
            String own = in.column(column).name();
            if (!PartitionTexts.has(in.column(column).type())) {
                return context.refuse(name.place(), Rule.COLUMN_TYPE, "`" + own + "` is " + in.column(column).type().sql()
                        + ", and a partition is a text, a whole number, a date or true and false", "CAST it in a project before");
            }
            if (names.contains(own)) {
                return context.refuse(name.place(), Rule.DUPLICATE_COLUMN, "`" + own + "` stands in `partition_by` twice",
                        "leave one of them out");
            }
            names.add(own);
        }
        return names.size() < in.size() ? names : context.refuse(context.fields().place("partition_by"), Rule.EXCLUSIVE,
                "no column is left for the files", "leave one of them out");
    }

    /** @param table fields of the connector */
    public record DeltaSinkSpec(ConnectorSettings table, LakeSinkOptions.Roll roll, Leaving leaving) implements LeavingSpec {

        @Override
        public String connectorJar() {
            return DeltaFields.CONNECTOR;
        }

        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return leaving.marked("written");
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return List.of(new SparkGap("Delta is no part of Spark's own distribution", "write the frame that the graph gives by "
                    + "delta-spark: df.write.format(\"delta\"); or stub the sink"));
        }

        @Override
        public Map<String, Object> resolved() {
            return Map.of("path", table.text("path"));
        }

        private ConnectorSettings with(Schema schema) {
            return table.with("schema", Expressions.parquetSchema(schema));
        }

        @Override
        public Probe probe(InstanceContext making) {
            return ConnectorJars.probe(DeltaFields.CONNECTOR, with(making.input(0).schema()),
                    leaving.byEpoch() ? Connector.Use.WRITE_EPOCHS : Connector.Use.WRITE);
        }

        @Override
        public Probe leftovers(InstanceContext making, List<String> names, boolean removes) {
            return ConnectorJars.leftovers(DeltaFields.CONNECTOR, table, names, removes);
        }

        @Override
        public Operator make(InstanceContext making) {
            Settings settings = making.plan().settings();
            LakeSinkOptions.Files files = (out, schema) -> Expressions.parquetWriter(out, new FileRowsWriter.Options(schema,
                    Map.of(), settings.timeZone(), settings.ansi()));
            return leaving.of(new LakeSink(new LakeSinkOptions(() -> ConnectorJars.load(DeltaFields.CONNECTOR), table,
                    Expressions::parquetSchema, files, roll)), making);
        }
    }
}
