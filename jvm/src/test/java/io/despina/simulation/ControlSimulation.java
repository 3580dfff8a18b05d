package io.despina.simulation;

import io.despina.control.coordinator.Coordinator;
import io.despina.control.members.Environment;
import io.despina.control.members.Members;
import io.despina.control.process.Child;
import io.despina.placement.Deployment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A coordinator and its resources in one thread under a seed: production code but for clock, timers, threads, sockets and
 * processes. What happens to the resources is up to {@link ControlSimulationTest}.
 */
final class ControlSimulation {
    private static final int STEPS = 3_000_000;
    private static final long LONGEST_TICK = 20_000;
    private static final long REJOIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int REPLACED_ONE_IN = 5;
    private static final long MEMORY = 16 << 20;

    private final Random random;
    private final SimulatedTime time = new SimulatedTime();
    private final SimulatedTime.Timer timer = time.timer();
    private final SimulatedControl control;
    private final SimulatedNetwork network;
    private final SimulatedResource.World world;
    private final Coordinator coordinator;
    /** Every one that ever was, in the order of their starts. */
    private final List<SimulatedResource> all = new ArrayList<>();
    /** By name: those that are. */
    private final Map<String, SimulatedResource> alive = new TreeMap<>();
    private boolean closing;
    private boolean deployed;
    private int countdown;
    /** Null once it has been done. */
    private Runnable then;

    ControlSimulation(Random random) {
        this.random = random;
        control = new SimulatedControl(time, random);
        network = new SimulatedNetwork(time::nanos, random);
        world = new SimulatedResource.World(time, control, network, random);
        coordinator = new Coordinator(new Members.Starters(this::child, null), Members.Patience.USUAL,
                new Environment(time::nanos, timer, timer, control));
    }

    Coordinator coordinator() {
        return coordinator;
    }

    SimulatedTime time() {
        return time;
    }

    private Child child(Deployment.Resource spec, List<String> arguments, String secret) {
        SimulatedResource child = add(spec.name());
        int port = Integer.parseInt(after(arguments, "--join").replaceFirst(".*:", ""));
        time.after(random.nextLong(TimeUnit.SECONDS.toNanos(2)), () -> {
            if (!child.isDead() && control.isOpen(port)) {
                child.join(port, after(arguments, "--token"));
            }
        });
        return child;
    }

    private static String after(List<String> arguments, String option) {
        return arguments.get(arguments.indexOf(option) + 1);
    }

    private SimulatedResource add(String name) {
        SimulatedResource made = new SimulatedResource(world, name, MEMORY);
        all.add(made);
        alive.put(name, made);
        return made;
    }

    /**
     * A machine on which someone keeps a resource: one incarnation after the other, each of which tries every second to join. In
     * place of one that is frozen another machine may take the name.
     */
    void keep(String name, int port) {
        SimulatedResource there = alive.get(name);
        if (closing) {
            return;
        }
        boolean free = there == null || there.isDead() || there.isFrozen() && random.nextInt(REPLACED_ONE_IN) == 0;
        if (free && control.isOpen(port)) {
            add(name).join(port, "");
        }
        time.after(REJOIN_NANOS, () -> keep(name, port));
    }

    SimulatedNetwork network() {
        return network;
    }

    /** The resource of that name that is there now; null if there is none that has joined. */
    SimulatedResource resource(String name) {
        SimulatedResource there = alive.get(name);
        return there == null || there.isDead() || there.connection() == null ? null : there;
    }

    /** Has something done so many steps after a resource has first been told to deploy. */
    void afterDeployment(int steps, Runnable what) {
        countdown = steps;
        then = what;
        deployed = false;
    }

    private void countDown() {
        if (then != null && (deployed || all.stream().anyMatch(SimulatedResource::isBusy))) {
            deployed = true;
            if (countdown-- == 0) {
                Runnable now = then;
                then = null;
                now.run();
            }
        }
    }

    /** @throws AssertionError if it does not come to that */
    void runUntil(BooleanSupplier done) {
        for (int k = 0; !done.getAsBoolean(); k++) {
            countDown();
            if (k == STEPS) {
                throw new AssertionError("hangs: after " + STEPS + " steps " + this);
            }
            if (!turn() && !sweep()) {
                waitForTime();
            }
        }
    }

    private boolean turn() {
        time.advance(random.nextLong(LONGEST_TICK));
        return switch (random.nextInt(3)) {
            case 0 -> time.runOne();
            case 1 -> network.crank(time.now());
            default -> !all.isEmpty() && all.get(random.nextInt(all.size())).crank();
        };
    }

    private boolean sweep() {
        boolean moved = time.runOne() | network.crankAny(time.now());
        for (SimulatedResource resource : List.copyOf(all)) {
            moved |= resource.crank();
        }
        return moved;
    }

    private void waitForTime() {
        long next = Math.min(time.next(), network.nextEvent(time.now()));
        for (SimulatedResource resource : all) {
            next = Math.min(next, resource.nextDeadline());
        }
        if (next == Long.MAX_VALUE) {
            throw new AssertionError("deadlock: nothing can move any more: " + this);
        }
        time.advanceTo(next);
    }

    /** Ends everything, as the end of a session does, and holds all that ever was to having left nothing. */
    void close() {
        closing = true;
        coordinator.close();
        runUntil(() -> all.stream().allMatch(one -> one.isDead() || one.connection() == null));
        for (SimulatedResource one : all) {
            if (!one.leaks().equals(SimulatedResource.NOTHING)) {
                throw new AssertionError("resource " + one + " leaves " + one.leaks());
            }
        }
        if (network.open() + control.openPorts() + timer.size() != 0) {
            throw new AssertionError(network.open() + " channels, " + control.openPorts() + " ports and " + timer.size()
                    + " timers are left");
        }
    }

    @Override
    public String toString() {
        return all + ", " + network.open() + " channels, at " + time.now() / 1_000_000 + " ms";
    }
}
