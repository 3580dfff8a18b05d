package io.despina.operator.python;

import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Of an operator whose process also calls the functions behind its own: sorts out what that says of them. */
final class Leading {
    /** As {@code behind.py} marks lines. */
    private static final char MARK = 0x1f;
    /** So many digits: who prints a mark with more has not got it from there. */
    private static final int LONGEST_PLACE = 6;

    /** To the operators behind, the next one first; none if its process calls its own function alone. */
    private final List<Crossing> row;
    /** Answers that are coming, each of the function behind that of the one before it. */
    private final Deque<Crossing.Batch> coming = new ArrayDeque<>();
    /** Those of the next function that have come of the batch which is answered first. */
    private List<Crossing.Batch> made = new ArrayList<>();
    private boolean isOpen;

    Leading(List<Crossing> row, Waker task) {
        this.row = row;
        row.forEach(each -> each.send(task));
    }

    /** A process is up. @param functions how many of those behind it can call */
    void opened(int functions) {
        isOpen = true;
        for (int k = 0; k < row.size(); k++) {
            row.get(k).opened(k < functions);
        }
    }

    /** Whether a process that could not open all functions is to be followed by one that opens the first alone. */
    boolean mayOpenAlone() {
        return !isOpen && !row.isEmpty();
    }

    /** Whether it is of a function behind. */
    boolean takes(WorkerEvent event) {
        if (event instanceof WorkerEvent.Ahead ahead) {
            coming.push(new Crossing.Batch(ahead.rows()));
            return true;
        }
        if (coming.isEmpty() || event.batch() == 0) {
            return false;
        }
        coming.peek().events().add(event);
        if (event instanceof WorkerEvent.Rows rows && rows.isLast()) {
            Crossing.Batch whole = coming.pop();
            (coming.isEmpty() ? made : coming.peek().behind()).add(whole);
        }
        return true;
    }

    /** What has come of the batch whose packets leave now. */
    List<Crossing.Batch> made() {
        List<Crossing.Batch> taken = made;
        made = taken.isEmpty() ? taken : new ArrayList<>();
        return taken;
    }

    /** The process is gone. */
    void forget() {
        coming.clear();
        made.clear();
    }

    /** Has the process do what those behind want of it. */
    void obey(FunctionWorkers workers) {
        for (int k = 0; k < row.size(); k++) {
            Crossing each = row.get(k);
            for (Crossing.Asked asked = each.asked(); asked != null; asked = each.asked()) {
                obey(asked, workers, k + 1);
            }
        }
    }

    private static void obey(Crossing.Asked asked, FunctionWorkers workers, int place) {
        try {
            workers.reload(asked.step(), place).whenComplete((words, failed) -> {
                if (failed == null) {
                    asked.done().complete(words);
                } else {
                    asked.done().completeExceptionally(failed);
                }
            });
        } catch (IOException no) {      // an answer for who has asked, as at its own process, and no fault of this operator
            asked.done().completeExceptionally(no);
        }
    }

    /** Where lines go that the functions print. @param own takes those of the first */
    Consumer<String> log(Consumer<String> own) {
        return line -> {
            int end = line.isEmpty() || line.charAt(0) != MARK ? -1 : line.indexOf(MARK, 1);
            if (end > 1 && end <= LONGEST_PLACE && line.substring(1, end).chars().allMatch(Character::isDigit)
                    && Integer.parseInt(line.substring(1, end)) <= row.size()) {
                row.get(Integer.parseInt(line.substring(1, end)) - 1).tell(line.substring(end + 1));
            } else {
                own.accept(line);
            }
        };
    }

    /** The process has not answered in time. @param place of the function that it calls @return whether that is one behind */
    boolean isLate(int place) {
        if (place > 0 && place <= row.size()) {
            row.get(place - 1).late();
            return true;
        }
        return false;
    }

    /** The process leaves, and no other comes. */
    void end() {
        row.forEach(Crossing::end);
    }

    /** The upkeep of a process with the functions of the row. */
    FunctionUpkeep told(FunctionUpkeep upkeep) {
        return row.isEmpty() ? upkeep : upkeep.by(new Told(upkeep.starting(), this));
    }

    private record Told(FunctionStarting starting, Leading leading) implements FunctionStarting {
        @Override
        public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException {
            return starting.start(function, leading.log(log), waker);
        }

        @Override
        public CompletableFuture<FunctionProcess> startBeside(FunctionSpec function, Consumer<String> log, Waker waker) {
            return starting.startBeside(function, leading.log(log), waker);
        }
    }
}
