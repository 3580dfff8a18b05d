package io.despina.simulation;

import io.despina.simulation.disk.SimulatedDisk;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Processes, the messages between them, and the disk of their state, on one clock and under one seed. */
final class EpochWorld {
    static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int TRACED = 400;
    private static final int FAULT_ONE_IN = 6;

    final Random random;
    final SimulatedTime time = new SimulatedTime();
    final SimulatedDisk disk;
    final Mark.Swarm swarm;
    final DiskTroubles troubles;
    /** Milliseconds that the time of day is beside the clock. */
    long wallJump;
    private final Map<String, Long> arrivals = new HashMap<>();
    private final Set<String> cut = new HashSet<>();
    private final Deque<Traced> trace = new ArrayDeque<>();
    private Process running;
    private Runnable power = () -> { };
    private int killed;

    /** What has happened. Most seeds are never read, so it is put into words only when somebody asks. */
    private record Traced(long millis, Process who, Supplier<String> what) {
        @Override
        public String toString() {
            return millis + " ms " + who + " " + what.get();
        }
    }

    /** Somebody who can die, and be frozen for a while. */
    abstract static class Process {
        final EpochWorld world;
        final String name;
        private boolean dead;
        private long frozenUntil;

        Process(EpochWorld world, String name) {
            this.world = world;
            this.name = name;
        }

        final boolean isDead() {
            return dead;
        }

        final boolean isFrozen() {
            return world.time.now() < frozenUntil;
        }

        final void freeze(long nanos) {
            world.trace(this, "is frozen for " + nanos / MILLI + " ms");
            frozenUntil = world.time.now() + nanos;
        }

        final void kill() {
            if (!dead) {
                world.trace(this, "is killed");
                world.killed++;
                dead = true;
                world.disk.kill(this);
                died();
            }
        }

        /** Whether it dies here, by that fault. */
        final boolean diesAt(Mark mark) {
            if (!dead && world.swarm.strikes(mark, FAULT_ONE_IN)) {
                world.trace(this, "meets " + mark);
                kill();
            }
            return dead;
        }

        /** By which fault it may die before an operation of the disk, or null. */
        Mark deathAt(Operation operation, String path) {
            return null;
        }

        /** The others get to know, as they do. */
        abstract void died();

        @Override
        public String toString() {
            return name;
        }
    }

    EpochWorld(long seed, Mark.Counts counts) {
        random = new Random(seed * 0x9E3779B97F4A7C15L);
        swarm = new Mark.Swarm(random, counts, 6);
        disk = SimulatedDisk.create("epochs-" + seed + "-" + Thread.currentThread().getId());
        troubles = new DiskTroubles(disk, time, swarm, what -> trace(running, what));
        disk.clock(this::wallMillis);
        disk.faults(this::before);
        disk.links(random.nextInt(4) > 0);
        disk.locks(random.nextInt(3) > 0);
    }

    /** What happens when the power fails. */
    void power(Runnable fails) {
        power = fails;
    }

    long millis() {
        return time.now() / MILLI;
    }

    long wallMillis() {
        return 1_700_000_000_000L + millis() + wallJump;
    }

    int killed() {
        return killed;
    }

    void trace(Process who, String what) {
        trace(who, () -> what);
    }

    /** @param what of things that change no more */
    void trace(Process who, Supplier<String> what) {
        if (trace.size() == TRACED) {
            trace.remove();
        }
        trace.add(new Traced(millis(), who, what));
    }

    String trace() {
        return trace.stream().map(Traced::toString).collect(Collectors.joining("\n"));
    }

    /** Does something by a process after a while, unless it is dead then. */
    void later(Process who, long nanos, Runnable what) {
        time.after(nanos, () -> run(who, what));
    }

    /** The same, soon. */
    void soon(Process who, Runnable what) {
        later(who, random.nextLong(MILLI), what);
    }

    private void run(Process who, Runnable what) {
        if (who.isDead()) {
            return;
        }
        if (who.isFrozen()) {
            time.at(who.frozenUntil, () -> run(who, what));
            return;
        }
        running = who;
        disk.as(who);
        try {
            what.run();
        } finally {
            running = null;
        }
    }

    /** A message: later than what was sent before over that connection, or never. */
    void send(Process from, Process to, String connection, Runnable arrives) {
        if (from.isDead()) {
            return;
        }
        String key = from + ">" + to + connection;
        if (cut.contains(pair(from, to))) {
            return;
        }
        long delay = random.nextLong(MILLI / 2);
        if (swarm.strikes(Mark.MESSAGE_DELAYED, 60)) {
            delay += random.nextLong(50 * MILLI);
        }
        if (swarm.strikes(Mark.MESSAGE_STALLED, 200)) {
            delay += random.nextLong(3_000 * MILLI);
        }
        long at = Math.max(arrivals.getOrDefault(key, 0L), time.now() + delay);
        arrivals.put(key, at);
        time.at(at, () -> {
            if (!cut.contains(pair(from, to))) {
                run(to, arrives);
            }
        });
    }

    private static String pair(Process one, Process other) {
        return one.name.compareTo(other.name) < 0 ? one + "|" + other : other + "|" + one;
    }

    /** Nothing arrives between the two any more. */
    void cut(Process one, Process other) {
        trace(one, "is cut off from " + other);
        cut.add(pair(one, other));
    }

    /** Before each operation of the disk. */
    private void before(Operation operation, String path) throws IOException {
        if (running == null) {
            return;
        }
        if (running.isDead()) {
            throw DiskTroubles.dead();
        }
        troubles.death(running.deathAt(operation, path), operation, path, running::kill);
        troubles.powerFailureBeforeName(operation, path, power);
        troubles.trouble(operation, path);
    }

    /** Does the next thing. @return whether there was one */
    boolean step() {
        if (time.next() == Long.MAX_VALUE) {
            return false;
        }
        time.advanceTo(time.next());
        return time.runOne();
    }
}
