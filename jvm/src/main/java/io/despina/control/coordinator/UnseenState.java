package io.despina.control.coordinator;

import io.despina.control.assembly.Recovery;
import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Severity;
import io.despina.placement.Deployment;
import io.despina.snapshot.SnapshotStores;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** State folders that a part of the job would not see, since it is on another machine. */
final class UnseenState {
    private static final String SEEN_BY_ALL = "name a folder that all resources see: hdfs://…, s3a://…, or file:///… for one that"
            + " each machine has mounted there";
    /** Hosts that are this machine without asking anybody. */
    private static final Set<String> HERE = Set.of("127.0.0.1", "localhost", "::1");

    private UnseenState() {
    }

    /**
     * Refuses a path as the state of a job of which a part is on another machine: that would write to a disk of its own, where
     * nobody finds it. An address is taken for one that all see.
     */
    static void refuse(Submission submission, Collection<Member> members) throws Refusal {
        Recovery recovery = submission.options().recovery();
        if (!recovery.isOn() || SnapshotStores.isAddress(recovery.state())) {
            return;
        }
        for (Member member : members) {
            if (!member.isOnThisMachine()) {
                throw new Refusal(StateClaims.RULE, "resource `" + member.name() + "` runs on "
                        + member.dataAddress().getHostString() + ", and the state folder "
                        + Wished.absolute(submission, recovery.state()) + " is on this machine", SEEN_BY_ALL);
            }
        }
    }

    /** A warning for each resource that would be refused so if it joined from another machine. A check asks nobody where. */
    static List<Diagnostic> warnings(Deployment deployment, Recovery recovery) {
        if (!recovery.isOn() || SnapshotStores.isAddress(recovery.state())) {
            return List.of();
        }
        return deployment.resources().stream().filter(each -> each.start() == Deployment.Start.JOIN)
                .filter(each -> !HERE.contains(each.host()))
                .map(each -> new Diagnostic(deployment.file(), each.place(), Severity.WARNING, StateClaims.RULE, "resource `"
                        + each.name() + "` joins" + (each.host().isEmpty() ? "" : " from " + each.host())
                        + ", and the state folder " + recovery.state() + " is on the machine of `despina run`: from another"
                        + " machine the job is refused", SEEN_BY_ALL)).toList();
    }
}
