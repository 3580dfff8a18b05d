package io.despina.operator.lookup;

/**
 * The places of a gazetteer as points of a sphere in space, in a tree of halves (k-d): a chord is the shorter the nearer two
 * points are on the surface, and no pole or meridian is special. The middle of each part of the arrays parts the rest of it by
 * one of the three coordinates, in turns.
 */
final class SphereIndex {
    private static final double RADIUS_KM = 6371.0088;
    private static final double POLE = 90;
    private static final double LONGEST = 2;
    private static final int AXES = 3;
    private static final int NONE = -1;

    private final Gazetteer places;
    private final int[] order;
    /** Of the places in {@link #order}: x, y, z. */
    private final double[] points;

    private final double[] asked = new double[AXES];
    private int best;
    /** The square of the chord to the best one, or the longest that is near enough. */
    private double least;

    SphereIndex(Gazetteer places) {
        this.places = places;
        order = new int[places.size()];
        points = new double[AXES * order.length];
        for (int k = 0; k < order.length; k++) {
            order[k] = k;
            put(places.latitude(k), places.longitude(k), points, AXES * k);
        }
        part(0, order.length, 0);
    }

    private static void put(double latitude, double longitude, double[] to, int at) {
        double up = StrictMath.toRadians(latitude);
        double along = StrictMath.toRadians(longitude);
        to[at] = StrictMath.cos(up) * StrictMath.cos(along);
        to[at + 1] = StrictMath.cos(up) * StrictMath.sin(along);
        to[at + 2] = StrictMath.sin(up);
    }

    private void part(int from, int to, int axis) {
        if (to - from < 2) {
            return;
        }
        int middle = from + to >>> 1;
        select(from, to - 1, middle, axis);
        part(from, middle, (axis + 1) % AXES);
        part(middle + 1, to, (axis + 1) % AXES);
    }

    /** Brings the place that belongs at {@code middle} there, and less before it and more behind it (Hoare's selection). */
    private void select(int from, int to, int middle, int axis) {
        int low = from;
        int high = to;
        while (low < high) {
            double pivot = value(low + high >>> 1, axis);
            int up = low;
            int down = high;
            while (up <= down) {
                while (value(up, axis) < pivot) {
                    up++;
                }
                while (value(down, axis) > pivot) {
                    down--;
                }
                if (up <= down) {
                    swap(up++, down--);
                }
            }
            if (middle <= down) {
                high = down;
            } else if (middle >= up) {
                low = up;
            } else {
                return;
            }
        }
    }

    private double value(int k, int axis) {
        return points[AXES * k + axis];
    }

    private void swap(int a, int b) {
        int place = order[a];
        order[a] = order[b];
        order[b] = place;
        for (int axis = 0; axis < AXES; axis++) {
            double value = points[AXES * a + axis];
            points[AXES * a + axis] = points[AXES * b + axis];
            points[AXES * b + axis] = value;
        }
    }

    /**
     * Finds the nearest place.
     *
     * @param latitude  degrees; what is not on the Earth is near no place
     * @param longitude degrees, any finite number
     * @return its number; negative if none is within {@code withinKm}
     */
    int nearest(double latitude, double longitude, double withinKm) {
        if (!(Math.abs(latitude) <= POLE) || !Double.isFinite(longitude)) {
            return NONE;
        }
        put(latitude, longitude, asked, 0);
        double half = withinKm / RADIUS_KM / 2;
        double chord = half >= StrictMath.PI / 2 ? LONGEST : 2 * StrictMath.sin(half);
        least = half >= StrictMath.PI / 2 ? Double.POSITIVE_INFINITY : chord * chord;
        best = NONE;
        look(0, order.length, 0);
        return best;
    }

    /** From the point asked for last to its place, in kilometres. */
    double distanceKm() {
        return 2 * RADIUS_KM * StrictMath.asin(Math.min(1, Math.sqrt(least) / 2));
    }

    private void look(int from, int to, int axis) {
        if (from >= to) {
            return;
        }
        int middle = from + to >>> 1;
        compare(middle);
        double beside = asked[axis] - value(middle, axis);
        int next = axis + 1 == AXES ? 0 : axis + 1;
        if (beside < 0) {
            look(from, middle, next);
        } else {
            look(middle + 1, to, next);
        }
        if (beside * beside > least) {
            return;
        }
        if (beside < 0) {
            look(middle + 1, to, next);
        } else {
            look(from, middle, next);
        }
    }

    private void compare(int k) {
        double x = points[AXES * k] - asked[0];
        double y = points[AXES * k + 1] - asked[1];
        double z = points[AXES * k + 2] - asked[2];
        double square = x * x + y * y + z * z;
        boolean nearer = square < least || square == least && (best == NONE || places.isBefore(order[k], best));
        if (nearer) {
            least = square;
            best = order[k];
        }
    }

    /** Memory that an index of so many places needs. */
    static long bytes(int places) {
        return 28L * places;
    }
}
