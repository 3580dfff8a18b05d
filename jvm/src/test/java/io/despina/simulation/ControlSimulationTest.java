package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs that start, drain, are stopped, fail and lose resources or their coordinator, under seeds: each ends, with the rows or the
 * error that it must have, and leaves nothing behind; started again, it ends well. More of them: -Ddespina.seeds=2000; one, with
 * its trace: -Ddespina.seed=7.
 */
class ControlSimulationTest {
    private static final int SEEDS = Seeds.count(500, 1_500);
    private static final int TAKE_OVERS = Seeds.count(100, 500);
    /** Their threads take longer. */
    private static final int WITH_REGISTRY = Seeds.count(40, 500);

    private static final List<Blow> ALL = Stream.of(Blow.values()).filter(each -> !Blow.OF_REGISTRY.contains(each)).toList();

    private static final List<Blow> REGISTERED = List.of(Blow.COORDINATOR_KILLED, Blow.TWO_COORDINATORS, Blow.REGISTRY_AWAY,
            Blow.CUT_OFF);

    /** Of folders that a dead process cannot let go, leases on a full disk, and savepoints that cannot be removed there. */
    private static final List<Logger> WARNINGS = List.of(Logger.getLogger("io.despina.control.coordinator.KeptEpochs"),
            Logger.getLogger("io.despina.control.coordinator.HeldFolder"), Logger.getLogger("io.despina.snapshot.Savepoint"));

    @TempDir
    private Path folder;
    /** How often a fault met with an end. */
    private final Map<String, Integer> seen = new ConcurrentSkipListMap<>();
    private final Mark.Counts counts = new Mark.Counts();

    @Test
    void jobsEndAsTheyMustWhateverHappensToTheirProcesses() throws Exception {
        WARNINGS.forEach(each -> each.setLevel(Level.OFF));
        Seeds.each(SEEDS, seed -> run(seed, ALL));
        if (Seeds.REPLAY != null) {
            return;
        }
        System.out.println("control simulation: " + seen + " " + counts);
        for (Blow fault : ALL) {
            assertTrue(seen.keySet().stream().anyMatch(key -> key.contains(fault + " ")), "no seed tried " + fault);
        }
        assertTrue(seen.keySet().stream().anyMatch(key -> key.contains("resource_lost")), "no job lost a resource");
        assertTrue(seen.containsKey("again done"), "no job was started again");
        assertTrue(seen.getOrDefault("sync passed", 0) > SEEDS, "few marks have passed");
        assertTrue(seen.containsKey("moved"), "no operator was moved");
        assertTrue(seen.getOrDefault("keys moved", 0) > SEEDS / 3, "few keys were moved");
        assertTrue(seen.containsKey("BREAK failed channel"), "no job lost a channel");
        assertEquals(List.of(), counts.missed(Mark.CONTROL), "no seed has met");
    }

    /** -Ddespina.seed replays one of these seeds, too. */
    @Test
    void jobsGoOnWithAnotherCoordinatorOrAsTheirNextAttempt() throws Exception {
        WARNINGS.forEach(each -> each.setLevel(Level.OFF));
        Seeds.each(TAKE_OVERS, seed -> run(seed, List.of(Blow.COORDINATOR_KILLED, Blow.TWO_COORDINATORS)));
        if (Seeds.REPLAY == null) {
            System.out.println("take-over simulation: " + seen + " " + counts);
            assertEquals(List.of(), counts.missed(Mark.TAKE_OVER), "no seed has met");
        }
    }

    /** Whatever leases are lost, where a registry is away, slow or silent, and where the network is cut. */
    @Test
    void withARegistryOneOfThoseThatLiveHasTheJob() throws Exception {
        WARNINGS.forEach(each -> each.setLevel(Level.OFF));
        Seeds.each(WITH_REGISTRY, seed -> run(seed, REGISTERED));
        if (Seeds.REPLAY == null) {
            System.out.println("registry simulation: " + seen + " " + counts);
            assertEquals(List.of(), counts.missed(Mark.TAKE_OVER), "no seed has met");
            for (String each : List.of("registry away", "registry slow", "registry silent about what it did", "lease taken",
                    "cut off")) {
                assertTrue(seen.containsKey(each), "no seed has met: " + each);
            }
        }
    }

    @Test
    void theSameSeedDoesTheSameAgain() throws Exception {
        assertEquals(run(3, ALL), run(3, ALL));
        assertEquals(run(3, REGISTERED), run(3, REGISTERED));
    }

    /** @return when it was over, by its clock */
    private long run(long seed, List<Blow> blows) throws Exception {
        Path here = Files.createTempDirectory(folder, "seed-" + seed + "-");
        ControlScene scene = new ControlScene(new Random(seed), here, new ControlScene.Tally(seen, counts), blows);
        try {
            long end = scene.play();
            if (Seeds.REPLAY != null && Seeds.REPLAY == seed) {
                System.out.println(scene.trace());
            }
            return end;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (replay it with -Ddespina.seed=" + seed + "), " + scene + ": "
                    + e.getMessage() + "\n" + scene.trace(), e);
        }
    }
}
