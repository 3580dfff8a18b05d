package io.despina.simulation;

import io.despina.snapshot.Failing;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.SnapshotStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A registry with leases, as one in ZooKeeper is: it may not answer, or late, or do what it is asked without saying so. Whoever
 * asks is held up meanwhile in the middle of what it does, and the others go on. It watches that nobody takes a lease from
 * another who renews it, unless the job was claimed.
 */
final class SimulatedRegistry {
    private static final long LEASE_MILLIS = 1_000;
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int TROUBLE_ONE_IN = 40;
    private static final int MOST_TROUBLES = 8;
    private static final String LEASE = "lease.json";
    private static final Pattern CLAIM = Pattern.compile("[^/]+/attempts/\\d+(\\.turn\\d+)?\\.json");
    private static final Pattern BY = Pattern.compile("\"coordinator\"\\s*:\\s*\"([^\"]*)\"");

    private final ControlSimulation simulation;
    private final Random random;
    private final Consumer<String> tally;
    /** By address of the state folder. */
    private final Map<String, Nodes> folders = new TreeMap<>();
    private final Map<SimulatedCoordinator, Long> cutOff = new HashMap<>();
    /** Who has claimed a job, and may take the lease for it. */
    private final Set<String> claimants = new HashSet<>();
    private long awayUntil;
    /** That may still come. */
    private int troubles;
    private String fault;

    @FunctionalInterface
    private interface Answer<T> {
        T get() throws IOException;
    }

    /** @param tally is told what happens */
    SimulatedRegistry(ControlSimulation simulation, Random random, Consumer<String> tally) {
        this.simulation = simulation;
        this.random = random;
        this.tally = tally;
        troubles = random.nextInt(MOST_TROUBLES + 1);
    }

    /** What it has of a state folder. */
    SnapshotStore at(String address) {
        return folders.computeIfAbsent(address, any -> new Nodes(new FakeStore()));
    }

    /** It answers nobody for so long. */
    void away(long nanos) {
        tally.accept("registry away");
        awayUntil = simulation.time().now() + nanos;
    }

    /** It does not answer that one for so long. */
    void cutOff(SimulatedCoordinator one, long nanos) {
        cutOff.put(one, simulation.time().now() + nanos);
    }

    /** From now on it answers all, and at once. */
    void calm() {
        troubles = 0;
        awayUntil = 0;
        cutOff.clear();
    }

    /** What must not have happened; null if it has not. */
    String fault() {
        return fault;
    }

    private <T> T ask(boolean writes, Answer<T> what) throws IOException {
        SimulatedCoordinator one = simulation.asking();
        if (one == null) {
            return what.get();
        }
        if (one.isDead()) {
            throw DiskTroubles.dead();
        }
        long now = simulation.time().now();
        if (now < awayUntil || now < cutOff.getOrDefault(one, 0L)) {
            hold(one, LONGEST_NANOS / 10);
            throw silent();
        }
        if (strikes()) {
            tally.accept("registry slow");
            hold(one, LONGEST_NANOS);
        }
        T answer = what.get();
        if (writes && strikes()) {
            tally.accept("registry silent about what it did");
            throw silent();
        }
        if (strikes()) {
            hold(one, LONGEST_NANOS);
        }
        return answer;
    }

    private boolean strikes() {
        boolean now = troubles > 0 && random.nextInt(TROUBLE_ONE_IN) == 0;
        troubles -= now ? 1 : 0;
        return now;
    }

    private void hold(SimulatedCoordinator one, long longest) throws IOException {
        if (!simulation.holdUp(one, random.nextLong(longest))) {
            throw DiskTroubles.dead();
        }
    }

    private static IOException silent() {
        return new IOException("the registry does not answer");
    }

    private static String by(byte[] content) {
        Matcher by = BY.matcher(new String(content, StandardCharsets.UTF_8));
        return by.find() ? by.group(1) : "";
    }

    /** The process, whatever the job is called there, and the graph. */
    private static String claimant(String path, byte[] content) {
        return by(content).replaceFirst("/.*", " ") + path.replaceFirst("/.*", "");
    }

    /** Those of one folder. */
    private final class Nodes extends Failing {
        private final FakeStore nodes;

        Nodes(FakeStore nodes) {
            super(nodes);
            this.nodes = nodes;
        }

        private void tick() {
            nodes.nowMillis = TimeUnit.NANOSECONDS.toMillis(simulation.time().now());
        }

        private byte[] content(String path) throws IOException {
            try (InputStream in = nodes.open(path, 0)) {
                return in.readAllBytes();
            } catch (FileNotFoundException none) {
                return new byte[0];
            }
        }

        @Override
        public long leaseMillis() {
            return LEASE_MILLIS;
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            return ask(true, () -> {
                tick();
                boolean made = nodes.createIfAbsent(path, content);
                if (CLAIM.matcher(path).matches() && (made || by(content(path)).equals(by(content)))) {
                    claimants.add(claimant(path, content));
                }
                return made;
            });
        }

        @Override
        public void replace(String path, byte[] content) throws IOException {
            ask(true, () -> {
                if (path.endsWith(LEASE) && !claimants.remove(claimant(path, content))) {
                    fault = by(content) + " takes a lease and has not claimed the job";
                }
                write(path, content);
                return null;
            });
        }

        @Override
        public boolean replace(String path, long modifiedMillis, byte[] content) throws IOException {
            return ask(true, () -> {
                long modified = nodes.exists(path) ? nodes.modifiedMillis(path) : NOT_THERE;
                if (modified != modifiedMillis) {
                    return false;
                }
                tick();
                String before = by(content(path));
                boolean isTaken = modified != NOT_THERE && !before.equals(by(content));
                if (isTaken && nodes.nowMillis - modified < LEASE_MILLIS && !before.equals("given back")) {
                    fault = by(content) + " takes the lease from " + before + ", which has renewed it "
                            + (nodes.nowMillis - modified) + " ms before";
                }
                if (isTaken) {
                    tally.accept("lease taken");
                }
                write(path, content);
                return true;
            });
        }

        private void write(String path, byte[] content) throws IOException {
            tick();
            nodes.replace(path, content);
        }

        @Override
        public InputStream open(String path, long offset) throws IOException {
            return ask(false, () -> nodes.open(path, offset));
        }

        @Override
        public long modifiedMillis(String path) throws IOException {
            return ask(false, () -> nodes.modifiedMillis(path));
        }

        @Override
        public void force(String path) throws IOException {
            modifiedMillis(path);
        }

        @Override
        public boolean exists(String path) throws IOException {
            return ask(false, () -> nodes.exists(path));
        }

        @Override
        public List<String> list(String folder) throws IOException {
            return ask(false, () -> nodes.list(folder));
        }

        @Override
        public List<Stored> files(String folder) throws IOException {
            return ask(false, () -> nodes.files(folder));
        }

        @Override
        public void delete(String path) throws IOException {
            ask(true, () -> {
                nodes.delete(path);
                return null;
            });
        }
    }
}
