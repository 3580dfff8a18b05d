package io.despina.control.resource;

import io.despina.buffer.BudgetException;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.control.assembly.TaskSpecs;
import io.despina.control.protocol.Measurement;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Nearest;
import io.despina.expr.Compiled;
import io.despina.link.Attempt;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.ResourceSnapshot;
import io.despina.operator.MissingColumnException;
import io.despina.operator.MissingFileException;
import io.despina.operator.Reason;
import io.despina.plan.PlannedOperator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.task.TaskFailedException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Runs one job in a resource, as the coordinator's messages direct. It handles messages one at a time; tasks report on their own
 * threads.
 */
final class JobAgent {

    /**
     * The resource that hosts it.
     *
     * @param name  in the deployment
     * @param clock nanoseconds
     */
    record Host(String name, Resource runtime, LongSupplier clock) {
    }

    /** The time between two complete reports. */
    static final long WHOLE_NANOS = 2_000_000_000;

    /** The most characters of a failure's reason. */
    private static final int LONGEST_REASON = 16 << 10;

    private final Attempt attempt;
    private final String resource;
    private final Resource runtime;
    private final ToCoordinator coordinator;
    private final LongSupplier clock;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final PythonOutputs outlets;
    private final PythonInputs inlets;
    private final JobSpools spools = new JobSpools();
    private final JobStagings stagings = new JobStagings(this::wake);

    /** Operators that begin a task here. Written during deployment, read by later messages. */
    private final Set<String> first = new HashSet<>();
    /** Written by the thread that deploys, read by any. */
    private volatile List<String> hosts = List.of();
    /** Written by the thread that deploys, read by any; null before. */
    private volatile JobHandle handle;

    /** Written by the thread that deploys, before tasks can end; null without any. */
    private volatile UserJars userJars;

    // guarded by this
    private ResourceSnapshot processStart;
    private Map<String, Long> pausedNanos = Map.of();
    /** Whether the failure was reported to the coordinator. */
    private boolean failed;
    /** Whether the end was reported to the coordinator. */
    private boolean over;
    /** The time from which the next report is complete. */
    private long wholeNanos;

    JobAgent(Attempt attempt, Host host, ToCoordinator coordinator) {
        this.attempt = attempt;
        resource = host.name;
        runtime = host.runtime;
        clock = host.clock;
        this.coordinator = coordinator;
        wholeNanos = clock.getAsLong();
        outlets = new PythonOutputs(attempt, coordinator);
        inlets = new PythonInputs(attempt, coordinator);
    }

    /** The operators that it hosts here; none before it is deployed. */
    List<String> hosts() {
        return hosts;
    }

    /** Completes when nothing of it is left here. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** @param message not a {@link Message.Forget} */
    void handle(Message message) {
        try {
            if (message instanceof Message.Deploy deploy) {
                deploy(deploy);
            } else if (message instanceof Message.Taken taken) {
                outlets.taken(taken);
            } else if (handle == null) {
                // it could not be deployed, which the coordinator knows
                return;
            } else if (message instanceof Message.Start) {
                start();
            } else if (message instanceof Message.Supply supply) {
                supply(supply);
            } else if (message instanceof Message.Fate fate) {
                stagings.decided(fate);
            } else if (message instanceof Message.Stop stop) {
                stop(stop);
            } else if (message instanceof Message.Commit) {
                handle.commit();
            } else if (message instanceof Message.Conclude conclude) {
                handle.conclude(conclude.success());
            } else if (message instanceof Message.SetSchedule set) {
                setSchedule(set);
            } else if (message instanceof Message.Measure) {
                measureAnew();
            } else if (message instanceof Message.Count) {
                report();
            }
        } catch (Throwable e) {
            // errors too: otherwise a failed deployment would wait for ever
            fail(refusal(e));
        }
    }

    private void deploy(Message.Deploy deploy) throws Refusal {
        JobPlan planned = JobPlan.again(deploy, resource);
        compile(planned);
        Map<String, InetSocketAddress> peers = new HashMap<>();
        deploy.peers().forEach((name, at) -> {
            int colon = at.lastIndexOf(':');
            peers.put(name, InetSocketAddress.createUnresolved(at.substring(0, colon),
                    Integer.parseInt(at.substring(colon + 1))));
        });
        userJars = UserJars.open(planned.userClasses(resource).jars(), Path.of(deploy.directory()), resource);
        OperatorFactory operators = new OperatorFactory(planned.plan(),
                new JobConnections(inlets, outlets, new JobConnections.Kept(spools, stagings), new Pipes(deploy.pipes())),
                userJars);
        TaskSpecs specs = new TaskSpecs(planned, peers, operators, deploy.usualPacket());
        processStart = runtime.counters();
        List<TaskSpec> tasks = specs.of(resource);
        spools.open(deploy, planned.plan(), tasks);
        stagings.open(planned.plan(), tasks);
        tasks.forEach(task -> first.add(task.stages().get(0).operatorId()));
        hosts = tasks.stream().flatMap(task -> task.stages().stream())
                .filter(stage -> stage.role() != StageSpec.Role.PARTIAL).map(stage -> stage.operatorId()).distinct()
                .toList();
        JobHandle deployed = runtime.deploy(attempt, tasks);
        handle = deployed;
        deployed.onFailure(failure -> fail(refusal(failure)));
        deployed.settled().thenRun(() -> settled(deployed));
        deployed.committed().thenRun(() -> coordinator.tell(new Message.Committed(attempt)));
        deployed.ended().thenRun(this::endIfAllHave);
        coordinator.tell(new Message.Ready(attempt));
    }

    /** Compiles before tasks start: their threads also serve connections, and must not be blocked for seconds. */
    private void compile(JobPlan planned) {
        planned.assignment().tasksOf(resource).stream()
                .flatMap(task -> planned.assignment().chains().get(task.chain()).operators().stream())
                .flatMap(id -> Stream.concat(Stream.of(id), planned.plan().partBehind(id).stream())).distinct()
                .forEach(id -> compile(planned.plan().operator(id)));
    }

    /** Spark evaluates some constants only here, and may refuse them. */
    private static void compile(PlannedOperator operator) {
        try {
            operator.spec().code().stream().filter(Objects::nonNull).forEach(Compiled::prepare);
        } catch (Exception e) {
            throw new TaskFailedException(operator.id(), 0, e);
        }
    }

    /** Does nothing if the job has failed meanwhile, because a peer may leave before all are ready. */
    private void start() {
        if (handle.failure() == null) {
            handle.start();
        }
    }

    private void supply(Message.Supply supply) {
        if (!stagings.end(supply.operator())) {
            inlets.of(supply.operator()).add(supply);
            wake(supply.operator());
        }
    }

    private void wake(String operator) {
        JobHandle deployed = handle;
        if (deployed != null) {
            deployed.commands().wake(operator);
        }
    }

    private void stop(Message.Stop stop) {
        outlets.stop();
        stagings.close();
        if (stop.mode().equals(Message.Stop.ABORT)) {
            spools.fail("the job " + attempt.job() + " has failed");
            handle.kill();
            return;
        }
        spools.release();
        if (stop.mode().equals(Message.Stop.NOW)) {
            handle.cut();
        } else {
            handle.stop(stop.drainMillis(), stop.mode().equals("flush"));
        }
    }

    /** Ignores operators of other resources; the coordinator refuses fused ones. */
    private void setSchedule(Message.SetSchedule set) throws Refusal {
        if (first.contains(set.operator())) {
            handle.commands().setSchedule(set.operator(), Schedules.parse(set.schedule()));
        }
    }

    private synchronized void measureAnew() {
        handle.counters().reset();
        processStart = runtime.counters();
        pausedNanos = Map.of();
        wholeNanos = clock.getAsLong();
    }

    /**
     * Reports the counters to the coordinator, on request and not after the end. Includes latencies and the process's usage only
     * now and then, because packets wait while a core collects them.
     */
    private synchronized void report() {
        if (over) {
            return;
        }
        long now = clock.getAsLong();
        if (now - wholeNanos >= 0) {
            wholeNanos = now + WHOLE_NANOS;
            sendWhole(runtime.recentCounters());
        } else {
            send(measured(handle.counters().counts(), null));
        }
    }

    private void sendWhole(ResourceSnapshot process) {
        send(measured(handle.counters().snapshot(), process.since(processStart)));
    }

    private void send(Measurement measurement) {
        coordinator.tell(new Message.Counters(attempt, measurement));
    }

    private Measurement measured(JobSnapshot counted, ResourceSnapshot process) {
        Map<String, Long> paused = new HashMap<>();
        counted.links().forEach((name, link) -> paused.put(name, link.pausedNanos()));
        Set<String> pausedLinks = new HashSet<>();
        paused.forEach((name, nanos) -> {
            if (nanos > pausedNanos.getOrDefault(name, 0L)) {
                pausedLinks.add(name);
            }
        });
        pausedNanos = paused;
        return new Measurement(counted, process, handle.counters().queuedBytes(), pausedLinks,
                handle.counters().firstPacketMillis());
    }

    /** Its sinks have prepared, and wait for the outcome of the whole job. */
    private synchronized void settled(JobHandle deployed) {
        if (!failed && !over && deployed.failure() == null) {
            coordinator.tell(new Message.Settled(attempt, deployed.isCut(), deployed.undelivered()));
        }
    }

    private void fail(Refusal reason) {
        try {
            synchronized (this) {
                if (failed || over) {
                    return;
                }
                failed = true;
                tellWhy(reason);
            }
            spools.fail("the job " + attempt.job() + " has failed: " + reason.getMessage());
        } finally {
            if (handle != null) {
                handle.kill();
            }
            endIfAllHave();
        }
    }

    /** Reports the failure in any case: a job must not seem successful because its reason cannot be sent. */
    private void tellWhy(Refusal reason) {
        try {
            coordinator.tell(new Message.Failed(attempt, reason.rule(), Reason.shortened(reason.getMessage(), LONGEST_REASON),
                    reason.hint(), reason.operator()));
        } catch (RuntimeException | OutOfMemoryError fault) {
            coordinator.tell(new Message.Failed(attempt, "internal", fault.getClass().getSimpleName(), null, null));
        }
    }

    /**
     * Reports the end when all tasks have ended: sinks have then committed or abandoned their files, and the next job may write
     * there.
     */
    private synchronized void endIfAllHave() {
        JobHandle deployed = handle;
        boolean waits = deployed != null && (!deployed.ended().isDone() || deployed.failure() != null && !failed);
        if (over || waits) {
            return;
        }
        over = true;
        stagings.release();
        if (deployed != null) {
            sendWhole(runtime.counters());
        }
        if (userJars != null) {
            userJars.close();
        }
        ended.complete(null);
        coordinator.tell(new Message.Finished(attempt, deployed == null ? List.of() : deployed.leftBehind()));
    }

    private static String hint(TaskFailedException failed) {
        if (failed.getCause() instanceof MissingFileException file) {
            return NearFile.hint(file.path());
        }
        return failed.getCause() instanceof MissingColumnException column ? Nearest.hint(column.column(), column.names())
                : failed.hint();
    }

    private static Refusal refusal(Throwable e) {
        if (e instanceof TaskFailedException failed) {
            return new Refusal(failed.isOfChannel() ? Message.Failed.CHANNEL : "operator", failed.getMessage(),
                    hint(failed)).about(failed.operatorId());
        }
        if (e instanceof BudgetException) {
            return new Refusal("memory", e.getMessage(), null);
        }
        return e instanceof IllegalArgumentException ? new Refusal("deploy", e.getMessage(), null) : Refusal.of(e);
    }

    JobSpools spools() {
        return spools;
    }

    JobStagings stagings() {
        return stagings;
    }

    /** Ends its remaining parts. */
    void forget() {
        JobHandle deployed = handle;
        outlets.stop();
        if (deployed != null) {
            deployed.kill();
        }
    }
}
