package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Lease;
import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Severity;
import io.despina.json.Json;
import io.despina.placement.MeasuredRule;
import io.despina.placement.Park;
import io.despina.placement.Proposal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Places the operators of a job by what its resources measure as they join, where the deployment asks for that. */
final class MeasuredPlacing {
    private static final String RULE = "placing";
    /** As often as {@code despina run} tells for whom it waits. */
    private static final long TELL_SECONDS = 5;
    /** Measuring takes less than a second on a machine that has time for it. */
    private static final long SURVEY_SECONDS = 30;

    /**
     * What was found.
     *
     * @param place by operator, its resources in turn
     * @param park  null where nothing is measured
     */
    record Placed(Map<String, List<String>> place, Park park) {
        static final Placed NOTHING = new Placed(Map.of(), null);
    }

    private MeasuredPlacing() {
    }

    /**
     * Waits for the resources of a job and for what they measure.
     *
     * @return {@link Placed#NOTHING} if the deployment does not ask for it
     * @throws Refusal one has not joined, or what is known is not enough or does not fit the graph
     */
    static Placed of(JobPlan planned, JobOptions options, Lease lease) throws Refusal {
        MeasuredRule rule = planned.deployment().measured();
        if (rule == null || planned.plan().operators().stream()
                .allMatch(each -> planned.deployment().placed(each.id()) != null)) {
            return Placed.NOTHING;
        }
        ObjectNode known = known(rule, options);
        awaitAll(lease);
        Park.Measured measured = await(lease.survey());
        List<Diagnostic> found = new ArrayList<>();
        Checked<Park> park = Park.load(planned.deployment(), options.deploymentText(), measured);
        Proposal proposal = GraphPlacing.of(planned, known, park, found);
        for (Diagnostic each : found) {
            if (each.severity() == Severity.ERROR) {
                throw new Refusal(RULE, "operators cannot be placed by what is measured: " + each.message(), each.hint());
            }
            System.err.println("despina: warning: " + each.message());
        }
        words(proposal).forEach(line -> System.err.println("despina: " + line));
        return new Placed(proposal.place(), park.value());
    }

    /** As {@code despina place} gives it. */
    private static ObjectNode known(MeasuredRule rule, JobOptions options) throws Refusal {
        ObjectNode known = Json.object().put("measured_on", rule.measuredOn());
        if (rule.report() != null) {
            try {
                known.put("report", Files.readString(Path.of(options.directory()).resolve(rule.report())))
                        .put("report_file", rule.report());
            } catch (IOException e) {
                throw new Refusal(RULE, "the report " + rule.report() + ", which says what operators cost, cannot be read: " + e,
                        "`despina run --report FILE` writes one; without one a table says it");
            }
        }
        ObjectNode rates = known.putObject("rates");
        rule.rates().forEach(rates::put);
        return known;
    }

    /** Tells again and again how those are started that have not come. */
    private static void awaitAll(Lease lease) throws Refusal {
        CompletableFuture<Void> all = CompletableFuture.allOf(lease.joined().toArray(CompletableFuture[]::new));
        List<CompletableFuture<? extends Member>> each = List.copyOf(lease.joined());
        each.forEach(one -> one.whenComplete((joined, why) -> {
            if (why != null) {
                all.completeExceptionally(why);
            }
        }));
        for (boolean there = false; !there;) {
            there = has(all, TELL_SECONDS);
            if (!there) {
                lease.awaited().forEach((name, command) -> System.err.println("despina: waiting for resource " + name
                        + " to join: " + command));
            }
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws Refusal {
        if (!has(future, SURVEY_SECONDS)) {
            throw new Refusal(RULE, "a resource has not said within " + SURVEY_SECONDS + " s what its machine can do",
                    "write its \"machine\" in the deployment");
        }
        return future.join();
    }

    private static boolean has(CompletableFuture<?> future, long seconds) throws Refusal {
        try {
            future.get(seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException e) {
            throw Refusal.of(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Refusal(RULE, "the start was interrupted", null);
        }
    }

    /** What runs where, and how much of it is used. */
    private static List<String> words(Proposal proposal) {
        List<String> lines = new ArrayList<>();
        proposal.machines().forEach(each -> lines.add(String.format(Locale.ROOT, "placed on %s, %.2f of %s processors busy: %s",
                each.resource(), each.busy(), Math.round(each.cpus() * 100) / 100.0, proposal.tasks().stream()
                        .filter(task -> task.resource().equals(each.resource()))
                        .map(task -> String.join("+", task.operators())
                                + (task.instance() == 0 ? "" : "[" + task.instance() + "]"))
                        .collect(Collectors.joining(", ")))));
        lines.add(String.format(Locale.ROOT, "the greatest share of a processor, a thread or the network is %.2f%s",
                proposal.greatest(), proposal.greatest() > 1 ? ": it does not fit" : ""));
        return lines;
    }
}
