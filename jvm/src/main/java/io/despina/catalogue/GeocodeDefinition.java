package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.lookup.NamedPlaces;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.List;

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
                    PlacesSpec.PATH,
                    or("edit_distance", new FieldKind.Whole(0, MOST_DISTANCE), "0", "How many characters may be changed, "
                            + "added or left out, after case and accents. The nearest names win; "
                            + "not all characters may be changed."),
                    PlacesSpec.HOW, PlacesSpec.SELECT), """
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
        int distance = (int) context.fields().whole("edit_distance", 0);
        return PlacesSpec.plan(context, NamedPlaces.PLACE, GeocodeDefinition::key,
                path -> new NamedPlaces(new NamedPlaces.Options(path, distance)));
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
}
