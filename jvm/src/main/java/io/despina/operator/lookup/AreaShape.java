package io.despina.operator.lookup;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.LinearRing;
import org.locationtech.jts.geom.Polygon;
import org.locationtech.jts.operation.valid.IsValidOp;
import org.locationtech.jts.operation.valid.TopologyValidationError;

/**
 * The polygons of a GeoJSON geometry, in degrees, longitude before latitude. Each begins between the meridians -180 and 180. One
 * that goes on behind 180 is there twice, the second time 360 degrees further west: so a point needs no second look.
 *
 * <p>Edges are straight lines between longitudes and latitudes, as RFC 7946 has them. One of more than 180 and less than 360
 * degrees of longitude, as from 179 to -179, goes the short way, across the 180th meridian: many programs write so what the RFC
 * would cut in two.
 *
 * <p>What is wrong is an {@link IllegalArgumentException} that says what, without the file.
 */
final class AreaShape {
    private static final GeometryFactory GEOMETRIES = new GeometryFactory();
    private static final double ROUND = 360;
    private static final double HALF = 180;
    private static final double POLE = 90;
    private static final int FEWEST_POSITIONS = 4;

    private AreaShape() {
    }

    static List<Polygon> of(JsonNode geometry) {
        List<Polygon> polygons = new ArrayList<>();
        if (geometry == null || geometry.isNull()) {
            throw new IllegalArgumentException("it has no geometry, and so no area");
        }
        String type = geometry.path("type").asText("");
        JsonNode coordinates = geometry.path("coordinates");
        switch (type) {
            case "Polygon" -> add(coordinates, polygons);
            case "MultiPolygon" -> items(coordinates, "polygons").forEach(each -> add(each, polygons));
            default -> throw new IllegalArgumentException(type.isEmpty() ? "its geometry has no `type`"
                    : "its geometry is a " + type + ", and only a Polygon or a MultiPolygon is an area");
        }
        return polygons;
    }

    private static JsonNode items(JsonNode array, String of) {
        if (!array.isArray() || array.isEmpty()) {
            throw new IllegalArgumentException("its geometry is empty: `coordinates` has no " + of);
        }
        return array;
    }

    private static void add(JsonNode written, List<Polygon> polygons) {
        items(written, "rings");
        LinearRing shell = ring(written.get(0), null);
        LinearRing[] holes = new LinearRing[written.size() - 1];
        for (int k = 0; k < holes.length; k++) {
            holes[k] = ring(written.get(k + 1), shell.getEnvelopeInternal());
        }
        Polygon polygon = GEOMETRIES.createPolygon(shell, holes);
        TopologyValidationError wrong = new IsValidOp(polygon).getValidationError();
        if (wrong != null) {
            throw new IllegalArgumentException("its polygon is none: " + words(wrong.getErrorType()) + " near longitude "
                    + wrong.getCoordinate().x + ", latitude " + wrong.getCoordinate().y);
        }
        polygons.add(polygon);
        if (polygon.getEnvelopeInternal().getMaxX() > HALF) {
            Polygon west = (Polygon) polygon.copy();
            west.apply((Coordinate each) -> each.setX(each.getX() - ROUND));
            west.geometryChanged();
            polygons.add(west);
        }
    }

    private static String words(int error) {
        return switch (error) {
            case TopologyValidationError.SELF_INTERSECTION, TopologyValidationError.RING_SELF_INTERSECTION ->
                "its line crosses or touches itself";
            case TopologyValidationError.HOLE_OUTSIDE_SHELL -> "a hole lies outside of it";
            case TopologyValidationError.NESTED_HOLES -> "a hole lies in another one";
            case TopologyValidationError.DISCONNECTED_INTERIOR -> "its holes cut it in parts";
            case TopologyValidationError.TOO_FEW_POINTS -> "it has too few different positions";
            default -> "it is not valid";
        };
    }

    /** @param shell around the ring, which is a hole of it; null for a shell, which is moved to begin between -180 and 180 */
    private static LinearRing ring(JsonNode written, Envelope shell) {
        if (!written.isArray() || written.size() < FEWEST_POSITIONS) {
            throw new IllegalArgumentException("a ring of it has " + written.size() + " positions, and needs "
                    + FEWEST_POSITIONS + ": the last is the first again");
        }
        Coordinate[] positions = new Coordinate[written.size()];
        double turned = 0;
        for (int k = 0; k < positions.length; k++) {
            Coordinate position = position(written.get(k));
            if (k > 0) {
                double step = position.x + turned - positions[k - 1].x;
                turned += Math.abs(step) <= HALF || Math.abs(step) >= ROUND ? 0 : step > 0 ? -ROUND : ROUND;
            }
            position.x += turned;
            positions[k] = position;
        }
        Coordinate first = positions[0];
        Coordinate last = positions[positions.length - 1];
        if (first.y != last.y || (last.x - first.x) % ROUND != 0) {
            throw new IllegalArgumentException("a ring of it is not closed: the last position must be the first again");
        }
        if (last.x != first.x) {
            throw new IllegalArgumentException("a ring of it goes round a pole; cut it at the 180th meridian");
        }
        Envelope all = GEOMETRIES.createLinearRing(positions).getEnvelopeInternal();
        double whole = shell == null ? -ROUND * Math.floor((all.getMinX() + HALF) / ROUND)
                : all.getMinX() < shell.getMinX() ? ROUND * Math.ceil((shell.getMinX() - all.getMinX()) / ROUND)
                : all.getMinX() > shell.getMaxX() ? -ROUND * Math.ceil((all.getMinX() - shell.getMaxX()) / ROUND) : 0;
        for (Coordinate each : positions) {
            each.x += whole;
        }
        return GEOMETRIES.createLinearRing(positions);
    }

    private static Coordinate position(JsonNode written) {
        if (!written.isArray() || written.size() < 2 || !written.get(0).isNumber() || !written.get(1).isNumber()) {
            throw new IllegalArgumentException("a position of it is no array of longitude and latitude");
        }
        double longitude = written.get(0).doubleValue();
        double latitude = written.get(1).doubleValue();
        if (!(Math.abs(longitude) <= ROUND) || !(Math.abs(latitude) <= POLE)) {
            throw new IllegalArgumentException("longitude " + longitude + ", latitude " + latitude + " is no place on the Earth; "
                    + "GeoJSON has the longitude first, in degrees (WGS 84)");
        }
        return new Coordinate(longitude, latitude);
    }
}
