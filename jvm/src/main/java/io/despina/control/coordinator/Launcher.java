package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.buffer.Budget;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Ranks;
import io.despina.control.members.AfterLoss;
import io.despina.control.members.Environment;
import io.despina.control.members.Hosts;
import io.despina.control.members.Lease;
import io.despina.control.members.LocalMember;
import io.despina.control.members.Member;
import io.despina.control.members.Members;
import io.despina.control.members.Waiting;
import io.despina.control.protocol.Cast;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.PoisonRecord;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StatePlace;
import io.despina.control.resource.Pipes;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Place;
import io.despina.expr.Expressions;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.placement.Deployment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Starts attempts of jobs: checks and plans the graph, gets its resources, and deploys when all have joined. Thread-safe. */
final class Launcher {
    private final Members members;
    private final Jobs jobs;
    private final Supplier<LocalMember> local;
    private final Environment environment;
    private final StateClaims states;
    private final AtomicInteger ids = new AtomicInteger();
    private volatile boolean hasChecked;
    /** Whether a run stands by now. */
    private volatile boolean standsBy;
    /** Which jobs go on by themselves after a failure. */
    private volatile Predicate<Submission> restartable = submission -> submission.options().recovery().isOn();

    /** @param local gives the resource of jobs without a deployment */
    Launcher(Members members, Jobs jobs, Supplier<LocalMember> local, Environment environment) {
        this.members = members;
        this.jobs = jobs;
        this.local = local;
        this.environment = environment;
        states = new StateClaims(environment);
    }

    void restarts(Predicate<Submission> which) {
        restartable = which;
    }

    /** What a job is waiting for that no resource is awaited for, in words. */
    String phase() {
        return standsBy ? "standing by: another run has the state folder"
                : !hasChecked && Expressions.isLoaded() ? "loading the compiler" : "checking the graph";
    }

    /** Launches a new job, goes on with one whose state is kept, or takes one over that has lost its coordinator. */
    ObjectNode first(Submission given) throws Refusal {
        StartTimes start = new StartTimes(environment.wall());
        if (given.options().outliving().isOn()) {
            Checked<JobPlan> planned = JobPlan.of(given.graphText(), given.fileName(), given.options());
            if (!planned.ok()) {
                return diagnostics(planned.diagnostics());
            }
            OutlivingJob.refuseUnfit(planned.value(), given.options());
        }
        String id = GraphPreview.name(given.graphText()) + "-" + ids.incrementAndGet();
        while (true) {
            StateClaims.Found found = look(given, id);
            boolean begun = false;
            try {
                ObjectNode answer = first(start, given, found, found.toRun(id));
                begun = answer.has("job");
                return answer;
            } catch (Refusal why) {
                if (!found.givesWay(why)) {
                    throw why;
                }
            } finally {
                if (!begun) {
                    found.letGo();
                }
            }
        }
    }

    private StateClaims.Found look(Submission given, String id) throws Refusal {
        try {
            return states.look(given, GraphPreview.name(given.graphText()), id, () -> standsBy = true);
        } finally {
            standsBy = false;
        }
    }

    private ObjectNode first(StartTimes start, Submission given, StateClaims.Found found, Attempt attempt) throws Refusal {
        Submission submission = found.of(given);
        JobOptions options = submission.options();
        String graphText = submission.graphText();
        Checked<Deployment> deployment = LateResources.without(JobPlan.deployment(options));
        Deployment named = options.deploymentText() == null ? null : deployment.value();
        ResourceRules.refuseUnfit(options.recovery().spares(), named);
        boolean near = named == null || members.areNear(named.resources());
        boolean ours = named == null || named.resources().stream().noneMatch(Hosts::isJoining);
        // report errors before a resource is admitted, or started in vain
        Checked<JobPlan> early = ours && GraphPreview.places(graphText, named) ? null
                : JobPlan.of(graphText, submission.fileName(), options, deployment);
        if (early != null && !early.ok()) {
            return diagnostics(early.diagnostics());
        }
        // start our resources while the graph is checked
        long wait = found.taken() == null ? options.joinMillis()
                : Math.min(options.joinMillis(), options.outliving().lostMillis());
        Lease lease = members.lease(request(attempt, submission, named, near, new Waiting(wait, true)));
        boolean begun = false;
        try {
            Checked<JobPlan> checked = early != null ? early : JobPlan.of(graphText, submission.fileName(), options, deployment);
            hasChecked = true;
            ObjectNode answer = diagnostics(checked.diagnostics());
            if (!checked.ok()) {
                return answer;
            }
            start.reach(StartTimes.Step.PLANNED);
            JobPlan planned = checked.value();
            Pipes.refuseMissing(planned.plan(), options.pipes());
            if (near) {
                RealPaths.refuseOverlaps(planned.plan());
            }
            CompletableFuture<Void> compiled = named == null || !near ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.runAsync(() -> keep(graphText, planned), environment.aside())
                            .thenRun(() -> start.reach(StartTimes.Step.COMPILED));
            Job job = job(submission, planned, new Moves(MeasuredPlacing.of(planned, options, lease)), start);
            begin(job, attempt, lease, job.course().moves().of(planned), found);
            jobs.add(job, null);
            begun = true;
            deploy(job, compiled);
            LateResources.await(job, members, environment);
            return answered(answer, job);
        } finally {
            if (!begun) {
                lease.release();
            }
        }
    }

    /** Launches an ended job again from its beginning, as its next attempt. */
    ObjectNode again(Job before) throws Refusal {
        Attempt last = before.attempt().attempt();
        if (!before.ended().isDone()) {
            throw new Refusal("state", last + " is " + before.status().state().word(),
                    "it can be started again when it has ended");
        }
        refuseSpent(before.course());
        Job job = job(before.course().submission().at(environment.wall().getAsLong()), before.course().planned(),
                before.course().moves().anew(), new StartTimes(environment.wall()));
        next(job, last.next(), before);
        LateResources.await(job, members, environment);
        return answered(diagnostics(List.of()), job);
    }

    private static ObjectNode answered(ObjectNode answer, Job job) {
        answer.set("pipes", Pipes.named(job.course().planned().plan()));
        return answer.put("job", job.id()).put("attempt", job.attempt().attempt().number());
    }

    private Job job(Submission submission, JobPlan planned, Moves moves, StartTimes start) throws Refusal {
        JobOptions options = submission.options();
        boolean goesOn = restartable.test(submission) && !isSpent(planned, options, options.recovery().isLogged())
                && planned.deployment().losses().then() != Deployment.OnLoss.FAIL;
        LateResources.refuse(planned.deployment(), goesOn);
        return new Job(new Job.Course(submission, planned, goesOn
                ? RestartPolicy.USUAL.lookingFor(submission.options().joinMillis()) : null, moves, start), environment,
                job -> next(job, job.attempt().attempt().next(), null));
    }

    /**
     * Begins an attempt on the same plan: nothing is checked again.
     *
     * @param replaced the ended job whose id this one gets; null if it has it
     */
    private void next(Job job, Attempt attempt, Job replaced) throws Refusal {
        JobPlan planned = Casting.of(job, members);
        Submission submission = job.course().submission();
        Deployment named = submission.options().deploymentText() == null ? null : planned.deployment();
        Lease lease = members.lease(request(attempt, submission, named, named == null || members.areNear(named.resources()),
                new Waiting(submission.options().joinMillis(), replaced != null)));
        boolean begun = false;
        try {
            Moves moves = job.course().moves();
            if (moves.isDue()) {
                moves.measured(MeasuredPlacing.of(moves.present(job.course().planned()), submission.options(), lease));
                planned = moves.of(job.course().planned());
            }
            begin(job, attempt, lease, planned, replaced == null ? null : StateClaims.Found.NOTHING);
            if (replaced != null) {
                jobs.add(job, replaced);
            }
            begun = true;
        } finally {
            if (!begun) {
                lease.release();
            }
        }
        deploy(job, CompletableFuture.completedFuture(null));
    }

    /**
     * Every attempt begins here. May block.
     *
     * @param planned of the resources that are there
     * @param found   what the first of the job has found; null for later ones
     */
    private void begin(Job job, Attempt attempt, Lease lease, JobPlan planned, StateClaims.Found found) throws Refusal {
        Submission submission = job.course().submission();
        HeldFolder held = job.attempt() == null ? null : job.attempt().epochs().kept().begin().hold();
        KeptEpochs kept = submission.options().recovery().isOn() ? states.claim(submission, planned, attempt, found, held) : null;
        JobAttempt made = new JobAttempt(attempt, planned, kept == null ? submission : kept.naming(submission), environment);
        made.exchange().controls().moves(job.course().moves().of(planned, job.course().policy() == null ? null
                : made::fail));
        if (kept != null) {
            made.keepIn(kept);
        }
        made.begun().thenRun(() -> BucketBalance.begin(made, environment));
        made.begun().thenRun(() -> LivePlacing.begin(job, made, environment));
        job.begin(made, lease);
    }

    /** Deploys the job's attempt when its resources are there. */
    private void deploy(Job job, CompletableFuture<Void> compiled) {
        JobAttempt made = job.attempt();
        JobPlan planned = made.planned();
        List<CompletableFuture<? extends Member>> hosts = made.lease().joined().isEmpty()
                ? List.of(CompletableFuture.completedFuture(local.get())) : List.copyOf(made.lease().joined());
        StartTimes start = job.course().start();
        CompletableFuture.allOf(hosts.toArray(CompletableFuture[]::new)).thenRun(() -> start.reach(StartTimes.Step.JOINED));
        made.begun().thenRun(() -> start.reach(StartTimes.Step.READY));
        deploy(made, planned, message(made, planned, job.poison()), hosts, compiled);
    }

    /**
     * @param named null without a deployment
     * @param near  whether its resources find what is compiled here
     */
    private Members.Request request(Attempt attempt, Submission submission, Deployment named, boolean near, Waiting waiting) {
        JobOptions options = submission.options();
        // cores are few where a driver and its executors share a machine, and the driver compiles
        boolean inExecutors = named != null && named.resources().stream().anyMatch(Hosts::isExecutor);
        String text = submission.graphText();
        Integer wanted = options.recovery().spares();
        int spares = named == null || !restartable.test(submission) ? 0 : wanted == null ? named.losses().spares() : wanted;
        return new Members.Request(attempt, named == null ? List.of() : named.present(),
                new AfterLoss(spares, options.recovery().isOn()),
                Expressions.isKept(text) || inExecutors && near ? Set.of() : GraphPreview.compiling(text, named),
                options.secretFile(), options.tls(), options.listen(), waiting);
    }

    /** The message without the parts that are known only after all have joined. */
    private static Message.Deploy message(JobAttempt job, JobPlan planned, List<PoisonRecord> poison) {
        Submission submission = job.submission();
        JobOptions options = submission.options();
        StatePlace keptAt = job.epochs().kept().begin().place();
        return new Message.Deploy(job.attempt(), submission.graphText(), submission.fileName(), options.parameters(),
                options.deploymentText(), options.directory(), options.inputs(), options.pipes(), options.jars(),
                Map.of(), planned.digest(), 0, planned.answers(), options.instantMicros(), options.spooling(), null,
                keptAt == null ? null : keptAt.leavingOut(poison), options.interpreter(), job.lease().access().told());
    }

    /** Whether its input from a program or a pipe is consumed. @param isLogged whether a program's is in a log */
    private static boolean isSpent(JobPlan planned, JobOptions options, boolean isLogged) {
        return !isLogged && !options.inputs().isEmpty() || !Pipes.named(planned.plan()).isEmpty();
    }

    /** Refuses to repeat such a job. */
    private static void refuseSpent(Job.Course course) throws Refusal {
        if (isSpent(course.planned(), course.submission().options(), false)) {
            throw new Refusal("input", "a job whose rows come from a program or a pipe cannot be started again",
                    "run its graph anew");
        }
    }

    private static void keep(String graphText, JobPlan planned) {
        planned.keepAll();
        Expressions.isKeptFromNowOn(graphText);
    }

    /** Deploys after all have joined. The first that cannot join fails the job, without waiting for the others. */
    private static void deploy(JobAttempt job, JobPlan planned, Message.Deploy deploy,
            List<CompletableFuture<? extends Member>> hosts,
            CompletableFuture<Void> compiled) {
        hosts.forEach(host -> host.whenComplete((joined, failure) -> {
            if (failure != null) {
                job.fail(Refusal.of(failure));
            }
        }));
        CompletableFuture<Void> all = CompletableFuture.allOf(hosts.toArray(CompletableFuture[]::new));
        all.thenCombine(compiled, (joined, done) -> null).thenRun(() -> {
            try {
                TakenOver taken = job.epochs().kept().taken();
                if (taken != null) {
                    job.deploy(taken.question(hosts.stream().map(host -> (Member) host.join()).toList()));
                    return;
                }
                Map<Member, Message.Deploy> parts = parts(planned, deploy, hosts);
                UnseenState.refuse(job.submission(), parts.keySet());
                Rehearsals rehearsals = new Rehearsals(parts.values().iterator().next(), job.lease());
                if (job.epochs().kept().areKept()) {
                    job.epochs().whenComplete(rehearsals::complete);
                }
                job.deploy(parts);
                job.begun().thenRun(rehearsals::begin);
            } catch (Refusal | RuntimeException fault) {
                job.fail(Refusal.of(fault));
            }
        });
    }

    private static Map<Member, Message.Deploy> parts(JobPlan planned, Message.Deploy deploy,
            List<CompletableFuture<? extends Member>> joined) {
        Map<String, String> peers = new LinkedHashMap<>();
        List<Member> hosts = new ArrayList<>();
        for (CompletableFuture<? extends Member> future : joined) {
            Member member = future.join();
            hosts.add(member);
            InetSocketAddress data = member.dataAddress();
            if (data != null) {
                peers.put(member.name(), data.getHostString() + ":" + data.getPort());
            }
        }
        long least = hosts.stream().mapToLong(Member::memoryBytes).min().orElseThrow();
        Message.Deploy complete = deploy.with(peers, Budget.usualPacket(least, Ranks.most(planned)));
        Map<Member, Message.Deploy> parts = new LinkedHashMap<>();
        Map<String, String> moved = planned.deployment().losses().moved();
        Map<String, List<String>> placed = planned.deployment().placedByHand();
        hosts.forEach(member -> parts.put(member, complete.to(new Cast(member.name(), moved, placed))));
        return parts;
    }

    /** {@code {"diagnostics": […]}}. */
    static ObjectNode diagnostics(List<Diagnostic> diagnostics) {
        ObjectNode answer = Json.object();
        ArrayNode all = answer.putArray("diagnostics");
        for (Diagnostic d : diagnostics) {
            ObjectNode one = all.addObject().put("severity", d.severity().word()).put("rule", d.rule())
                    .put("message", d.message()).put("file", d.file()).put("line", d.place().line())
                    .put("column", d.place().column()).put("pointer", d.place().pointer());
            if (d.hint() != null) {
                one.put("hint", d.hint());
            }
            if (d.place().operatorId() != null) {
                one.put("operator", d.place().operatorId());
            }
            for (Diagnostic.Used used : d.used()) {
                Place at = used.place();
                one.withArrayProperty("used").addObject().put("file", used.file()).put("line", at.line())
                        .put("column", at.column()).put("pointer", at.pointer());
            }
            if (d.more() > 0) {
                one.put("more", d.more());
            }
        }
        return answer;
    }
}
