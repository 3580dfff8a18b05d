package io.despina.control.coordinator;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What other threads do for an attempt in its folder, for nobody waits for a disk under its lock. What follows from such work
 * runs under the lock; all here is called under it.
 */
final class AsideWork {
    private final Executor threads;
    private final Executor lock;
    private int underWay;
    /** Waits for the last of it; null for nothing. */
    private Runnable end;

    /** @param lock runs something at once, under the attempt's lock */
    AsideWork(Executor threads, Executor lock) {
        this.threads = threads;
        this.lock = lock;
    }

    /** Each piece ends in one of the two, also for want of memory: what waits for it must not wait for ever. */
    <T> void start(Callable<T> work, Consumer<T> then, Consumer<Throwable> failed) {
        underWay++;
        threads.execute(() -> {
            Runnable next;
            try {
                T done = work.call();
                next = () -> then.accept(done);
            } catch (Throwable e) {
                next = () -> failed.accept(e);
            }
            Runnable goesOn = next;
            lock.execute(() -> ended(goesOn));
        });
    }

    private void ended(Runnable next) {
        underWay--;
        try {
            next.run();
        } finally {
            if (underWay == 0 && end != null) {
                end.run();
            }
        }
    }

    /** @param then runs once when none of it is under way: who is told of the end may take the folder away */
    void whenOver(Runnable then) {
        if (underWay == 0) {
            then.run();
        } else {
            end = then;
        }
    }
}
