package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.SinkMode;
import io.despina.catalogue.field.SocketFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.operator.connect.LakeSinkOptions;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sinks that append to tables of files. */
abstract class LakeSinkDefinition extends Definition {
    private static final List<FieldSpec> FIELDS = List.of(
            SocketFields.DELIVERY, SocketFields.OUTBOX,
            or("roll_every_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "60000", "In a job without state: how long "
                    + "rows wait until the table takes them in."),
            or("retry_for_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "120000", "How long it tries again while the "
                    + "table cannot be written to, or others always come first; then the job fails."),
            SinkMode.APPEND_ONLY);

    private final Lake lake;

    LakeSinkDefinition(Lake lake, String text, String example) {
        super(new OperatorType(lake.connector() + "_sink", Family.SINKS, text, List.of("in"), List.of("errors"),
                fields(lake), example));
        this.lake = lake;
    }

    private static List<FieldSpec> fields(Lake lake) {
        List<FieldSpec> fields = new ArrayList<>(lake.place());
        fields.add(optional("partition_by", new FieldKind.ListOf(TEXT, 1), "none, or what the table has", "Columns by whose "
                + "values a new table is partitioned" + (lake == Lake.ICEBERG ? ", or what is made of them: " + PartitionWords.DOC
                : "") + ". A table that is there must be partitioned in this way."));
        fields.addAll(FIELDS);
        return List.copyOf(fields);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        LakeAddress address = lake.address(context, "written");
        if (address == null || !SinkMode.isAppend(context) || !lake.canHold(context, context.input().schema())) {
            return null;
        }
        if (fields.isWritten("partition_by")) {
            List<String> words = partitions(context);
            if (words == null) {
                return null;
            }
            address = address.with(Map.of("partition_by", words));
        }
        return PlanningResult.of(new LakeSinkSpec(lake, address, new LakeSinkOptions.Roll(fields.whole("roll_every_ms", 0),
                fields.whole("retry_for_ms", 0)), Leaving.of(context)), null);
    }

    /** Null after a refusal. */
    private List<String> partitions(PlanningContext context) {
        Schema in = context.input().schema();
        List<String> words = new ArrayList<>();
        Set<String> columns = new HashSet<>();
        for (Text each : context.fields().texts("partition_by")) {
            PartitionWords found = PartitionWords.of(context, in, each, lake == Lake.ICEBERG);
            if (found == null) {
                return null;
            }
            if (words.contains(found.text())) {
                return context.refuse(each.place(), Rule.DUPLICATE_COLUMN, "`" + found.text() + "` stands in `partition_by` "
                        + "twice", "leave one of them out");
            }
            words.add(found.text());
            columns.add(found.column());
        }
        return lake == Lake.ICEBERG || columns.size() < in.size() ? words : context.refuse(
                context.fields().place("partition_by"), Rule.EXCLUSIVE, "no column is left for the files",
                "leave one of them out");
    }
}
