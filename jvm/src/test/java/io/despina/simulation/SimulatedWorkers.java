package io.despina.simulation;

import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.worker.Worker;
import io.despina.runtime.worker.Workers;
import io.despina.spec.Blocking;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;

/** Workers without threads. Tasks that block have one of their own, as in production, and openings wait to be run. */
final class SimulatedWorkers implements Workers {
    private final List<Worker> workers = new ArrayList<>();
    private final List<FutureTask<?>> openings = new ArrayList<>();
    private final int pool;
    private int next;

    SimulatedWorkers(int pool) {
        this.pool = pool;
        for (int k = 0; k < pool; k++) {
            workers.add(new Worker(() -> { }));
        }
    }

    List<Worker> workers() {
        return workers;
    }

    @Override
    public Worker assign(String jobId, TaskSpec task) {
        return task.blocking() == Blocking.ALWAYS ? dedicated(jobId, task) : workers.get(next++ % pool);
    }

    @Override
    public Worker dedicated(String jobId, TaskSpec task) {
        workers.add(new Worker(() -> { }));
        return workers.get(workers.size() - 1);
    }

    @Override
    public Future<?> runBlocking(String jobId, TaskSpec task, Runnable work) {
        FutureTask<?> opening = new FutureTask<>(work, null);
        openings.add(opening);
        return opening;
    }

    /** Runs one of the openings that wait. @return false if there is none */
    boolean open(Random random) {
        if (openings.isEmpty()) {
            return false;
        }
        openings.remove(random.nextInt(openings.size())).run();
        return true;
    }

    @Override
    public UnaryOperator<Worker> rotation(TaskSpec task) {
        return task.settings().batchScheduling() ? UnaryOperator.identity()
                : home -> workers.indexOf(home) < pool ? workers.get((workers.indexOf(home) + 1) % pool) : home;
    }

    @Override
    public Worker any() {
        return workers.get(0);
    }

    @Override
    public void interrupt(Worker home) {
    }

    @Override
    public void release(Worker home) {
    }

    @Override
    public void close() {
    }
}
