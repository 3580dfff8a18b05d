package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs that start, drain, are stopped, fail and lose resources, under seeds: each ends, with the rows or the error that it must
 * have, and leaves nothing behind; started again, it ends well. More of them: -Ddespina.seeds=2000; one: -Ddespina.seed=7.
 */
class ControlSimulationTest {
    private static final int SEEDS = Integer.getInteger("despina.seeds", 60);
    private static final Long REPLAY = Long.getLong("despina.seed");
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int KEPT_PORT = 7_171;
    private static final List<String> NAMES = List.of("a", "b", "c");

    /** What is done to a job, or to a resource that it needs. */
    private enum Fault { NONE, DRAIN, NOW, NO_INPUT, BREAK, KILL, CUT, FREEZE, STALL, SHORT_FREEZE, SHORT_STALL }

    /** After which the job is started again, until it ends well. */
    private static final Set<Fault> LOSING = Set.of(Fault.BREAK, Fault.KILL, Fault.CUT, Fault.FREEZE, Fault.STALL);
    private static final int MOST_ATTEMPTS = 40;
    private static final int MOST_TRIES = 100;

    @TempDir
    private Path folder;
    /** How often a fault met with an end. */
    private final Map<String, Integer> seen = new TreeMap<>();

    @Test
    void jobsEndAsTheyMustWhateverHappensToTheirResources() throws Exception {
        if (REPLAY != null) {
            run(REPLAY);
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            run(seed);
        }
        System.out.println("control simulation: " + seen);
        for (Fault fault : Fault.values()) {
            assertTrue(seen.keySet().stream().anyMatch(key -> key.startsWith(fault + " ")), "no seed tried " + fault);
        }
        assertTrue(seen.keySet().stream().anyMatch(key -> key.contains("resource_lost")), "no job lost a resource");
        assertTrue(seen.containsKey("again done"), "no job was started again");
        assertTrue(seen.containsKey("BREAK failed channel"), "no job lost a channel");
    }

    @Test
    void theSameSeedDoesTheSameAgain() throws Exception {
        assertEquals(run(3), run(3));
    }

    /** @return when it was over, by its clock */
    private long run(long seed) throws Exception {
        Path here = Files.createTempDirectory(folder, "seed-" + seed + "-");
        Scene scene = new Scene(new Random(seed), here);
        try {
            return scene.play();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (replay it with -Ddespina.seed=" + seed + "), " + scene + ": "
                    + e.getMessage(), e);
        }
    }

    /** A job of a scene, in a folder of its own. */
    private static final class Work {
        private final Path here;
        private final int rows;
        private final String input;
        private String job;
        private JsonNode status;

        Work(Path here, int rows, String input) throws IOException {
            this.here = Files.createDirectory(here);
            this.rows = rows;
            this.input = input;
            Files.writeString(here.resolve("in.txt"), String.join("\n", lines(rows)) + (rows == 0 ? "" : "\n"));
        }

        private static List<String> lines(int rows) {
            return IntStream.range(0, rows).mapToObj(Integer::toString).toList();
        }

        String graph(int capacity) {
            return """
                    {"format": 1, "name": "simulated",
                     "operators": {
                       "source": {"type": "file_source", "path": "%s", "format": "text"},
                       "relay": {"type": "relay"},
                       "sink": {"type": "file_sink", "path": "%s", "single_file": true, "format": "text",
                                "if_exists": "replace"}},
                     "links": [{"from": "source", "to": "relay", "fuse": false, "buffer": {"capacity_bytes": %d}},
                               {"from": "relay", "to": "sink", "fuse": false}]}
                    """.formatted(here.resolve(input), here.resolve("out.txt"), capacity);
        }

        String end() {
            String rule = status.at("/error/rule").asText();
            return status.path("state").asText() + (rule.isEmpty() ? "" : " " + rule);
        }

        boolean isDone() {
            return end().equals("done");
        }

        /** What can be seen is whole lines from the first one on, all of them if the job is done. */
        void checkRows() throws IOException {
            Path out = here.resolve("out.txt");
            if (!Files.exists(out)) {
                assertTrue(!isDone() || rows == 0, "no output: " + status);
                return;
            }
            List<String> found = Files.readAllLines(out);
            assertEquals(lines(isDone() ? rows : found.size()), found);
        }

        /** No file is left that nobody has told of, but for the rows of a resource that was lost: it has nobody to tell. */
        void checkFiles(boolean lost) throws IOException {
            Set<String> names = new TreeSet<>();
            try (Stream<Path> files = Files.list(here)) {
                files.forEach(file -> names.add(file.getFileName().toString()));
            }
            names.removeAll(Set.of("in.txt", "out.txt"));
            status.path("left_behind").forEach(left -> names.remove(Path.of(left.asText()).getFileName().toString()));
            names.removeIf(name -> lost && name.endsWith(".left"));
            assertEquals(Set.of(), names);
        }
    }

    /** One seed's jobs, deployment and fault. */
    private final class Scene {
        private final Random random;
        private final Path folder;
        private final ControlSimulation simulation;
        private final int resources;
        private final boolean kept;
        private final List<String> placed = new ArrayList<>();
        private final Fault fault;
        /** The first is the one that the fault is meant for. */
        private final List<Work> works = new ArrayList<>();

        Scene(Random random, Path folder) throws IOException {
            this.random = random;
            this.folder = folder;
            simulation = new ControlSimulation(random);
            resources = Math.min(1 + random.nextInt(5), NAMES.size());
            kept = random.nextBoolean();
            fault = Fault.values()[random.nextInt(Fault.values().length)];
            for (int k = 0; k < 3; k++) {
                placed.add(NAMES.get(random.nextInt(resources)));
            }
            int jobs = random.nextInt(3) == 0 ? 2 : 1;
            for (int k = 0; k < jobs; k++) {
                works.add(new Work(folder.resolve("job-" + k), random.nextInt(random.nextInt(4) == 0 ? 10 : 20_000),
                        fault == Fault.NO_INPUT && k == 0 ? "none" : "in.txt"));
            }
        }

        private String deployment() {
            StringBuilder written = new StringBuilder("{\"format\": 1, \"resources\": {");
            for (int k = 0; k < resources; k++) {
                written.append(k == 0 ? "" : ", ").append('"').append(NAMES.get(k)).append("\": ").append(k == 0 && kept
                        ? "{\"start\": \"join\", \"host\": \"127.0.0.1\", \"control_port\": " + KEPT_PORT + "}" : "{}");
            }
            return written + "}, \"place\": {\"source\": [\"%s\"], \"relay\": [\"%s\"], \"sink\": [\"%s\"]}}"
                    .formatted(placed.get(0), placed.get(1), placed.get(2));
        }

        /** @return when it was over, by its clock */
        long play() throws Exception {
            Path secret = Files.createFile(folder.resolve("secret"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(secret, "a secret of thirty-two characters");
            String options = Json.object().put("deployment_text", deployment()).put("directory", folder.toString())
                    .put("started_at_ms", 0).put("secret_file", secret.toString()).toString();
            for (Work work : works) {
                String graph = work.graph(1 << 10 + random.nextInt(6));
                work.job = simulation.coordinator().run(graph, "test", options).path("job").asText();
            }
            if (kept) {
                simulation.keep(NAMES.get(0), KEPT_PORT);
            }
            disturb();
            for (Work work : works) {
                end(work, 1);
                check(work);
            }
            startAgain();
            simulation.close();
            for (Work work : works) {
                work.checkFiles(LOSING.contains(fault));
            }
            return simulation.time().now();
        }

        /** Those that were hit, until they end well; another fault may come meanwhile, and a last one may still wear off. */
        private void startAgain() throws Exception {
            for (int attempt = 2; LOSING.contains(fault) && works.stream().anyMatch(work -> !work.isDone()); attempt++) {
                assertTrue(attempt < MOST_ATTEMPTS, "it never ends well");
                List<Work> again = works.stream().filter(work -> !work.isDone()).toList();
                // what is frozen may hold a lock until it is thawed
                long then = simulation.time().now() + (attempt == 2 ? 0 : SECOND);
                simulation.time().at(then, () -> { });
                simulation.runUntil(() -> simulation.time().now() >= then);
                for (Work work : again) {
                    ObjectNode answer = simulation.coordinator().startAgain(work.job);
                    assertEquals(work.status.path("attempt").asInt() + 1, answer.path("attempt").asInt());
                }
                if (attempt == 2 && random.nextBoolean()) {
                    disturb();
                }
                for (Work work : again) {
                    end(work, work.status.path("attempt").asInt() + 1);
                    work.checkRows();
                    count("again " + work.end());
                }
            }
        }

        private void end(Work work, int attempt) throws Refusal {
            simulation.runUntil(() -> hasEnded(work.job));
            work.status = simulation.coordinator().await(work.job, 0);
            assertEquals(attempt, work.status.path("attempt").asInt());
        }

        private boolean hasEnded(String job) {
            try {
                return simulation.coordinator().hasEnded(job);
            } catch (Refusal e) {
                throw new AssertionError(e);
            }
        }

        private void disturb() {
            if (random.nextInt(5) == 0) {
                // while resources start and join
                simulation.time().after(random.nextLong(2 * SECOND), this::strike);
            } else {
                // soon after, or late: at the first words, in the middle, or while it commits
                simulation.afterDeployment(random.nextInt(1 << 2 + random.nextInt(11)), this::strike);
            }
        }

        private void strike() {
            try {
                if (fault == Fault.DRAIN || fault == Fault.NOW) {
                    simulation.coordinator().stop(works.get(0).job, fault == Fault.DRAIN ? "drain" : "now");
                    return;
                }
            } catch (Refusal e) {
                throw new AssertionError(e);
            }
            SimulatedResource one = simulation.resource(NAMES.get(random.nextInt(resources)));
            if (one == null) {
                return;
            }
            switch (fault) {
                case BREAK -> breakOne(MOST_TRIES);
                case KILL -> one.kill();
                case CUT -> one.connection().cut();
                case FREEZE -> one.freeze(6 * SECOND + random.nextLong(20 * SECOND));
                case SHORT_FREEZE -> one.freeze(random.nextLong(3 * SECOND));
                case STALL -> one.connection().stall(random.nextBoolean(), 6 * SECOND + random.nextLong(10 * SECOND));
                case SHORT_STALL -> one.connection().stall(random.nextBoolean(), random.nextLong(3 * SECOND));
                default -> { }
            }
        }

        /** As soon as there is a channel that has both its ends. */
        private void breakOne(int tries) {
            if (!simulation.network().breakOne() && tries > 0) {
                simulation.time().after(SECOND / 2_000, () -> breakOne(tries - 1));
            }
        }

        private void check(Work work) throws IOException {
            Fault its = work == works.get(0) || LOSING.contains(fault) ? fault : Fault.NONE;
            count(its + " " + work.end());
            Set<String> allowed = switch (its) {
                case NONE, SHORT_FREEZE, SHORT_STALL -> Set.of("done");
                case DRAIN, NOW -> Set.of("done", "stopped");
                case NO_INPUT -> Set.of("failed operator");
                case BREAK -> Set.of("done", "failed channel");
                case KILL, CUT, FREEZE, STALL -> Set.of("done", "failed resource_lost", "failed resource_start");
            };
            assertTrue(allowed.contains(work.end()), its + " ends as " + work.status);
            work.checkRows();
        }

        private void count(String what) {
            seen.merge(what, 1, Integer::sum);
        }

        @Override
        public String toString() {
            return fault + " of " + works.stream().map(work -> work.rows + " rows").toList() + " on " + placed + " of "
                    + resources + (kept ? " with a kept one" : "") + ": " + simulation;
        }
    }
}
