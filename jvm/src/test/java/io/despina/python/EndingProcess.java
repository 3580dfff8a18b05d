package io.despina.python;

import io.despina.arrow.Batches;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * In place of a Python process that counts the rows of each key, and gives key and count when the key ends. It gives nothing for
 * a row; the end of the key {@code "bad"} fails.
 */
public final class EndingProcess extends StandInProcess {
    public static final Schema STATE = Schema.of(new Column("n", Simple.BIGINT, true));
    public static final Schema OUT = Schema.of(new Column("k", Simple.STRING, true), new Column("n", Simple.BIGINT, true));

    /** @param message null for keys that end */
    private record Batch(long number, byte[] message, int[] slots) {
    }

    private final FunctionSpec function;
    private final Schema crossed;
    private final Deque<Batch> batches = new ArrayDeque<>();
    private final List<Object> keys = new ArrayList<>();
    private final List<Object> counts = new ArrayList<>();
    private int[] slots;
    /** Of each batch of keys that end, how many these were. */
    public final List<Integer> ended = new ArrayList<>();

    public EndingProcess(FunctionSpec function, Waker waker, List<String> methods) {
        super(waker);
        this.function = function;
        crossed = Schema.of(function.input().column(0));
        say(new WorkerEvent.Opened(List.of(crossed.column(0).name()), methods));
    }

    @Override
    public void send(long number, BatchSlots what) {
        if (what.keys() != null) {
            keys.subList(what.first(), keys.size()).clear();
            counts.subList(what.first(), counts.size()).clear();
            Batches.decode(function.kept().keys(), what.keys()).forEach(key -> keys.add(key.get(0)));
            Batches.decode(STATE, what.states()).forEach(state -> counts.add(state.get(0)));
        }
        slots = what.rows();
    }

    @Override
    public void send(long number, byte[] message) {
        batches.add(new Batch(number, message, slots));
    }

    @Override
    public void sendEnds(long number) {
        ended.add(slots.length);
        batches.add(new Batch(number, null, slots));
    }

    public int waiting() {
        return batches.size();
    }

    public void die() {
        say(new WorkerEvent.Gone("was killed by signal 9"));
    }

    /** Answers the batch that came first. */
    public void answer() {
        Batch batch = batches.remove();
        List<List<Object>> states = new ArrayList<>();
        List<List<Object>> answers = new ArrayList<>();
        List<WorkerEvent.Error> errors = new ArrayList<>();
        for (int k = 0; k < batch.slots().length; k++) {
            int slot = batch.slots()[k];
            if (batch.message() != null) {
                counts.set(slot, (counts.get(slot) == null ? 0 : (Long) counts.get(slot)) + 1);
            } else if ("bad".equals(keys.get(slot))) {
                errors.add(new WorkerEvent.Error(0, "ValueError: bad", "end of 'bad'"));
            } else {
                answers.add(Rows.row(keys.get(slot), counts.get(slot)));
            }
            states.add(batch.message() == null ? Arrays.asList((Object) null) : Rows.row(counts.get(slot)));
        }
        say(new WorkerEvent.Changes(batch.number(), batch.slots(), Batches.encode(STATE, states)));
        if (!errors.isEmpty()) {
            say(new WorkerEvent.Errors(batch.number(), errors));
        }
        say(new WorkerEvent.Rows(batch.number(), Batches.encode(OUT, answers), true));
    }
}
