package io.despina.control.resource;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.SurveyMessage;
import io.despina.control.spool.SpoolServer;
import io.despina.control.staging.StagePlace;
import io.despina.control.staging.StageServer;
import io.despina.control.staging.StagedEpochs;
import io.despina.link.Attempt;
import io.despina.packet.Schema;
import io.despina.placement.Deployment;
import io.despina.runtime.host.Resource;
import io.despina.runtime.worker.WorkerOptions;
import io.despina.snapshot.SnapshotStores;
import io.despina.spool.SpoolId;
import io.despina.wire.ControlConnection;
import io.despina.wire.ControlHandler;
import io.despina.wire.Wire;
import io.despina.wire.WireOptions;
import io.despina.wire.handshake.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The resource's side of control: hosts any number of jobs as the coordinator's messages direct, in a JVM of its own or in the
 * coordinator's. Handles messages of one job in order, and those of different jobs in parallel.
 */
public final class ResourceAgent {
    public static final long LEAST_MEMORY = 16L << 20;
    private static final long MOST_DEFAULT_MEMORY = 1L << 30;
    /** The number of remote channels for which socket buffers are sized. */
    private static final int USUAL_CHANNELS = 8;

    /** An attempt of a job, with the end of its queued messages. Kept until it is forgotten and has ended. */
    private static final class JobInTurn {
        private final JobAgent job;
        /** Written (volatile) once, by the thread that brings the message. */
        private volatile boolean forgotten;
        private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

        JobInTurn(JobAgent job) {
            this.job = job;
        }
    }

    /**
     * The description of a resource.
     *
     * @param memoryBytes of segments, queues and state
     */
    public record Size(String name, WorkerOptions threads, long memoryBytes) {

        /** @param cores sizes the pool of workers */
        public Size(String name, int cores, long memoryBytes) {
            this(name, WorkerOptions.of(cores), memoryBytes);
        }

        public int cores() {
            return threads.count();
        }

        /** The default size for this JVM. */
        public static Size usual(String name) {
            return new Size(name, Runtime.getRuntime().availableProcessors(), defaultMemory());
        }
    }

    /**
     * The services of the process that a resource needs; a simulation provides others.
     *
     * @param clock    nanoseconds, monotonic
     * @param handlers run the work of messages, which may take long; ended with the resource
     * @param classes  loads the user's classes of a job without jars; null if there are none
     * @param stores   where jobs keep their states
     * @param python   runs functions
     */
    public record Environment(LongSupplier clock, ExecutorService handlers, ClassLoader classes,
            SnapshotStores.ByAddress stores, PythonPolicy python) {

        /** The stores of this process, which runs the functions that it is asked to. */
        public Environment(LongSupplier clock, ExecutorService handlers, ClassLoader classes) {
            this(clock, handlers, classes, address -> SnapshotStores.at(address, Map.of()), PythonPolicy.AS_ASKED);
        }

        static Environment ofProcess(PythonPolicy python) {
            return new Environment(System::nanoTime, Executors.newCachedThreadPool(task -> daemon(task, "despina-control")),
                    null, address -> SnapshotStores.at(address, Map.of()), python);
        }
    }

    private final Size size;
    private final Environment environment;
    private final Wire wire;
    private final Resource runtime;
    private final Map<Attempt, JobInTurn> jobs = new ConcurrentHashMap<>();
    private final AdmittedJobs admitted;
    private final Orphans orphans;
    private final CoordinatorLine coordinator = new CoordinatorLine();
    /** Of jobs that are forgotten here: what was spooled of a job that failed may still be read. */
    private final Set<JobSpools> spools = ConcurrentHashMap.newKeySet();
    private final MachineSurvey machine;
    private final Exercises exercises;

    /** @param wire its network, closed with it; null if it has none of its own */
    public ResourceAgent(Size size, Resource runtime, Wire wire, Environment environment) {
        this.size = size;
        this.wire = wire;
        this.runtime = runtime;
        this.environment = environment;
        machine = new MachineSurvey(wire, environment.clock());
        admitted = new AdmittedJobs(wire);
        orphans = new Orphans(environment.clock());
        exercises = new Exercises(environment.handlers());
        if (wire != null) {
            wire.onControl(this::rows);
        }
    }

    /** Serves a connection of a program that reads or gives rows. */
    public ControlHandler rows(ControlConnection connection) {
        return new RowRequests(connection, new SpoolServer(connection, environment.handlers(), this::schema),
                new StageServer(connection, environment.handlers(), place -> staged(place, connection.admitted())));
    }

    /** What programs stage for an instance of a source; null if it is not here, or is of another job than that they know. */
    private StagedEpochs staged(StagePlace place, String admitted) {
        JobInTurn hosted = jobs.get(place.attempt());
        boolean isTheirs = admitted.isEmpty() || admitted.equals(place.attempt().job());
        return hosted == null || !isTheirs ? null : hosted.job.stagings().find(place.operator(), place.instance());
    }

    /** Of rows that are spooled here; null if they are not. */
    private Schema schema(SpoolId id) {
        return Stream.concat(jobs.values().stream().map(each -> each.job.spools()), spools.stream())
                .map(each -> each.schema(id)).filter(Objects::nonNull).findFirst().orElse(null);
    }

    private static ResourceAgent ofProcess(Size size, SegmentPool pool, Wire wire, PythonPolicy python) {
        Environment real = Environment.ofProcess(python);
        return new ResourceAgent(size, Resource.open(size.threads(), pool, wire, real.clock()), wire, real);
    }

    /** A resource that no other reaches. */
    public static ResourceAgent local(String name) {
        Size usual = Size.usual(name);
        return ofProcess(usual, new SegmentPool(new Budget(usual.memoryBytes(), usual.cores())), null, PythonPolicy.AS_ASKED);
    }

    /**
     * How a resource is let in by its coordinator.
     *
     * @param token  the name under which the coordinator has admitted it; empty if it comes by the secret that all know
     * @param secret of that name, and of the resource's jobs that come without one of their own
     */
    public record Entry(String token, String secret) {
    }

    /**
     * A resource with a data port.
     *
     * @param tls    null for plain TCP
     * @param python runs functions in it
     */
    public static ResourceAgent withWire(Size size, Entry entry, String listen, Tls tls, PythonPolicy python) throws Refusal {
        try {
            SegmentPool pool = new SegmentPool(new Budget(size.memoryBytes(), size.cores()));
            WireOptions any = WireOptions.local(entry.secret().getBytes(StandardCharsets.UTF_8), pool,
                    size.threads().wireThreads(), USUAL_CHANNELS);
            return ofProcess(size, pool, Wire.open(any.at(listen, 0, tls), entry.token()), python);
        } catch (IOException e) {
            throw new Refusal("port_in_use", e.getMessage(), null);
        }
    }

    /** The default memory for segments, queues and state: half the heap, at most 1 GiB. */
    public static long defaultMemory() {
        return Math.min(MOST_DEFAULT_MEMORY, Runtime.getRuntime().maxMemory() / 2);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    public Size size() {
        return size;
    }

    public int dataPort() {
        return wire.port();
    }

    public ControlConnection connect(String host, int port, ControlHandler handler) throws IOException {
        return wire.control(host, port, handler);
    }

    /** The attempts that it hosts, and those that have not ended yet. */
    public List<Attempt> attempts() {
        return List.copyOf(jobs.keySet());
    }

    /** The operators of a job that it hosts; none if it has no such job. */
    public List<String> hosts(Attempt attempt) {
        JobInTurn hosted = jobs.get(attempt);
        return hosted == null ? List.of() : hosted.job.hosts();
    }

    public void speaksTo(ToCoordinator listener) {
        coordinator.leadsTo(listener);
    }

    /** Its coordinator was lost. @return whether jobs go on here until another takes them over, or their time is up */
    public boolean outlives() {
        jobs.forEach((attempt, hosted) -> {
            if (hosted.job.lostMillis() > 0 && !hosted.forgotten) {
                orphans.add(attempt, hosted.job.lostMillis());
            } else {
                letGo(attempt);
            }
        });
        return hasOrphans();
    }

    /** Whether jobs here have lost their coordinator, and no other has taken them over yet. */
    public boolean hasOrphans() {
        orphans.due().forEach(this::letGo);
        return !orphans.all().isEmpty();
    }

    private void letGo(Attempt orphan) {
        received(new Message.Forget(orphan));
    }

    /** Practises what may be deployed here later, which then takes less time. */
    void rehearse(Message.Deploy deploy) {
        exercises.rehearse(new Rehearsal(deploy, stores()), size.name());
    }

    /** Tells what the machine can do, or what is between it and another one. */
    void survey(SurveyMessage asked) {
        environment.handlers().execute(() -> coordinator.tell(machine.answer(asked)));
    }

    /** Runs a job of its own, before it is connected: its first one in earnest then takes less time. */
    public void practise() {
        exercises.practise(new Practice(new JobAgent.Host(Deployment.LOCAL, runtime, environment.clock(), environment.classes(),
                stores(), environment.python()), size.memoryBytes(), environment.handlers()));
    }

    private StateStores stores() {
        return new StateStores(environment.stores(), environment.handlers());
    }

    /** Queues a message of a job for another thread. Those of one thread keep their order. */
    public void received(Message.OfJob message) {
        Attempt attempt = message.attempt();
        if (message instanceof Message.Deploy deploy) {
            orphans.all().forEach(this::letGo);     // whose coordinator deploys something takes nothing over
            String not = inTheWay(attempt);
            if (not != null) {
                refuse(attempt, not);
                return;
            }
            exercises.end();
            admitted.admit(deploy);
            String part = deploy.cast() == null ? size.name() : deploy.cast().as();      // one that stands by becomes another
            jobs.put(attempt, new JobInTurn(new JobAgent(attempt, new JobAgent.Host(part, runtime, environment.clock(),
                    environment.classes(), stores(), environment.python()), coordinator)));
        }
        JobInTurn hosted = jobs.get(attempt);
        boolean isOrphan = (message instanceof Message.Adopt || message instanceof Message.Forget) && orphans.remove(attempt);
        if (hosted == null || hosted.forgotten || message instanceof Message.Adopt && !isOrphan) {
            if (message instanceof Message.Adopt) {     // it may be there still, and its time is up
                refuse(attempt, attempt + " is not in resource `" + size.name() + "`");
            }
            return;
        }
        if (message instanceof Message.Taken || message instanceof Message.Had) {
            // not queued behind a deployment or a stop, which may wait for it
            hosted.job.handle(message);
            return;
        }
        if (message instanceof Message.Forget) {
            hosted.forgotten = true;
            if (hosted.job.spools().isEmpty()) {        // else its rows are still to be read
                admitted.forget(attempt);
            }
        }
        synchronized (hosted) {
            hosted.told = hosted.told.thenRunAsync(() -> handle(hosted, message), environment.handlers())
                    .exceptionally(this::afterAFault);
        }
    }

    private void refuse(Attempt attempt, String why) {
        coordinator.tell(new Message.Failed(attempt, "attempt", why, null, null, null));
        coordinator.tell(new Message.Finished(attempt, List.of()));
    }

    private void handle(JobInTurn hosted, Message.OfJob message) {
        if (message instanceof Message.Forget) {
            hosted.job.forget();
            hosted.job.ended().thenRun(() -> jobs.remove(message.attempt()));
            if (!hosted.job.spools().isEmpty()) {
                spools.add(hosted.job.spools());
            }
        } else {
            hosted.job.handle(message);
        }
    }

    /** Why that attempt must not begin here; null if it may. */
    private String inTheWay(Attempt attempt) {
        for (Map.Entry<Attempt, JobInTurn> other : jobs.entrySet()) {
            int number = other.getKey().number();
            if (!other.getKey().job().equals(attempt.job())) {
                continue;
            }
            if (number >= attempt.number()) {
                return "attempt " + attempt.number() + " of job " + attempt.job() + " is refused: resource `" + size.name()
                        + "` has attempt " + number;
            }
            // what was told to end and does not, as a call that blocks, is fenced by its number
            if (!other.getValue().forgotten && !other.getValue().job.ended().isDone()) {
                return "attempt " + number + " of job " + attempt.job() + " has not ended in resource `" + size.name() + "` yet";
            }
        }
        return null;
    }

    /** Later messages are handled all the same; those that come while the resource closes are for nobody. */
    private Void afterAFault(Throwable fault) {
        boolean closing = fault.getCause() instanceof RejectedExecutionException && environment.handlers().isShutdown();
        if (!closing) {
            fault.printStackTrace();
        }
        return null;
    }

    /** Ends all jobs at once and releases everything; gives up after {@code millis}. */
    public void close(long millis) {
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            jobs.values().forEach(h -> {
                h.job.spools().release();
                h.job.forget();
            });
            spools.forEach(JobSpools::release);
            runtime.close();
            if (wire != null) {
                wire.close();
            }
        }, environment.handlers());
        try {
            closing.get(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            System.err.println("despina: resource " + size.name() + " did not end cleanly: " + e);
        }
        environment.handlers().shutdownNow();
    }
}
