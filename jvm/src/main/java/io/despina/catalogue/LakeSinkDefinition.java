package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
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
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
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
                    + "table cannot be written to, or others always come first; then the job fails."));
    private static final List<FieldSpec> UPSERTS = List.of(
            or("mode", words("append", "each row is added, and stays", "upsert", "a row takes the place of the one with the "
                    + "same `keys`", "changelog", "refused"), "\"append\"", "What becomes of earlier rows with the same key. "
                    + "Rows with the same `keys` go to one instance, in order."),
            optional("keys", new FieldKind.ListOf(TEXT, 1), "none, for `append` only", "The columns that say which row it is. "
                    + "Those by which the table is partitioned are among them. A row with NULL in one is a bad record."));

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
        fields.addAll(lake == Lake.ICEBERG ? UPSERTS : List.of(SinkMode.APPEND_ONLY));
        return List.copyOf(fields);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        LakeAddress address = lake.address(context, "written");
        if (address == null || !isMode(context) || !lake.canHold(context, context.input().schema())) {
            return null;
        }
        if (fields.isWritten("partition_by")) {
            List<String> words = partitions(context);
            if (words == null) {
                return null;
            }
            address = address.with(Map.of("partition_by", words));
        }
        List<Integer> keys = upserts(fields) ? keys(context) : List.of();
        if (keys == null) {
            return null;
        }
        Schema in = context.input().schema();
        List<String> names = keys.stream().map(key -> in.column(key).name()).toList();
        LakeSinkSpec spec = new LakeSinkSpec(lake, keys.isEmpty() ? address : address.with(Map.of("keys", names)), keys,
                new LakeSinkOptions.Roll(fields.whole("roll_every_ms", 0), fields.whole("retry_for_ms", 0)), Leaving.of(context));
        return keys.isEmpty() ? PlanningResult.of(spec, null) : new PlanningResult(spec, null, List.of(names.stream()
                .map(Column::inSql).toList()), null);
    }

    private static boolean upserts(Values fields) {
        return fields.string("mode", "append").equals("upsert");
    }

    private boolean isMode(PlanningContext context) {
        Values fields = context.fields();
        if (lake != Lake.ICEBERG) {
            return SinkMode.isAppend(context);
        }
        boolean upserts = upserts(fields);
        if (fields.string("mode", "append").equals("changelog")) {
            context.refuse(fields.place("mode"), Rule.EXCLUSIVE, "`iceberg_sink` adds rows and replaces them, and takes none "
                    + "away, so `mode` is append or upsert", "`jdbc_sink` can");
            return false;
        }
        if (upserts != fields.isWritten("keys")) {
            context.refuse(fields.place(upserts ? "mode" : "keys"), Rule.EXCLUSIVE, upserts ? "`mode` upsert needs `keys`"
                    : "`keys` needs `mode` upsert", upserts ? "for example \"keys\": [\"id\"]" : "say so, or leave `keys` out");
            return false;
        }
        return true;
    }

    /** Null after a refusal. */
    private static List<Integer> keys(PlanningContext context) {
        Schema in = context.input().schema();
        List<Integer> keys = JdbcSinkDefinition.ordinals(context, "keys");
        for (int k = 0; keys != null && k < keys.size(); k++) {
            Type type = in.column(keys.get(k)).type();
            if (!(type instanceof Type.Simple || type instanceof Type.Decimal) || type == Type.Simple.FLOAT
                    || type == Type.Simple.DOUBLE) {
                return context.refuse(context.fields().texts("keys").get(k).place(), Rule.COLUMN_TYPE, "key `"
                        + in.column(keys.get(k)).name() + "` is " + type.sql(), "a key is a text, a time or a whole number");
            }
        }
        for (Text each : context.fields().texts("partition_by")) {
            PartitionWords found = keys == null ? null : PartitionWords.of(context, in, each, true);
            if (found != null && !keys.contains(in.indexOf(found.column()))) {
                return context.refuse(each.place(), Rule.EXCLUSIVE, "the table is partitioned by `" + found.column()
                        + "`, which is none of `keys`: earlier rows of a key may be in other partitions", "add it to `keys`");
            }
        }
        return keys;
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
