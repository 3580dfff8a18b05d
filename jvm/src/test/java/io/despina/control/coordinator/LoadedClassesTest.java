package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Refusal;
import io.despina.expr.Expressions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadedClassesTest {

    /** Runs a graph without expressions, in a JVM of its own. */
    static final class RelayMain {
        public static void main(String[] arguments) throws Refusal {
            String state;
            try (Coordinator coordinator = new Coordinator()) {
                String job = coordinator.run(JobGraphs.relay(1_000), "relay", "{}").path("job").asText();
                state = coordinator.await(job, 60_000).path("state").asText();
                coordinator.report(job);
            }
            System.exit(state.equals("done") ? 0 : 1);
        }
    }

    /** Loads the compiler on a thread that is interrupted, and again on another one, in a JVM of its own. */
    static final class InterruptedMain {
        public static void main(String[] arguments) throws Exception {
            Thread ends = new Thread(() -> {
                Thread.currentThread().interrupt();
                Expressions.compiler(true, "UTC");
            });
            ends.start();
            ends.join();
            Expressions.compiler(true, "Europe/Rome");
            System.exit(0);
        }
    }

    @Test
    void aThreadThatEndsWhileItLoadsTheCompilerLeavesItToOthers() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), InterruptedMain.class.getName())
                .inheritIO().start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aGraphWithoutExpressionsLoadsNothingOfSparkNorScala(@TempDir Path folder) throws Exception {
        Path log = folder.resolve("loaded");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log, "-cp", System.getProperty("java.class.path"), RelayMain.class.getName())
                .inheritIO().start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(log);
        assertTrue(lines.stream().anyMatch(l -> l.contains("io.despina.control.coordinator.Coordinator ")));
        assertEquals(List.of(), lines.stream().filter(l -> l.contains(" org.apache.spark.") || l.contains(" scala.")).toList());
    }
}
