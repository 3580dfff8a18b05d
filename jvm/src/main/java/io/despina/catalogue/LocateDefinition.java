package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.PointKey;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.operator.lookup.NearestPlaces;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code locate}. */
public final class LocateDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("locate", Family.JOINS,
            "Finds the place that is nearest to a point, in a gazetteer that is read into memory when the job starts. Of places "
            + "as near the one with the most people is taken, and of equals the first of the file. It is `latitude DOUBLE, "
            + "longitude DOUBLE, name STRING, country STRING, distance_km DOUBLE`."
            + "\n- Distances are along the surface of a sphere with a radius of 6371.0088 km: at most 0.6 % from the Earth's."
            + "\n- On Spark each task reads the files, so they must be where the executors are.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("latitude", EXPRESSION, "The point's latitude in degrees (WGS 84), a number. NULL, and what is not "
                            + "on the Earth, is near no place."),
                    required("longitude", EXPRESSION, "Its longitude in degrees, a number; 190 is -170."),
                    PlacesSpec.PATH,
                    required("within_km", new FieldKind.Real(0, true), "How far from the point a place may be, in kilometres."),
                    PlacesSpec.HOW, PlacesSpec.SELECT), """
                "town": {
                  "type": "locate",
                  "latitude": "try_cast(tags[0] AS DOUBLE)",
                  "longitude": "try_cast(tags[1] AS DOUBLE)",
                  "path": "cities15000.txt",
                  "within_km": 50
                }
                """);

    LocateDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        double within = context.fields().real("within_km", 0);
        return PlacesSpec.plan(context, NearestPlaces.PLACE, PointKey::ofFields,
                path -> new NearestPlaces(new NearestPlaces.Options(path, within)));
    }
}
