package io.despina.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The maps of one operator's buckets that the tasks of a job know in one resource: that with which they began, and that of the
 * next move. A task goes over to it when the mark of the move passes. The resource's control writes, tasks read.
 */
public final class BucketMaps {
    private final String operator;
    private final BucketMap first;
    /** What senders have counted; null if nobody wants to know. */
    private final List<long[]> counted;
    private volatile Next next;

    private record Next(long mark, BucketMap map) {
    }

    /** @param counts whether senders count how many packets of each bucket there are, in samples */
    public BucketMaps(String operator, BucketMap first, boolean counts) {
        this.operator = operator;
        this.first = first;
        counted = counts ? new CopyOnWriteArrayList<>() : null;
    }

    /** The same, and nobody counts. */
    public BucketMaps(String operator, BucketMap first) {
        this(operator, first, false);
    }

    /** What one sending task counts in, by bucket, without any ordering: its thread writes, any reads. Null if it need not. */
    public long[] counter() {
        if (counted == null) {
            return null;
        }
        long[] counter = new long[first.buckets()];
        counted.add(counter);
        return counter;
    }

    /** By bucket, how many packets were counted so far; empty if nobody counts. Some of the last may be missing. */
    public List<Long> counts() {
        List<Long> sums = new ArrayList<>();
        for (int bucket = 0; counted != null && bucket < first.buckets(); bucket++) {
            long sum = 0;
            for (long[] counter : counted) {
                sum += counter[bucket];
            }
            sums.add(sum);
        }
        return sums;
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
