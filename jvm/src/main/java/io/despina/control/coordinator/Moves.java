package io.despina.control.coordinator;

import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Hosts;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Nearest;
import io.despina.placement.Deployment;
import io.despina.placement.Park;
import io.despina.spec.ControlAnswer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The operators of a job that its user has moved to other resources since the job was started. Each attempt begins with them
 * there. Thread-safe.
 */
final class Moves {
    /** The rule of the failure by which an attempt ends, so that the next one begins elsewhere. */
    static final String RULE = "moved";

    /** Moves an operator to resources, with commas or spaces between their names: its instances go to them in turn. */
    interface Mover {
        /** @return by instance, what becomes of it. @throws Refusal it cannot go there */
        List<ControlAnswer> move(String operator, String to) throws Refusal;
    }

    /** When the attempt began that runs. */
    private MeasuredPlacing.Placed measured;
    private Map<String, List<String>> placed;
    /** The operators of {@link #placed} that a user has moved. */
    private final Set<String> byHand = new HashSet<>();
    /** Resources that came late, and whether the next attempt is the first with them. */
    private final Set<String> joined = new HashSet<>();
    private boolean isDue;

    /** @param measured where operators are that the deployment does not place */
    Moves(MeasuredPlacing.Placed measured) {
        this.measured = measured;
        placed = Map.copyOf(measured.place());
    }

    /** Before any has moved. */
    synchronized Moves anew() {
        return new Moves(measured);
    }

    /** What the machines can do; null where that was not measured. */
    synchronized Park park() {
        return measured.park();
    }

    /** A resource without which the job began is there. */
    synchronized void joined(String resource) {
        joined.add(resource);
        isDue = true;
    }

    /** Whether the next attempt is the first with a resource that came late. */
    synchronized boolean isDue() {
        return isDue;
    }

    /** All is placed anew, but for what a user has moved. */
    synchronized void measured(MeasuredPlacing.Placed found) {
        Map<String, List<String>> all = new HashMap<>(found.place());
        all.putAll(byHand());
        measured = found;
        placed = Map.copyOf(all);
        isDue = false;
    }

    /** The plan with the resources that are there, before operators are placed by what they have measured. */
    synchronized JobPlan present(JobPlan planned) {
        Map<String, String> absent = new HashMap<>(planned.deployment().losses().moved());
        absent.keySet().removeAll(joined);
        return planned.moved(absent);
    }

    /** Those that a user has moved, with their resources. */
    synchronized Map<String, List<String>> byHand() {
        Map<String, List<String>> moved = new HashMap<>(placed);
        moved.keySet().retainAll(byHand);
        return moved;
    }

    /**
     * Where operators are from the next attempt on.
     *
     * @param now    where the job runs
     * @param others by operator, its resources in turn
     * @return false if one may not run there: then nothing changes
     */
    synchronized boolean put(JobPlan now, Map<String, List<String>> others) {
        Map<String, List<String>> all = new HashMap<>(placed);
        all.putAll(others);
        boolean fits = now.placed(all).ok();
        placed = fits ? Map.copyOf(all) : placed;
        return fits;
    }

    /** The plan of the next attempt. */
    synchronized JobPlan of(JobPlan planned) {
        JobPlan present = present(planned);
        return placed.isEmpty() ? present : present.placed(placed).value();
    }

    /**
     * What a user asks of an attempt, with its lock.
     *
     * @param now  where the job runs
     * @param ends the attempt, so that the next one begins; null where none follows
     */
    Mover of(JobPlan now, Consumer<Refusal> ends) {
        return (operator, to) -> {
            if (ends == null) {
                throw refused(now.plan().name() + " does not go on with another attempt, in which the operator could be "
                        + "elsewhere", "run it with a folder for its state: --state DIR");
            }
            List<ControlAnswer> answers = move(now, operator, to);
            if (!of(now).digest().equals(now.digest())) {
                ends.accept(new Refusal(RULE, "operator `" + operator + "` moves to " + to.strip(), null));
            }
            return answers;
        };
    }

    /**
     * Moves an operator from the next attempt on.
     *
     * @param now where the job runs
     * @return by instance, what becomes of it
     */
    private synchronized List<ControlAnswer> move(JobPlan now, String operator, String to) throws Refusal {
        List<String> names = Arrays.stream(to.strip().split("[,\\s]+")).filter(name -> !name.isEmpty()).toList();
        if (names.isEmpty() || !now.deployment().isWritten()) {
            throw refused(!names.isEmpty() ? "the job has one resource" : "nothing says where `" + operator + "` moves to",
                    !names.isEmpty() ? "a deployment names several" : "name resources of the deployment: "
                            + String.join(", ", now.deployment().names()));
        }
        List<String> from = now.hostsOf(operator);
        List<ControlAnswer> answers = new ArrayList<>();
        boolean moves = false;
        for (int k = 0; k < from.size(); k++) {
            Deployment.Resource here = resource(now.deployment(), from.get(k));
            Deployment.Resource there = resource(now.deployment(), names.get(k % names.size()));
            boolean stays = here.equals(there);
            if (!stays) {
                refuseLost(now.deployment(), there);
            }
            refuseOtherMachine(operator, here, there);
            moves |= !stays;
            answers.add(new ControlAnswer(operator, k, true, stays ? "it is in `" + here.name() + "` already"
                    : "from `" + here.name() + "` to `" + there.name() + "`"));
        }
        if (moves) {
            Map<String, List<String>> all = new HashMap<>(placed);
            all.put(operator, names);
            Checked<JobPlan> next = now.placed(all);
            if (!next.ok()) {
                throw refused(next.diagnostics().get(0).message(), next.diagnostics().get(0).hint());
            }
            placed = Map.copyOf(all);
            byHand.add(operator);
        }
        return answers;
    }

    private static Deployment.Resource resource(Deployment deployment, String name) throws Refusal {
        return deployment.resources().stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> refused("there is no resource `" + name + "`", Nearest.hint(name, deployment.names())));
    }

    /** It would go to the survivor that plays the part of the one that is named. */
    private static void refuseLost(Deployment deployment, Deployment.Resource there) throws Refusal {
        String survivor = deployment.losses().moved().get(there.name());
        if (survivor != null) {
            throw refused("resource `" + there.name() + "` was lost, and `" + survivor + "` plays its part", "name `" + survivor
                    + "`, or another resource of the deployment");
        }
    }

    /** Files and logs belong to a machine, and classes to the resources that name them. */
    private static void refuseOtherMachine(String operator, Deployment.Resource here, Deployment.Resource there) throws Refusal {
        if (!here.host().equals(there.host()) || Hosts.isJoining(here) != Hosts.isJoining(there)) {
            throw refused("operator `" + operator + "` is in `" + here.name() + "`, and `" + there.name() + "` may be on "
                    + "another machine: what the operator keeps on its disk would stay behind",
                    "write a savepoint, and go on from it with another deployment");
        }
        if (!here.user().equals(there.user())) {
            throw refused("`" + there.name() + "` has other classes of yours than `" + here.name() + "`, where operator `"
                    + operator + "` is", null);
        }
    }

    private static Refusal refused(String message, String hint) {
        return new Refusal("move", message, hint);
    }
}
