package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.placement.Costs;
import io.despina.placement.Deployment;
import io.despina.placement.MeasuredRule;
import io.despina.placement.Park;
import io.despina.placement.Proposal;
import io.despina.placement.Rates;
import io.despina.placement.Workload;
import io.despina.plan.PlannedOperator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Looks now and then at an attempt of a job that was placed by what was measured, as {@link MeasuredPlacing} did at its start. If
 * two looks in a row find that operators would have more room elsewhere, it tells where, once as long as that stays so; and where
 * the deployment allows it, the next attempt begins with them there.
 */
final class LivePlacing {
    /** A share of which no more is used is in nobody's way. */
    private static final double ENOUGH = 0.5;

    private final Job job;
    private final JobAttempt attempt;
    private final Environment environment;
    private final MeasuredRule.Looks looks;
    private final BusyThreads threads;
    /** What was counted at the last look; null before the first. Guarded by the lock of the attempt, as the others are. */
    private ObjectNode last;
    private long lastNanos;
    /** Whether the last look found something. */
    private boolean found;
    /** The places that a line has told; empty as soon as a look finds none. */
    private Map<String, List<String>> told = Map.of();

    private LivePlacing(Job job, JobAttempt attempt, Environment environment) {
        this.job = job;
        this.attempt = attempt;
        this.environment = environment;
        looks = attempt.planned().deployment().measured().looks();
        threads = new BusyThreads(attempt.planned());
    }

    /** The attempt runs. Does nothing if the deployment and the graph do not want it. */
    static void begin(Job job, JobAttempt attempt, Environment environment) {
        if (job.course().moves().park() != null && attempt.planned().plan().settings().keys().balance().isOn()) {
            new LivePlacing(job, attempt, environment).askLater();
        }
    }

    private void askLater() {
        Runnable ask = () -> attempt.count().thenRun(() -> attempt.locked(this::counted));
        environment.timer().schedule(ask, looks.everyMillis(), TimeUnit.MILLISECONDS);
    }

    private void counted() {
        if (attempt.ended().isDone()) {
            return;
        }
        ObjectNode report = new Report(attempt).report();
        long nanos = environment.clock().getAsLong();
        threads.look(attempt.status().measurements(), nanos - lastNanos);
        lastNanos = nanos;
        JsonNode since = last == null ? Json.object() : since(report, last);
        last = report;
        if (since.path("measured_s").asDouble() > 0) {      // else the warm-up has just ended
            environment.aside().execute(() -> look((ObjectNode) since));
        } else {
            askLater();
        }
    }

    /** The same object with what its numbers have grown by. */
    private static JsonNode since(JsonNode now, JsonNode before) {
        if (now.isNumber()) {
            return Json.object().numberNode(now.asDouble() - before.asDouble());
        } else if (now instanceof ObjectNode object) {
            ObjectNode grown = Json.object();
            object.properties().forEach(each -> grown.set(each.getKey(), since(each.getValue(), before.path(each.getKey()))));
            return grown;
        } else if (now instanceof ArrayNode array) {
            ArrayNode grown = Json.object().arrayNode();
            IntStream.range(0, array.size()).forEach(k -> grown.add(since(array.get(k), before.path(k))));
            return grown;
        }
        return now;
    }

    /** The search may take long, and the attempt's messages do not wait for it. */
    private void look(ObjectNode since) {
        Workload work = work(since);
        Park park = job.course().moves().park();
        double now = work == null ? 0 : Proposal.standing(work, park, this::at).greatest();
        Proposal best = now < ENOUGH ? null : Proposal.of(work, park);
        attempt.locked(() -> {
            if (!attempt.ended().isDone()) {
                found = work != null && compare(now, best);
                askLater();
            }
        });
    }

    /** What there is to do; null if too little came to say it, or if a part is played by another resource now. */
    private Workload work(ObjectNode since) {
        JobPlan now = attempt.planned();
        Costs costs = Costs.read(Json.text(since), "the running job", now.plan(), 1).value();
        Rates rates = costs == null ? null : Rates.of(now.plan(), now.graph(), costs, Map.of()).value();
        if (rates == null || now.deployment().losses().then() == Deployment.OnLoss.MOVE
                && !now.deployment().losses().moved().isEmpty()) {
            return null;
        }
        Park park = job.course().moves().park();
        Map<String, List<String>> stay = job.course().moves().byHand();
        if (!isOneMachine(now.deployment())) {
            now.plan().operators().stream().filter(each -> each.type().isSource() || each.type().isSink())
                    .map(PlannedOperator::id).forEach(id -> stay.putIfAbsent(id, now.hostsOf(id)));
        }
        return Workload.of(now.plan(), now.deployment().placing(stay), park, costs, rates)
                .busy(piece -> piece.operators().stream().mapToDouble(id -> threads.busy(id, piece.instance())).sum()
                        / park.machines().get(at(piece)).slowness());
    }

    private int at(Workload.Piece piece) {
        return job.course().moves().park().indexOf(attempt.planned().hostsOf(piece.operators().get(0)).get(piece.instance()));
    }

    /** Files of sources and sinks are on their machines. */
    private static boolean isOneMachine(Deployment deployment) {
        return deployment.resources().stream().map(each -> each.host() + each.start()).distinct().count() == 1;
    }

    /** @param best null where there is room enough. @return whether it is better */
    private boolean compare(double now, Proposal best) {
        Map<String, List<String>> others = best == null ? Map.of() : others(best);
        if (others.isEmpty() || now - best.greatest() < attempt.planned().plan().settings().keys().balance().worth()) {
            attempt.exchange().proposed(null);
            told = Map.of();
            return false;
        }
        if (found) {
            tell(now, best, others);
        }
        return true;
    }

    /** Of operators that would be elsewhere: the resources of all their instances. */
    private Map<String, List<String>> others(Proposal best) {
        Map<String, List<String>> others = new TreeMap<>();
        best.place().forEach((id, turn) -> {
            List<String> here = attempt.planned().hostsOf(id);
            List<String> there = IntStream.range(0, here.size()).mapToObj(k -> turn.get(k % turn.size())).toList();
            if (!there.equals(here)) {
                others.put(id, there);
            }
        });
        return others;
    }

    private void tell(double now, Proposal best, Map<String, List<String>> others) {
        String words = String.format(Locale.ROOT, "the greatest share of a processor, a thread or the network is %.2f, and would "
                + "be %.2f with %s", now, best.greatest(), others.entrySet().stream()
                .map(each -> each.getKey() + " on " + String.join(",", each.getValue())).collect(Collectors.joining(", ")));
        ObjectNode proposal = Json.object().put("greatest", now).put("would_be", best.greatest());
        others.forEach((id, resources) -> resources.forEach(proposal.withObjectProperty("place").withArrayProperty(id)::add));
        attempt.exchange().proposed(proposal);
        boolean goes = looks.moves() && job.course().policy() != null && job.course().moves().put(attempt.planned(), others);
        if (goes || !others.equals(told)) {
            System.err.println("despina: " + attempt.attempt().job() + ": " + words + (goes ? ": it goes on so" : ""));
        }
        told = others;
        if (goes) {
            attempt.fail(new Refusal(Moves.RULE, words, null));
        }
    }
}
