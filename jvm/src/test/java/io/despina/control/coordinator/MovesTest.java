package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.sink.file.ShownFiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An operator goes on in another resource, with what it kept. */
class MovesTest extends WithCoordinator {
    private static final int ROWS = 9_000;
    /** That a job does not come to before it is stopped. */
    private static final int NEVER_ALL = 10_000_000;
    private static final String GRAPH = """
            {"format": 1, "name": "moving", "operators": {
             "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id", "id %% 7 AS key"]}, "count": %d,
              "rate_per_s": 3000},
             "counted": {"type": "aggregate", "group_by": ["key"], "select": ["key", "count(*) AS n"], "parallelism": 2},
             "kept": {"type": "file_sink", "format": "csv", "path": "OUT"}},
             "links": [{"from": "made", "to": "counted"}, {"from": "counted", "to": "kept"}]}""";
    private static final String PLACES = """
            {"format": 1, "resources": {"left": {}, "right": {}}, "place": {"*": ["left"]}}""";

    private String start(int rows, boolean keepsState) throws Exception {
        ObjectNode options = Json.object().put("deployment_text", PLACES).put("deployment_file", "places");
        if (keepsState) {
            options.put("state", folder.resolve("state").toString()).put("epoch_ms", 50);
        }
        String graph = GRAPH.formatted(rows).replace("OUT", folder.resolve("out").toString());
        ObjectNode begun = coordinator.run(graph, "moving", Json.text(options));
        String job = begun.path("job").asText();
        reaches(job, 1);
        return job;
    }

    private void reaches(String job, long rows) throws Exception {
        while (coordinator.status(job).at("/operators/counted/packets_in").asLong() < rows && !coordinator.hasEnded(job)) {
            Thread.onSpinWait();
        }
    }

    private List<String> move(String job, String operator, String to) throws Exception {
        return Json.tree(Json.text(coordinator.control(job, "move", operator, to))).path("answers").findValuesAsText("answer");
    }

    private List<String> written() throws IOException {
        return ShownFiles.lines(folder.resolve("out")).stream().sorted().toList();
    }

    @Test
    void anOperatorGoesOnElsewhereWithWhatItKept() throws Exception {
        String job = start(ROWS, true);
        reaches(job, ROWS / 9);
        assertEquals(List.of("from `left` to `right`", "it is in `left` already"), move(job, "counted", "right, left"));
        reaches(job, ROWS / 4);
        assertEquals(List.of("it is in `right` already", "from `left` to `right`"), move(job, "counted", "right"));
        ObjectNode end = done(job);
        assertEquals(IntStream.range(0, 7).mapToObj(key -> key + "," + IntStream.range(0, ROWS).filter(id -> id % 7 == key)
                .count()).toList(), written());
        assertEquals(3, end.path("attempt").asInt(), end.toString());
    }

    private String refused(String job, String operator, String to) {
        Refusal no = assertThrows(Refusal.class, () -> move(job, operator, to));
        return no.getMessage() + (no.hint() == null ? "" : "; " + no.hint());
    }

    @Test
    void whereItCannotGoIsToldAndNothingHappens() throws Exception {
        String job = start(NEVER_ALL, true);
        assertEquals("there is no resource `rihgt`; did you mean `right`?", refused(job, "counted", "rihgt"));
        assertEquals("nothing says where `counted` moves to; name resources of the deployment: left, right",
                refused(job, "counted", " "));
        assertEquals("`move` is for one operator; name it", refused(job, "", "right"));
        assertEquals(List.of("it is in `left` already", "it is in `left` already"), move(job, "counted", "left"));
        assertEquals(1, coordinator.status(job).path("attempt").asInt());
        stop(job);
    }

    @Test
    void aResourceThatWasLostTakesNothingWhileASurvivorPlaysItsPart() throws Refusal {
        JobPlan survived = JobPlan.of(GRAPH.formatted(ROWS), "moving", JobOptions.parse(Json.text(Json.object()
                .put("deployment_text", PLACES).put("state", "s")), System::currentTimeMillis)).value()
                .moved(Map.of("right", "left"));
        Refusal no = assertThrows(Refusal.class, () -> new Moves(MeasuredPlacing.Placed.NOTHING)
                .of(survived, end -> { }).move("counted", "right"));
        assertEquals("resource `right` was lost, and `left` plays its part; name `left`, or another resource of the deployment",
                no.getMessage() + "; " + no.hint());
    }

    @Test
    void aJobWithoutAStateMovesNothing() throws Exception {
        String job = start(NEVER_ALL, false);
        assertEquals("moving does not go on with another attempt, in which the operator could be elsewhere; run it with a folder "
                + "for its state: --state DIR", refused(job, "counted", "right"));
        stop(job);
    }
}
