package io.despina.control.coordinator;

import io.despina.catalogue.PythonSourceSpec;
import io.despina.catalogue.SparkSourceSpec;
import io.despina.catalogue.SpooledSinkSpec;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Hosts;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.Pipes;
import io.despina.placement.Deployment;
import io.despina.plan.PlannedOperator;
import java.util.Set;

/** Which jobs can outlive their coordinator: those of which nothing but the coordination is in its process. */
final class OutlivingJob {
    private static final String RULE = "standby";
    /** Sinks whose rows go through the coordinator. */
    private static final Set<String> TO_PROGRAM = Set.of("collect_sink", "console_sink");

    private OutlivingJob() {
    }

    /** @throws Refusal if a part of the job would be lost with the coordinator */
    static void refuseUnfit(JobPlan planned, JobOptions options) throws Refusal {
        for (Deployment.Resource each : planned.deployment().resources()) {
            if (!Hosts.isJoining(each)) {
                throw new Refusal(RULE, options.deploymentText() == null ? "without a deployment the job runs in the process of "
                        + "the command, and ends with it" : "resource `" + each.name() + "` is not one that joins: it ends with "
                        + "the command", "name a deployment in which every resource has \"start\": \"join\"");
            }
        }
        for (PlannedOperator each : planned.plan().operators()) {
            boolean isOfProgram = each.spec() instanceof PythonSourceSpec || each.spec() instanceof SparkSourceSpec
                    || each.spec() instanceof SpooledSinkSpec || TO_PROGRAM.contains(each.type().word());
            if (isOfProgram) {
                throw new Refusal(RULE, "the rows of operator `" + each.id() + "` go through the command or its program, and "
                        + "would be lost with it", "write them to files or to a server");
            }
        }
        if (!Pipes.named(planned.plan()).isEmpty()) {
            throw new Refusal(RULE, "path `-` is a pipe of the command, which is lost with it", "name a file");
        }
        if (options.durationMillis() > 0 || options.warmUpMillis() > 0) {
            throw new Refusal(RULE, "duration_s and warm_up_s are counted by the command, and nobody would know how much of them "
                    + "is left when it is lost", "leave them out, and stop the job");
        }
    }
}
