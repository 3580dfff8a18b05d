package io.despina.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Descriptor;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Graph;
import io.despina.expr.Expressions;
import io.despina.placement.Assignment;
import io.despina.placement.Deployment;
import io.despina.placement.Placement;
import io.despina.plan.Plan;
import io.despina.plan.PlanJson;
import io.despina.plan.PlanOptions;
import io.despina.plan.Planner;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * From texts to what is to run where, the same in the coordinator and in every resource.
 *
 * @param json   the plan as {@code check} answers it
 * @param digest of plan and assignment: where it is equal, so are they
 */
record Planned(Plan plan, Assignment assignment, String json, String digest) {

    /** Checks a graph and its deployment; the value is null if either is refused. */
    static Checked<Planned> of(String graphText, String fileName, JobOptions options) {
        Checked<Graph> graph = Descriptor.load(graphText, fileName, options.parameters());
        if (graph.value() == null) {
            return new Checked<>(null, graph.diagnostics());
        }
        Checked<Plan> plan = Planner.plan(graph.value(), s -> Expressions.compiler(s.ansi(), s.timeZone()),
                new PlanOptions(options.forSpark(), options.directory()));
        Checked<Deployment> deployment = deployment(options);
        List<Diagnostic> diagnostics = new ArrayList<>(plan.diagnostics());
        diagnostics.addAll(deployment.diagnostics());
        if (!plan.ok() || !deployment.ok()) {
            return new Checked<>(null, diagnostics);
        }
        Checked<Assignment> placed = Placement.place(plan.value(), deployment.value());
        diagnostics.addAll(placed.diagnostics());
        return new Checked<>(placed.ok() ? of(plan.value(), graph.value(), placed.value()) : null, diagnostics);
    }

    private static Checked<Deployment> deployment(JobOptions options) {
        return options.deploymentText() == null ? new Checked<>(Deployment.single(LocalMember.NAME), List.of())
                : Deployment.load(options.deploymentText(), options.deploymentFile());
    }

    /** The resources that a deployment names; none without a deployment, or where it is refused, which {@link #of} tells. */
    static List<Deployment.Resource> resources(JobOptions options) {
        Checked<Deployment> deployment = deployment(options);
        return options.deploymentText() == null || !deployment.ok() ? List.of() : deployment.value().resources();
    }

    /**
     * What the coordinator has planned, in a resource.
     *
     * @throws Refusal if something else comes out here
     */
    static Planned again(Message.Deploy deploy, String resource) throws Refusal {
        JobOptions options = JobOptions.of(deploy.parameters(), deploy.deploymentText(), deploy.directory());
        Checked<Planned> planned = of(deploy.graphText(), deploy.fileName(), options);
        if (!planned.ok()) {
            throw new Refusal("deploy", "resource `" + resource + "` refuses the graph: " + planned.render(), null);
        }
        if (!planned.value().digest().equals(deploy.planDigest())) {
            throw new Refusal("deploy", "resource `" + resource + "` plans the graph in another way than the coordinator",
                    "it runs version " + Coordinator.VERSION + ": the versions, and the Spark jars beside them, must be the same");
        }
        return planned.value();
    }

    private static Planned of(Plan plan, Graph graph, Assignment assignment) {
        try {
            String json = PlanJson.write(plan, graph);
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(json.getBytes(StandardCharsets.UTF_8));
            sha.update(assignment.toString().getBytes(StandardCharsets.UTF_8));
            return new Planned(plan, assignment, json, HexFormat.of().formatHex(sha.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a graph needs Catalyst, as far as a glance at its text tells: then a new resource warms it up at once. */
    static boolean mayHaveExpressions(String graphText) {
        try {
            ObjectNode graph = Json.parseObject(graphText, "graph");
            for (JsonNode operator : graph.path("operators")) {
                String type = operator.path("type").asText();
                boolean plain = List.of("relay", "union", "discard_sink", "collect_sink", "console_sink", "file_source", "file_sink")
                        .contains(type);
                if (!plain && !operator.path("rows").path("type").asText().equals("packets")) {
                    return true;
                }
            }
            return false;
        } catch (Refusal notEvenJson) {
            return false;
        }
    }
}
