package io.despina.operator.python;

import io.despina.operator.OperatorContext;
import io.despina.python.WorkerEvent;
import io.despina.spec.ControlCommand;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The place of an operator instance in a row of those whose functions one process calls; of most, a row of one. */
final class InRow {
    private final Crossing before;
    private final Crossing behind;
    private final Leading leading;
    private final OperatorContext context;
    /** Whether packets of the answer have begun to leave. */
    private boolean leaving;
    /** Whether a process of its own, if there is one, is of a function that has been read anew since. */
    private boolean isOld;

    InRow(Sharing sharing, OperatorContext context) {
        this.context = context;
        before = sharing.before(context);
        List<Crossing> others = sharing.row(context);
        behind = others.isEmpty() ? null : others.get(0);
        if (behind != null) {
            behind.give(context);
        }
        leading = new Leading(before == null ? others : List.of(), context);
    }

    /** From the operator before, whose process may call this function too; null for none. */
    Crossing before() {
        return before;
    }

    /** To the operator behind, whose function the same process may call; null for none. */
    Crossing behind() {
        return behind;
    }

    /** If the process is this operator's. */
    Leading leading() {
        return leading;
    }

    /** Whether the process of the one before may have answers. */
    private boolean isShared() {
        return before != null && !before.isOff();
    }

    /** Bytes of answers that wait for their packets. */
    long bytes() {
        return before == null ? 0 : before.bytes();
    }

    /** Waits for the process of the one before. @return false if this operator is to start one */
    boolean receive(OperatorContext context, long millis) throws InterruptedException {
        return before != null && before.receive(context, millis);
    }

    /** What is said next of the first batch, or of none; null for nothing. */
    static WorkerEvent poll(SentBatch first, FunctionWorkers workers) {
        return first != null && first.ahead() != null ? first.ahead().events().poll() : workers.poll(first);
    }

    /** Packets of that batch leave: before them, what functions behind give for them. */
    void leave(SentBatch first) {
        if (!leaving && behind != null) {
            behind.put(first.ahead() == null ? leading.made() : first.ahead().behind());
        }
        leaving = true;
    }

    /** All of them have left. */
    void left() {
        leaving = false;
    }

    /** The answer that was coming does not come. */
    void forget() {
        leading.forget();
        if (leaving && behind != null) {
            behind.cut();
        }
        leaving = false;
    }

    /** A step of a reload. */
    CompletableFuture<String> reload(String step, FunctionWorkers workers) throws IOException {
        if (!isShared()) {
            return workers.reload(step, 0);
        }
        isOld = step.equals(ControlCommand.TAKE);
        return before.ask(step);
    }

    /** Starts a process of its own for packets that the one before has no answers for, and lets it go when it has. */
    void keepOwn(InFlight flight, FunctionWorkers workers, int done) throws IOException {
        if (!isShared()) {
            return;
        }
        for (int late = before.wasLate(); late > 0; late--) {
            context.count("timeouts", 1);
        }
        if (!workers.areStarted() && flight.wantsProcess(done)) {
            workers.start();
        } else if (workers.areStarted() && workers.areIdle() && (isOld || flight.isAhead())) {
            workers.stop();
            flight.forgetProcess();
        }
        isOld &= workers.areStarted();
    }
}
