package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Outliving;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutlivingJobTest {
    private static final String JOINS = "{\"format\": 1, \"resources\": {\"far\": {\"start\": \"join\", "
            + "\"control_port\": 7000}}}";

    private static String graph(String sink) {
        return """
                {"format": 1, "name": "g",
                 "operators": {"in": {"type": "generator_source", "count": 10, "rows": {"type": "select", "select": ["id"]}},
                               "out": {"type": %s}},
                 "links": [{"from": "in", "to": "out"}]}
                """.formatted(sink);
    }

    private static ObjectNode options(String deployment) {
        return Json.object().put("state", "s").put("standby", true).put("deployment_text", deployment);
    }

    private static void look(String sink, ObjectNode options) throws Refusal {
        JobOptions parsed = JobOptions.parse(options.toString(), System::currentTimeMillis);
        OutlivingJob.refuseUnfit(JobPlan.of(graph(sink), "g.json", parsed).value(), parsed);
    }

    @Test
    void aJobOfResourcesThatJoinIsTakenOver() throws Refusal {
        look("\"discard_sink\"", options(JOINS));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "resource `near` is not one that joins: it ends with the command | {\"format\": 1, \"resources\": {\"near\": {}}}",
        "without a deployment the job runs in the process of the command, and ends with it |"})
    void whatEndsWithTheCommandIsRefused(String why, String deployment) {
        assertEquals(why, assertThrows(Refusal.class, () -> look("\"discard_sink\"", options(deployment))).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"console_sink", "collect_sink"})
    void rowsThatGoThroughTheCommandAreRefused(String sink) {
        assertEquals("the rows of operator `out` go through the command or its program, and would be lost with it",
                assertThrows(Refusal.class, () -> look("\"" + sink + "\"", options(JOINS))).getMessage());
    }

    @Test
    void timesThatTheCommandCountsAreRefused() {
        assertEquals("duration_s and warm_up_s are counted by the command, and nobody would know how much of them is left when it"
                + " is lost", assertThrows(Refusal.class, () -> look("\"discard_sink\"", options(JOINS).put("duration_s", 5)))
                .getMessage());
    }

    @Test
    void resourcesGoOnForTenSecondsIfNothingElseIsSaid() throws Refusal {
        assertEquals(new Outliving(10_000, true, null),
                JobOptions.parse(options(JOINS).toString(), System::currentTimeMillis).outliving());
        assertEquals(new Outliving(500, false, null), JobOptions.parse("{\"state\": \"s\", \"coordinator_lost_ms\": 500.0}",
                System::currentTimeMillis).outliving());
        assertEquals(Outliving.NONE, JobOptions.parse("{\"state\": \"s\"}", System::currentTimeMillis).outliving());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "registry=etcd://a:1 is no address of a registry | zookeeper://HOST:PORT,HOST:PORT/PATH; without one, the state folder is"
                + " the registry | etcd://a:1",
        "registry=zookeeper:///p is no address of a registry | zookeeper://HOST:PORT,HOST:PORT/PATH; without one, the state"
                + " folder is the registry | zookeeper:///p",
        "registry=zookeeper://a:x/p is no address of a registry | zookeeper://HOST:PORT,HOST:PORT/PATH; without one, the state"
                + " folder is the registry | zookeeper://a:x/p",
        "registry=zookeeper://a:99999/p is no address of a registry | zookeeper://HOST:PORT,HOST:PORT/PATH; without one, the"
                + " state folder is the registry | zookeeper://a:99999/p",
        "registry=zookeeper://a:1/p/.. is no address of a registry | zookeeper://HOST:PORT,HOST:PORT/PATH; without one, the"
                + " state folder is the registry | zookeeper://a:1/p/..",
        "a password does not belong into the address of a registry | zookeeper://USER@HOST:PORT, with the password as "
                + "DESPINA_REGISTRY_PASSWORD in the environment | zookeeper://u:p@a:1/p"})
    void whatIsNoRegistryIsRefused(String why, String hint, String given) {
        Refusal refused = assertThrows(Refusal.class, () -> JobOptions.parse(Json.object().put("state", "s")
                .put("registry", given).toString(), System::currentTimeMillis));
        assertEquals(why, refused.getMessage());
        assertEquals(hint, refused.hint());
    }

    @ParameterizedTest
    @ValueSource(strings = {"zookeeper://a:2181", "zookeeper://u@a:1,b:2/one/two", "zookeeper://[::1]:2181/.p"})
    void aRegistryHasServersAndPerhapsAUserAndAPath(String given) throws Refusal {
        assertEquals(given, JobOptions.parse(Json.object().put("state", "s").put("registry", given + "/").toString(),
                System::currentTimeMillis).outliving().registry().toString());
    }

    @Test
    void withoutAStateThereIsNothingToTakeOver() {
        assertEquals("standby is about the state of a job, and this one keeps none", assertThrows(Refusal.class,
                () -> JobOptions.parse("{\"standby\": true}", System::currentTimeMillis)).getMessage());
    }
}
