package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.RowRange;
import io.despina.link.Attempt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;

/**
 * How far Python is with the kept rows of one collect sink, by the numbers that they have in each instance. It decides which
 * rows that come are new, and what the resources are told. Guarded by its {@link CollectBuffer}.
 */
final class RowPlaces {

    /** What Python does with the rows of the job's last epoch. */
    enum RowTaker {
        /** It waits for the end of the job: those that it has fetched are its own by then. */
        WAITS,
        /** It takes them batch by batch, and says so of each. */
        TAKES,
        /** It takes no more: they wait for the next run. */
        LEAVES
    }

    /** A message for whoever hosts an instance. */
    record Told(Member to, Message message) {
        void send() {
            to.send(message);
        }
    }

    /** The first {@code rows} that Python has fetched end at that place. */
    private record Fetched(long rows, long[] place) {
    }

    private final Attempt attempt;
    private final String sink;
    private final List<String> hosts;
    // by instance; -1 before it is known where its rows begin
    /** Rows before these are here, or were. */
    private final long[] known;
    /** Python has fetched those before these. */
    private final long[] fetched;
    /** It does not want those before these again. */
    private final long[] done;
    private final boolean[] ended;
    private final Deque<Fetched> unsettled = new ArrayDeque<>();
    private RowTaker taker = RowTaker.WAITS;
    /** Null before the job runs. */
    private Member[] members;
    /** The user has said where rows begin. */
    private boolean placed;
    private Refusal gone;

    /** @param hosts by instance, the name of its resource */
    RowPlaces(Attempt attempt, String sink, List<String> hosts) {
        this.attempt = attempt;
        this.sink = sink;
        this.hosts = hosts;
        known = unknown(hosts.size());
        fetched = unknown(hosts.size());
        done = unknown(hosts.size());
        ended = new boolean[hosts.size()];
    }

    private static long[] unknown(int instances) {
        long[] rows = new long[instances];
        Arrays.fill(rows, -1);
        return rows;
    }

    /** Takes over how far Python was in an attempt that has ended. */
    void goOnFrom(RowPlaces before) {
        System.arraycopy(before.known, 0, known, 0, known.length);
        System.arraycopy(before.fetched, 0, fetched, 0, known.length);
        System.arraycopy(before.done, 0, done, 0, known.length);
        unsettled.addAll(before.unsettled);
        taker = before.taker;
        placed = before.placed;
        gone = before.gone;
    }

    /** The job runs. @return for each instance, which rows are to come */
    List<Told> start(Collection<Member> all) {
        members = new Member[hosts.size()];
        List<Told> told = new ArrayList<>();
        for (int k = 0; k < members.length; k++) {
            String host = hosts.get(k);
            members[k] = all.stream().filter(each -> each.name().equals(host)).findFirst().orElseThrow();
            told.add(one(k, Math.max(0, known[k])));
        }
        return told;
    }

    /**
     * Rows have come.
     *
     * @return how many of them are here already
     */
    int arrived(RowRange rows) {
        int k = rows.instance();
        if (known[k] >= 0 && rows.first() > known[k]) {
            String missing = "rows " + known[k] + " to " + (rows.first() - 1) + " of `" + sink + "` (instance " + k + ") are ";
            if (!placed) {
                throw new IllegalStateException(missing + "missing");
            }
            gone = gone != null ? gone : new Refusal("place", missing + "gone: a program has said that it had them", null);
            taker = RowTaker.LEAVES;
        }
        if (known[k] < 0) {
            known[k] = rows.first();
            fetched[k] = rows.first();
            done[k] = rows.first();
        }
        int had = (int) Math.max(0, Math.min(rows.rows(), known[k] - rows.first()));
        known[k] = Math.max(known[k], rows.end());
        ended[k] |= rows.last();
        return taker == RowTaker.LEAVES ? rows.rows() : had;
    }

    /** Python has fetched these. */
    void fetched(RowRange rows) {
        fetched[rows.instance()] = Math.max(fetched[rows.instance()], rows.end());
    }

    /** It has fetched so many in all. */
    void fetched(long rows) {
        unsettled.add(new Fetched(rows, fetched.clone()));
    }

    /**
     * Python does not want the first so many rows that it has fetched again.
     *
     * @param rows -1 for all
     * @param how  it goes on
     */
    void done(long rows, RowTaker how) throws Refusal {
        if (how == RowTaker.TAKES) {
            refuseGone();
        }
        taker = taker == RowTaker.LEAVES ? taker : how;
        while (!unsettled.isEmpty() && (rows < 0 || unsettled.peek().rows <= rows)) {
            System.arraycopy(unsettled.poll().place, 0, done, 0, done.length);
        }
    }

    /** Nobody takes the rows that are not fetched any more. */
    void leave() {
        if (taker == RowTaker.WAITS) {
            System.arraycopy(fetched, 0, done, 0, done.length);
        }
        taker = RowTaker.LEAVES;
    }

    /** Where the first so many rows end that Python has fetched. */
    long[] place(long rows) {
        long[] place = done;
        for (Fetched each : unsettled) {
            place = each.rows <= rows ? each.place : place;
        }
        return place.clone();
    }

    /** Rows begin there: Python has had those before, in whichever process. All that have come are to {@link #arrived} again. */
    void begin(long[] place) throws Refusal {
        if (place.length != done.length) {
            throw new Refusal("place", "a place of `" + sink + "` at parallelism " + place.length + " means nothing at "
                    + done.length, null);
        }
        placed = true;
        System.arraycopy(place, 0, known, 0, place.length);
        System.arraycopy(place, 0, fetched, 0, place.length);
        System.arraycopy(place, 0, done, 0, place.length);
    }

    /** Whether no more are wanted. */
    boolean isLeft() {
        return taker == RowTaker.LEAVES;
    }

    boolean isGone() {
        return gone != null;
    }

    /** @throws Refusal if rows that are wanted are not there any more */
    void refuseGone() throws Refusal {
        if (gone != null) {
            throw gone;
        }
    }

    /** What the resources are to be told, as rows have come, or Python has said something. */
    List<Told> told() {
        settle();
        List<Told> told = new ArrayList<>();
        for (int k = 0; members != null && k < members.length; k++) {
            told.add(one(k, fetched[k]));
        }
        return told;
    }

    private Told one(int k, long row) {
        return new Told(members[k], new Message.Had(attempt, sink, k, row, done[k], taker == RowTaker.LEAVES));
    }

    private void settle() {
        for (int k = 0; k < done.length; k++) {
            if (taker == RowTaker.WAITS && ended[k] && fetched[k] >= known[k]) {
                done[k] = fetched[k];
            }
        }
    }
}
