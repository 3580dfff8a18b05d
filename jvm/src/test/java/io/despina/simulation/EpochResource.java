package io.despina.simulation;

import io.despina.simulation.EpochWorld.Process;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** A resource's process in {@link EpochSimulation}: it hosts at most one attempt, and commits to the target what it is told. */
final class EpochResource extends Process {
    private static final int ZOMBIE_ONE_IN = 20;
    private static final int ROOM_ONE_IN = 3;
    private static final int FULL_ONE_IN = 15;
    private static final long LONG_FULL = 5_000 * EpochWorld.MILLI;
    private static final long AGAIN = 300 * EpochWorld.MILLI;
    /** Epochs that are complete, and wait for the target: no other begins then. */
    private static final int MOST_WAITING = 10;

    /**
     * What it is told to host.
     *
     * @param from     epoch to go on from, or 0
     * @param manifest of that epoch, or null
     * @param replay   whether that epoch may not be committed everywhere
     * @param id       of the folder
     */
    record Deploy(int attempt, int instance, List<EpochResource> members, StateFolder folder, long from, Manifest manifest,
            boolean replay, String id) {
    }

    private final EpochSimulation simulation;
    private final String place;
    private final EpochCoordinator coordinator;
    private final Deque<Long> toCommit = new ArrayDeque<>();
    private EpochTask task;
    private int greatest;
    /** Until then another job has its memory. */
    private long fullUntil;
    /** Until then its sink has no room on its disk. */
    private long sinkFullUntil;

    EpochResource(EpochSimulation simulation, String place, String name, EpochCoordinator coordinator) {
        super(simulation.world(), name);
        this.simulation = simulation;
        this.place = place;
        this.coordinator = coordinator;
    }

    /** Its name in the deployment, which it shares with those before and after it. */
    String place() {
        return place;
    }

    EpochCoordinator coordinator() {
        return coordinator;
    }

    EpochTask task() {
        return task;
    }

    boolean keepsAll() {
        return simulation.keepsAll();
    }

    long rowsOf(int partition) {
        return simulation.rowsOf(partition);
    }

    void sent(int partition, long number) {
        simulation.sent(partition, number);
    }

    void tell(Consumer<EpochCoordinator> what) {
        world.send(this, coordinator, "control", () -> what.accept(coordinator));
    }

    private boolean isOf(int attempt) {
        return task != null && task.attempt() == attempt;
    }

    void deploy(Deploy deploy) {
        if (deploy.attempt() <= greatest) {
            return;
        }
        boolean survived = greatest > 0;
        greatest = deploy.attempt();
        if (task != null && diesAt(Mark.RESOURCE_KILLED_IN_END_OF_OLD_ATTEMPT)) {
            return;
        }
        endTask();
        if (survived && world.swarm.strikes(Mark.SURVIVOR_WITHOUT_ROOM, ROOM_ONE_IN)) {
            fullUntil = world.time.now() + world.random.nextLong(LONG_FULL);
        }
        if (world.time.now() < fullUntil) {
            tell(to -> to.hasNoRoom(this, deploy.attempt()));
            return;
        }
        EpochTask made = new EpochTask(this, deploy);
        task = made;
        world.soon(this, () -> restore(made, deploy));
    }

    private void restore(EpochTask made, Deploy deploy) {
        if (task != made) {
            return;
        }
        try {
            if (deploy.manifest() != null) {
                made.restore(new RestoredStates(deploy.folder().store(), deploy.manifest()), !deploy.replay());
            }
        } catch (IOException e) {
            tell(to -> to.notRestored(this, deploy.attempt(), e));
            return;
        }
        tell(to -> to.ready(this, deploy.attempt()));
    }

    void start(int attempt) {
        if (isOf(attempt)) {
            task.start();
        }
    }

    void barrier(int attempt, long epoch) {
        if (isOf(attempt) && !diesAt(Mark.RESOURCE_KILLED_BEFORE_BARRIER)) {
            task.barrier(epoch);
            if (world.swarm.strikes(Mark.ZOMBIE_WRITES_FILE, ZOMBIE_ONE_IN)) {
                simulation.freeze(this);
            }
        }
    }

    void arrived(int attempt, int from, EpochTask.Item item) {
        if (isOf(attempt)) {
            task.arrived(from, item);
        } else if (attempt < greatest) {
            world.swarm.met(Mark.ZOMBIE_WRITES_FRAME);
        }
    }

    /** Whether its sink can make durable what it has of an epoch. Else the epoch is refused, and its rows are for the next. */
    boolean prepares(EpochTask of, long epoch) {
        if (world.swarm.strikes(Mark.SINK_DISK_FULL, FULL_ONE_IN)) {
            sinkFullUntil = world.time.now() + world.random.nextLong(LONG_FULL);
        }
        boolean full = world.time.now() < sinkFullUntil;
        if (full) {
            tell(to -> to.refused(this, of.attempt(), epoch, "the sink's disk is full"));
        }
        return !full;
    }

    void frozen(EpochTask of, long epoch, EpochFile.Written file, Throwable failed) {
        if (isDead()) {
            return;
        }
        if (coordinator.attempt() > of.attempt()) {
            world.swarm.met(Mark.ZOMBIE_WRITES_FILE);
        }
        if (failed != null) {
            tell(to -> to.refused(this, of.attempt(), epoch, failed.getMessage()));
        } else {
            tell(to -> to.frozen(this, of.attempt(), epoch, file));
            diesAt(Mark.RESOURCE_KILLED_AFTER_FROZEN);
        }
    }

    void drop(int attempt, long epoch) {
        if (isOf(attempt)) {
            task.drop(epoch);
        }
    }

    /** The manifest is kept. */
    void complete(int attempt, long epoch) {
        if (isOf(attempt) && !diesAt(Mark.RESOURCE_KILLED_BETWEEN_MANIFEST_AND_COMPLETE)) {
            simulation.checkKept(epoch, "acknowledged");
            toCommit.add(epoch);
            if (toCommit.size() > MOST_WAITING) {
                throw new AssertionError("epochs " + toCommit + " wait for the target");
            }
            if (toCommit.size() == 1) {
                commit(task, epoch);
            }
        }
    }

    private void commit(EpochTask of, long epoch) {
        if (task != of || diesAt(Mark.RESOURCE_KILLED_IN_COMMIT)) {
            return;
        }
        List<MarkedTarget.Part> parts = of.upTo(epoch);
        world.send(this, simulation.targetProcess(), "commit", () -> {
            String refused = simulation.commit(of.attempt(), epoch, parts);
            world.trace(simulation.targetProcess(), () -> (refused == null ? "takes" : "refuses") + " epoch " + epoch + " of "
                    + this + ", attempt " + of.attempt() + ": "
                    + parts.stream().map(part -> part.epoch() + "." + part.instance() + "*" + part.rows().size()).toList());
            world.send(simulation.targetProcess(), this, "answer", () -> answered(of, epoch, refused));
        });
    }

    private void answered(EpochTask of, long epoch, String refused) {
        if (task != of || diesAt(Mark.RESOURCE_KILLED_AFTER_COMMIT_BEFORE_ANSWER)) {
            return;
        }
        if (EpochSimulation.DOWN.equals(refused)) {
            world.later(this, AGAIN, () -> commit(of, epoch));
        } else if (refused != null) {
            tell(to -> to.cannotCommit(refused));
        } else {
            of.committed(epoch);
            tell(to -> to.committed(this, of.attempt(), epoch));
            toCommit.remove();
            if (!toCommit.isEmpty()) {
                commit(of, toCommit.peek());
            }
        }
    }

    void end(int attempt) {
        if (isOf(attempt) && !diesAt(Mark.RESOURCE_KILLED_IN_END_OF_OLD_ATTEMPT)) {
            endTask();
        }
    }

    private void endTask() {
        if (task != null) {
            task.end();
        }
        task = null;
        toCommit.clear();
    }

    @Override
    Mark deathAt(Operation operation, String path) {
        return DiskTroubles.deathOfResource(operation, path);
    }

    @Override
    void died() {
        task = null;
        simulation.resourceDied(this);
    }
}
