package io.despina.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Checked;
import io.despina.descriptor.Graph;
import io.despina.placement.Proposal.MachineUse;
import io.despina.placement.Proposal.TaskUse;
import io.despina.placement.Workload.Piece;
import io.despina.plan.Graphs;
import io.despina.plan.Plan;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From the facts in files to a placement. */
class ProposalTest {
    private static final Map<String, String> OPERATORS = Map.of("s", Graphs.source(""), "heavy",
            "{\"type\": \"relay\", \"parallelism\": 2}", "out", "{\"type\": \"discard_sink\"}");
    private static final Plan PLAN = Graphs.sound(Graphs.plan(OPERATORS, "s->heavy", "heavy->out"));
    private static final Graph WRITTEN = Graphs.graph(OPERATORS, "s->heavy", "heavy->out");
    private static final String MACHINES = """
            {"format": 1, "resources": {
               "edge": {"machine": {"cpus": 2, "loops_ns": {"arithmetic": %s, "memory": %s, "bytes": %s}}},
               "far": {"machine": {"cpus": 8}, "cores": 4}},
             "network": [{"between": ["edge", "*"], "mbit_per_s": 100, "round_trip_ms": 2}],
             "place": {"s": ["edge"]}}""".formatted(2 * Loops.REFERENCE.arithmetic(), 2 * Loops.REFERENCE.memory(),
            2 * Loops.REFERENCE.bytes());
    private static final String REPORT = """
            {"graph": "g", "first_packet_s": null, "measured_s": 10.0,
             "operators": {
               "s": {"packets_in": 0, "packets_out": 100000, "busy_ms": [2000]},
               "heavy": {"packets_in": 100000, "packets_out": 1000, "busy_ms": [4000, 6000]},
               "out": {"packets_in": 1000, "packets_out": 0, "busy_ms": [1]}},
             "links": {
               "s->heavy": {"packets": 100000, "bytes": 4000000, "segments": 100},
               "heavy->out": {"packets": 1000, "bytes": 50000, "segments": 100}}}""";

    private static Deployment deployment(String text) {
        Checked<Deployment> loaded = Deployment.load(text, "d");
        assertTrue(loaded.ok(), loaded::render);
        return loaded.value();
    }

    private static Park park(String text) {
        return Park.load(deployment(text), text).value();
    }

    private static String refused(String text) {
        return Park.load(deployment(text), text).render();
    }

    private static Proposal proposal(double rate) {
        Costs costs = Costs.read(REPORT, "r", PLAN, 2).value();
        Rates rates = Rates.of(PLAN, WRITTEN, costs, Map.of("s", rate)).value();
        return Proposal.of(Workload.of(PLAN, deployment(MACHINES), park(MACHINES), costs, rates), park(MACHINES));
    }

    @Test
    void machinesAreAsTheFileSays() {
        Park park = park(MACHINES);
        assertEquals(2, park.machines().get(0).slowness(), 1e-9);
        assertEquals(new Park.Machine("far", 4, 1), park.machines().get(1));
        assertEquals(new Park.Way(100e6 / 8, 2), park.way(1, 0));
    }

    @Test
    void whatIsMeasuredCountsWhereTheFileSaysNothing() {
        String text = """
                {"format": 1, "resources": {"edge": {"machine": {"cpus": 2}}, "hall": {"cores": 3}, "yard": {}, "late":
                   {"start": "join", "control_port": 7171}},
                 "network": [{"between": ["edge", "hall"], "mbit_per_s": 100, "round_trip_ms": 2},
                             {"between": ["edge", "late"], "mbit_per_s": 1}],
                 "placing": {"type": "measured", "late": ["late"]}}""";
        Loops half = new Loops(Loops.REFERENCE.arithmetic() / 2, Loops.REFERENCE.memory() / 2, Loops.REFERENCE.bytes() / 2);
        Park.Way narrow = new Park.Way(1e6, 7);
        Park park = Park.load(deployment(text).withoutLate(), text, new Park.Measured(Map.of("edge", new Park.Found(8, half),
                "hall", new Park.Found(8, half), "yard", new Park.Found(8, half)), List.of(
                new Park.FoundWay("edge", "hall", narrow), new Park.FoundWay("hall", "yard", narrow)))).value();
        assertEquals(List.of(new Park.Machine("edge", 2, 1), new Park.Machine("hall", 3, 0.5), new Park.Machine("yard", 8, 0.5)),
                park.machines());
        assertEquals(new Park.Way(100e6 / 8, 2), park.way(0, 1));
        assertEquals(narrow, park.way(2, 1));
        assertEquals(Park.Way.OPEN, park.way(0, 2));
    }

    @Test
    void aReportSaysWhatOperatorsCost() {
        Costs costs = Costs.read(REPORT, "r", PLAN, 2).value();
        assertEquals(10_000, costs.nanos(PLAN.operator("s"), true), "20 us on a machine that takes twice as long");
        assertEquals(50_000, costs.nanos(PLAN.operator("heavy"), true));
        assertEquals(0.01, costs.ratio(PLAN.operator("heavy"), PLAN.linksFrom("heavy", "out").get(0)));
        assertEquals(40, costs.bytes(PLAN.operator("s"), PLAN.linksFrom("s", "out").get(0)));
        assertEquals(Map.of("s", 10_000.0, "heavy", 10_000.0, "out", 100.0), Rates.of(PLAN, WRITTEN, costs, Map.of()).value()
                .taken());
    }

    @Test
    void whatRanBehindAnotherIsInItsTime() {
        String fused = REPORT.replace("\"bytes\": 50000, \"segments\": 100", "\"bytes\": 0, \"segments\": 0");
        Costs costs = Costs.read(fused, "r", PLAN, 1).value();
        assertEquals(0, costs.nanos(PLAN.operator("out"), false));
        assertTrue(costs.nanos(PLAN.operator("out"), true) > 0, "in a task of its own it costs something");
    }

    @Test
    void whatIsAddedUpBeforeALinkCountsAsThePacketsThatItIsOf() {
        Map<String, String> line = Map.of("s", Graphs.source(""), "w", "{\"type\": \"aggregate\", \"group_by\": [\"name\"], "
                + "\"parallelism\": 2, \"window\": {\"type\": \"tumbling\", \"size_ms\": 5}, \"select\": [\"name\", "
                + "\"count(*) AS n\"]}", "out", "{\"type\": \"discard_sink\"}");
        Plan plan = Graphs.sound(Graphs.plan(line, "s->w", "w->out"));
        assertTrue(plan.carriesParts(plan.linksFrom("s", "out").get(0)));
        Costs costs = Costs.read(REPORT.replace("heavy", "w").replace("{\"packets\": 100000, \"bytes\": 4000000",
                "{\"packets\": 500, \"bytes\": 20000"), "r", plan, 1).value();
        assertEquals(Map.of("s", 10_000.0, "w", 10_000.0, "out", 100.0), Rates.of(plan, Graphs.graph(line, "s->w", "w->out"),
                costs, Map.of()).value().taken());
        assertEquals(0.2, costs.bytes(plan.operator("s"), plan.linksFrom("s", "out").get(0)), "for each packet");
        assertEquals(100_000, costs.nanos(plan.operator("w"), true));
    }

    @Test
    void heavyWorkLeavesTheSlowMachine() {
        Proposal proposal = proposal(20_000);
        assertEquals(List.of("edge"), proposal.place().get("s"), "as the file says");
        assertEquals(List.of("far"), proposal.place().get("heavy"));
        assertEquals(List.of("s"), proposal.tasks().get(0).operators());
        assertEquals(0.4, proposal.tasks().get(0).busy(), 1e-9);
        assertEquals(0.5, proposal.tasks().get(1).busy(), 1e-9);
        assertEquals(0.5, proposal.greatest(), 1e-9);
        MachineUse far = proposal.machines().get(1);
        assertEquals(4, far.cpus());
        assertEquals(1.0, far.busy(), 0.01);
        assertEquals(20_000 * 40, proposal.ways().get(0).bytesPerS(), 1e-3);
        assertEquals(20_000 * 40 / 12.5e6, proposal.ways().get(0).share(), 1e-9);
    }

    @Test
    void whatDoesNotFitIsSaid() {
        Proposal proposal = proposal(60_000);
        assertEquals(1.5, proposal.greatest(), 1e-9);
        assertEquals(2, proposal.tasks().stream().filter(each -> each.busy() > 1.4).map(TaskUse::instance).distinct().count());
    }

    @Test
    void aChainIsCutWhereTheFileBindsItsOperatorsApart() {
        Map<String, String> line = Map.of("s", Graphs.source(""), "x", "{\"type\": \"relay\"}", "y", "{\"type\": \"relay\"}",
                "out", "{\"type\": \"discard_sink\"}");
        Plan plan = Graphs.sound(Graphs.plan(line, "s->x", "x->y", "y->out"));
        String bound = MACHINES.replace("\"s\": [\"edge\"]", "\"s\": [\"edge\"], \"y\": [\"far\"]");
        Workload work = Workload.of(plan, deployment(bound), park(bound), Costs.UNKNOWN, Rates.of(plan,
                Graphs.graph(line, "s->x", "x->y", "y->out"), Costs.UNKNOWN, Map.of("s", 1.0)).value());
        assertEquals(List.of(List.of("s", "x"), List.of("y", "out")), work.pieces().stream().map(Piece::operators).toList());
        assertEquals(List.of(0, 1), work.pieces().stream().map(Piece::fixed).toList());
        assertEquals(1, work.flows().size());
    }

    @Test
    void functionsOfOneProcessAreKeptTogetherAndBoundTogether() {
        String function = "{\"type\": \"python\", \"function\": \"mine:f\", \"adds\": \"%s INT\", \"parallelism\": 2}";
        Map<String, String> row = Map.of("s", Graphs.source(""), "x", function.formatted("m"), "y", function.formatted("n"),
                "z", function.formatted("o"), "out", "{\"type\": \"discard_sink\"}");
        String[] links = {"s->x", "x->y", "y->z", "z->out"};
        Plan plan = Graphs.sound(Graphs.plan(row, links));
        Rates rates = Rates.of(plan, Graphs.graph(row, links), Costs.UNKNOWN, Map.of("s", 1.0)).value();
        Workload work = Workload.of(plan, deployment(MACHINES), park(MACHINES), Costs.UNKNOWN, rates);
        assertEquals(List.of("x0 y0 z0", "x1 y1 z1"), work.together().stream().map(all -> String.join(" ", all.stream()
                .map(k -> work.pieces().get(k).operators().get(0) + work.pieces().get(k).instance()).toList())).toList());
        String bound = MACHINES.replace("\"s\": [\"edge\"]", "\"s\": [\"edge\"], \"x\": [\"far\"]");
        assertEquals(List.of(1), Workload.of(plan, deployment(bound), park(bound), Costs.UNKNOWN, rates).pieces().stream()
                .filter(each -> "xyz".contains(each.operators().get(0))).map(Piece::fixed).distinct().toList());
    }

    @Test
    void whatIsWrongIsToldAtItsPlace() {
        assertEquals("r:4:10: error[unknown_operator]: the report has costs of `hevy`, and the graph has no such operator (at "
                + "/operators/hevy, operator hevy)\n  hint: did you mean `heavy`?",
                Costs.read("{\"links\": {},\n \"first\": null,\n \"operators\":\n{\"hevy\": {}}}", "r", PLAN, 1).render());
        assertEquals("r:1:1: error[missing_field]: this is no report of a run\n  hint: `despina run --report FILE` writes one",
                Costs.read("{}", "r", PLAN, 1).render());
        assertEquals("g:1:1: error[unknown_operator]: a rate is given for `heavy`, which is no source of the graph\n"
                + "  hint: there are s", Rates.of(PLAN, WRITTEN, Costs.UNKNOWN, Map.of("heavy", 1.0, "s", 1.0)).render());
        assertEquals("g:1:1: error[out_of_range]: the rate of `s` is NaN packets per second\n  hint: more than 0, and 1e15 at "
                + "most", Rates.of(PLAN, WRITTEN, Costs.UNKNOWN, Map.of("s", Double.NaN)).render());
        assertTrue(Rates.of(PLAN, WRITTEN, Costs.UNKNOWN, Map.of()).render().contains(
                "error[missing_field]: nothing says how much comes from `s` (at /operators/s, operator s)"));
        assertTrue(refused("{\"format\": 1, \"resources\": {\"edge\": {}}}").contains("d:1:37: error[missing_field]: nothing "
                + "says how many processors resource `edge` has"));
        assertTrue(refused("{\"format\": 1, \"resources\": {\"edge\": {\"cores\": 1, \"count\": 257}}}").contains(
                "error[out_of_range]: operators are to be placed on 257 resources"));
    }

    @Test
    void aNetworkIsSaidOnce() {
        String two = "{\"format\": 1, \"resources\": {\"a\": {\"cores\": 1}, \"b\": {\"cores\": 1}}, \"network\": [%s]}";
        String way = "{\"between\": [\"%s\"], \"mbit_per_s\": 1}";
        assertTrue(refused(two.formatted(way.formatted("a\", \"b") + ", " + way.formatted("b\", \"a")))
                .contains("what is between `b` and `a` was said above"));
        assertTrue(refused(two.formatted(way.formatted("a\", \"a"))).contains("`a` and `a` are one resource"));
        assertTrue(refused(two.formatted(way.formatted("a"))).contains("`between` has 1 names"));
        assertTrue(refused(two.formatted(way.formatted("a\", \"c"))).contains("there is no resource `c`"));
        assertTrue(Deployment.load(two.formatted(way.formatted("a\", \"b").replace(": 1", ": 0")), "d").render()
                .contains("error[out_of_range]: 0 is out of range: more than 0"));
        assertTrue(Deployment.load("{\"format\": 1, \"resources\": {\"a\": {}, \"a\": {}}}", "d").render()
                .contains("error[duplicate_key]"));
    }
}
