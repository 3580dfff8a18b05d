package io.despina.spark.function;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Processes of this JVM that no task has, and that the next one may have. One that nobody has wanted for a minute leaves; all end
 * with the JVM. Thread-safe.
 */
final class FunctionPool {
    /** As Spark keeps its own workers. */
    private static final long IDLE_S = 60;
    static final FunctionPool SHARED = new FunctionPool(CompletableFuture.delayedExecutor(IDLE_S, TimeUnit.SECONDS));

    private final Executor later;
    /** By what is the same of their functions. Guarded by this. */
    private final Map<Object, Deque<PooledFunction>> idle = new HashMap<>();

    /** @param later runs something when one has been idle for as long as it may */
    FunctionPool(Executor later) {
        this.later = later;
    }

    /** One that is somebody's from now on; null if there is none. */
    synchronized PooledFunction take(Object key) {
        Deque<PooledFunction> found = idle.get(key);
        return found == null ? null : taken(key, found.peekLast());
    }

    private PooledFunction taken(Object key, PooledFunction one) {
        Deque<PooledFunction> all = idle.get(key);
        all.remove(one);
        if (all.isEmpty()) {
            idle.remove(key);
        }
        return one;
    }

    /** One that nobody has, and that is {@link PooledFunction#isSound}. */
    void give(Object key, PooledFunction one) {
        int turns = one.turns();
        synchronized (this) {
            idle.computeIfAbsent(key, none -> new ArrayDeque<>()).add(one);
        }
        later.execute(() -> expire(key, one, turns));
    }

    private void expire(Object key, PooledFunction one, int turns) {
        synchronized (this) {
            if (!idle.getOrDefault(key, new ArrayDeque<>()).contains(one) || one.turns() != turns) {
                return;
            }
            taken(key, one);
        }
        end(one);
    }

    /** Ends one that nobody waits for. */
    static void end(PooledFunction one) {
        try {
            one.end();
        } catch (IOException failed) {
            System.getLogger(FunctionPool.class.getName()).log(System.Logger.Level.WARNING, "a worker's files stay", failed);
        }
    }
}
