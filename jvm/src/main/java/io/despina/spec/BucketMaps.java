package io.despina.spec;

/**
 * The maps of one operator's buckets that the tasks of a job know in one resource: that with which they began, and that of the
 * next move. A task goes over to it when the mark of the move passes. The resource's control writes, tasks read.
 */
public final class BucketMaps {
    private final String operator;
    private final BucketMap first;
    private volatile Next next;

    private record Next(long mark, BucketMap map) {
    }

    public BucketMaps(String operator, BucketMap first) {
        this.operator = operator;
        this.first = first;
    }

    /** Its id. */
    public String operator() {
        return operator;
    }

    /** With which the tasks began. */
    public BucketMap first() {
        return first;
    }

    /** A move is prepared: that map holds behind its mark. All tasks have passed the mark of the move before it. */
    public void prepare(long mark, BucketMap map) {
        next = new Next(mark, map);
    }

    /**
     * The map behind a barrier.
     *
     * @param barrier what it says: the mark of a move, or anything else
     * @param now     the map before it
     */
    public BucketMap behind(long barrier, BucketMap now) {
        Next prepared = next;
        return prepared != null && prepared.mark == barrier ? prepared.map : now;
    }
}
