package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.buffer.Budget;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Ranks;
import io.despina.control.members.Environment;
import io.despina.control.members.Hosts;
import io.despina.control.members.Lease;
import io.despina.control.members.LocalMember;
import io.despina.control.members.Member;
import io.despina.control.members.Members;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.Pipes;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.expr.Expressions;
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
import java.util.function.Supplier;

/** Starts attempts of jobs: checks and plans the graph, gets its resources, and deploys when all have joined. Thread-safe. */
final class Launcher {
    private final Members members;
    private final Jobs jobs;
    private final Supplier<LocalMember> local;
    private final Environment environment;
    private final AtomicInteger ids = new AtomicInteger();

    /** @param local gives the resource of jobs without a deployment */
    Launcher(Members members, Jobs jobs, Supplier<LocalMember> local, Environment environment) {
        this.members = members;
        this.jobs = jobs;
        this.local = local;
        this.environment = environment;
    }

    /** Launches a new job. */
    ObjectNode first(Submission submission) throws Refusal {
        return launch(submission, null);
    }

    /** Launches the next attempt of an ended job. */
    ObjectNode next(JobAttempt before) throws Refusal {
        if (!before.ended().isDone()) {
            throw new Refusal("state", before.attempt() + " is " + before.status().state().word(),
                    "it can be started again when it has ended");
        }
        return launch(before.submission(), before);
    }

    /** @param before the previous attempt; null for the first */
    private ObjectNode launch(Submission submission, JobAttempt before) throws Refusal {
        JobOptions options = submission.options();
        String graphText = submission.graphText();
        String fileName = submission.fileName();
        Checked<Deployment> deployment = JobPlan.deployment(options);
        Deployment named = options.deploymentText() == null ? null : deployment.value();
        boolean near = named == null || named.resources().stream().allMatch(Hosts::isChild);
        boolean ours = named == null || named.resources().stream().noneMatch(Hosts::isJoining);
        // report errors before a resource is admitted, or started in vain
        Checked<JobPlan> early = ours && GraphPreview.places(graphText, named) ? null
                : JobPlan.of(graphText, fileName, options, deployment);
        if (early != null && !early.ok()) {
            return diagnostics(early.diagnostics());
        }
        Attempt attempt = before == null ? firstAttempt(graphText) : before.attempt().next();
        // start our resources while the graph is checked
        Lease lease = members.lease(request(attempt, submission, named));
        JobAttempt job = null;
        try {
            Checked<JobPlan> checked = early != null ? early : JobPlan.of(graphText, fileName, options, deployment);
            ObjectNode answer = diagnostics(checked.diagnostics());
            if (!checked.ok()) {
                return answer;
            }
            Pipes.refuseMissing(checked.value().plan(), options.pipes());
            if (before != null) {
                refuseSpent(checked.value(), options);
            }
            if (near) {
                RealPaths.refuseOverlaps(checked.value().plan());
            }
            CompletableFuture<Void> compiled = named == null || !near ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.runAsync(() -> keep(graphText, checked.value()), environment.aside());
            List<CompletableFuture<? extends Member>> hosts = lease.joined().isEmpty()
                    ? List.of(CompletableFuture.completedFuture(local.get())) : List.copyOf(lease.joined());
            job = new JobAttempt(attempt, checked.value(), submission, environment);
            jobs.add(job, before);
            job.lease(lease);
            job.ended().thenRun(lease::release);
            deploy(job, checked.value(), message(job, checked.value()), hosts, compiled);
            answer.set("pipes", Pipes.named(checked.value().plan()));
            return answer.put("job", job.id()).put("attempt", job.attempt().number());
        } finally {
            if (job == null) {
                lease.release();
            }
        }
    }

    /** @param named null without a deployment */
    private static Members.Request request(Attempt attempt, Submission submission, Deployment named) {
        JobOptions options = submission.options();
        String text = submission.graphText();
        return new Members.Request(attempt, named == null ? List.of() : named.resources(),
                Expressions.isKept(text) ? Set.of() : GraphPreview.compiling(text, named), options.secretFile(), options.tls(),
                options.listen(), options.joinMillis());
    }

    private Attempt firstAttempt(String graphText) {
        return Attempt.first(GraphPreview.name(graphText) + "-" + ids.incrementAndGet());
    }

    /** The message without the parts that are known only after all have joined. */
    private static Message.Deploy message(JobAttempt job, JobPlan planned) {
        Submission submission = job.submission();
        JobOptions options = submission.options();
        return new Message.Deploy(job.attempt(), submission.graphText(), submission.fileName(), options.parameters(),
                options.deploymentText(), options.directory(), options.inputs(), options.pipes(), options.jars(),
                Map.of(), planned.digest(), 0, planned.answers(), options.instantMicros(), options.spooling());
    }

    /** Refuses to repeat a job whose input from a program or a pipe is consumed. */
    private static void refuseSpent(JobPlan planned, JobOptions options) throws Refusal {
        if (!options.inputs().isEmpty() || !Pipes.named(planned.plan()).isEmpty()) {
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
                job.deploy(parts(planned, deploy, hosts));
            } catch (RuntimeException fault) {
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
        hosts.forEach(member -> parts.put(member, complete));
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
        }
        return answer;
    }
}
