package io.despina.spark.source;

/** Shares a number of rows out among instances, each in proportion to what it has, none more than that. */
final class Shares {
    private Shares() {
    }

    /** @return by instance, up to which row; at least one row is taken if there is any */
    static long[] of(long most, long[] from, long[] to) {
        long[] until = to.clone();
        long waiting = 0;
        for (int k = 0; k < from.length; k++) {
            waiting += to[k] - from[k];
        }
        if (waiting <= most) {
            return until;
        }
        long left = most;
        for (int k = 0; k < from.length; k++) {
            long share = (long) ((double) most * (to[k] - from[k]) / waiting);
            until[k] = from[k] + share;
            left -= share;
        }
        for (int k = 0; k < from.length && left > 0; k++) {
            long more = Math.min(left, to[k] - until[k]);
            until[k] += more;
            left -= more;
        }
        return until;
    }
}
