package io.despina.simulation;

import io.despina.runtime.TaskSpec;
import io.despina.runtime.Tiers;
import io.despina.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Workers without threads. Tasks that block have one of their own, as in production. */
final class SimulatedTiers implements Tiers {
    private final List<Worker> workers = new ArrayList<>();
    private final int pool;
    private int next;

    SimulatedTiers(int pool) {
        this.pool = pool;
        for (int k = 0; k < pool; k++) {
            workers.add(new Worker(() -> { }));
        }
    }

    List<Worker> workers() {
        return workers;
    }

    @Override
    public Worker home(String jobId, TaskSpec task) {
        if (task.blocks()) {
            workers.add(new Worker(() -> { }));
            return workers.get(workers.size() - 1);
        }
        return workers.get(next++ % pool);
    }

    @Override
    public UnaryOperator<Worker> nextHome(TaskSpec task) {
        return task.settings().batchScheduling() || task.blocks() ? UnaryOperator.identity()
                : home -> workers.get((workers.indexOf(home) + 1) % pool);
    }

    @Override
    public Worker any() {
        return workers.get(0);
    }

    @Override
    public void interrupt(Worker home) {
    }

    @Override
    public void leave(Worker home) {
    }

    @Override
    public void close() {
    }
}
