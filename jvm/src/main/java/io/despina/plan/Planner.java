package io.despina.plan;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Graph;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.ExpressionCompiler;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.spec.EventTime;
import io.despina.spec.Partition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Turns a graph into a plan, operator by operator in the order of the links: merges the streams at its inputs, plans the
 * operator, and determines the event time of its output. It skips an operator whose input could not be planned, and checks only
 * the syntax of its expressions, so that one mistake is reported once.
 */
public final class Planner {
    /** Schema of every port {@code errors}. */
    public static final Schema ERRORS = Schema.of(new Column("reason", Type.Simple.STRING, true),
            new Column("operator", Type.Simple.STRING, true), new Column("record", Type.Simple.STRING, true));

    private static final String PARALLELISM = "parallelism";
    private static final String MOST_INSTANCES = "most_instances";

    private final Graph graph;
    private final Function<OperatorType, OperatorPlanner> planners;
    private final Planning planning;
    private final Wiring wiring;
    private final Map<String, PlannedOperator> planned = new LinkedHashMap<>();
    private final Map<String, List<List<String>>> keys = new HashMap<>();
    /** By operator: whether some input may be endless. */
    private final Map<String, Boolean> unbounded = new HashMap<>();

    private Planner(Graph graph, Function<OperatorType, OperatorPlanner> planners, Planning planning) {
        this.graph = graph;
        this.planners = planners;
        this.planning = planning;
        wiring = new Wiring(graph, planning.diagnostics());
    }

    /**
     * Plans a graph.
     *
     * @param graph     the result of {@link io.despina.descriptor.Descriptor#load}, errors included; the answer lists errors of
     *                  loading first
     * @param planners  one for every operator type
     * @param compilers makes a compiler for the graph's settings; called at most once, and only if there is an expression
     * @return the plan, null if anything is wrong; all errors and warnings, by place
     */
    public static Checked<Plan> plan(Graph graph, Function<OperatorType, OperatorPlanner> planners,
            Function<Settings, ExpressionCompiler> compilers, PlanOptions options) {
        Diagnostics diagnostics = new Diagnostics(graph.file());
        diagnostics.addAll(graph.diagnostics());
        Settings settings = SettingsDecoder.settings(graph.settings(), diagnostics);
        Planning planning = new Planning(settings, options, diagnostics,
                new ExpressionChecker(diagnostics, () -> compilers.apply(settings)));
        return Checked.of(new Planner(graph, planners, planning).plan(), diagnostics);
    }

    private Plan plan() {
        graph.operators().stream().filter(o -> o.fields() != null).forEach(o -> planning.diagnostics().accept(o.id(),
                o.fields().texts("accept").stream().map(Text::value).collect(Collectors.toSet())));
        wiring.connect();
        refuseUnknownInputs();
        refuseUnknownOutput();
        for (Graph.Operator operator : wiring.order()) {
            if (operator.fields() != null) {
                plan(operator);
            }
        }
        SharedPaths.refuse(graph.operators(), planned, planning.diagnostics());
        StandardStreams.refuseSecondReader(graph.operators(), planned, planning.diagnostics());
        List<PlannedLink> links = links();
        List<PlannedLink> timed = links.stream().filter(link -> planned.get(link.to()).goesBy(link.toPort())).toList();
        graph.operators().stream().filter(o -> planned.containsKey(o.id())).forEach(o -> checkUpstream(o, links, timed));
        new KeyPaths(planning, graph, planned, timed).check();
        new ElementTimes(planning, planned, links).warn(graph.operators());
        if (!planning.options().target().isSpark()) {
            new Lateness(planning, planned, timed).warnOfUnlinked(graph.operators());
            new Silence(planning, planned, timed).warn(graph.operators(), unbounded);
        }
        SparkForm spark = new SparkForm(planning.options().target(), planning.diagnostics());
        if (planning.options().target().isSpark()) {
            graph.operators().stream().filter(o -> planned.containsKey(o.id())).forEach(o -> spark.check(planned.get(o.id()), o));
            links.forEach(l -> spark.check(l, graph.links().get(l.index()).place()));
        }
        if (planning.diagnostics().hasErrors()) {
            planning.expressions().checkSyntax(graph.expressions());
        }
        List<PlannedOperator> operators = planned.values().stream().map(new Unread(planned, links)::leftOut).toList();
        return planning.diagnostics().hasErrors() ? null : new Plan(graph.name(), graph.doc(), planning.settings(), operators,
                links, Chains.of(operators, links), unbounded.containsValue(true));
    }

    private static boolean isSink(Graph.Operator operator) {
        return operator.type().isSink();
    }

    /** Whether a program's reading takes the place of what the graph says of a sink. */
    private boolean isReplaced(String sink) {
        PlanOptions.Output output = planning.options().output();
        return output != null && (output.alone() || output.sinks().contains(sink));
    }

    private PlanningResult readBy(PlanningContext context, OperatorPlanner planner) {
        PlanOptions.Output output = planning.options().output();
        String id = context.operator().id();
        boolean isRead = output.sinks().contains(id);
        if (isRead && output.toItsEnd() && context.isUnbounded()) {
            return context.refuse(context.operator().place(), Rule.OUTPUT, "the rows of `" + id
                    + "` have no end, and are read to it",
                    "spark.readStream, with a trigger other than availableNow, reads rows without an end");
        }
        return planner.readBy(isRead);
    }

    private void refuseUnknownOutput() {
        PlanOptions.Output output = planning.options().output();
        List<String> sinks = graph.operators().stream().filter(o -> o.type() == null || isSink(o)).map(Graph.Operator::id)
                .toList();
        for (String read : output == null ? List.<String>of() : output.sinks()) {
            if (!sinks.contains(read)) {
                planning.diagnostics().error(new Place(0, 1, 1, ""), Rule.OUTPUT, "the graph has no sink `" + read
                        + "` to read rows of", sinks.isEmpty() ? "it has none at all" : Nearest.hint(read, sinks));
            }
        }
    }

    private void refuseUnknownInputs() {
        List<String> known = graph.operators().stream().map(Graph.Operator::id).toList();
        for (String input : planning.options().inputs()) {
            if (!known.contains(input)) {
                planning.diagnostics().error(new Place(0, 1, 1, ""), Rule.INPUT,
                        "the graph has no operator `" + input + "` to give rows to", Nearest.hint(input, known));
            }
        }
    }

    private void plan(Graph.Operator operator) {
        List<Stream> inputs = new ArrayList<>();
        for (String port : operator.type().inputs(operator.fields())) {
            Stream stream = meet(operator.id(), port);
            if (stream == null) {
                return;
            }
            inputs.add(stream);
        }
        PlanningContext context = new PlanningContext(planning, operator, inputs, new LostTime(wiring, planned));
        OperatorPlanner planner = planners.apply(operator.type());
        PlanningResult outcome = planner.plan(context);
        if (outcome != null && planning.options().inputs().contains(operator.id())) {
            outcome = planner.fed(context, outcome);
        }
        if (outcome != null && isSink(operator) && isReplaced(operator.id())) {
            outcome = readBy(context, planner);
        }
        if (outcome == null) {
            return;
        }
        if (!KeyPaths.allows(context, outcome.spec())) {
            return;
        }
        EventTime survived = outcome.out() == null ? null : outcome.out().time();
        boolean names = outcome.out() != null && operator.fields().fields("event_time") != null;
        EventTime named = names ? context.declaredTime(outcome.out().schema(), survived) : survived;
        EventTime time = named == null || outcome.spec().timePerKey() != TimePerKey.KEPT ? named
                : named.behind(outcome.spec().pauseMicros());
        if (names && time == null) {
            return;
        }
        boolean source = operator.type().isSource();
        PlannedOperator result = new PlannedOperator(operator.id(), operator.type(),
                operator.fields().string("doc", ""), instances(context, outcome),
                ports(operator.type().inputs(operator.fields()), inputs),
                outputs(operator, inputs, outcome, time), context.assignsTime(time, survived) ? time : null,
                outcome.spec().blocks(), SettingsDecoder.schedule(source ? null : operator.fields().fields("schedule")),
                SettingsDecoder.onError(operator.fields().fields("on_error")), outcome.spec());
        planned.put(operator.id(), result);
        keys.put(operator.id(), outcome.keys());
        unbounded.put(operator.id(), outcome.out() == null ? context.isUnbounded() : outcome.out().unbounded());
    }

    /** How many instances there are; reports it if there cannot be so many. */
    private static PlannedOperator.Instances instances(PlanningContext context, PlanningResult outcome) {
        Graph.Operator operator = context.operator();
        PlannedOperator.Instances instances = Partitions.instances(operator.fields());
        if (outcome.one() != null && instances.most() > 1) {
            context.refuse(operator.fields().place(instances.start() > 1 ? PARALLELISM : MOST_INSTANCES), Rule.PARALLELISM,
                    "`" + operator.id() + "` needs parallelism 1: "
                    + outcome.one(), null);
        }
        if (instances.start() > instances.most()) {
            context.refuse(operator.fields().place(MOST_INSTANCES), Rule.PARALLELISM, "`" + operator.id() + "` has parallelism "
                    + instances.start() + ": there are no fewer instances", "make it " + instances.start()
                    + ", or more where keys may move to others");
        }
        return instances;
    }

    /** The stream of an input port, or null if one of its senders could not be planned. */
    private Stream meet(String operator, String port) {
        List<ResolvedLink> wires = wiring.into(operator, port);
        if (wires.isEmpty() || wires.stream().anyMatch(w -> !planned.containsKey(w.from().id()))) {
            return null;
        }
        return StreamUnion.of(wires, wires.stream().map(this::sent).toList(), planning.diagnostics());
    }

    /** The stream that a link delivers. */
    private Stream sent(ResolvedLink wire) {
        PlannedOperator from = planned.get(wire.from().id());
        PlannedPort port = from.outputs().get(from.outputIndex(wire.fromPort()));
        return new Stream(port.schema(), port.eventTime(), unbounded.get(from.id()));
    }

    private static List<PlannedPort> ports(List<String> names, List<Stream> streams) {
        List<PlannedPort> ports = new ArrayList<>();
        for (int k = 0; k < names.size(); k++) {
            ports.add(new PlannedPort(names.get(k), streams.get(k).schema(), streams.get(k).time(), true));
        }
        return ports;
    }

    private List<PlannedPort> outputs(Graph.Operator operator, List<Stream> inputs, PlanningResult outcome, EventTime time) {
        List<PlannedPort> ports = new ArrayList<>();
        for (String name : operator.type().outputs(operator.fields())) {
            boolean linked = !wiring.from(operator.id(), name).isEmpty();
            Stream other = outcome.others().get(name);
            ports.add(name.equals("errors") ? new PlannedPort(name, ERRORS, null, linked)
                    : operator.type().isForLate(name) ? new PlannedPort(name, inputs.get(0).schema(), null, linked)
                    : other != null ? new PlannedPort(name, other.schema(), other.time(), linked)
                    : PlannedPort.declared(name, outcome.out().schema(), time, linked));
        }
        return ports;
    }

    private List<PlannedLink> links() {
        Partitions partitions = new Partitions(planning);
        List<PlannedLink> links = new ArrayList<>();
        Settings settings = planning.settings();
        for (ResolvedLink wire : wiring.all()) {
            PlannedOperator to = planned.get(wire.to().id());
            if (to == null || !planned.containsKey(wire.from().id())) {
                continue;
            }
            int port = to.inputIndex(wire.toPort());
            Stream sender = sent(wire);
            List<List<String>> wanted = keys.get(to.id());
            Partition partition = partitions.of(wire, sender, wanted.isEmpty() ? List.of() : wanted.get(port));
            BufferSpec buffer = wire.fields().isWritten("buffer")
                    ? SettingsDecoder.buffer(wire.fields().fields("buffer")) : settings.buffer();
            CompressionSpec compression = wire.fields().isWritten("compression")
                    ? SettingsDecoder.compression(wire.fields().fields("compression")) : settings.compression();
            links.add(new PlannedLink(wire.index(), wire.name(), wire.fields().string("doc", ""), wire.from().id(),
                    wire.fromPort(), wire.to().id(), wire.toPort(), partition, buffer, compression,
                    StreamUnion.columns(to.inputs().get(port).schema(), sender.schema()), false, false));
        }
        return links.stream().map(l -> new PlannedLink(l.index(), l.name(), l.doc(), l.from(), l.fromPort(), l.to(), l.toPort(),
                l.partition(), l.buffer(), l.compression(), l.columns(),
                Chains.isFused(l, graph.links().get(l.index()).fields(), planned, links),
                SharedProcesses.is(l, graph.links().get(l.index()).fields(), planned, links))).toList();
    }

    private void checkUpstream(Graph.Operator operator, List<PlannedLink> links, List<PlannedLink> timed) {
        PlannedOperator result = planned.get(operator.id());
        result.spec().checkSources(operator, () -> sources(operator, links).stream()
                .collect(Collectors.toMap(PlannedOperator::id, PlannedOperator::spec)), planning.diagnostics());
        if (Lateness.dropsLate(result)) {
            new Lateness(planning, planned, timed).warnOfRepeats(operator, sources(operator, timed));
        }
    }

    private List<PlannedOperator> sources(Graph.Operator operator, List<PlannedLink> links) {
        return Upstream.of(operator.id(), planned::get, links).sources().stream().sorted().map(planned::get).toList();
    }
}
