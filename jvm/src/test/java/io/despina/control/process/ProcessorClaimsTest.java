package io.despina.control.process;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a machine of eight processors, four in each node. */
class ProcessorClaimsTest {
    private static final String HINT = "name others, or wait until that job has ended";

    @TempDir
    Path root;

    @BeforeEach
    void describe() throws IOException {
        write("proc/self/status", "Cpus_allowed_list:\t0-7\n");
        write("proc/uptime", "1 1\n");
        write("sys/devices/system/node/node0/cpulist", "0-3\n");
        write("sys/devices/system/node/node1/cpulist", "4-7\n");
        runs(7, List.of("vim", "ResourceMain.java", "--cpus", "0-7", "--share", "exclusive"));
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void runs(long pid, List<String> words) throws IOException {
        write("proc/" + pid + "/cmdline", String.join("\0", words) + "\0");
    }

    private static Deployment deployment(String resources) {
        return Deployment.load("{\"format\": 1, \"resources\": {" + resources + "}}", "d").value();
    }

    private static Deployment.Resource resource(String name, String fields) {
        return deployment("\"" + name + "\": {" + fields + "}").resources().get(0);
    }

    private Affinity machine() {
        return new Affinity(root, "");
    }

    private ProcessorClaims claims() {
        return new ProcessorClaims(machine(), 0);
    }

    /** A child that has been started with these fields. */
    private void runs(long pid, String name, String fields) throws IOException, Refusal {
        List<String> words = new ArrayList<>(List.of("taskset", "--cpu-list", "0", "java", "-cp", "x",
                ResourceMain.class.getName(), "--name", name, "--join", "h:1"));
        words.addAll(claims().arguments(resource(name, fields)));
        runs(pid, words);
    }

    private void assertRefused(String fields, String words) {
        Refusal refused = assertThrows(Refusal.class, () -> claims().await(resource("own", fields)));
        assertEquals(words, refused.getMessage());
        assertEquals(HINT, refused.hint());
    }

    @Test
    void whatAnotherHasForItselfIsRefused() throws Exception {
        runs(101, "fast", "\"cpus\": \"2-3\", \"share\": \"exclusive\"");
        assertRefused("\"cpus\": \"3-4\"", "resource `own` names processors 3-4, and resource `fast` (process 101) has 3 for "
                + "itself");
        assertRefused("\"node\": 0", "resource `own` names processors 0-3, and resource `fast` (process 101) has 2-3 for itself");
        for (String fields : List.of("", "\"cpus\": \"0-1,4\"", "\"node\": 1, \"share\": \"exclusive\"")) {
            assertDoesNotThrow(() -> claims().await(resource("own", fields)), fields);
        }
    }

    @Test
    void whatOthersHaveIsNotHadAlone() throws Exception {
        runs(99, "any", "");
        runs(101, "slow", "\"cpus\": \"1\"");
        assertRefused("\"node\": 0, \"share\": \"exclusive\"", "resource `own` is to have processors 0-3 for itself, and "
                + "resource `slow` (process 101) has 1");
        assertDoesNotThrow(() -> claims().await(resource("own", "\"cpus\": \"0-1\"")), "both share");
    }

    @Test
    void ofTwoThatWereStartedAtOnceTheLaterGivesWay() throws Exception {
        String fields = "\"cpus\": \"0\", \"share\": \"exclusive\"";
        runs(101, "one", fields);
        runs(102, "other", fields);
        claims().confirm(resource("one", fields), 101);
        Refusal refused = assertThrows(Refusal.class, () -> claims().confirm(resource("other", fields), 102));
        assertEquals("resource `other` names processors 0, and resource `one` (process 101) has 0 for itself",
                refused.getMessage());
    }

    private String overcommitted(String resources) {
        return assertThrows(Refusal.class, () -> Overcommitment.refuse(deployment(resources), machine())).getMessage();
    }

    @Test
    void moreThreadsThanProcessorsAreRefusedWhereTheDeploymentSaysSo() {
        String strict = ", \"overcommit\": false";
        assertEquals("resource `a` is not to be overcommitted, and 12 threads (`a` 4, `b` 8) would be on 8 processors, 0-7",
                overcommitted("\"a\": {\"cpus\": \"0-3\"" + strict + "}, \"b\": {}"));
        assertEquals("resource `a` is not to be overcommitted, and 5 threads (`a` 5) would be on 4 processors, 4-7",
                overcommitted("\"a\": {\"node\": 1, \"io_threads\": 1" + strict + "}"));
        assertEquals("resource `a-0` is not to be overcommitted, and 10 threads (`a-0` 5, `a-1` 5) would be on 8 processors, 0-7",
                overcommitted("\"a\": {\"count\": 2, \"cores\": 5" + strict + "}"));
        for (String fits : List.of("\"a\": {\"node\": 0" + strict + "}, \"b\": {\"node\": 1, \"cores\": 9}",
                "\"a\": {\"cores\": 6, \"io_threads\": 1" + strict + "}, \"b\": {\"cores\": 1}", "\"a\": {}, \"b\": {}",
                "\"a\": {\"node\": 0" + strict + "}, \"b\": {\"start\": \"join\", \"control_port\": 7171}")) {
            assertDoesNotThrow(() -> Overcommitment.refuse(deployment(fits), machine()), fits);
        }
    }
}
