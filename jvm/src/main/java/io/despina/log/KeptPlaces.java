package io.despina.log;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Where epochs end in the log of a source. Should the states of the newest epoch turn out to be damaged, the job goes on from one
 * before it, and needs the log from there on. So a log is cut where the oldest epoch ends that the state folder keeps, not
 * where the newest does. One thread.
 */
public final class KeptPlaces {
    /** Complete epochs that the state folder keeps at least. */
    public static final int KEPT = 3;

    private record Place(long epoch, long at) {
    }

    /** In the order of their epochs: those that are not complete yet, and those that are kept. */
    private final Deque<Place> under = new ArrayDeque<>();
    private final Deque<Place> kept = new ArrayDeque<>();

    /** The items before {@code at} are in that epoch. */
    public void barrier(long epoch, long at) {
        under.add(new Place(epoch, at));
    }

    /** That epoch is complete. @return the number before which no kept epoch needs an item; 0 while all may be needed */
    public long complete(long epoch) {
        Place newest = null;
        while (!under.isEmpty() && under.peek().epoch <= epoch) {
            newest = under.poll();
        }
        if (newest != null) {
            kept.add(newest);
        }
        while (kept.size() > KEPT) {
            kept.poll();
        }
        return kept.size() < KEPT ? 0 : kept.peek().at;
    }
}
