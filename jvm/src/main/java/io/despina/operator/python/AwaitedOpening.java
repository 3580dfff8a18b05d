package io.despina.operator.python;

import io.despina.wake.Waker;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes a task when one of its processes has said something, and whoever waits until such a process has opened its function. */
final class AwaitedOpening implements Waker {
    private final Semaphore woken = new Semaphore(0);
    private final Waker task;

    AwaitedOpening(Waker task) {
        this.task = task;
    }

    @Override
    public void wake() {
        if (woken.availablePermits() == 0) {
            woken.release();
        }
        task.wake();
    }

    /** Waits until something is said. @return false if nothing has been for so long */
    boolean await(long millis) throws InterruptedException {
        return woken.tryAcquire(millis, TimeUnit.MILLISECONDS);
    }
}
