package io.despina.control.coordinator;

import io.despina.control.epoch.Intake;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What programs ask an attempt to commit. In a job that keeps a state, a program's epoch is answered when an epoch of the job has
 * all of it: until then the program would give it again. Else it is answered at once. All but {@link #ask} and {@link #forget} is
 * guarded by the lock of the {@link JobAttempt}.
 */
final class GivenEpochs {

    private record Asked(StagedInput input, String run, ProgramMessage.Decide what,
            CompletableFuture<ProgramMessage.Decided> answer) {
    }

    private record Answer(CompletableFuture<ProgramMessage.Decided> to, ProgramMessage.Decided words) {
    }

    private final Collection<StagedInput> inputs;
    /** Runs it under the lock, and then whatever is to be done next. Null in a job that keeps no state. */
    private volatile Consumer<Runnable> locked;

    private final Deque<Asked> waiting = new ArrayDeque<>();
    /** How many instances have not sent on all that they were given. */
    private int giving;
    /** What is sent on, and in no epoch yet. */
    private List<Answer> given = new ArrayList<>();
    /** By epoch that was begun with them. */
    private final NavigableMap<Long, List<Answer>> frozen = new TreeMap<>();
    /** By epoch, as the manifest has it. */
    private final Map<Long, Map<String, Map<String, Long>>> known = new HashMap<>();
    /** Runs when sources have sent on what they were given; or null. */
    private Runnable afterwards;
    private boolean closed;

    GivenEpochs(Collection<StagedInput> inputs) {
        this.inputs = inputs;
    }

    /** @param last by source and query, the last epoch that the state has */
    void keep(Map<String, Map<String, Long>> last, Consumer<Runnable> underLock) {
        inputs.forEach(input -> input.goOnFrom(last.getOrDefault(input.operator(), Map.of())));
        locked = underLock;
    }

    /** @return completes with a {@link Refusal} if it is not committed, or nobody knows whether it is */
    CompletableFuture<ProgramMessage.Decided> ask(StagedInput input, String run, ProgramMessage.Decide what) {
        CompletableFuture<ProgramMessage.Decided> answer = new CompletableFuture<>();
        Asked asked = new Asked(input, run, what, answer);
        if (locked == null || !what.keeps()) {
            decide(asked, words -> answer.complete(words));
        } else {
            locked.accept(() -> {
                if (closed) {
                    answer.completeExceptionally(isOver());
                } else {
                    waiting.add(asked);
                }
            });
        }
        return answer;
    }

    private static void decide(Asked asked, Consumer<ProgramMessage.Decided> then) {
        try {
            then.accept(asked.input.decide(asked.run, asked.what));
        } catch (Refusal no) {
            asked.answer.completeExceptionally(no);
        }
    }

    /** The program has gone: what it waits to give is not given any more. */
    void forget(String run) {
        if (locked != null) {
            locked.accept(() -> waiting.removeIf(each -> each.run.equals(run)));
        }
    }

    Intake standing() {
        return giving > 0 ? Intake.GIVING : !given.isEmpty() ? Intake.GIVEN
                : waiting.isEmpty() ? Intake.NONE : Intake.WAITING;
    }

    void give() {
        for (Asked next = waiting.poll(); next != null; next = waiting.poll()) {
            Asked asked = next;
            decide(asked, words -> {
                giving += words.repeated() ? 0 : asked.input.instances();
                given.add(new Answer(asked.answer, words));
            });
        }
    }

    /** An instance has sent on what it was given. */
    void drained() {
        giving--;
        if (giving == 0 && afterwards != null) {
            afterwards.run();
            afterwards = null;
        }
    }

    /** @param then runs at once, or when sources have sent on what they were given */
    void whenDrained(Runnable then) {
        if (giving > 0) {
            afterwards = then;
        } else {
            then.run();
        }
    }

    /** An epoch of the job has what was given so far. */
    void begun(long epoch) {
        frozen.put(epoch, given);
        given = new ArrayList<>();
        Map<String, Map<String, Long>> all = new TreeMap<>();
        inputs.forEach(input -> all.put(input.operator(), input.last()));
        all.values().removeIf(Map::isEmpty);
        known.put(epoch, all);
    }

    /** By source and query, the last epoch that belongs to that epoch of the job. */
    Map<String, Map<String, Long>> at(long epoch) {
        return known.getOrDefault(epoch, Map.of());
    }

    /** It is kept, so nothing that it has need come again. */
    void complete(long epoch) {
        known.keySet().removeIf(each -> each <= epoch);
        NavigableMap<Long, List<Answer>> kept = frozen.headMap(epoch, true);
        kept.values().forEach(answers -> answers.forEach(answer -> answer.to.complete(answer.words)));
        kept.clear();
    }

    /** Nothing is kept any more. */
    void close() {
        closed = true;
        waiting.forEach(asked -> asked.answer.completeExceptionally(isOver()));
        waiting.clear();
        List<Answer> open = new ArrayList<>(given);
        frozen.values().forEach(open::addAll);
        open.forEach(answer -> answer.to.completeExceptionally(isOver()));
        given.clear();
        frozen.clear();
        afterwards = null;
    }

    private static Refusal isOver() {
        return new Refusal("state", "the job has ended, or begins again, and its state does not have the epoch",
                "start the query again: the epoch comes again then");
    }
}
