package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Nearest;
import io.despina.json.Json;
import io.despina.placement.Costs;
import io.despina.placement.Park;
import io.despina.placement.Placement;
import io.despina.placement.Proposal;
import io.despina.placement.Rates;
import io.despina.placement.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Answers where operators should run by what is known of them and of machines, without starting anything. */
final class GraphPlacing {
    private final JobPlan job;
    private final ObjectNode known;
    private final List<Diagnostic> found;

    private GraphPlacing(JobPlan job, ObjectNode known, List<Diagnostic> found) {
        this.job = job;
        this.known = known;
        this.found = found;
    }

    /**
     * The {@code proposal} of {@code Gateway.check}; null if something is wrong.
     *
     * @param found gets what is wrong with machines, costs and rates
     */
    static ObjectNode of(JobPlan job, JobOptions options, List<Diagnostic> found) throws Refusal {
        if (options.deploymentText() == null) {
            throw new Refusal("options", "there is no deployment with machines", "name one");
        }
        Proposal proposal = of(job, options.tries().known(), Park.load(job.deployment(), options.deploymentText()), found);
        return proposal == null ? null : json(proposal);
    }

    /** The same before it is told. @param known as of {@link JobOptions.Tries} */
    static Proposal of(JobPlan job, ObjectNode known, Checked<Park> park, List<Diagnostic> found) throws Refusal {
        found.addAll(park.diagnostics());
        return park.value() == null ? null : new GraphPlacing(job, known, found).proposal(park.value());
    }

    /** Null if something is wrong. */
    private Proposal proposal(Park park) throws Refusal {
        double slowness = slowness(park);
        Costs costs = known.hasNonNull("report") ? taken(Costs.read(known.get("report").asText(),
                known.path("report_file").asText("report"), job.plan(), slowness)) : Costs.UNKNOWN;
        Map<String, Double> given = new LinkedHashMap<>();
        known.path("rates").properties().forEach(each -> given.put(each.getKey(), each.getValue().asDouble()));
        Rates rates = taken(Rates.of(job.plan(), job.graph(), costs == null ? Costs.UNKNOWN : costs, given));
        if (costs == null || rates == null) {
            return null;
        }
        Proposal proposal = Proposal.of(Workload.of(job.plan(), job.deployment(), park, costs, rates), park);
        boolean runs = taken(Placement.place(job.plan(), job.deployment().placing(proposal.place()), job.graph())) != null;
        return runs ? proposal : null;
    }

    /** Of the machine that the report is of: the first, if nothing else is said. */
    private double slowness(Park park) throws Refusal {
        List<String> names = park.machines().stream().map(Park.Machine::resource).toList();
        String name = known.path("measured_on").asText(names.get(0));
        if (!names.contains(name)) {
            throw new Refusal("option", "the report is of `" + name + "`, which is no resource of the deployment",
                    Nearest.hint(name, names));
        }
        return park.machines().get(names.indexOf(name)).slowness();
    }

    private <T> T taken(Checked<T> checked) {
        found.addAll(checked.diagnostics());
        return checked.value();
    }

    private static ObjectNode json(Proposal proposal) {
        ObjectNode answer = Json.object();
        ObjectNode place = answer.putObject("place");
        proposal.place().forEach((id, resources) -> resources.forEach(place.putArray(id)::add));
        ArrayNode machines = answer.putArray("machines");
        proposal.machines().forEach(each -> machines.addObject().put("resource", each.resource()).put("busy", each.busy())
                .put("cpus", each.cpus()));
        ArrayNode ways = answer.putArray("ways");
        proposal.ways().forEach(each -> ways.addObject().put("from", each.from()).put("to", each.to())
                .put("bytes_per_s", each.bytesPerS()).put("share", each.share()));
        ArrayNode tasks = answer.putArray("tasks");
        proposal.tasks().forEach(each -> {
            ObjectNode task = tasks.addObject().put("resource", each.resource()).put("instance", each.instance())
                    .put("busy", each.busy());
            each.operators().forEach(task.putArray("operators")::add);
        });
        return answer.put("greatest", proposal.greatest());
    }
}
