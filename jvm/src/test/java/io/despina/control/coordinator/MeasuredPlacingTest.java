package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job whose operators run where there is room for them, by what resources measure as they join. */
class MeasuredPlacingTest extends WithCoordinator {
    private static final String GRAPH = """
            {"format": 1, "name": "placed", "operators": {
             "made": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 10},
             "heavy": {"type": "relay"},
             "out": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "heavy", "fuse": false}, {"from": "heavy", "to": "out"}]}""";
    /** The edge can keep a hundredth of a processor busy; what the hall can do is measured. */
    private static final String PLACES = """
            {"format": 1, "resources": {"edge": {"machine": {"cpus": 0.01}}, "hall": {}}, "place": {"made": ["edge"]},
             "placing": {"type": "measured", "rates": {"made": %s}%s}}""";
    private static final String REPORT = """
            {"measured_s": 1, "operators": {"%s": {"packets_in": 1000, "packets_out": 1000, "busy_ms": [100]}}, "links": {}}""";

    private ObjectNode start(String deployment, String state) throws Refusal {
        ObjectNode options = Json.object().put("deployment_text", deployment).put("deployment_file", "places")
                .put("directory", folder.toString());
        if (state != null) {
            options.put("state", folder.resolve(state).toString());
        }
        return coordinator.run(GRAPH, "graph", Json.text(options));
    }

    private String hosts(ObjectNode begun, String operator) throws Exception {
        String job = begun.path("job").asText();
        done(job);
        return coordinator.status(job).at("/operators/" + operator + "/resources").toString();
    }

    private static String places(String rate, String more) {
        return PLACES.formatted(rate, more);
    }

    @Test
    void whatHasNoRoomAtTheEdgeRunsInTheHall() throws Exception {
        Files.writeString(folder.resolve("r.json"), REPORT.formatted("heavy"));
        ObjectNode begun = start(places("1000", ", \"from\": \"r.json\", \"measured_on\": \"hall\""), null);
        assertEquals("[\"edge\"]", hosts(begun, "made"));
        assertEquals("[\"hall\"]", hosts(begun, "heavy"));
        coordinator.startAgain(begun.path("job").asText());
        assertEquals("[\"hall\"]", hosts(begun, "heavy"));
    }

    @Test
    void littleWorkStaysTogether() throws Exception {
        ObjectNode begun = start(places("1", ""), "state");
        assertEquals("[\"edge\"]", hosts(begun, "heavy"));
        assertEquals("[\"edge\"]", hosts(begun, "out"));
    }

    private String refused(String deployment) {
        Refusal no = assertThrows(Refusal.class, () -> start(deployment, null));
        return no.getMessage() + "; " + no.hint();
    }

    @Test
    void whatIsNotKnownOrDoesNotFitIsRefused() throws Exception {
        String cannot = "operators cannot be placed by what is measured: ";
        assertEquals(cannot + "nothing says how much comes from `made`; give its rate in packets per second, as made=1000, by "
                + "`rates` (`--rates`), or the report of a run",
                refused(places("1", "").replace("\"rates\": {\"made\": 1}", "\"rates\": {}")));
        assertEquals(cannot + "a rate is given for `maed`, which is no source of the graph; did you mean `made`?",
                refused(places("1, \"maed\": 1", "")));
        Files.writeString(folder.resolve("r.json"), REPORT.formatted("other"));
        assertEquals(cannot + "the report has costs of `other`, and the graph has no such operator; there are made, heavy, out",
                refused(places("1", ", \"from\": \"r.json\"")));
        assertEquals("the report is of `yard`, which is no resource of the deployment; there are edge, hall",
                refused(places("1", ", \"measured_on\": \"yard\"")));
        assertEquals("the report none.json, which says what operators cost, cannot be read: java.nio.file.NoSuchFileException: "
                + folder.resolve("none.json") + "; `despina run --report FILE` writes one; without one a table says it",
                refused(places("1", ", \"from\": \"none.json\"")));
    }

    @Test
    void aDeploymentThatBindsAllIsRefused() throws Exception {
        ObjectNode told = start(places("1", "").replace("\"made\": [", "\"*\": ["), null);
        assertEquals(List.of("operators are to be placed by what is measured, and `place` binds all of them by `*`"),
                told.path("diagnostics").findValuesAsText("message"));
    }
}
