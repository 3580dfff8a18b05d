package io.despina.control.resource;

import io.despina.catalogue.UserCode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.control.assembly.TaskSpecs;
import io.despina.control.assembly.UserJars;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.Spooling;
import io.despina.link.Attempt;
import io.despina.operator.Reason;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.task.JobSnapshots;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Runs one job in a resource, as the coordinator's messages direct. It handles messages one at a time; tasks report on their own
 * threads.
 */
final class JobAgent {

    /**
     * The resource that hosts it.
     *
     * @param name    in the deployment
     * @param clock   nanoseconds
     * @param classes loads the user's classes of a job without jars; null if there are none
     * @param stores  where jobs keep their states
     * @param python  runs functions
     */
    record Host(String name, Resource runtime, LongSupplier clock, ClassLoader classes, StateStores stores,
            PythonPolicy python) {
    }

    /** The most characters of a failure's reason. */
    private static final int LONGEST_REASON = 16 << 10;

    private final Attempt attempt;
    private final String resource;
    private final Resource runtime;
    private final StateStores stores;
    private final PythonPolicy python;
    private final ToCoordinator coordinator;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final PythonOutputs outlets;
    private final PythonInputs inlets;
    private final KeptOutputs keptRows = new KeptOutputs();
    private final JobSpools spools = new JobSpools();
    private final JobStagings stagings;
    private final ToldByOperators told;
    private final AdoptableJob adoption;

    /** Operators that begin a task here. Written during deployment, read by later messages. */
    private final Set<String> first = new HashSet<>();
    /** Written by the thread that deploys, read by any. */
    private volatile List<String> hosts = List.of();
    /** Written by the thread that deploys, read by any; null before. */
    private volatile JobHandle handle;
    /** Written with the handle. */
    private EpochAnswers epochs;
    /** Likewise. */
    private HandedOver handedOver;
    /** Written by the thread that deploys, before tasks can end; null without any. */
    private volatile UserJars userJars;
    private final ClassLoader classes;

    // guarded by this
    private final JobReports reports;
    /** Whether the failure was reported to the coordinator. */
    private boolean failed;
    /** Whether the coordinator was told what did not arrive. */
    private boolean settled;
    /** Whether the end was reported to the coordinator. */
    private boolean over;

    JobAgent(Attempt attempt, Host host, ToCoordinator coordinator) {
        this.attempt = attempt;
        resource = host.name;
        runtime = host.runtime;
        stores = host.stores;
        python = host.python;
        this.coordinator = coordinator;
        classes = host.classes;
        stagings = new JobStagings(this::wake, host.clock);
        reports = new JobReports(runtime, host.clock);
        told = new ToldByOperators(attempt, coordinator);
        adoption = new AdoptableJob(attempt);
        outlets = new PythonOutputs(attempt, coordinator);
        inlets = new PythonInputs(attempt, coordinator);
    }

    /** The operators that it hosts here; none before it is deployed. */
    List<String> hosts() {
        return hosts;
    }

    /** How long it goes on without a coordinator, in milliseconds; 0 for not at all. One without tasks waits for the others. */
    long lostMillis() {
        return ended.isDone() && !hosts.isEmpty() ? 0 : adoption.lostMillis();
    }

    /** Completes when nothing of it is left here. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** @param message not a {@link Message.Forget} */
    void handle(Message message) {
        try {
            adoption.note(message);
            if (message instanceof Message.Deploy deploy) {
                deploy(deploy);
            } else if (message instanceof Message.Adopt adopt) {
                adopt(adopt.from());
            } else if (message instanceof Message.Taken taken) {
                outlets.taken(taken);
            } else if (message instanceof Message.Had had) {
                keptRows.had(had);
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
            } else if (message instanceof Message.Conclude conclude) {
                handle.conclude(conclude.success());
            } else if (message instanceof Message.SetSchedule set) {
                setSchedule(set);
            } else if (message instanceof ControlMessage.Tell tell) {
                ToldHere.tell(tell, handle.commands(), coordinator);
            } else if (message instanceof ControlMessage.Instructed answer) {
                told.received(answer);
            } else if (handedOver.received(message)
                    || epochs.received(message, () -> spools.haveRowsLeft() || keptRows.haveRowsLeft())) {
                return;
            } else if (message instanceof Message.Measure) {
                measureAnew();
            } else if (message instanceof Message.Count) {
                epochs.look();
                report();
            }
        } catch (Throwable e) {
            // errors too: otherwise a failed deployment would wait for ever
            fail(Failures.refusal(e));
        }
    }

    private void deploy(Message.Deploy deploy) throws Refusal, IOException {
        JobPlan planned = JobPlan.again(deploy, resource);
        OperatorsHere.compile(planned, resource);
        userJars = UserJars.open(planned.ownCode(resource).jars(), Path.of(deploy.directory()), resource);
        ResourceEpochs files = ResourceEpochs.of(deploy, resource, planned.plan().settings().buckets(), stores);
        spools.begin(deploy.spooling(), files != null && files.areLogged());
        if (spools.keepCollected()) {
            keptRows.begin(new KeptOutputs.To(attempt, coordinator, stores.disk(), e -> fail(Failures.refusal(e)),
                    Spooling.mostBytes(deploy.spooling())));
        }
        OperatorFactory operators = new OperatorFactory(planned.plan(),
                new JobConnections(inlets, outlets, new JobConnections.Kept(spools, stagings, keptRows),
                        new Pipes(deploy.pipes()), told),
                new UserCode(userJars == null ? classes : userJars, OperatorsHere.functions(planned, deploy, resource, python)),
                stores.disk());
        TaskSpecs specs = new TaskSpecs(planned, deploy.addresses(), operators, deploy.usualPacket());
        synchronized (this) {
            reports.begin();
        }
        List<TaskSpec> tasks = specs.of(resource, files == null ? operator -> null : files::map);
        spools.open(planned.plan(), tasks);
        stagings.open(planned.plan(), tasks, deploy.state() == null ? null
                : operator -> coordinator.tell(new Message.Drained(attempt, operator)));
        tasks.forEach(task -> first.add(task.stages().get(0).operatorId()));
        hosts = tasks.stream().flatMap(task -> task.stages().stream())
                .filter(stage -> stage.role() != StageSpec.Role.PARTIAL).map(StageSpec::operatorId).distinct().toList();
        JobHandle deployed = runtime.deploy(attempt, tasks, files == null ? JobSnapshots.NONE : files);
        epochs = new EpochAnswers(attempt, coordinator, deployed.epochs(), files);
        handedOver = new HandedOver(attempt, deployed.handOvers(), coordinator);
        handle = deployed;
        deployed.onFailure(failure -> fail(Failures.refusal(failure)));
        deployed.settled().thenRun(() -> settled(deployed));
        if (files != null) {
            deployed.ended().thenRun(() -> files.drop(Long.MAX_VALUE));
        }
        deployed.ended().thenRun(this::endIfAllHave);
        coordinator.tell(new Message.Ready(attempt));
    }

    /** Does nothing if the job has failed meanwhile, because a peer may leave before all are ready. */
    private void start() {
        synchronized (this) {
            if (!adoption.starts()) {       // it runs, for another coordinator now
                told.lost();
                tellEnd();
                return;
            }
        }
        if (handle.failure() == null) {
            handle.start();
        }
    }

    /** Another coordinator takes the attempt over, if it can. */
    private synchronized void adopt(long from) {
        try {
            coordinator.tell(adoption.adopted(from));
        } catch (Refusal no) {
            tellWhy(no);
            if (over) {
                tellFinished();
            }
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
        keptRows.stop();
        stagings.close();
        if (stop.mode().equals(Message.Stop.ABORT)) {
            spools.fail("the job " + attempt.job() + " has failed");
            keptRows.close();
            handle.kill();
            return;
        }
        spools.release();
        if (stop.mode().equals(Message.Stop.NOW)) {
            handle.cut();
        } else {
            handle.stop(stop.drainMillis(), stop.mode().equals(Message.Stop.FLUSH));
        }
    }

    /** Ignores operators of other resources; the coordinator refuses fused ones. */
    private void setSchedule(Message.SetSchedule set) throws Refusal {
        if (first.contains(set.operator())) {
            handle.commands().setSchedule(set.operator(), Schedules.told(set.schedule()));
        }
    }

    private synchronized void measureAnew() {
        reports.beginAnew(handle.counters());
    }

    /** Reports the counters to the coordinator, on request and not after the end. */
    private synchronized void report() {
        if (!over) {
            coordinator.tell(new Message.Counters(attempt, reports.next(handle.counters())));
        }
    }

    /** Its input is processed, and it waits for the last epoch. */
    private synchronized void settled(JobHandle deployed) {
        if (!failed && !over && deployed.failure() == null) {
            settled = true;
            if (!adoption.waits()) {
                tellEnd();
            }
        }
    }

    private void tellEnd() {
        if (settled) {
            coordinator.tell(new Message.Settled(attempt, handle.isCut(), handle.undelivered()));
        }
        if (over) {     // a part without tasks has ended when it begins
            tellFinished();
        }
    }

    private void fail(Refusal reason) {
        try {
            synchronized (this) {
                if (failed || over) {
                    return;
                }
                failed = true;
                adoption.failed(reason);
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
                    reason.hint(), reason.operator(), reason.record()));
        } catch (RuntimeException | OutOfMemoryError fault) {
            coordinator.tell(new Message.Failed(attempt, "internal", fault.getClass().getSimpleName(), null, null, null));
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
        keptRows.close();
        if (deployed != null) {
            coordinator.tell(new Message.Counters(attempt, reports.last(deployed.counters())));
            tellUndelivered(deployed);
        }
        if (userJars != null) {
            userJars.close();
        }
        ended.complete(null);
        tellFinished();
    }

    private void tellFinished() {
        coordinator.tell(new Message.Finished(attempt, handle == null ? List.of() : handle.leftBehind()));
    }

    /** Of a job that is stopped at once: the resource at the other end of a channel was told a little sooner. */
    private void tellUndelivered(JobHandle deployed) {
        if (!settled && deployed.failure() != null && deployed.failure().isOfChannel() && deployed.undelivered() != 0) {
            coordinator.tell(new Message.Settled(attempt, true, deployed.undelivered()));
        }
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
