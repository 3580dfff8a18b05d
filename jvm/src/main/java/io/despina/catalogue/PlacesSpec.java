package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.PairSelect;
import io.despina.descriptor.FieldSpec;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.lookup.Table;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Stream;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Places of a gazetteer, looked up for each packet. Spark runs the engine's own operator, over partitions as they are.
 *
 * @param key    a packet to what is looked up
 * @param path   an absolute path or a URI, of a file, a folder or a glob
 * @param place  schema of a place as it is found
 * @param tables reads the gazetteer at a path
 * @param select over packet and place
 * @param left   whether packets without a place leave
 */
record PlacesSpec(ProjectionPlan key, String path, Schema place, Function<String, Table> tables, ProjectionPlan select,
                  boolean left) implements FilesLookup {
    static final FieldSpec PATH = required("path", TEXT, "A gazetteer in GeoNames' table format: a file, a folder or a glob, or "
            + "its URI, as of a `file_source`; not `-`. A broken line fails the job.");
    static final FieldSpec HOW = or("how", words("left", "packets without a place too, with NULL for its columns", "inner",
            "packets with a place only"), "\"left\"", "Which packets leave.");
    static final FieldSpec SELECT = optional("select", EXPRESSIONS, "the packet's columns, then the place's", "The row, over "
            + "`packet.x` and `place.x`; a name that only one of them has may stand alone. It is required where both have a "
            + "column of one name.");

    /**
     * Plans an operator with these fields.
     *
     * @param key reads the key; it gives null after a refusal
     */
    static PlanningResult plan(PlanningContext context, Schema place, Function<PlanningContext, ProjectionPlan> key,
            Function<String, Table> tables) {
        String path = LocalPath.filesAnywhere(context, context.fields().text("path"), context.operator().type().word());
        ProjectionPlan asked = path == null ? null : key.apply(context);
        ProjectionPlan select = asked == null ? null : PairSelect.read(context, "place", place, List.of());
        if (select == null) {
            return null;
        }
        boolean left = context.fields().string("how", "left").equals("left");
        Stream in = context.input();
        return PlanningResult.of(new PlacesSpec(asked, path, place, tables, select, left),
                in.with(select.result(), EventTimes.through(in.time(), select.origins())));
    }

    @Override
    public List<Compiled<?>> code() {
        return List.of(key.compiled(), select.compiled());
    }

    @Override
    public Map<String, Object> resolved() {
        return Map.of("path", path);
    }

    @Override
    public Operator make(InstanceContext making) {
        return new Lookup(new Lookup.Options(making.keys(key), place, select.compiled(), left), () -> tables.apply(path));
    }
}
