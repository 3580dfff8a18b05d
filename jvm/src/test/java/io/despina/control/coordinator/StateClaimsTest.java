package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.members.Member;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Diagnostic;
import io.despina.json.Json;
import io.despina.placement.Deployment;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.StateFolder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateClaimsTest {
    /** No machine has it (RFC 5737). */
    private static final String ELSEWHERE = "203.0.113.5";
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "operators": {"in": {"type": "generator_source", "count": 10, "rows": {"type": "select", "select": ["id"]}},
                           "out": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "out"}]}
            """;

    private static void refuse(String options, String... hosts) throws Refusal {
        Submission submission = new Submission("{}", "g.json", JobOptions.parse(options, System::currentTimeMillis));
        UnseenState.refuse(submission, List.of(hosts).stream().<Member>map(host -> new FakeMember(host) {
            @Override
            public InetSocketAddress dataAddress() {
                return InetSocketAddress.createUnresolved(host, 1);
            }
        }).toList());
    }

    @Test
    void aPathIsRefusedWhereAPartOfTheJobIsElsewhere() {
        Refusal why = assertThrows(Refusal.class,
                () -> refuse("{\"state\": \"kept\", \"directory\": \"/data\"}", "127.0.0.1", ELSEWHERE));
        assertEquals("state", why.rule());
        assertEquals("resource `203.0.113.5` runs on 203.0.113.5, and the state folder /data/kept is on this machine",
                why.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"hdfs://nodes/kept", "s3a://bucket/kept", "file:///mounted/kept"})
    void anAddressIsTakenForOneThatAllSee(String address) throws Refusal {
        refuse("{\"state\": \"" + address + "\"}", ELSEWHERE);
    }

    @Test
    void aPathIsSeenByResourcesOfThisMachineUnderAnyOfItsNames() throws Exception {
        refuse("{\"state\": \"kept\"}", "127.0.0.1", "localhost", InetAddress.getLocalHost().getHostAddress());
    }

    private static List<String> warnings(String options, String resource) throws Refusal {
        Deployment deployment = Deployment.load("{\"format\": 1, \"resources\": {\"far\": " + resource + "}}", "d.json").value();
        return UnseenState.warnings(deployment, JobOptions.parse(options, System::currentTimeMillis).recovery()).stream()
                .map(Diagnostic::render).toList();
    }

    @Test
    void aCheckWarnsOfAResourceThatMayJoinFromElsewhere() throws Refusal {
        String hint = "\n  hint: name a folder that all resources see: hdfs://…, s3a://…, or file:///… for one that each machine"
                + " has mounted there";
        String words = ", and the state folder kept is on the machine of `despina run`: from another machine the job is refused"
                + " (at /resources/far)" + hint;
        assertEquals(List.of("d.json:1:36: warning[state]: resource `far` joins" + words),
                warnings("{\"state\": \"kept\"}", "{\"start\": \"join\", \"control_port\": 7000}"));
        assertEquals(List.of("d.json:1:36: warning[state]: resource `far` joins from 203.0.113.5" + words),
                warnings("{\"state\": \"kept\"}", "{\"start\": \"join\", \"control_port\": 7000, \"host\": \"" + ELSEWHERE
                        + "\"}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"start\": \"child\"}", "{\"start\": \"join\", \"control_port\": 7000, \"host\": \"127.0.0.1\"}"})
    void aCheckSaysNothingOfResourcesOfThisMachine(String resource) throws Refusal {
        assertEquals(List.of(), warnings("{\"state\": \"kept\"}", resource));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"state\": \"s3a://bucket/kept\"}"})
    void aCheckSaysNothingWhereAllSeeTheState(String options) throws Refusal {
        assertEquals(List.of(), warnings(options, "{\"start\": \"join\", \"control_port\": 7000}"));
    }

    @Test
    void aJobThatKeepsNoStateRunsAnywhere() throws Refusal {
        refuse("{}", ELSEWHERE);
    }

    /** A resource was lost in the first epoch: what others have written of it is there, and no manifest. */
    @ParameterizedTest
    @CsvSource({"false, false, true, false", "true, false, true, true", "true, true, true, false", "true, true, false, false"})
    void whatRunsBesideQueriesOfSparkKeepsItsIdUntilTheUserSaysOtherwise(boolean part, boolean anew, boolean written,
            boolean same, @TempDir Path folder) throws Exception {
        StateFolder state = StateFolder.at(new LocalStore(folder), "g");
        String before = state.id();
        if (written) {
            Files.createDirectories(folder.resolve("g/data/1"));
            Files.createFile(folder.resolve("g/data/1/1.near.base"));
        }
        ObjectNode options = Json.object().put("state", folder.toString()).put("part", part);
        try (Coordinator coordinator = new Coordinator()) {
            String job = coordinator.run(GRAPH, "test", Json.text(anew ? options.put("from_start", true) : options)).get("job")
                    .asText();
            assertEquals("done", coordinator.await(job, 60_000).path("state").asText());
        }
        assertEquals(same, state.id().equals(before));
    }
}
