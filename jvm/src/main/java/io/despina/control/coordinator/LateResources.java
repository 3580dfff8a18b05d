package io.despina.control.coordinator;

import io.despina.control.assembly.JobOptions;
import io.despina.control.members.AfterLoss;
import io.despina.control.members.Environment;
import io.despina.control.members.Lease;
import io.despina.control.members.Member;
import io.despina.control.members.Members;
import io.despina.control.members.Waiting;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.placement.Deployment;
import io.despina.placement.MeasuredRule;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Awaits the resources without which a job begins. When one has come, the attempt ends, and the next one begins with it. */
final class LateResources {
    /** As long as any job runs. */
    private static final long MILLIS = TimeUnit.DAYS.toMillis(10_000);

    private final Job job;
    private final Members members;
    private final Environment environment;

    private LateResources(Job job, Members members, Environment environment) {
        this.job = job;
        this.members = members;
        this.environment = environment;
    }

    /** The deployment with which a job begins. */
    static Checked<Deployment> without(Checked<Deployment> written) {
        return !written.ok() ? written : new Checked<>(written.value().withoutLate(), written.diagnostics());
    }

    /** Refuses a job that could not go on with them. @param goesOn whether it goes on after a loss */
    static void refuse(Deployment deployment, boolean goesOn) throws Refusal {
        MeasuredRule rule = deployment.measured();
        if (rule != null && !rule.late().isEmpty() && !goesOn) {
            throw new Refusal("placing", "resource `" + rule.late().get(0) + "` is late, and the job does not go on with another "
                    + "attempt, in which it could take part", "run it with a folder for its state: --state DIR");
        }
    }

    static void await(Job job, Members members, Environment environment) throws Refusal {
        MeasuredRule rule = job.course().planned().deployment().measured();
        if (rule == null) {
            return;
        }
        LateResources late = new LateResources(job, members, environment);
        for (Deployment.Resource each : job.course().planned().deployment().resources()) {
            if (rule.late().contains(each.name())) {
                late.await(each);
            }
        }
    }

    private void await(Deployment.Resource resource) throws Refusal {
        JobOptions options = job.course().submission().options();
        Lease lease = members.lease(new Members.Request(job.attempt().attempt(), List.of(resource), new AfterLoss(0, true),
                Set.of(), options.secretFile(), options.tls(), options.listen(), new Waiting(MILLIS, false)));
        lease.awaited().forEach((name, command) -> System.err.println("despina: resource " + name + " may join at any time: "
                + command));
        job.ended().thenRun(lease::release);
        CompletableFuture<? extends Member> joined = lease.joined().get(0);
        joined.whenComplete((member, why) -> environment.aside().execute(() -> has(member, why)));
    }

    private void has(Member member, Throwable why) {
        try {
            if (why != null) {
                throw Refusal.of(why);
            }
            UnseenState.refuse(job.course().submission(), List.of(member));
            System.err.println("despina: resource " + member.name() + " has joined: " + job.id() + " goes on with it");
            job.course().moves().joined(member.name());
            job.attempt().fail(new Refusal(Moves.RULE, "resource `" + member.name() + "` has joined", null));
        } catch (Refusal no) {
            System.err.println("despina: warning: " + job.id() + " goes on as it is: " + no.getMessage());
        }
    }
}
