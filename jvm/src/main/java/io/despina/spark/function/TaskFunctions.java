package io.despina.spark.function;

import io.despina.operator.python.BatchPace;
import io.despina.operator.python.FunctionStarting;
import io.despina.operator.python.FunctionUpkeep;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The process of a Python function in a task of Spark's. Its steps use it one after the other, each by an operator of its own.
 * When the task has ended, it is there for the next one. Of the thread of the task.
 */
final class TaskFunctions implements FunctionStarting {
    private final FunctionPool pool;
    private final Object key;
    private final FunctionStarting starting;
    private final long memoryBytes;
    /** Null if there is none; else a step has it, or the next one will. */
    private PooledFunction own;
    private long most = FunctionUpkeep.ANY;
    private BatchPace pace;

    /**
     * @param key         equal for functions that may have each other's processes
     * @param memoryBytes of a process for which the graph says nothing; {@link FunctionUpkeep#ANY} for any
     */
    TaskFunctions(FunctionPool pool, Object key, FunctionStarting starting, long memoryBytes) {
        this.pool = pool;
        this.key = key;
        this.starting = starting;
        this.memoryBytes = memoryBytes;
    }

    /** A spare would be a second process of the task. */
    @Override
    public FunctionUpkeep upkeep(FunctionUpkeep wanted) {
        most = wanted.memoryBytes() == FunctionUpkeep.ANY ? memoryBytes : wanted.memoryBytes();
        return new FunctionUpkeep(this, wanted.openMillis(), wanted.timeoutMillis(), false, most);
    }

    @Override
    public BatchPace pace(BatchPace fresh) {
        pace = pace == null ? fresh : pace;
        return pace;
    }

    @Override
    public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) throws IOException {
        own = own == null ? pool.take(key) : own;
        own = own == null ? new PooledFunction(starting, function, log) : own;
        return own.lend(waker, this::back);
    }

    private void back(PooledFunction one) throws IOException {
        if (!mayServe(one)) {
            own = null;
            one.end();
        }
    }

    /** Whether other steps may have it. */
    private boolean mayServe(PooledFunction one) {
        return one.isSound() && (most == FunctionUpkeep.ANY || one.memoryBytes() <= most);
    }

    /** The task has ended, perhaps within a step. */
    void end() {
        if (own != null && mayServe(own)) {
            own.leave();
            pool.give(key, own);
        } else if (own != null) {
            FunctionPool.end(own);
        }
        own = null;
    }
}
