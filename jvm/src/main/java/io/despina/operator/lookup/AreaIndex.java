package io.despina.operator.lookup;

import java.util.Arrays;
import java.util.List;
import org.locationtech.jts.algorithm.locate.IndexedPointInAreaLocator;
import org.locationtech.jts.algorithm.locate.PointOnGeometryLocator;
import org.locationtech.jts.algorithm.locate.SimplePointInAreaLocator;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Envelope;
import org.locationtech.jts.geom.Location;
import org.locationtech.jts.geom.Polygon;
import org.locationtech.jts.index.ItemVisitor;
import org.locationtech.jts.index.strtree.STRtree;

/** Which areas hold a point: first those whose bounding boxes do, by a tree, and of these those whose lines are around it. */
final class AreaIndex {
    /** About what a position takes in the polygon and in the index of its edges, which is made when its area is first asked. */
    private static final int POSITION_BYTES = 240;
    private static final int POLYGON_BYTES = 400;
    private static final int FIRST_FOUND = 8;
    /** To look at so many edges takes less time than to ask an index of them. */
    private static final int FEW_POSITIONS = 64;
    private static final double ROUND = 360;
    private static final double HALF = 180;
    private static final double POLE = 90;

    private record Part(int area, PointOnGeometryLocator edges) {
    }

    private final STRtree tree = new STRtree();
    private final Coordinate point = new Coordinate();
    private final Envelope here = new Envelope();
    private final ItemVisitor visitor = part -> visit((Part) part);
    private int[] found = new int[FIRST_FOUND];
    private int count;
    private long bytes;

    /** Adds an area; all are added before the first question. */
    void add(int area, List<Polygon> polygons) {
        for (Polygon polygon : polygons) {
            tree.insert(polygon.getEnvelopeInternal(), new Part(area, polygon.getNumPoints() <= FEW_POSITIONS
                    ? new SimplePointInAreaLocator(polygon) : new IndexedPointInAreaLocator(polygon)));
            bytes += POLYGON_BYTES + (long) POSITION_BYTES * polygon.getNumPoints();
        }
    }

    /**
     * Finds the areas that hold a point, or on whose edge it lies; none if it is no place on the Earth.
     *
     * @return how many; {@link #area} has them, in the order of their numbers
     */
    int find(double latitude, double longitude) {
        count = 0;
        if (!(Math.abs(latitude) <= POLE) || !Double.isFinite(longitude)) {
            return 0;
        }
        double turned = Math.abs(longitude) <= HALF ? longitude : longitude - ROUND * Math.floor((longitude + HALF) / ROUND);
        look(latitude, turned);
        if (Math.abs(turned) == HALF) {
            look(latitude, -turned);
        }
        if (count > 1) {
            sort();
        }
        return count;
    }

    int area(int k) {
        return found[k];
    }

    private void look(double latitude, double longitude) {
        point.setX(longitude);
        point.setY(latitude);
        here.init(point);
        tree.query(here, visitor);
    }

    private void visit(Part part) {
        if (part.edges.locate(point) == Location.EXTERIOR) {
            return;
        }
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = part.area;
    }

    /** Several parts of one area may hold the point. */
    private void sort() {
        Arrays.sort(found, 0, count);
        int kept = 1;
        for (int k = 1; k < count; k++) {
            if (found[k] != found[kept - 1]) {
                found[kept++] = found[k];
            }
        }
        count = kept;
    }

    /** Memory held. */
    long bytes() {
        return bytes;
    }
}
