package io.despina.control.coordinator;

import io.despina.control.process.Overcommitment;
import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;

/** What is refused of the resources of a job before any of them is asked for. */
final class ResourceRules {
    private ResourceRules() {
    }

    /**
     * @param spares how many processes are to stand by; null if nothing is said
     * @param named  null without a deployment
     */
    static void refuseUnfit(Integer spares, Deployment named) throws Refusal {
        if (named != null) {
            Overcommitment.refuse(named);
        }
        if (spares == null || spares == 0) {
            return;
        }
        if (named == null || !named.hasChildren()) {
            throw new Refusal("options", "spares=" + spares + ": spares play the part of children of the command, and "
                    + (named == null ? "without a deployment there is none" : "no resource of the deployment is one"),
                    named == null ? "name a deployment with resources, each of which is a JVM of its own"
                            : "start two resources of one name elsewhere with --keep: the second joins when the first is lost");
        }
        if (named.bound() != null) {
            throw new Refusal("options", "spares=" + spares + ": resource `" + named.bound().name() + "` has processors of its "
                    + "own, and a spare runs on others", "leave it out: a new child is started on those processors");
        }
    }
}
