package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.Catalogue;
import io.despina.control.assembly.GraphPlans;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Recovery;
import io.despina.control.folder.DryRun;
import io.despina.control.members.Hosts;
import io.despina.control.process.ChildProcess;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.WholeGraph;
import io.despina.json.Json;
import io.despina.plan.Plan;
import java.util.ArrayList;
import java.util.List;

/** Answers what {@code check} asks, without starting anything. */
final class GraphCheck {

    private GraphCheck() {
    }

    /** See {@code Gateway.check}. */
    static ObjectNode of(String graphText, String fileName, JobOptions options) throws Refusal {
        Checked<JobPlan> checked = options.target().isSpark() ? GraphPlans.checked(graphText, fileName, options)
                : JobPlan.of(graphText, fileName, options);
        List<Diagnostic> found = diagnostics(checked, options);
        ObjectNode proposal = checked.ok() && options.tries().known() != null
                ? GraphPlacing.of(checked.value(), options, found) : null;
        ObjectNode answer = answer(checked, found, options);
        if (proposal != null) {
            answer.set("proposal", proposal);
        }
        if (checked.ok() && (options.tries().connects() || !options.tries().leftovers().isEmpty())) {
            new Connections(checked.value(), fileName, options).addTo(answer.putArray("connections"));
        }
        return answer;
    }

    /**
     * See {@code Gateway.format}.
     *
     * @return of a graph that has parts also {@code "whole": {"text", "places": {pointer in it: {"pointer", "line", "column"} in
     *         the graph's file}}}, as far as they are in order
     */
    static ObjectNode format(String graphText, String fileName) {
        Checked<String> formatted = Catalogue.DESCRIPTOR.format(graphText, fileName);
        if (!formatted.ok()) {
            return Launcher.diagnostics(formatted.diagnostics());
        }
        ObjectNode answer = Json.object().put("text", formatted.value());
        Checked<WholeGraph> whole = Catalogue.DESCRIPTOR.expand(graphText, fileName);
        if (whole.ok()) {
            ObjectNode written = answer.putObject("whole").put("text", whole.value().text());
            ObjectNode places = written.putObject("places");
            whole.value().places().forEach((pointer, place) -> places.putObject(pointer).put("pointer", place.pointer())
                    .put("line", place.line()).put("column", place.column()));
        }
        return answer;
    }

    /** See {@code Gateway.table}. */
    static ObjectNode table(String graphText, String fileName, JobOptions options) throws Refusal {
        Checked<JobPlan> checked = JobPlan.of(graphText, fileName, options);
        return checked.ok() ? new Connections(checked.value(), fileName, options).table() : answer(checked, checked.diagnostics(),
                options);
    }

    /**
     * See {@code Gateway.dryRun}.
     *
     * @param wish {@code {"from": address, "drop": [id], "rename": {old id: new id}}}
     */
    static ObjectNode dryRun(String graphText, String fileName, JobOptions options, String wish) throws Refusal {
        Checked<JobPlan> checked = JobPlan.of(graphText, fileName, options);
        if (!checked.ok()) {
            return answer(checked, checked.diagnostics(), options);
        }
        ObjectNode wished = GivenJson.parseObject(wish, "what to go on from");
        DryRun run = DryRun.of(checked.value(), wished.path("from").asText(), Recovery.changes(wished));
        List<Diagnostic> all = diagnostics(checked, options);
        all.addAll(run.refusals(checked.value().graph()));
        ObjectNode answer = answer(checked, all, options);
        answer.set("dry_run", run.json());
        return answer;
    }

    /** What is wrong with the graph, and what may go wrong where it is deployed. */
    private static List<Diagnostic> diagnostics(Checked<JobPlan> checked, JobOptions options) {
        List<Diagnostic> all = new ArrayList<>(checked.diagnostics());
        if (checked.ok() && !options.target().isSpark()) {
            all.addAll(UnseenState.warnings(checked.value().deployment(), options.recovery()));
        }
        return all;
    }

    private static ObjectNode answer(Checked<JobPlan> checked, List<Diagnostic> diagnostics, JobOptions options)
            throws Refusal {
        ObjectNode answer = Launcher.diagnostics(diagnostics);
        if (checked.ok()) {
            Plan plan = checked.value().plan();
            ObjectNode inputs = answer.putObject("inputs");
            ObjectNode defaults = answer.putObject("defaults");
            for (String id : options.inputs()) {
                GivenRows rows = new GivenRows(plan.settings(), plan.operator(id).outputs().get(0));
                inputs.put(id, rows.schema());
                if (rows.mayLeaveOut()) {
                    defaults.put(id, rows.defaults());
                }
            }
        }
        if (checked.ok() && !options.target().isSpark()) {
            answer.put("children_bytes", checked.value().deployment().resources().stream().filter(Hosts::isChild)
                    .mapToLong(ChildProcess::mostBytes).sum());
            answer.set("guarantee", GivenJson.parseObject(checked.value().guarantees(options).json(), "guarantee"));
        }
        answer.set("plan", checked.ok() ? GivenJson.parseObject(checked.value().json(), "plan") : null);
        return answer;
    }
}
