package io.despina.python;

import io.despina.arrow.Batches;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Clock;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * In place of a Python process whose keys have timers. A row of the BIGINT column {@code v} counts, and sets the timer to
 * {@link #GAP} after its time, or clears it if {@code v} leaves six by seven; five and four is refused. A timer gives key, its
 * time and the count, starts anew, and is set again if the count was not 0.
 */
public final class TimedProcess extends StandInProcess {
    public static final long GAP = 10;
    public static final Schema STATE = Schema.of(new Column("n", Simple.BIGINT, true));
    public static final Schema OUT = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("k", Simple.STRING, true),
            new Column("n", Simple.BIGINT, true));

    private record Batch(long number, byte[] message, BatchSlots slots, long until, int most) {
    }

    /** What timers and rows of one batch give. */
    private final class Made {
        private final List<List<Object>> answers = new ArrayList<>();
        private final List<WorkerEvent.Error> errors = new ArrayList<>();
        private final List<Integer> slots = new ArrayList<>();
        private final List<List<Object>> states = new ArrayList<>();

        private void change(int slot, Long count, Long timer) {
            counts.set(slot, count);
            timers.set(slot, timer);
            queue(slot);
            slots.add(slot);
            states.add(Arrays.asList(count, timer));
        }
    }

    private final FunctionSpec function;
    private final Schema crossed;
    private final boolean atOnce;
    private final Deque<Batch> batches = new ArrayDeque<>();
    private final List<Object> keys = new ArrayList<>();
    private final List<Long> counts = new ArrayList<>();
    private final List<Long> timers = new ArrayList<>();
    /** Times and slots, also such as count no more. */
    private final Queue<long[]> due = new PriorityQueue<>((one, other) -> Long.compare(one[0], other[0]));
    private BatchSlots slots;
    public int answered;
    /** How many of the batches have called timers alone. */
    public int rung;
    /** The most timers that one of these has called. */
    public int mostCalled;
    /** How long it says that a timer takes. */
    public long timerNanos;

    /** @param atOnce whether a batch is answered when it comes, or by {@link #answer} */
    public TimedProcess(FunctionSpec function, Waker waker, boolean atOnce) {
        super(waker);
        this.function = function;
        this.atOnce = atOnce;
        crossed = Schema.of(function.input().column(function.input().indexOf("v")));
        say(new WorkerEvent.Opened(List.of("v")));
    }

    @Override
    public void send(long number, BatchSlots what) {
        if (what.keys() != null) {
            for (List<?> each : List.of(keys, counts, timers)) {
                each.subList(what.first(), each.size()).clear();
            }
            Batches.decode(function.kept().keys(), what.keys()).forEach(key -> keys.add(key.get(0)));
            for (List<Object> state : Batches.decode(function.kept().state(), what.states())) {
                counts.add((Long) state.get(0));
                timers.add((Long) state.get(1));
                queue(timers.size() - 1);
            }
        }
        slots = what;
    }

    @Override
    public void send(long number, byte[] message) {
        add(new Batch(number, message, slots, 0, 0));
    }

    @Override
    public void sendTimers(long number, long until, int most) {
        add(new Batch(number, null, slots, until, most));
    }

    private void add(Batch batch) {
        batches.add(batch);
        if (atOnce) {
            answer();
        }
    }

    public int waiting() {
        return batches.size();
    }

    public void die() {
        say(new WorkerEvent.Gone("was killed by signal 9"));
    }

    /** Answers the batch that came first, with a part for each change. */
    public void answer() {
        Batch batch = batches.remove();
        Made made = new Made();
        answered++;
        if (batch.message() == null) {
            rung++;
            fire(batch.until(), batch.most(), made);
            mostCalled = Math.max(mostCalled, made.answers.size());
        } else {
            List<List<Object>> rows = Batches.decode(crossed, batch.message());
            for (int k = 0; k < rows.size(); k++) {
                long time = batch.slots().times()[k];
                if (function.kept().clock() == Clock.EVENT) {
                    fire(time - 1, ALL, made);
                }
                take(k, batch.slots().rows()[k], (Long) rows.get(k).get(0), time, made);
            }
        }
        for (int k = 0; k < made.slots.size(); k++) {
            say(new WorkerEvent.Changes(batch.number(), new int[] {made.slots.get(k)},
                    Batches.encode(function.kept().state(), made.states.subList(k, k + 1))));
        }
        if (!made.errors.isEmpty()) {
            say(new WorkerEvent.Errors(batch.number(), made.errors));
        }
        say(new WorkerEvent.Rows(batch.number(), Batches.encode(OUT, made.answers), true, made.answers.size() * timerNanos));
    }

    private void take(int row, int slot, long v, long time, Made made) {
        if (v % 5 == 4) {
            made.errors.add(new WorkerEvent.Error(row, "ValueError: five and four"));
        } else {
            long count = counts.get(slot) == null ? 0 : counts.get(slot);
            made.change(slot, count + 1, v % 7 == 6 ? null : (Long) (time + GAP));
        }
    }

    private void fire(long until, int most, Made made) {
        for (int slot = first(); slot >= 0 && timers.get(slot) <= until && made.answers.size() < most; slot = first()) {
            long when = timers.get(slot);
            long count = counts.get(slot);
            made.answers.add(Rows.row(when, keys.get(slot), count));
            made.change(slot, 0L, count == 0 || until == Long.MAX_VALUE ? null : (Long) (when + GAP));
        }
    }

    /** The slot whose timer is due first; -1 if there is none. */
    private int first() {
        while (!due.isEmpty()) {
            int slot = (int) due.element()[1];
            if (slot < timers.size() && timers.get(slot) != null && timers.get(slot) == due.element()[0]) {
                return slot;
            }
            due.remove();
        }
        return -1;
    }

    private void queue(int slot) {
        if (timers.get(slot) != null) {
            due.add(new long[] {timers.get(slot), slot});
        }
    }
}
