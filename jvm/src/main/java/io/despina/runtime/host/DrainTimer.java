package io.despina.runtime.host;

import io.despina.runtime.worker.Task;
import java.util.function.BooleanSupplier;

/** A task that waits for a stopping job to end, and ends it when its time is up. */
final class DrainTimer implements Task {
    private final long deadline;
    private final BooleanSupplier hasEnded;
    private final Runnable timeUp;

    DrainTimer(long deadline, BooleanSupplier hasEnded, Runnable timeUp) {
        this.deadline = deadline;
        this.hasEnded = hasEnded;
        this.timeUp = timeUp;
    }

    @Override
    public Progress run(long now) {
        if (hasEnded.getAsBoolean()) {
            return Progress.DONE;
        }
        if (now < deadline) {
            return Progress.IDLE;
        }
        timeUp.run();
        return Progress.DONE;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public Progress cut() {
        return Progress.DONE;
    }

    @Override
    public void abort() {
    }
}
