package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.connect.ConnectorSettings;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.LakeSinkOptions;
import io.despina.operator.connect.PartitionTexts;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sinks that append to tables of files. */
abstract class LakeSinkDefinition extends Definition {
    private static final List<FieldSpec> FIELDS = List.of(
            required("path", TEXT, "The table's folder."),
            optional("partition_by", new FieldKind.ListOf(TEXT, 1), "none, or what the table has", "Columns by whose "
                    + "values a new table is partitioned. A table that is there must be partitioned in this way."),
            SocketFields.DELIVERY, SocketFields.OUTBOX,
            or("roll_every_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "60000", "In a job without state: how long "
                    + "rows wait until the table takes them in."),
            or("retry_for_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "120000", "How long it tries again while the "
                    + "folder cannot be written to, or others always come first; then the job fails."),
            SinkMode.APPEND_ONLY);

    private final Lake lake;

    LakeSinkDefinition(Lake lake, String text, String example) {
        super(new OperatorType(lake.connector() + "_sink", Family.SINKS, text, List.of("in"), List.of("errors"), FIELDS,
                example));
        this.lake = lake;
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        String folder = Lake.folder(context, "written");
        if (folder == null || !SinkMode.isAppend(context) || !lake.canHold(context, context.input().schema())) {
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
        return PlanningResult.of(new LakeSinkSpec(lake, new ConnectorSettings(settings), new LakeSinkOptions.Roll(
                fields.whole("roll_every_ms", 0), fields.whole("retry_for_ms", 0)), Leaving.of(context)), null);
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
}
