package io.despina.runtime.worker;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedByInterruptException;

/**
 * A task's place in its worker: queued at most once however often it is woken, and run by one thread at a time.
 */
public final class TaskSlot extends Timers.Entry {
    private static final int IDLE = 0;
    private static final int QUEUED = 1;
    private static final int RUNNING = 2;
    /** Woken while it runs: it is queued again when the run ends. */
    private static final int WOKEN = 3;
    private static final int ENDED = 4;

    private static final VarHandle STATE = handle();

    /** Called on the worker's thread. */
    public interface Owner {
        /** The task failed; it is aborted next. */
        void failed(TaskSlot slot, Throwable cause);

        /** The task turns out to block. @return a worker of its own, which runs it from now on */
        Worker ownWorker(TaskSlot slot);

        /** @return the worker that runs the task after a run that left more to do: the same, except in an experiment */
        default Worker nextWorker(Worker last) {
            return last;
        }

        /** The task has ended and released everything. */
        void ended(TaskSlot slot);
    }

    private final String id;
    private final Task task;
    private final Owner owner;

    /** Changed by compare-and-set: wakers move IDLE to QUEUED and RUNNING to WOKEN, the worker all else. */
    private volatile int state = IDLE;
    /** Written by the worker while RUNNING, read by the thread that queues the slot next: ordered by {@link #state}. */
    private Worker home;
    /** Written (volatile) by any thread, read by the worker. */
    private volatile boolean cancelled;
    /** Written (volatile) by any thread, read by the worker. */
    private volatile boolean cut;
    /** The worker's: {@link Task#cut} has been called. */
    private boolean cutTold;

    /** @param home the worker that runs the task first */
    public TaskSlot(String id, Task task, Owner owner, Worker home) {
        this.id = id;
        this.task = task;
        this.owner = owner;
        this.home = home;
    }

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(TaskSlot.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public String id() {
        return id;
    }

    /** The task is run soon, if it has not ended. */
    @Override
    public void wake() {
        while (true) {
            int now = state;
            if (now == IDLE) {
                if (STATE.compareAndSet(this, IDLE, QUEUED)) {
                    home.enqueue(this);
                    return;
                }
            } else if (now != RUNNING || STATE.compareAndSet(this, RUNNING, WOKEN)) {
                return;
            }
        }
    }

    /** From any thread: the task is aborted in place of its next run. */
    public void cancel() {
        cancelled = true;
        wake();
    }

    /** From any thread: the task is cut short in place of its next run. */
    public void cut() {
        cut = true;
        wake();
    }

    /** Whether it is in a run now. Any thread may ask. */
    public boolean isRunning() {
        int now = state;
        return now == RUNNING || now == WOKEN;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    /** Called by the home worker, which has taken the slot out of its queue. */
    void run(long now) {
        state = RUNNING;
        Task.ProgressState progress = guarded(now);
        switch (progress) {
            case DONE -> {
                home.timers().remove(this);
                state = ENDED;
                owner.ended(this);
            }
            case WORKED -> requeue(owner.nextWorker(home));
            case BLOCKS -> requeue(ownWorker());
            case IDLE -> {
                home.timers().set(this, task.deadline());
                if (!STATE.compareAndSet(this, RUNNING, IDLE)) {
                    requeue(owner.nextWorker(home));
                }
            }
        }
    }

    private Task.ProgressState guarded(long now) {
        if (cancelled) {
            report(abort());
            return Task.ProgressState.DONE;
        }
        try {
            return cut && !cutTold ? cutShort() : runOrCut(now);
        } catch (Throwable t) {
            if (t instanceof OutOfMemoryError || t.getCause() instanceof OutOfMemoryError) {
                // released first: to report the error takes memory
                abort();
                report(t);
            } else {
                report(t);
                report(abort());
            }
            return Task.ProgressState.DONE;
        }
    }

    private Task.ProgressState runOrCut(long now) {
        try {
            return task.run(now);
        } catch (RuntimeException e) {
            if (cut && !cutTold && !cancelled && isInterrupt(e)) {
                return cutShort();
            }
            throw e;
        }
    }

    private Task.ProgressState cutShort() {
        cutTold = true;
        Thread.interrupted();       // the interrupt was meant for a call that waited; the cut itself must not be interrupted
        return task.cut();
    }

    private static boolean isInterrupt(Throwable thrown) {
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof InterruptedException || at instanceof ClosedByInterruptException) {
                return true;
            }
        }
        return false;
    }

    /** If there is no thread for it, the task fails and is aborted on this one. */
    private Worker ownWorker() {
        try {
            return owner.ownWorker(this);
        } catch (Throwable t) {
            report(t);
            cancelled = true;
            return home;
        }
    }

    /** @return what it threw, or null */
    private Throwable abort() {
        try {
            task.abort();
            return null;
        } catch (Throwable t) {
            return t;
        }
    }

    /** Whatever the owner throws, the slot ends as others do: its worker has other tasks. */
    private void report(Throwable cause) {
        try {
            if (cause != null) {
                owner.failed(this, cause);
            }
        } catch (Throwable fault) {
            fault.printStackTrace();
        }
    }

    private void requeue(Worker next) {
        if (next != home) {
            home.timers().remove(this);
            home = next;
        }
        state = QUEUED;
        next.enqueue(this);
    }
}
