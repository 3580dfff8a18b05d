package io.despina.simulation;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.MessageTypes;
import io.despina.placement.Deployment;
import io.despina.simulation.disk.SimulatedDisk;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.SnapshotStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A coordinator and its resources in one thread under a seed: production code but for clock, timers, threads, sockets and
 * processes. Coordinators may die and come again, and two may be there at once. What happens to them and to the resources is up
 * to {@link ControlScene}.
 */
final class ControlSimulation {
    private static final int STEPS = 1_000_000;
    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final long LONGEST_TICK = 20_000;
    private static final long REJOIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int REPLACED_ONE_IN = 5;
    private static final int CONCLUSION_ONE_IN = 3;
    /** From its thaw until a process must have heard of its successor. */
    private static final long HEARS_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long MEMORY = 16 << 20;
    private static final int TRACED = 400;
    /** It has the graph's text. */
    private static final int LEAST_DEPLOY_BYTES = 500;

    private final Random random;
    private final Mark.Swarm swarm;
    private final SimulatedTime time = new SimulatedTime();
    private final SimulatedControl control;
    private final SimulatedNetwork network;
    private static final AtomicLong DISKS = new AtomicLong();
    private final SimulatedDisk disk;
    private final DiskTroubles troubles;
    private final SimulatedResource.World world;
    private final SimulatedThreads threads = new SimulatedThreads();
    /** Null if coordinators have locks, or leases in the state folder. */
    private final SimulatedRegistry registry;
    /** In the order of their starts; a dead one stays. */
    private final List<SimulatedCoordinator> coordinators = new ArrayList<>();
    /** Every one that ever was, in the order of their starts. */
    private final List<SimulatedResource> all = new ArrayList<>();
    /** By name: those that are. */
    private final Map<String, SimulatedResource> alive = new TreeMap<>();
    private final Deque<String> trace = new ArrayDeque<>();
    private Consumer<SimulatedResource> whenPartMoves = any -> { };
    private Consumer<SimulatedCoordinator> whenCoordinatorDies = any -> { };
    /** By job: the last attempt of which a resource was lost once all was committed, and before it had heard of it. */
    private final Map<String, Integer> unheard = new TreeMap<>();
    private boolean closing;
    private boolean deployed;
    private int countdown;
    /** Null once it has been done. */
    private Runnable then;

    /**
     * @param swarm of the faults that come where a process uses the disk
     * @param tally is told what happens to a registry with leases; null for none. With one, each coordinator is on a machine of
     *              its own, and the others go on while one waits
     */
    ControlSimulation(Random random, Mark.Swarm swarm, Consumer<String> tally) {
        this.random = random;
        this.swarm = swarm;
        control = new SimulatedControl(time, random);
        network = new SimulatedNetwork(time::nanos, random);
        disk = SimulatedDisk.create("control-" + DISKS.incrementAndGet());
        disk.clock(() -> TimeUnit.NANOSECONDS.toMillis(time.now()));
        int holds = random.nextInt(3);
        disk.locks(holds > 0);
        disk.faults(this::before);
        troubles = new DiskTroubles(disk, time, swarm, what -> trace(disk.process(), what));
        control.watch(this::said);
        registry = tally == null ? null : new SimulatedRegistry(this, random, tally);
        Function<String, SnapshotStore> beside = address -> new LocalStore(disk.path().resolve("registry" + address));
        world = new SimulatedResource.World(time, control, network, random, disk, new AtomicLong(),
                registry != null ? registry::at : holds == 1 ? beside : null);
        if (registry != null) {
            control.setApart();
            time.passing(this::pass);
        }
    }

    /** Null if there is none. */
    SimulatedRegistry registry() {
        return registry;
    }

    /** The coordinator that does something now; null if none does. */
    SimulatedCoordinator asking() {
        return disk.process() instanceof SimulatedCoordinator one ? one : null;
    }

    /** Others go on until then; of the process that waits, what else it does, too. */
    private void pass(long until) {
        if (threads.current() == null) {
            time.advanceTo(until);
            return;
        }
        await(until);
        if (asking().isDead()) {
            throw new CancellationException("its process was killed");
        }
    }

    private void await(long until) {
        SimulatedCoordinator one = asking();
        SimulatedThreads.Fiber mine = threads.current();
        time.at(until, () -> wake(one, mine));
        threads.await();
        disk.as(one);
    }

    private void wake(SimulatedCoordinator one, SimulatedThreads.Fiber waits) {
        if (!one.isDead() && time.now() < one.frozenUntil()) {
            time.at(one.frozenUntil(), () -> wake(one, waits));
            return;
        }
        Object before = disk.process();
        waits.goOn();
        disk.as(before);
    }

    /**
     * A coordinator does nothing for so long, in the middle of what it does now, and the others go on.
     *
     * @return whether it lives
     */
    boolean holdUp(SimulatedCoordinator one, long nanos) {
        long until = time.now() + nanos;
        if (threads.current() == null) {
            time.advanceTo(until);
        } else {
            one.block(until, true);
            await(until);
            one.block(until, false);
        }
        return !one.isDead();
    }

    /** Nothing gets from a coordinator to its resources or the registry any more, or back; nobody reaches it for so long. */
    void cutOff(SimulatedCoordinator one, long nanos) {
        trace(one, "is cut off for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
        control.cutOff(one, nanos);
        registry.cutOff(one, nanos);
    }

    /** Somebody is told of a resource that gets the part of a lost one beside its own. */
    void whenPartMoves(Consumer<SimulatedResource> told) {
        whenPartMoves = told;
    }

    private void said(SimulatedControl.Host to, byte[] json) {
        if (!(to instanceof SimulatedResource one)) {
            toCoordinator(MessageTypes.decode(json));
            return;
        }
        if (json.length > LEAST_DEPLOY_BYTES) {
            deployed(one, new String(json, StandardCharsets.UTF_8));
        } else if (swarm.threatens(Mark.RESOURCE_KILLED_IN_CONCLUSION)
                && MessageTypes.decode(json) instanceof Message.Conclude conclude
                && swarm.strikes(Mark.RESOURCE_KILLED_IN_CONCLUSION, CONCLUSION_ONE_IN)) {
            trace(one, "is killed before it hears that all is committed");
            unheard.put(conclude.attempt().job(), conclude.attempt().number());
            time.after(0, one::kill);
        }
    }

    private void toCoordinator(Message message) {
        if (message instanceof Message.Adopted) {
            swarm.met(Mark.ADOPTED);
        } else if (message instanceof Message.Failed failed && failed.message().contains("cannot be taken over")) {
            swarm.met(Mark.ADOPTION_REFUSED);
        }
    }

    /** The last attempt of the job that must not have been its last, or 0. */
    int unheardIn(String job) {
        return unheard.getOrDefault(job, 0);
    }

    /** Looks for {@link Message.Deploy}s to somebody who plays another's part. */
    private void deployed(SimulatedResource one, String text) {
        int cast = text.indexOf("\"cast\":{");
        if (cast < 0 || !text.contains("\"type\":\"deploy\"")) {
            return;
        }
        if (text.indexOf("\"moved\":{}", cast) < 0) {
            swarm.met(Mark.PART_MOVED);
            whenPartMoves.accept(one);
        } else if (one.name().startsWith("~spare")) {
            swarm.met(Mark.SPARE_TOOK_PART);
        }
    }

    /** Starts a coordinator, which may find another at work. */
    SimulatedCoordinator start() {
        SimulatedCoordinator made = new SimulatedCoordinator(world, "coordinator-" + (coordinators.size() + 1),
                (spec, arguments) -> child(spec, arguments), registry == null ? Runnable::run : threads::run);
        coordinators.add(made);
        trace(made, "starts");
        return made;
    }

    /** Somebody is told when one is killed. */
    void whenCoordinatorDies(Consumer<SimulatedCoordinator> told) {
        whenCoordinatorDies = told;
    }

    List<SimulatedCoordinator> living() {
        return coordinators.stream().filter(each -> !each.isDead()).toList();
    }

    /** One of those that live, or null. */
    SimulatedCoordinator anyCoordinator() {
        List<SimulatedCoordinator> living = living();
        return living.isEmpty() ? null : living.get(random.nextInt(living.size()));
    }

    void kill(SimulatedCoordinator one) {
        if (!one.isDead()) {
            trace(one, "is killed");
            one.kill();
            whenCoordinatorDies.accept(one);
        }
    }

    /** All processes die, and the disk loses what was not forced. */
    void powerFailure() {
        trace("power", "fails");
        List.copyOf(coordinators).forEach(this::kill);
        List.copyOf(all).forEach(SimulatedResource::kill);
        troubles.powerFailure();
    }

    /** All processes do nothing for so long. */
    void sleep(long nanos) {
        coordinators.stream().filter(each -> !each.isDead()).forEach(each -> each.freeze(nanos));
        all.stream().filter(each -> !each.isDead()).forEach(each -> each.freeze(nanos));
    }

    /** The time of day is set, for whoever looks at it. */
    void jump(long millis) {
        trace("the time of day", "jumps by " + millis + " ms");
        world.wallJump().addAndGet(millis);
    }

    private void before(SimulatedDisk.Operation operation, String path) throws IOException {
        if (disk.process() instanceof SimulatedCoordinator one) {
            refuse(one.isDead());
            troubles.death(DiskTroubles.deathOfCoordinator(operation, path), operation, path, () -> kill(one));
        } else if (disk.process() instanceof SimulatedResource one) {
            refuse(one.isDead());
            troubles.death(DiskTroubles.deathOfResource(operation, path), operation, path, one::killInside);
        }
        troubles.trouble(operation, path);
    }

    private static void refuse(boolean dead) throws IOException {
        if (dead) {
            throw DiskTroubles.dead();
        }
    }

    void trace(Object who, String what) {
        if (trace.size() == TRACED) {
            trace.remove();
        }
        String name = who instanceof SimulatedResource one ? one.name() : String.valueOf(who);
        trace.add(time.now() / 1_000_000 + " ms " + name + " " + what);
    }

    /** What has happened, a line each. */
    String trace() {
        return String.join("\n", trace);
    }

    SimulatedTime time() {
        return time;
    }

    private SimulatedResource child(Deployment.Resource spec, List<String> arguments) {
        SimulatedResource child = add(spec.name());
        int port = Integer.parseInt(after(arguments, "--join").replaceFirst(".*:", ""));
        time.after(random.nextLong(TimeUnit.SECONDS.toNanos(2)), () -> join(child, port, after(arguments, "--token")));
        return child;
    }

    /** Whoever does not listen just now is asked again. */
    private void join(SimulatedResource child, int port, String token) {
        if (!child.isDead() && control.isOpen(port)) {
            child.join(port, token);
        } else if (!child.isDead() && !closing) {
            time.after(REJOIN_NANOS, () -> join(child, port, token));
        }
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

    /** Where that address is. */
    SnapshotStore store(String address) {
        return world.store(address);
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
            if (k == STEPS || time.now() > LONGEST) {
                throw new AssertionError("hangs: after " + k + " steps " + this);
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

    /** A coordinator that was frozen until now hears that another has its jobs. What closes it would wait for them in vain. */
    private void thaw() {
        if (coordinators.stream().anyMatch(one -> !one.isDead() && one.isFrozen())) {
            runUntil(() -> coordinators.stream().noneMatch(one -> !one.isDead() && one.isFrozen()));
            long heard = time.now() + HEARS_NANOS;
            time.at(heard, () -> { });
            runUntil(() -> time.now() >= heard);
        }
    }

    /** Ends everything, as the end of a session does, and holds all that ever was to having left nothing. */
    void close() {
        swarm.calm();
        if (registry != null) {
            registry.calm();
        }
        runUntil(threads::areIdle);
        threads.close();
        disk.remove();
        closing = true;
        thaw();
        List<SimulatedCoordinator> open = new ArrayList<>(coordinators);
        open.removeIf(SimulatedCoordinator::isDead);
        List.copyOf(open).forEach(one -> one.run(() -> {
            one.coordinator().close();
            open.remove(one);
        }));
        runUntil(() -> open.isEmpty() && all.stream().allMatch(one -> one.isDead() || one.connection() == null));
        for (SimulatedResource one : all) {
            if (!one.leaks().equals(SimulatedResource.NOTHING)) {
                throw new AssertionError("resource " + one + " leaves " + one.leaks());
            }
        }
        int timers = coordinators.stream().mapToInt(SimulatedCoordinator::timers).sum();
        if (network.open() + control.openPorts() + timers != 0) {
            throw new AssertionError(network.open() + " channels, " + control.openPorts() + " ports and " + timers
                    + " timers are left");
        }
    }

    @Override
    public String toString() {
        return coordinators + " " + all + ", " + network.open() + " channels, at " + time.now() / 1_000_000 + " ms";
    }
}
