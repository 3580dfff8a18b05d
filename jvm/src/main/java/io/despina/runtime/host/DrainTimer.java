package io.despina.runtime.host;

import io.despina.runtime.worker.Task;
import io.despina.runtime.worker.TaskSlot;
import io.despina.runtime.worker.Worker;
import java.util.function.BooleanSupplier;

/** A task that waits for a stopping job to settle, and cuts the job when its time is up. Its slot has no other owner. */
final class DrainTimer implements Task, TaskSlot.Owner {
    private final long deadline;
    private final BooleanSupplier hasSettled;
    private final Runnable timeUp;

    DrainTimer(long deadline, BooleanSupplier hasSettled, Runnable timeUp) {
        this.deadline = deadline;
        this.hasSettled = hasSettled;
        this.timeUp = timeUp;
    }

    @Override
    public ProgressState run(long now) {
        if (hasSettled.getAsBoolean()) {
            return ProgressState.DONE;
        }
        if (now < deadline) {
            return ProgressState.IDLE;
        }
        timeUp.run();
        return ProgressState.DONE;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public ProgressState cut() {
        return ProgressState.DONE;
    }

    @Override
    public void abort() {
    }

    @Override
    public void failed(TaskSlot slot, Throwable cause) {
        System.getLogger(DrainTimer.class.getName()).log(System.Logger.Level.ERROR, slot.id(), cause);
    }

    @Override
    public Worker ownWorker(TaskSlot slot) {
        throw new IllegalStateException(slot.id() + " never blocks");
    }

    @Override
    public void ended(TaskSlot slot) {
    }
}
