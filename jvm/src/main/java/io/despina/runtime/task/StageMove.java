package io.despina.runtime.task;

import io.despina.spec.BucketMap;
import io.despina.state.RestoreRule;
import io.despina.state.Restoring;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.State;
import io.despina.state.WrittenPart;
import io.despina.state.WrittenStates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A move of buckets, as a stage does it that gives or takes some. When its mark has come on all inputs, what the stage keeps is
 * written to memory, given to those that take of it, and awaited from those that give. Then a fresh operator is restored from it:
 * from the stage's own rest, and from what has come. Until that is done the stage takes no packet and no signal, so its inputs
 * hold the packets of all of its buckets. Only the task's thread calls it.
 */
final class StageMove {
    /** So many entries are restored in one call. */
    private static final int ENTRIES = 512;

    /** The stage's operator. */
    interface Renewable {
        /** None for one that is not renewed. */
        List<State> states();

        /** Closes the operator, and opens a fresh one in its place. @return its states, empty */
        List<State> renew() throws Exception;

        /** The fresh one is restored. */
        void restored() throws Exception;
    }

    private final StageParts parts;
    private final Renewable subject;
    private final StageCalls calls;
    /** Null for an operator without keys. */
    private BucketMap map;
    /** The mark of the last move that has passed, as barriers say it; 0 before the first. */
    private long passed;

    /** Of a move under way, else 0. */
    private long mark;
    private BucketMap next;
    private List<State> states;
    private WrittenStates written;
    /** What is to be copied for instances in other resources. */
    private final TreeMap<HandOvers.Way, WrittenPart> leaving = new TreeMap<>(Comparator.comparingInt(HandOvers.Way::to));
    /** By instance, where something comes from; null before it is awaited. */
    private List<CompletableFuture<Sections>> coming;
    private Restoring restoring;

    StageMove(StageParts parts, Renewable subject, StageCalls calls) {
        this.parts = parts;
        this.subject = subject;
        this.calls = calls;
        map = parts.buckets() == null ? null : parts.buckets().first();
    }

    /** The mark of the last move that has passed, and for which nothing is left to do. */
    long passed() {
        return passed;
    }

    boolean isUnderWay() {
        return mark != 0;
    }

    /** The mark of a move has come on all inputs. If something of it is to be done here, {@link #go} does it. */
    void begin(long barrier) {
        BucketMap after = map == null ? null : parts.buckets().behind(barrier, map);
        states = after == map || takersAndGivers(after).isEmpty() ? List.of() : subject.states();
        if (states.stream().noneMatch(state -> state.rule() == RestoreRule.BY_BUCKET)) {
            map = after;
            passed = barrier;
            states = null;
            return;
        }
        mark = barrier;
        next = after;
        written = new WrittenStates(states);
    }

    private Set<Integer> takersAndGivers(BucketMap after) {
        Set<Integer> both = map.givers(after, instance());
        both.addAll(map.takers(after, instance()));
        return both;
    }

    private int instance() {
        return parts.spec().instance();
    }

    /** Goes on with the move. @return false if it waits: the task is woken */
    boolean go() {
        return calls.ask(this::step);
    }

    private boolean step() throws Exception {
        if (!written.write()) {
            return true;
        }
        if (coming == null) {
            handOver();
        }
        if (!leaving.isEmpty()) {
            copy();
        } else if (restoring == null) {
            if (coming.stream().anyMatch(each -> each != null && !each.isDone())) {
                return false;
            }
            begin();
        } else if (restoring.some(ENTRIES)) {
            end();
        }
        return true;
    }

    private HandOvers.Way way(int from, int to) {
        return new HandOvers.Way(parts.spec().operatorId(), from, to);
    }

    private void handOver() {
        HandOvers all = parts.job().handOvers();
        for (int to : map.takers(next, instance())) {
            if (all.isTakerHere(way(instance(), to))) {
                all.give(way(instance(), to), written);
            } else {
                leaving.put(way(instance(), to), new WrittenPart(written, states, next, to));
            }
        }
        coming = new ArrayList<>(Collections.nCopies(map.instances(), null));
        coming.set(instance(), CompletableFuture.completedFuture(written));
        for (int from : map.givers(next, instance())) {
            CompletableFuture<Sections> one = all.take(way(from, instance()));
            coming.set(from, one);
            one.thenRun(parts.waker()::wake);
        }
    }

    /** Copies what leaves the resource, some entries in each call. */
    private void copy() throws IOException {
        HandOvers.Way way = leaving.firstKey();
        WrittenPart part = leaving.get(way);
        if (part.some(ENTRIES)) {
            leaving.remove(way);
            parts.job().handOvers().give(way, part.slices());
        }
    }

    private void begin() throws Exception {
        map.givers(next, instance()).forEach(from -> parts.job().handOvers().taken(way(from, instance())));
        List<Sections> from = new ArrayList<>();
        coming.forEach(each -> from.add(each == null ? null : each.join()));
        restoring = new Share(instance(), next, map).begin(subject.renew(), from);
    }

    private void end() throws Exception {
        subject.restored();
        map = next;
        passed = mark;
        drop();
    }

    /** Gives up what is not done. */
    void drop() {
        mark = 0;
        next = null;
        coming = null;
        states = null;
        leaving.clear();
        if (written != null) {
            written.close();
            written = null;
        }
        if (restoring != null) {
            try {
                restoring.close();
            } catch (IOException inMemory) {
                throw new IllegalStateException(inMemory);
            }
            restoring = null;
        }
    }
}
