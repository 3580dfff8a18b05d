package io.despina.control.process;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Cpus;
import io.despina.placement.Deployment;
import io.despina.placement.WorkerThreads;
import java.util.ArrayList;
import java.util.List;

/** Refuses children that would have more threads on their processors than there are, where the deployment says so. */
public final class Overcommitment {
    private final List<Deployment.Resource> children;
    private final Affinity machine;

    private Overcommitment(List<Deployment.Resource> children, Affinity machine) {
        this.children = children;
        this.machine = machine;
    }

    /** Looks at this machine only if a resource wants it. */
    public static void refuse(Deployment deployment) throws Refusal {
        refuse(deployment, Affinity.ofThisMachine());
    }

    static void refuse(Deployment deployment, Affinity machine) throws Refusal {
        List<Deployment.Resource> children = deployment.resources().stream()
                .filter(each -> each.start() == Deployment.Start.CHILD).toList();
        for (Deployment.Resource each : children) {
            if (!each.processors().use().overcommits()) {
                new Overcommitment(children, machine).refuse(each);
            }
        }
    }

    private void refuse(Deployment.Resource wanting) throws Refusal {
        Cpus all = machine.cpus(wanting);
        Cpus own = all;
        int threads = 0;
        List<String> counted = new ArrayList<>();
        for (Deployment.Resource each : children) {
            Cpus its = machine.cpus(each);
            if (its.common(own) != null) {
                WorkerThreads of = each.processors().threads();
                int busy = (of.count() == 0 ? its.count() : of.count()) + of.io();
                threads += busy;
                counted.add("`" + each.name() + "` " + busy);
                all = all.with(its);
            }
        }
        if (threads > all.count()) {
            throw new Refusal("processors", "resource `" + wanting.name() + "` is not to be overcommitted, and " + threads
                    + " threads (" + String.join(", ", counted) + ") would be on " + all.count() + " processors, " + all,
                    "write fewer \"cores\" or \"io_threads\", or give each \"cpus\" of its own");
        }
    }
}
