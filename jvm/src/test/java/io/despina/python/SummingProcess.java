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
 * In place of a Python process that keeps state in slots: of each key the sum and the texts of a BIGINT column. A row of five
 * and four is refused, and one of seven and six clears the state behind it.
 */
public final class SummingProcess extends StandInProcess {
    public static final Schema STATE = Schema.of(new Column("sum", Simple.BIGINT, true),
            new Column("texts", Simple.STRING, true));

    /** What a row gives, and the state behind it. */
    public static List<Object> next(List<Object> before, long id) {
        return Rows.row((before.get(0) == null ? 0 : (Long) before.get(0)) + id,
                (before.get(1) == null ? "" : before.get(1)) + "," + id);
    }

    public static boolean isRefused(long id) {
        return id % 5 == 4;
    }

    public static boolean clears(long id) {
        return id % 7 == 6;
    }

    private record Batch(long number, byte[] message, int[] slots) {
    }

    private final FunctionSpec function;
    private final Schema crossed;
    private final boolean atOnce;
    private final Deque<Batch> batches = new ArrayDeque<>();
    private final List<List<Object>> keys = new ArrayList<>();
    private final List<List<Object>> states = new ArrayList<>();
    private int[] slots;
    /** How many states have come. */
    public int learned;

    /** @param atOnce whether a batch is answered when it comes, or by {@link #answer} */
    public SummingProcess(FunctionSpec function, Waker waker, boolean atOnce) {
        super(waker);
        this.function = function;
        this.atOnce = atOnce;
        crossed = Schema.of(function.input().column(function.input().indexOf("id")));
        say(new WorkerEvent.Opened(List.of("id")));
    }

    @Override
    public void send(long number, BatchSlots what) {
        if (what.keys() != null) {
            keys.subList(what.first(), keys.size()).clear();
            states.subList(what.first(), states.size()).clear();
            keys.addAll(Batches.decode(function.kept().keys(), what.keys()));
            states.addAll(Batches.decode(STATE, what.states()));
            learned += states.size() - what.first();
        }
        slots = what.rows();
    }

    @Override
    public void send(long number, byte[] message) {
        batches.add(new Batch(number, message, slots));
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

    /** Answers the batch that came first, with a part for each row, and for each change. */
    public void answer() {
        answerOf(batches.remove()).forEach(this::say);
    }

    /** Says the beginning of the answer to that batch, and dies. @param most so many parts */
    public void dieAnswering(int most) {
        if (!batches.isEmpty()) {
            List<WorkerEvent> answer = answerOf(batches.remove());
            answer.subList(0, Math.min(most, answer.size())).forEach(this::say);
        }
        die();
    }

    private List<WorkerEvent> answerOf(Batch batch) {
        List<WorkerEvent> said = new ArrayList<>();
        List<List<Object>> ids = Batches.decode(crossed, batch.message());
        List<WorkerEvent.Error> errors = new ArrayList<>();
        List<List<Object>> answers = new ArrayList<>();
        for (int k = 0; k < ids.size(); k++) {
            long id = (Long) ids.get(k).get(0);
            if (isRefused(id)) {
                errors.add(new WorkerEvent.Error(k, "ValueError: five and four"));
                continue;
            }
            List<Object> after = next(states.get(batch.slots()[k]), id);
            answers.add(after);
            List<Object> kept = clears(id) ? Arrays.asList(null, null) : after;
            states.set(batch.slots()[k], kept);
            said.add(new WorkerEvent.Changes(batch.number(), new int[] {batch.slots()[k]}, Batches.encode(STATE, List.of(kept))));
        }
        if (!errors.isEmpty()) {
            said.add(new WorkerEvent.Errors(batch.number(), errors));
        }
        for (int k = 0; k < answers.size(); k++) {
            said.add(new WorkerEvent.Rows(batch.number(), Batches.encode(STATE, answers.subList(k, k + 1)), false));
        }
        said.add(new WorkerEvent.Rows(batch.number(), Batches.encode(STATE, List.of()), true));
        return said;
    }
}
