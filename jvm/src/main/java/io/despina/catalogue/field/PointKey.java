package io.despina.catalogue.field;

import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.plan.PlanningContext;
import io.despina.plan.Snippet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A point as a key: two expressions, {@code latitude} and {@code longitude}. */
public final class PointKey {
    private static final List<String> COORDINATES = List.of("latitude", "longitude");
    private static final Set<Type> NUMBERS = Set.of(Simple.TINYINT, Simple.SMALLINT, Simple.INT, Simple.BIGINT, Simple.FLOAT,
            Simple.DOUBLE);

    private PointKey() {
    }

    /** Of the field {@code key}: a packet to its latitude and longitude, both DOUBLE; null after a refusal. */
    public static ProjectionPlan read(PlanningContext context) {
        Map<String, Text> written = context.fields().namedTexts("key");
        if (!written.keySet().equals(Set.copyOf(COORDINATES))) {
            return context.refuse(context.fields().place("key"), Rule.OUT_OF_RANGE,
                    "the key of areas is a point: it has `latitude` and `longitude`, and nothing else",
                    "for example \"key\": {\"latitude\": \"lat\", \"longitude\": \"lon\"}");
        }
        return of(context, written, context.fields().place("key"));
    }

    /** Of two fields of the operator: a packet to its latitude and longitude, both DOUBLE; null after a refusal. */
    public static ProjectionPlan ofFields(PlanningContext context) {
        Map<String, Text> written = new HashMap<>();
        COORDINATES.forEach(name -> written.put(name, context.fields().text(name)));
        return of(context, written, context.operator().place());
    }

    private static ProjectionPlan of(PlanningContext context, Map<String, Text> written, Place place) {
        Schema packet = context.input().schema();
        List<String> texts = new ArrayList<>();
        for (String name : COORDINATES) {
            Text text = written.get(name);
            ProjectionPlan one = context.expressions().keys(packet, List.of(Snippet.of(text)));
            if (one == null) {
                return null;
            }
            Type type = one.result().column(0).type();
            if (!NUMBERS.contains(type) && !(type instanceof Type.Decimal)) {
                return context.refuse(text.place(), Rule.TYPE_MISMATCH, "`" + name + "` is " + type.sql()
                        + ", and must be a number of degrees", "write `try_cast(" + text.value().strip() + " AS DOUBLE)`, which "
                        + "is NULL where it cannot be cast");
            }
            texts.add("CAST((" + text.value() + "\n) AS DOUBLE) AS " + name);
        }
        return context.expressions().keys(Scope.of(packet), texts, place);
    }
}
