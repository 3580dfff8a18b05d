package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.DeclaredSchema;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.connect.LakeSourceOptions.Reading;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import io.despina.spec.FileFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sources that read tables of files. */
abstract class LakeSourceDefinition extends Definition {
    private final Lake lake;
    /** The field that names the version to begin with. */
    private final String first;

    LakeSourceDefinition(Lake lake, String text, FieldSpec first, String example) {
        super(new OperatorType(lake.connector() + "_source", Family.SOURCES, text, List.of(), List.of("out", "errors"),
                fields(lake, first), example));
        this.lake = lake;
        this.first = first.name();
    }

    private static List<FieldSpec> fields(Lake lake, FieldSpec first) {
        List<FieldSpec> fields = new ArrayList<>(lake.place());
        fields.addAll(List.of(
            required("schema", new FieldKind.Ddl(false), "The columns to read, as Spark DDL. They are found by their "
                    + "names, in upper or lower case, and must have these types. Each may be NULL."),
            first,
            or("follow", FLAG, "false", "true: the source does not end, and reads what later versions add."),
            or("only_new", FLAG, "false", "With `follow`: true: rows of the first version itself are left out."),
            or("on_change", words("fail", "the job fails, and says which version", "skip", "the version is passed over, "
                    + "with rows that it adds, and a line on standard error says so"), "\"fail\"", "With `follow`: what "
                    + "it does about a version that removes or changes rows of earlier ones, by DELETE, UPDATE, MERGE "
                    + "or an overwriting writer. One that only writes the same rows into other files, as OPTIMIZE "
                    + "does, has nothing to read."),
            or("poll_ms", POSITIVE_MILLIS, "1000", "With `follow`: how long it waits before it looks for a version."),
            or("retry_for_ms", new FieldKind.Whole(1, Integer.MAX_VALUE), "120000", "How long it tries again while the "
                    + "table cannot be read; then the job fails.")));
        return List.copyOf(fields);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        LakeAddress address = lake.address(context, "read");
        Schema schema = address == null ? null : DeclaredSchema.ofFiles(context, FileFormat.PARQUET);
        if (schema == null || !lake.canRead(context, schema)) {
            return null;
        }
        boolean follow = fields.flag("follow");
        for (String each : List.of("only_new", "on_change", "poll_ms")) {
            if (fields.isWritten(each) && !follow) {
                return context.refuse(fields.place(each), Rule.EXCLUSIVE, "`" + each + "` is for a source with `follow`",
                        "add \"follow\": true, or leave it out");
            }
        }
        LakeAddress table = fields.isWritten(first) ? address.with(Map.of(first, fields.whole(first, 0))) : address;
        Reading reading = new Reading(fields.flag("only_new"), follow, fields.string("on_change", "").equals("skip"),
                fields.whole("poll_ms", 0), fields.whole("retry_for_ms", 0));
        return new PlanningResult(new LakeSourceSpec(lake, table, schema, reading), new Stream(schema,
                null, follow), List.of(), "versions of a table have one order");
    }

    @Override
    public PlanningResult fed(PlanningContext context, PlanningResult declared) {
        return PythonSourceSpec.inPlaceOf(declared);
    }
}
