package io.despina.simulation;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Pulse;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.PythonPolicy;
import io.despina.control.resource.ResourceAgent;
import io.despina.control.resource.ResourceSession;
import io.despina.metrics.ProcessMeter;
import io.despina.metrics.ProcessUse;
import io.despina.metrics.ResourceSnapshot;
import io.despina.runtime.host.Resource;
import io.despina.runtime.host.ResourceOptions;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Worker;
import io.despina.simulation.disk.SimulatedDisk;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.RegisteredStore;
import io.despina.snapshot.SnapshotStore;
import io.despina.wire.Network;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A resource's process without a process: the production agent, session, tasks and pool, cranked by {@link ControlSimulation}. It
 * ends as its session does, can be killed at any instant, and frozen for a while.
 */
final class SimulatedResource implements ResourceSession.Observer, SimulatedControl.Host {
    private static final int MOST_CRANKS = 1_000_000;
    private static final int CORES = 2;
    private static final long REDIAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final ProcessMeter NOTHING_USED = new ProcessMeter() {
        @Override
        public ResourceSnapshot counters() {
            return new ResourceSnapshot(0, 0, 0, 0, 0);
        }

        @Override
        public ProcessUse use() {
            return ProcessUse.UNKNOWN;
        }
    };

    /**
     * What all of them have in common.
     *
     * @param registry in which claims are, beside the state folder at an address; null if they are in that
     */
    record World(SimulatedTime time, SimulatedControl control, SimulatedNetwork network, Random random, SimulatedDisk disk,
            AtomicLong wallJump, Function<String, SnapshotStore> registry) {

        long wallMillis() {
            return TimeUnit.NANOSECONDS.toMillis(time.nanos()) + wallJump.get();
        }

        /** Where jobs keep their states: the same disk for all. */
        SnapshotStore store(String address) {
            SnapshotStore files = new LocalStore(disk.path().resolve(address.substring(1)));
            return registry == null ? files : new RegisteredStore(files, registry.apply(address));
        }
    }

    private final World world;
    private final String name;
    private final SegmentPool pool;
    private final SimulatedWorkers tiers = new SimulatedWorkers(CORES);
    private final Deque<Runnable> handlers = new ArrayDeque<>();
    private final Network network;
    private final ResourceAgent agent;
    /** With the coordinator that it has, or had last. */
    private ResourceSession session;
    private final CompletableFuture<String> exit = new CompletableFuture<>();
    private SimulatedControl.Connection connection;
    private int port;
    /** Whether it looks for another coordinator. */
    private boolean looks;
    private long frozenUntil;
    private boolean dead;
    /** Killed by what it does itself: its tasks end when that is over. */
    private boolean dying;
    private final List<String> said = new ArrayList<>();

    SimulatedResource(World world, String name, long memoryBytes) {
        this.world = world;
        this.name = name;
        pool = new SegmentPool(new Budget(memoryBytes));
        network = world.network().of(pool);
        Resource runtime = new Resource(new ResourceOptions(tiers, new JobLinks.Shared(pool, network, world.time()::nanos),
                () -> world.time().now() / 1_000, NOTHING_USED));
        agent = new ResourceAgent(new ResourceAgent.Size(name, CORES, memoryBytes), runtime, null,
                new ResourceAgent.Environment(world.time()::nanos, new Handlers(), getClass().getClassLoader(), world::store,
                        PythonPolicy.AS_ASKED));
        session = new ResourceSession(agent, world.time()::nanos, this);
    }

    /** @param token empty for one that joins by its name */
    void join(int port, String token) {
        this.port = port;
        connection = world.control().connect(port, this, token, session);
        session.begin(connection.resourceEnd(), new Message.Hello(name, token, 7, Message.Hello.VERSION, "127.0.0.1", 1,
                agent.size().memoryBytes(), CORES));
        beat(session);
    }

    private void beat(ResourceSession with) {
        world.time().after(TimeUnit.MILLISECONDS.toNanos(Pulse.EVERY_MILLIS), () -> {
            if (!dead && !with.ended().isDone()) {
                if (!isFrozen()) {
                    with.beat();
                }
                beat(with);
            }
        });
    }

    /** Its jobs go on for a while: looks for another coordinator, ten times a second. */
    private void look() {
        if (dead || !agent.hasOrphans()) {
            looks = false;
        } else if (isFrozen() || !world.control().isOpen(port)) {
            world.time().after(REDIAL_NANOS, this::look);
        } else {
            looks = false;
            connection.die();
            session = new ResourceSession(agent, world.time()::nanos, this);
            said.add("joins again");
            join(port, "");
        }
    }

    String name() {
        return name;
    }

    SimulatedControl.Connection connection() {
        return connection;
    }

    /** Whether it has a job. */
    boolean isBusy() {
        return !dead && !agent.attempts().isEmpty();
    }

    boolean isDead() {
        return dead;
    }

    boolean isFrozen() {
        return world.time().now() < frozenUntil;
    }

    void freeze(long nanos) {
        frozenUntil = world.time().now() + nanos;
        world.network().freeze(network, true);
        world.time().at(frozenUntil, () -> world.network().freeze(network, isFrozen()));
    }

    @Override
    public boolean listens() {
        return !isFrozen();
    }

    @Override
    public void run(Runnable what) {
        Object before = world.disk().process();
        world.disk().as(this);
        try {
            what.run();
        } finally {
            world.disk().as(before);
        }
    }

    /** Does one thing that waits to be done, of any thread. @return false if nothing does */
    boolean crank() {
        if (dead || isFrozen()) {
            return false;
        }
        if (session.ended().isDone() && !looks && session.ended().join() != ResourceSession.End.TOLD && agent.outlives()) {
            looks = true;
            world.time().after(REDIAL_NANOS, this::look);
        }
        if (session.ended().isDone() && !looks) {
            agent.attempts().forEach(attempt -> agent.received(new Message.Forget(attempt)));
            if (agent.attempts().isEmpty()) {
                handlers.clear();
                die("exit code 4");
                return true;
            }
        }
        boolean[] worked = new boolean[1];
        run(() -> worked[0] = work(world.random()));
        if (dying) {
            dying = false;
            clear();
        }
        return worked[0];
    }

    private boolean work(Random random) {
        List<Worker> workers = new ArrayList<>(tiers.workers());
        Collections.shuffle(workers, random);
        int first = random.nextInt(3);
        if (first == 0 && handle() || first == 1 && tiers.open(random)) {
            return true;
        }
        for (Worker worker : workers) {
            if (worker.crank(world.time().now())) {
                return true;
            }
        }
        return handle() || tiers.open(random);
    }

    private boolean handle() {
        if (handlers.isEmpty()) {
            return false;
        }
        handlers.remove().run();
        return true;
    }

    /** When its next timer fires, or {@link Long#MAX_VALUE}. */
    long nextDeadline() {
        long next = tiers.workers().stream().mapToLong(Worker::nextDeadline).min().orElse(Long.MAX_VALUE);
        return dead ? Long.MAX_VALUE : isFrozen() ? frozenUntil : next;
    }

    private void die(String how) {
        dead = true;
        world.disk().kill(this);
        if (connection != null) {
            connection.die();
        }
        world.network().cut(network);
        exit.complete("process 7 ended with " + how);
    }

    /**
     * As SIGKILL would, but for what the system clears up with a process: its file locks. So its tasks are ended here and now,
     * and nobody hears of it.
     */
    void kill() {
        if (dead) {
            return;
        }
        die("signal 9");
        clear();
    }

    /** It is killed by the operation of the disk that it is about to do. */
    void killInside() {
        die("signal 9");
        dying = true;
    }

    private void clear() {
        run(this::endTasks);
    }

    private void endTasks() {
        agent.attempts().forEach(attempt -> agent.received(new Message.Forget(attempt)));
        for (int k = 0; k < MOST_CRANKS && (!agent.attempts().isEmpty() || !handlers.isEmpty()); k++) {
            world.time().advance(1_000);
            work(world.random());
        }
        if (!agent.attempts().isEmpty()) {
            throw new AssertionError("resource " + name + " does not end: " + agent.attempts());
        }
    }

    long pid() {
        return 7;
    }

    CompletableFuture<String> onExit() {
        return exit.thenApply(how -> how);
    }

    /** What it has left of the jobs that it hosted: there must be nothing. */
    Map<String, Object> leaks() {
        return Map.of("segments", pool.leaks().size(), "bytes", pool.budget().used(), "handlers", handlers.size(), "jobs",
                agent.attempts());
    }

    static final Map<String, Object> NOTHING = Map.of("segments", 0, "bytes", 0L, "handlers", 0, "jobs", List.of());

    @Override
    public void says(String words) {
        said.add(words);
    }

    @Override
    public void refused(Refusal why) {
        said.add("refused: " + why.getMessage());
    }

    @Override
    public void lost(String why) {
        said.add("lost: " + why);
    }

    @Override
    public String toString() {
        return name + (dead ? " (dead)" : "") + " " + said + " " + agent.attempts();
    }

    /** Threads that run a message each, in an order of their own. */
    private final class Handlers extends AbstractExecutorService {
        private boolean shut;

        @Override
        public void execute(Runnable what) {
            handlers.add(what);
        }

        @Override
        public void shutdown() {
            shut = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shut = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shut;
        }

        @Override
        public boolean isTerminated() {
            return shut;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return shut;
        }
    }
}
