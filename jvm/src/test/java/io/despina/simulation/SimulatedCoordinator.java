package io.despina.simulation;

import io.despina.control.coordinator.Coordinator;
import io.despina.control.members.Environment;
import io.despina.control.members.Members;
import io.despina.control.process.Child;
import io.despina.placement.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * A coordinator's process without a process: production code on the simulator's clock, timers, connections and disk. It can be
 * killed at any instant, and frozen for a while. Its children lose their connection then, as each resource does.
 */
final class SimulatedCoordinator implements SimulatedControl.Host {
    private final SimulatedResource.World world;
    private final String name;
    private final SimulatedTime.Timer timer;
    private final Coordinator coordinator;
    private final List<SimulatedResource> children = new ArrayList<>();
    private final Executor threads;
    private boolean dead;
    private long frozenUntil;
    private boolean blocked;

    /**
     * @param starter makes a child, which joins later
     * @param threads do what may wait
     */
    SimulatedCoordinator(SimulatedResource.World world, String name,
            BiFunction<Deployment.Resource, List<String>, SimulatedResource> starter, Executor threads) {
        this.world = world;
        this.name = name;
        this.threads = threads;
        timer = world.time().timer(this::runAside);
        coordinator = new Coordinator(new Members.Starters((spec, arguments, secret) -> {
            SimulatedResource made = starter.apply(spec, arguments);
            children.add(made);
            return new Owned(made);
        }, null), Members.Patience.USUAL, new Environment(world.time()::nanos, world::wallMillis, timer, timer,
                world.control().of(this), world::store));
    }

    Coordinator coordinator() {
        return coordinator;
    }

    boolean isDead() {
        return dead;
    }

    boolean isFrozen() {
        return blocked || world.time().now() < frozenUntil;
    }

    long frozenUntil() {
        return frozenUntil;
    }

    /** It does nothing until then, and nothing else before what it does now goes on. */
    void block(long until, boolean now) {
        frozenUntil = Math.max(frozenUntil, until);
        blocked = now;
    }

    @Override
    public boolean listens() {
        return !dead && !isFrozen();
    }

    /** As this process: now, when it is thawed, or, if it is dead, never. */
    @Override
    public void run(Runnable what) {
        if (dead) {
            return;
        }
        if (isFrozen()) {
            world.time().at(frozenUntil, () -> run(what));
            return;
        }
        Object before = world.disk().process();
        world.disk().as(this);
        try {
            what.run();
        } finally {
            world.disk().as(before);
        }
    }

    /** The same on another thread, so that it may wait. */
    void runAside(Runnable what) {
        run(() -> threads.execute(what));
    }

    void freeze(long nanos) {
        frozenUntil = world.time().now() + nanos;
    }

    /** As SIGKILL does. */
    void kill() {
        if (dead) {
            return;
        }
        dead = true;
        world.disk().kill(this);
        timer.shutdownNow();
        world.control().died(this);
        children.stream().filter(child -> child.connection() == null).forEach(SimulatedResource::kill);
    }

    /** Timers that are left; what a dead process sets is none. */
    int timers() {
        return dead ? 0 : timer.size();
    }

    @Override
    public String toString() {
        return name + (dead ? " (dead)" : isFrozen() ? " (frozen)" : "");
    }

    /** Of a child, what its parent hears. */
    private final class Owned implements Child {
        private final SimulatedResource child;
        private final CompletableFuture<String> exit = new CompletableFuture<>();

        Owned(SimulatedResource child) {
            this.child = child;
            child.onExit().thenAccept(how -> run(() -> exit.complete(how)));
        }

        @Override
        public long pid() {
            return child.pid();
        }

        @Override
        public CompletableFuture<String> onExit() {
            return exit.thenApply(how -> how);
        }

        @Override
        public void kill() {
            if (!dead) {
                child.kill();
            }
        }

        /** In place of waiting. */
        @Override
        public void end(long millis) {
            world.time().after(TimeUnit.MILLISECONDS.toNanos(millis), this::kill);
        }
    }
}
