package io.despina.placement;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.plan.Plan;
import io.despina.plan.PlannedChain;
import io.despina.plan.PlannedLink;
import io.despina.plan.PlannedOperator;
import io.despina.plan.StandardStreams;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns tasks to resources. The deployment's rules come first. Operators without a rule are spread: instance i of the k-th
 * chain runs in resource k + i, modulo the number of resources; those that share a process stay together.
 */
public final class Placement {
    private final Plan plan;
    private final Deployment deployment;
    private final Graph graph;
    private final Diagnostics diagnostics;
    /** Operator to the resources of its instances. */
    private final Map<String, List<String>> resources = new HashMap<>();

    private Placement(Plan plan, Deployment deployment, Graph graph) {
        this.plan = plan;
        this.deployment = deployment;
        this.graph = graph;
        diagnostics = new Diagnostics(deployment.isWritten() ? deployment.file() : graph.file());
    }

    /**
     * Assigns the tasks of a plan.
     *
     * @param graph of the plan, where the errors of a deployment that no file has are
     * @return the assignment, null if the deployment does not fit the plan, with all errors
     */
    public static Checked<Assignment> place(Plan plan, Deployment deployment, Graph graph) {
        Placement placement = new Placement(plan, deployment, graph);
        placement.checkNames();
        placement.spread();
        placement.checkClasses();
        placement.checkStandardStreams();
        return Checked.of(placement.assign(), placement.diagnostics);
    }

    private void checkNames() {
        List<String> ids = plan.operators().stream().map(PlannedOperator::id).toList();
        for (Deployment.PlaceRule rule : deployment.rules()) {
            boolean onSpark = deployment.isOnSpark(rule);
            if (onSpark && ids.contains(rule.operator())) {
                diagnostics.error(rule.place(), Rule.UNKNOWN_RESOURCE, "`" + rule.operator()
                        + "` is placed on Spark, and here the engine runs the whole graph",
                        "despina run and graph.run of Python run both parts");
            } else if (!onSpark && !rule.operator().equals("*") && !ids.contains(rule.operator())) {
                diagnostics.error(rule.place(), Rule.UNKNOWN_OPERATOR, "the graph has no operator `" + rule.operator() + "`",
                        Nearest.hint(rule.operator(), ids));
            }
        }
    }

    private void spread() {
        List<String> names = deployment.names();
        for (int k = 0; k < plan.chains().size(); k++) {
            List<String> rotated = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                rotated.add(names.get((k + i) % names.size()));
            }
            for (String operator : plan.chains().get(k).operators()) {
                List<String> placed = deployment.placed(operator);
                resources.put(operator, placed != null ? placed : plan.links().stream()
                        .filter(link -> link.shared() && link.to().equals(operator)).map(link -> resources.get(link.from()))
                        .findFirst().orElse(rotated));
            }
        }
    }

    private String resource(String operator, int instance) {
        List<String> its = resources.get(operator);
        return deployment.host(its.get(instance % its.size()));
    }

    private void checkClasses() {
        for (PlannedLink link : plan.links()) {
            if (!(link.partition() instanceof Partition.Custom custom)) {
                continue;
            }
            checkClass(custom.className(), link.from(), "link " + link.name(), graph.links().get(link.index()).place());
        }
        for (PlannedOperator operator : plan.operators()) {
            if (operator.spec().userClass() != null) {
                Place written = graph.operators().stream().filter(each -> each.id().equals(operator.id())).findFirst()
                        .orElseThrow().place();
                checkClass(operator.spec().userClass(), operator.id(), "operator `" + operator.id() + "`", written);
            }
        }
    }

    /** @param operator whose tasks load it */
    private void checkClass(String className, String operator, String user, Place written) {
        for (Deployment.Resource resource : deployment.resources()) {
            if (resources.get(operator).contains(resource.name()) && !resource.allows(className)) {
                Place place = deployment.isWritten() ? resource.place() : written;
                diagnostics.error(place, Rule.CLASS_NOT_ALLOWED, user + " needs class " + className
                        + ", which resource `" + resource.name() + "` does not allow", deployment.isWritten()
                        ? "add it to its \"allow_classes\"" : "name its jar with --jar, or run the graph with a deployment"
                        + " whose resources have it in \"allow_classes\"");
            }
        }
    }

    private void checkStandardStreams() {
        for (PlannedOperator operator : plan.operators()) {
            if (deployment.isWritten() && StandardStreams.uses(operator.spec())) {
                String name = resource(operator.id(), 0);
                Deployment.Resource resource = deployment.resources().stream().filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow();
                diagnostics.error(resource.place(), Rule.PATH, "`" + operator.id()
                        + "` has path `-`, a standard stream of the command,"
                        + " and resource `" + name + "` is another process",
                        "run the graph without a deployment, or give a path");
            }
        }
    }

    private Assignment assign() {
        List<PlannedChain> chains = new ArrayList<>();
        plan.chains().forEach(c -> chains.addAll(c.cut((a, b) -> isTogether(a, b, c.parallelism()))));
        List<Assignment.Task> tasks = new ArrayList<>();
        Map<String, List<Assignment.Task>> ofOperator = new HashMap<>();
        Map<String, Integer> chainOf = new HashMap<>();
        for (int k = 0; k < chains.size(); k++) {
            List<Assignment.Task> its = new ArrayList<>();
            for (int i = 0; i < chains.get(k).parallelism(); i++) {
                its.add(new Assignment.Task(tasks.size() + i, k, i, resource(chains.get(k).id(), i)));
            }
            tasks.addAll(its);
            for (String operator : chains.get(k).operators()) {
                ofOperator.put(operator, its);
                chainOf.put(operator, k);
            }
        }
        List<Assignment.Channel> channels = new ArrayList<>();
        for (PlannedLink link : plan.links()) {
            if (!link.fused() || !chainOf.get(link.from()).equals(chainOf.get(link.to()))) {
                connect(link, ofOperator, channels);
            }
        }
        return new Assignment(deployment.present().stream().map(Deployment.Resource::name).toList(), chains, tasks, channels);
    }

    private static void connect(PlannedLink link, Map<String, List<Assignment.Task>> ofOperator,
            List<Assignment.Channel> channels) {
        boolean forward = link.partition() instanceof Partition.Forward;
        for (Assignment.Task sender : ofOperator.get(link.from())) {
            for (Assignment.Task receiver : ofOperator.get(link.to())) {
                if (!forward || sender.instance() == receiver.instance()) {
                    channels.add(new Assignment.Channel(channels.size(), link.index(), sender.index(), receiver.index(),
                            !sender.resource().equals(receiver.resource())));
                }
            }
        }
    }

    private boolean isTogether(String a, String b, int parallelism) {
        for (int i = 0; i < parallelism; i++) {
            if (!resource(a, i).equals(resource(b, i))) {
                return false;
            }
        }
        return true;
    }
}
