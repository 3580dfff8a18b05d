package io.despina.control.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Refusal;
import io.despina.placement.Deployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a machine of two nodes, of whose twelve processors a container gives the first ten. */
class AffinityTest {
    @TempDir
    Path root;

    @BeforeEach
    void describe() throws IOException {
        write("proc/self/status", "Name:\tjava\nCpus_allowed_list:\t0-9\n");
        write("sys/devices/system/node/node0/cpulist", "0-5\n");
        write("sys/devices/system/node/node1/cpulist", "6-11\n");
        for (String command : List.of("taskset", "numactl")) {
            assertTrue(write("bin/" + command, "").toFile().setExecutable(true));
        }
    }

    private Path write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    private static Deployment.Resource resource(String fields) {
        return Deployment.load("{\"format\": 1, \"resources\": {\"edge\": {" + fields + "}}}", "d").value().resources().get(0);
    }

    private List<String> command(String fields) throws Refusal {
        return new Affinity(root, root.resolve("none") + ":" + root.resolve("bin")).command(resource(fields));
    }

    private void assertRefused(String fields, String words, String hint) {
        Refusal refused = assertThrows(Refusal.class, () -> command(fields));
        assertEquals(words, refused.getMessage().replace(root.toString(), ""));
        assertEquals(hint, refused.hint());
    }

    @Test
    void aChildStartsBehindTheCommandThatBindsIt() throws Refusal {
        assertEquals(List.of(), command(""));
        assertEquals(List.of(root.resolve("bin/taskset").toString(), "--cpu-list", "0-3,8"), command("\"cpus\": \"8,0-3\""));
        assertEquals(List.of(root.resolve("bin/numactl").toString(), "--cpunodebind=0", "--membind=0"), command("\"node\": 0"));
    }

    @Test
    void whatTheMachineDoesNotGiveIsRefused() {
        assertRefused("\"cpus\": \"8-11\"", "resource `edge` has cpus=8-11, and this process may not run on 10-11",
                "the machine, or its container, gives it 0-9");
        assertRefused("\"node\": 1", "resource `edge` has node=1, and this process may not run on 10-11",
                "the machine, or its container, gives it 0-9");
        assertRefused("\"node\": 2", "resource `edge` has node=2, and this machine has no such node",
                "it has 0, 1: `despina doctor --machine` lists them");
    }

    @Test
    void aToolThatIsMissingIsNamed() throws IOException {
        Files.delete(root.resolve("bin/taskset"));
        Files.delete(root.resolve("bin/numactl"));
        assertRefused("\"cpus\": \"0\"", "resource `edge` has `cpus`, and taskset, by which it is started, is not on the PATH",
                "install util-linux, as by `apt install util-linux`, or leave `cpus` out");
        assertRefused("\"node\": 0", "resource `edge` has `node`, and numactl, by which it is started, is not on the PATH",
                "install numactl, as by `apt install numactl`, or leave `node` out");
    }

    @Test
    void onAnotherSystemTheFieldsAreRefused() throws IOException {
        Files.delete(root.resolve("proc/self/status"));
        assertRefused("\"cpus\": \"0\"", "resource `edge` has `cpus`, and this system does not say which processors it gives "
                + "(/proc/self/status: /proc/self/status)", "leave `cpus` out: it is for Linux");
    }
}
