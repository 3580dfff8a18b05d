package io.despina.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Graph;
import io.despina.plan.Graphs;
import io.despina.plan.Plan;
import io.despina.plan.PlannedChain;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final String RESOURCES = "{\"format\": 1, \"resources\": {\"one\": {}, \"two\": {\"cores\": 2}}, "
            + "\"place\": {%s}}";
    private static final Graph WRITTEN = new Graph("g", "g", "", null, List.of(), List.of(), List.of(), List.of());
    private static final Plan LINE = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "x", "{\"type\": \"relay\"}", "out",
            "{\"type\": \"discard_sink\"}"), "s->x", "x->out"));
    private static final Plan WIDE = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "x",
            "{\"type\": \"relay\", \"parallelism\": 3}", "y", "{\"type\": \"relay\", \"parallelism\": 3}", "out",
            "{\"type\": \"discard_sink\"}"), "s->x", "x->y \"fuse\": false", "y->out"));

    private static Assignment place(Plan plan, String rules) {
        Deployment deployment = Deployment.load(RESOURCES.formatted(rules), "d").value();
        return Placement.place(plan, deployment, WRITTEN).value();
    }

    private static List<String> where(Assignment assignment) {
        return assignment.tasks().stream().map(t -> assignment.chains().get(t.chain()).id() + t.instance() + "@"
                + t.resource()).toList();
    }

    @Test
    void withoutADeploymentEverythingIsInOneResource() {
        Assignment assignment = Placement.place(LINE, Deployment.single("here"), WRITTEN).value();
        assertEquals(List.of("s0@here"), where(assignment));
        assertEquals(List.of(), assignment.channels());
    }

    @Test
    void chainsAreCutBetweenResources() {
        Assignment assignment = place(LINE, "\"x\": [\"two\"], \"*\": [\"one\"]");
        assertEquals(List.of("s0@one", "x0@two", "out0@one"), where(assignment));
        assertEquals(List.of(new Assignment.Channel(0, 0, 0, 1, true), new Assignment.Channel(1, 1, 1, 2, true)),
                assignment.channels());
        Assignment pair = place(LINE, "\"out\": [\"two\"], \"*\": [\"one\"]");
        assertEquals(List.of(List.of("s", "x"), List.of("out")), pair.chains().stream().map(PlannedChain::operators).toList());
    }

    @Test
    void aWayOfAForkThatIsPlacedElsewhereIsCutOff() {
        String sink = "{\"type\": \"discard_sink\"}";
        Plan forked = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "f", "{\"type\": \"filter\", \"where\": \"a\"}",
                "x", "{\"type\": \"relay\"}", "out", sink, "rest", sink), "s->f", "f->x \"fuse\": true", "x->out",
                "f.rejected->rest \"fuse\": true"));
        assertEquals(List.of("s0@one"), where(place(forked, "\"*\": [\"one\"]")));
        Assignment cut = place(forked, "\"x\": [\"two\"], \"out\": [\"two\"], \"*\": [\"one\"]");
        assertEquals(List.of(List.of("s", "f", "rest"), List.of("x", "out")), cut.chains().stream().map(PlannedChain::operators)
                .toList());
        assertEquals(List.of(new Assignment.Channel(0, 1, 0, 1, true)), cut.channels());
    }

    @Test
    void aNameMayStandForSeveralResources() {
        Deployment deployment = Deployment.load("{\"format\": 1, \"resources\": {\"far\": {\"labels\": [\"hall\"]}, "
                + "\"worker\": {\"count\": 2, \"labels\": [\"hall\", \"edge\"]}}, \"place\": {\"s\": [\"far\"], "
                + "\"x\": [\"worker-1\", \"@hall\"], \"y\": [\"worker\"], \"*\": [\"@edge\"]}}", "d").value();
        assertEquals(List.of("far", "worker-0", "worker-1"), deployment.names());
        assertEquals(List.of("s0@far", "x0@worker-1", "x1@far", "x2@worker-0", "y0@worker-0", "y1@worker-1", "y2@worker-0",
                "out0@worker-0"), where(Placement.place(WIDE, deployment, WRITTEN).value()));
    }

    @Test
    void aResourceThatIsNamedTwiceHasTwoInEachTurn() {
        assertEquals(List.of("s0@one", "x0@one", "x1@one", "x2@two", "y0@two", "y1@one", "y2@two", "out0@one"), where(place(WIDE,
                "\"x\": [\"one\", \"one\", \"two\"], \"y\": [\"two\", \"one\", \"two\"], \"*\": [\"one\"]")));
    }

    @Test
    void resourcesAlikeMayBeCalledSpark() {
        Deployment deployment = Deployment.load("{\"format\": 1, \"resources\": {\"spark\": {\"count\": 2}}, \"place\": "
                + "{\"x\": [\"spark\"], \"*\": [\"spark-1\"]}}", "d").value();
        assertEquals(List.of("s0@spark-1", "x0@spark-0", "x1@spark-1", "x2@spark-0", "y0@spark-1", "y1@spark-1", "y2@spark-1",
                "out0@spark-1"), where(Placement.place(WIDE, deployment, WRITTEN).value()));
    }

    @Test
    void instancesGoRoundTheirResources() {
        Assignment assignment = place(WIDE, "\"s\": [\"one\"], \"x\": [\"two\", \"one\"], \"y\": [\"one\"], \"out\": [\"two\"]");
        assertEquals(List.of("s0@one", "x0@two", "x1@one", "x2@two", "y0@one", "y1@one", "y2@one", "out0@two"),
                where(assignment));
        List<Assignment.Channel> forward = assignment.channels().stream().filter(c -> c.link() == 1).toList();
        assertEquals(3, forward.size());
        assertTrue(forward.stream().allMatch(c -> assignment.tasks().get(c.sender()).instance()
                == assignment.tasks().get(c.receiver()).instance()));
        assertEquals(List.of(true, false, true), forward.stream().map(Assignment.Channel::remote).toList());
    }

    @Test
    void theOneThatPlaysALostPartHasItsInstances() {
        Deployment deployment = Deployment.load(RESOURCES.formatted("\"x\": [\"two\", \"one\"], \"*\": [\"one\"]"), "d")
                .value().moved(Map.of("two", "one"));
        Assignment assignment = Placement.place(WIDE, deployment, WRITTEN).value();
        assertEquals(List.of("one"), assignment.resources());
        assertTrue(assignment.tasks().stream().allMatch(task -> task.resource().equals("one")), where(assignment).toString());
        assertTrue(assignment.channels().stream().noneMatch(Assignment.Channel::remote));
        assertEquals(List.of("one"), deployment.present().stream().map(Deployment.Resource::name).toList());
    }

    @Test
    void theOthersStayWhereTheyAreWhenOneIsLost() {
        Deployment three = Deployment.load("{\"format\": 1, \"resources\": {\"a\": {}, \"b\": {}, \"c\": {}}}", "d").value();
        List<String> before = where(Placement.place(WIDE, three, WRITTEN).value());
        List<String> after = where(Placement.place(WIDE, three.moved(Map.of("b", "c")), WRITTEN).value());
        assertEquals(before.stream().map(task -> task.replace("@b", "@c")).toList(), after);
    }

    @Test
    void whatHappensAtALossIsRead() {
        Deployment usual = Deployment.load("{\"format\": 1, \"resources\": {\"a\": {}}}", "d").value();
        assertEquals(new Deployment.Losses(0, Deployment.OnLoss.WAIT, Map.of()), usual.losses());
        Deployment other = Deployment.load("{\"format\": 1, \"resources\": {\"a\": {}}, \"spares\": 2, "
                + "\"on_loss\": \"fail\"}", "d").value();
        assertEquals(new Deployment.Losses(2, Deployment.OnLoss.FAIL, Map.of()), other.losses());
    }

    @Test
    void sparesAreRefusedWhereNothingIsStarted() {
        assertEquals("spares are children of the command, and no resource is one", Deployment.load("""
                {"format": 1, "resources": {"a": {"start": "join", "control_port": 7000}}, "spares": 1}
                """, "d").diagnostics().get(0).message());
    }

    @Test
    void theRestIsSpreadTheSameWayEveryTime() {
        Assignment assignment = place(WIDE, "");
        assertEquals(List.of("s0@one", "x0@two", "x1@one", "x2@two", "y0@one", "y1@two", "y2@one", "out0@two"),
                where(assignment));
        assertEquals(assignment, place(WIDE, ""));
    }
}
