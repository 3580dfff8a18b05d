package io.despina.plan;

import io.despina.descriptor.Diagnostic;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.JsonPrinter;
import io.despina.descriptor.Rule;
import io.despina.spec.EventTime;
import io.despina.spec.Guarantee;
import io.despina.spec.Never;
import io.despina.spec.SinkGuarantee;
import io.despina.spec.SourceGuarantee;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a job with a state folder promises of its rows when a part of it is lost: for each source, for each <i>end</i>, which is a
 * sink or another operator that does something outside of the job, and for each way from a source to an end.
 *
 * @param sources in the plan's order
 * @param ends    likewise
 * @param ways    by source, then by end
 * @param byClock operators for which the wall clock decides; after a loss it may decide otherwise
 * @param byArrival likewise those for which it matters which of two streams comes first
 * @param here    operators whose rows lie on a disk of their own machine, and are lost with it
 */
public record Guarantees(List<Source> sources, List<End> ends, List<Way> ways, List<String> byClock, List<String> byArrival,
        List<String> here) {

    /** One source. */
    public record Source(String operator, Promise<SourceGuarantee> promise) {
    }

    /**
     * One end.
     *
     * @param isSink false for an operator that does something outside
     */
    public record End(String operator, boolean isSink, Promise<SinkGuarantee> promise, Shown shown) {
    }

    /**
     * When others see a row.
     *
     * @param waitsForEpoch whether not before its epoch is complete
     * @param afterMillis   how long the sink keeps a row back besides that; {@link Never#NEVER} for until the end
     */
    public record Shown(boolean waitsForEpoch, long afterMillis) {
        static final Shown AT_ONCE = new Shown(false, 0);

        static Shown of(OperatorSpec spec, SinkGuarantee guarantee) {
            return new Shown(spec.waitsForEpoch() || guarantee.waitsForEpoch(), spec.shownMillis());
        }
    }

    /**
     * From a source to an end.
     *
     * @param weakest the one of the two that promises less; null if each row comes out once
     */
    public record Way(String source, String end, Guarantee guarantee, String weakest) {
    }

    public Guarantees {
        sources = List.copyOf(sources);
        ends = List.copyOf(ends);
        ways = List.copyOf(ways);
        byClock = List.copyOf(byClock);
        byArrival = List.copyOf(byArrival);
        here = List.copyOf(here);
    }

    private static final String NO_LOG = "where the state is at an address, there are no logs, ";
    private static final String KEEP_HERE = "keep the state in a folder of the machine";

    /** The guarantees of a plan for the engine, whose state is in a folder of its machine. */
    public static Guarantees of(Plan plan, UserPromises user) {
        return of(plan, user, true);
    }

    /** The same. @param logged whether the state is in a folder, and not at an address: there are no logs then */
    public static Guarantees of(Plan plan, UserPromises user, boolean logged) {
        List<Source> sources = new ArrayList<>();
        List<End> ends = new ArrayList<>();
        List<String> byClock = new ArrayList<>();
        List<String> byArrival = new ArrayList<>();
        List<String> here = new ArrayList<>();
        for (PlannedOperator operator : plan.operators()) {
            OperatorSpec spec = operator.spec();
            boolean isSink = operator.type().isSink();
            boolean isSpooled = false;
            if (operator.type().isSource()) {
                Source source = new Source(operator.id(), logged(known(spec.comesAgain(user), operator), logged));
                isSpooled = source.promise().guarantee() == SourceGuarantee.SPOOLED;
                sources.add(source);
            } else if (isSink) {
                ends.add(sink(operator, known(spec.leaves(user), operator), logged));
            } else if (spec.leaves(user) != null) {
                ends.add(new End(operator.id(), false, spec.leaves(user), Shown.AT_ONCE));
            }
            if (spec.goesByClock() || goesByClock(operator.assigns())) {
                byClock.add(operator.id());
            }
            if (spec.goesByArrival()) {
                byArrival.add(operator.id());
            }
            if (spec.keepsRowsHere() && (logged || !spec.waitsInLog()) || isSpooled) {
                here.add(operator.id());
            }
        }
        return new Guarantees(sources, ends, ways(plan, sources, ends), byClock, byArrival, here);
    }

    private static Promise<SourceGuarantee> logged(Promise<SourceGuarantee> promise, boolean logged) {
        return logged || promise.guarantee() != SourceGuarantee.SPOOLED ? promise
                : new Promise<>(SourceGuarantee.NONE, NO_LOG + "and what it had received is lost with its process", KEEP_HERE);
    }

    private static End sink(PlannedOperator operator, Promise<SinkGuarantee> promise, boolean logged) {
        OperatorSpec spec = operator.spec();
        if (logged || !spec.waitsInLog()) {
            return new End(operator.id(), true, promise, Shown.of(spec, promise.guarantee()));
        }
        Promise<SinkGuarantee> atOnce = !promise.guarantee().waitsForEpoch() ? promise
                : new Promise<>(SinkGuarantee.AT_LEAST_ONCE, NO_LOG + (promise.guarantee() == SinkGuarantee.MARKED
                        ? "and its rows leave at once" : "and its rows are read at once"), KEEP_HERE);
        return new End(operator.id(), true, atOnce, new Shown(false, spec.shownMillis()));
    }

    /** A warning for each operator that has a log where the state is in a folder, and none where it is at that address. */
    public static List<Diagnostic> warnOfNoLogs(Plan plan, UserPromises user, Graph graph, String address) {
        Diagnostics diagnostics = new Diagnostics(graph.file());
        for (PlannedOperator operator : plan.operators()) {
            boolean spooled = operator.type().isSource()
                    && operator.spec().comesAgain(user).guarantee() == SourceGuarantee.SPOOLED;
            if (spooled || operator.spec().waitsInLog()) {
                diagnostics.warning(written(graph, operator.id()).place(), Rule.GUARANTEE, "the state is at " + address
                        + ", where there are no logs: `" + operator.id() + "` " + (spooled
                        ? "loses with its process what it had received and no complete epoch has"
                        : "gives its rows away before their epoch is complete, and after a loss again"), KEEP_HERE
                        + ", such as --state DIR");
            }
        }
        return diagnostics.sorted();
    }

    private static <G extends Enum<G>> Promise<G> known(Promise<G> promise, PlannedOperator operator) {
        if (promise == null) {
            throw new IllegalStateException("the type " + operator.type().word() + " says no guarantee");
        }
        return promise;
    }

    private static boolean goesByClock(EventTime assigned) {
        return assigned != null && (assigned.idleAfterNanos() != Never.NEVER || assigned.advances());
    }

    private static List<Way> ways(Plan plan, List<Source> sources, List<End> ends) {
        Map<String, Set<String>> above = new HashMap<>();
        for (PlannedOperator operator : plan.operators()) {      // each follows those that it reads from
            Set<String> all = new LinkedHashSet<>(Set.of(operator.id()));
            plan.links().stream().filter(link -> link.to().equals(operator.id())).forEach(link -> all.addAll(
                    above.getOrDefault(link.from(), Set.of())));
            above.put(operator.id(), all);
        }
        List<Way> ways = new ArrayList<>();
        for (Source source : sources) {
            for (End end : ends) {
                if (above.get(end.operator()).contains(source.operator())) {
                    ways.add(way(source, end));
                }
            }
        }
        return ways;
    }

    private static Way way(Source source, End end) {
        Guarantee in = source.promise().guarantee().level();
        Guarantee out = end.promise().guarantee().level();
        Guarantee both = Collections.min(List.of(in, out));
        return new Way(source.operator(), end.operator(), both, both == Guarantee.EXACTLY_ONCE ? null
                : in == both ? source.operator() : end.operator());
    }

    /** That of the weakest way. */
    public Guarantee whole() {
        return ways.stream().map(Way::guarantee).min(Guarantee::compareTo).orElse(Guarantee.EXACTLY_ONCE);
    }

    /** The operators that make it so weak; empty if each row comes out once. */
    public Set<String> weakest() {
        Set<String> weakest = new TreeSet<>();
        ways.stream().filter(way -> way.weakest() != null && way.guarantee() == whole())
                .forEach(way -> weakest.add(way.weakest()));
        return weakest;
    }

    /** What the graph's settings demand. */
    public static Guarantee demanded(Graph graph) {
        return graph.settings() == null ? Guarantee.NONE : graph.settings().constant("guarantee", Guarantee.class);
    }

    /** An error for each operator that promises less than that. */
    public List<Diagnostic> weaker(Graph graph) {
        Diagnostics diagnostics = new Diagnostics(graph.file());
        Guarantee demanded = demanded(graph);
        sources.forEach(each -> refuse(each.promise().guarantee().level(), demanded, each.promise(),
                written(graph, each.operator()), diagnostics));
        ends.forEach(each -> refuse(each.promise().guarantee().level(), demanded, each.promise(),
                written(graph, each.operator()), diagnostics));
        return diagnostics.sorted();
    }

    private static Graph.Operator written(Graph graph, String id) {
        return graph.operators().stream().filter(o -> o.id().equals(id)).findFirst().orElseThrow();
    }

    private static void refuse(Guarantee given, Guarantee demanded, Promise<?> promise, Graph.Operator at,
            Diagnostics diagnostics) {
        if (given.compareTo(demanded) < 0) {
            String weaker = "settings with \"guarantee\": \"" + given.word() + "\" allow it";
            diagnostics.error(at.place(), Rule.GUARANTEE, "the settings demand each row " + demanded.words() + ", and with `"
                    + at.id() + "` a row comes " + given.words() + ": " + promise.why(),
                    promise.hint() == null ? weaker : promise.hint() + "; or " + weaker);
        }
    }

    /**
     * As {@code check} answers it:
     * <pre>
     * {"graph": GUARANTEE, "weakest": [id],
     *  "sources": [{"operator", "guarantee": replayable | spooled | none, "why", "hint"}],
     *  "ends": [{"operator", "sink": bool, "guarantee": transactional | marked | idempotent | at_least_once | none,
     *            "why", "hint", "waits_for_epoch": bool, "shown_after_ms": number, or null for at the end}],
     *  "ways": [{"source", "end", "guarantee": GUARANTEE, "weakest": id or null}],
     *  "by_clock": [id], "by_arrival": [id], "on_its_machine": [id]}          GUARANTEE = exactly_once | at_least_once | none
     * </pre>
     */
    public String json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("graph", whole().word());
        json.put("weakest", List.copyOf(weakest()));
        json.put("sources", sources.stream().map(each -> promise(each.operator(), each.promise().guarantee().word(),
                each.promise())).toList());
        json.put("ends", ends.stream().map(Guarantees::end).toList());
        json.put("ways", ways.stream().map(each -> {
            Map<String, Object> way = new LinkedHashMap<>();
            way.put("source", each.source());
            way.put("end", each.end());
            way.put("guarantee", each.guarantee().word());
            way.put("weakest", each.weakest());
            return way;
        }).toList());
        json.put("by_clock", byClock);
        json.put("by_arrival", byArrival);
        json.put("on_its_machine", here);
        return new JsonPrinter().print(json);
    }

    private static Map<String, Object> end(End end) {
        Map<String, Object> json = promise(end.operator(), end.promise().guarantee().word(), end.promise());
        json.put("sink", end.isSink());
        json.put("waits_for_epoch", end.shown().waitsForEpoch());
        json.put("shown_after_ms", end.shown().afterMillis() == Never.NEVER ? null : end.shown().afterMillis());
        return json;
    }

    private static Map<String, Object> promise(String operator, String guarantee, Promise<?> promise) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("operator", operator);
        json.put("guarantee", guarantee);
        json.put("why", promise.why());
        json.put("hint", promise.hint());
        return json;
    }
}
