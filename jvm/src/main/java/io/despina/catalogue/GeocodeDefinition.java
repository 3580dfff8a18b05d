package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.LocalPath;
import io.despina.catalogue.field.PairSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.lookup.NamedPlaces;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.StandardStreams;
import io.despina.plan.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code geocode}. */
public final class GeocodeDefinition extends Definition {
    private static final int MOST_DISTANCE = 5;

    private static final OperatorType TYPE = new OperatorType("geocode", Family.JOINS,
            "Finds the place that has a name, in a gazetteer that is read into memory when the job starts: first a name as it is "
            + "written, then without case and accents, then within `edit_distance`. Of several the place with the most people "
            + "is taken, and of equals the first of the file. It is `latitude DOUBLE, longitude DOUBLE, name STRING, country "
            + "STRING, score DOUBLE`."
            + "\n- `score` is 1 for a name as it is written, 0.95 without case and accents, and 0.95 × (1 - d / n) for d changes "
            + "in a name of n characters."
            + "\n- On Spark each task reads the files, so they must be where the executors are.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("name", EXPRESSION, "The name, STRING. NULL, and more than 1,600 bytes, is no place."),
                    optional("country", EXPRESSION, "any", "The country the place is in, STRING: two letters of ISO 3166, as "
                            + "`DE`; NULL for any. One that does not exist is an error of the packet."),
                    required("path", TEXT, "A gazetteer in GeoNames' table format: a file, a folder or a glob, or its URI, as "
                            + "of a `file_source`; not `-`. A broken line fails the job."),
                    or("edit_distance", new FieldKind.Whole(0, MOST_DISTANCE), "0", "How many characters may be changed, "
                            + "added or left out, after case and accents. The nearest names win; "
                            + "not all characters may be changed."),
                    or("how", words("left", "packets without a place too, with NULL for its columns", "inner",
                            "packets with a place only"), "\"left\"", "Which packets leave."),
                    optional("select", EXPRESSIONS, "the packet's columns, then the place's", "The row, over `packet.x` and "
                            + "`place.x`; a name that only one of them has may stand alone. It is required where both have a "
                            + "column of one name.")), """
                "placed": {
                  "type": "geocode",
                  "name": "device",
                  "path": "cities15000.txt",
                  "edit_distance": 1
                }
                """);

    GeocodeDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        String path = LocalPath.anywhere(context, context.fields().text("path"));
        if (path == null) {
            return null;
        }
        if (StandardStreams.isMeant(path)) {
            return context.refuse(context.fields().place("path"), Rule.PATH, "geocode cannot read standard input", "give a path");
        }
        ProjectionPlan key = key(context);
        ProjectionPlan select = key == null ? null : PairSelect.read(context, "place", NamedPlaces.PLACE, List.of());
        if (select == null) {
            return null;
        }
        NamedPlaces.Options places = new NamedPlaces.Options(path, (int) context.fields().whole("edit_distance", 0));
        Stream in = context.input();
        return PlanningResult.of(new Spec(key, places, select, context.fields().string("how", "left").equals("left")),
                in.with(select.result(), EventTimes.through(in.time(), select.origins())));
    }

    /** A packet to the name and the country, which is empty for any; null after a refusal. */
    private static ProjectionPlan key(PlanningContext context) {
        Schema packet = context.input().schema();
        List<String> texts = new ArrayList<>();
        for (String field : List.of("name", "country")) {
            if (!context.fields().isWritten(field)) {
                texts.add("'' AS " + field);
                continue;
            }
            Text text = context.fields().text(field);
            ProjectionPlan one = context.expressions().keys(packet, List.of(Snippet.of(text)));
            if (one == null) {
                return null;
            }
            Type type = one.result().column(0).type();
            if (type != Simple.STRING) {
                return context.refuse(text.place(), Rule.TYPE_MISMATCH,
                        "`" + field + "` is " + type.sql() + ", and must be STRING",
                        "write `CAST(" + text.value().strip() + " AS STRING)`");
            }
            String written = field.equals("name") ? "(" + text.value() + "\n)" : "coalesce(" + text.value() + "\n, '')";
            texts.add(written + " AS " + field);
        }
        return context.expressions().keys(Scope.of(packet), texts, context.operator().place());
    }

    private record Spec(ProjectionPlan key, NamedPlaces.Options places, ProjectionPlan select, boolean left)
            implements FilesLookup {
        @Override
        public String path() {
            return places.path();
        }

            @Override
        public List<Compiled<?>> code() {
            return List.of(key.compiled(), select.compiled());
        }

        @Override
        public Map<String, Object> resolved() {
            return Map.of("path", path());
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Lookup(new Lookup.Options(making.keys(key), NamedPlaces.PLACE, select.compiled(), left),
                    () -> new NamedPlaces(places));
        }
    }
}
