package io.despina.simulation;

import io.despina.log.FolderDisk;
import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import io.despina.log.LogThreads;
import io.despina.log.RottenLogException;
import io.despina.simulation.EpochWorld.Process;
import io.despina.simulation.disk.SimulatedDisk.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One seed of a log: attempts that append, acknowledge what is durable, cut, die, freeze and go on as zombies, over a disk that
 * loses what was not forced. What was acknowledged is there for every later attempt, and nothing else than was appended.
 */
final class LogSimulation {
    private static final int LASTS = 40;
    private static final LogOptions OPTIONS = new LogOptions(1 << 14, 1 << 9, EpochWorld.MILLI);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final EpochWorld world;
    private final Process machine;
    /** By number: what was acknowledged to a client. */
    private final TreeMap<Long, Long> acknowledged = new TreeMap<>();
    /** By number: all that was ever appended as it. */
    private final Map<Long, Set<Long>> appended = new HashMap<>();
    private Attempt latest;
    private int attempts;
    private long cut;
    private long contents;
    private boolean damaged;
    private String refused;

    LogSimulation(long seed, Mark.Counts counts) {
        world = new EpochWorld(seed, counts);
        machine = new Process(world, "machine") {
            @Override
            void died() {
                throw new AssertionError("it never dies");
            }
        };
    }

    String run() {
        try {
            for (int k = 0; k < LASTS && refused == null; k++) {
                disturb(k);
                long until = world.time.now() + 50 * EpochWorld.MILLI;
                world.time.at(until, () -> { });
                while (world.time.now() < until && world.step()) {
                    continue;
                }
            }
            return (refused == null ? "done " : "refused ") + acknowledged.size();
        } finally {
            world.disk.remove();
        }
    }

    private void disturb(int step) {
        if (step == LASTS - 4) {
            world.swarm.calm();
        }
        if (latest == null || latest.isDead() || world.swarm.strikes(Mark.LOG_TAKEN_OVER, 20)) {
            latest = new Attempt("attempt-" + ++attempts, attempts);
            latest.world.later(latest, 0, latest::open);
        } else if (world.swarm.strikes(Mark.LOG_WRITER_FROZEN, 20)) {
            latest.freeze(world.random.nextLong(300 * EpochWorld.MILLI));
            latest = null;
        } else if (world.swarm.strikes(Mark.LOG_WRITER_KILLED, 10)) {
            latest.kill();
        } else if (world.swarm.strikes(Mark.POWER_FAILURE, 10)) {
            latest.kill();
            world.troubles.powerFailure();
            world.trace(machine, "sees the power fail");
        } else if (world.swarm.strikes(Mark.ROTTEN_LOG, 30)) {
            rot();
        }
    }

    private void rot() {
        for (String path : world.disk.files()) {
            if (path.endsWith(".seg") && world.random.nextInt(2) == 0) {
                try {
                    damaged |= world.disk.flip(path, world.random);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                world.trace(machine, "sees a bit flip in " + path);
            }
        }
        latest.kill();
    }

    /** One process that has the log for a while. */
    private final class Attempt extends Process implements LogThreads, LogOwner {
        private final int number;
        private Log log;

        Attempt(String name, int number) {
            super(LogSimulation.this.world, name);
            this.number = number;
        }

        void open() {
            try {
                world.trace(this, "opens the log from " + cut + " of " + world.disk.files());
                log = Log.open(new LogPlace(new FolderDisk(world.disk.path().resolve("state/log")), number, this, "it"), OPTIONS,
                        LogRange.from(cut), this);
                check();
            } catch (RottenLogException e) {
                if (!damaged) {
                    throw new AssertionError("nothing was damaged: " + e.getMessage(), e);
                }
                refused = e.getMessage();
                return;
            } catch (IOException e) {
                world.trace(this, "cannot open the log: " + e);
                kill();
                return;
            }
            world.trace(this, "has opened the log, up to " + log.next());
            world.later(this, 0, this::work);
        }

        private void check() throws IOException {
            long next = cut;
            try (LogReader reader = log.reader(cut)) {
                while (reader.next()) {
                    long value = ByteBuffer.wrap(reader.bytes(), reader.from(), reader.to() - reader.from()).getLong();
                    if (reader.number() != next++ || !appended.getOrDefault(reader.number(), Set.of()).contains(value)) {
                        throw new AssertionError("item " + reader.number() + " is " + value + ", which nobody has appended");
                    }
                    Long known = acknowledged.get(reader.number());
                    if (known != null && known != value) {
                        throw new AssertionError("item " + reader.number() + " is " + value + ", and " + known
                                + " was acknowledged");
                    }
                }
            }
            if (damaged) {      // a bit that flips in the last record looks like a tear
                acknowledged.tailMap(next).clear();
            }
            if (!acknowledged.isEmpty() && acknowledged.lastKey() >= Math.max(next, cut)) {
                throw new AssertionError("item " + acknowledged.lastKey() + " was acknowledged, and the log ends at " + next);
            }
        }

        private void work() {
            try {
                for (int k = world.random.nextInt(6); k > 0; k--) {
                    append();
                }
                if (world.random.nextInt(8) == 0) {
                    log.turn();
                }
                if (world.random.nextInt(6) == 0 && latest == this) {
                    cut = Math.max(cut, log.durable() - world.random.nextInt(20));
                    log.cut(cut);
                    world.trace(this, "cuts at " + cut);
                }
            } catch (IOException e) {
                world.trace(this, "cannot append: " + e.getMessage());
                kill();
                return;
            }
            world.later(this, world.random.nextLong(5 * EpochWorld.MILLI), this::work);
        }

        private void append() throws IOException {
            long value = ++contents;
            byte[] bytes = new byte[Long.BYTES + world.random.nextInt(200)];
            ByteBuffer.wrap(bytes).putLong(value);
            long item = log.append(ByteBuffer.wrap(bytes), NOTHING, 1);
            if (item == Log.FULL) {
                world.swarm.met(Mark.LOG_FULL);
                return;
            }
            appended.computeIfAbsent(item, any -> new HashSet<>()).add(value);
            if (world.random.nextInt(3) == 0) {
                log.whenDurable(item + 1, failure -> durable(item, value, failure));
            }
        }

        private void durable(long item, long value, IOException failure) {
            if (failure != null || isDead()) {
                if (latest != this && !isDead()) {
                    world.swarm.met(Mark.LOG_ZOMBIE_FENCED);
                }
                return;
            }
            world.trace(this, "acknowledges " + item);
            Long before = acknowledged.putIfAbsent(item, value);
            if (before != null && before != value) {
                throw new AssertionError("item " + item + " is acknowledged twice, as " + before + " and as " + value);
            }
        }

        @Override
        public void execute(Runnable task) {
            world.soon(this, task);
        }

        @Override
        public void after(long nanos, Runnable task) {
            world.later(this, nanos, task);
        }

        @Override
        public long nanoTime() {
            return world.time.nanos();
        }

        @Override
        public void room() {
            world.trace(this, "has room again");
        }

        @Override
        public void warn(String words) {
            world.trace(this, "warns: " + words);
        }

        @Override
        Mark deathAt(Operation operation, String path) {
            return operation.ordinal() < Operation.OPEN.ordinal() ? Mark.LOG_WRITER_KILLED : null;
        }

        @Override
        void died() {
            log = null;
        }
    }

    String trace() {
        return world.trace();
    }
}
