package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** More seeds: -Ddespina.seeds=5000. One that is replayed with -Ddespina.seed=7 prints its graph. */
class SimulationTest {
    private static final int SEEDS = Seeds.count(500, 1_000);
    private static final int LARGE_SEEDS = Seeds.count(200, 300);
    private static final int LEAST_LARGE = 6 << 10;
    private static final int MOST_LARGE = 100 << 10;

    @Test
    void randomGraphsAlwaysFinishWithTheRightRows() throws Exception {
        AtomicInteger forked = new AtomicInteger();
        Seeds.each(SEEDS, seed -> {
            run(seed, Seeds.REPLAY != null);
            forked.addAndGet(isForked(seed) ? 1 : 0);
        });
        assertTrue(Seeds.REPLAY != null || forked.get() > SEEDS / 100, forked + " graphs have a task that forks");
    }

    private static boolean isForked(long seed) {
        Random random = new Random(seed);
        return new RandomGraph(random, 1 + random.nextInt(3)).isForked();
    }

    @Test
    void packetsFinishThatAreLargerThanWhatFloats() throws Exception {
        AtomicInteger beyond = new AtomicInteger();
        Seeds.each(LARGE_SEEDS, seed -> beyond.accumulateAndGet(runLarge(seed), Math::max));
        assertTrue(Seeds.REPLAY != null || beyond.get() > 1, "at most " + beyond + " segments beyond a budget");
    }

    /** @return how many segments were beyond the budget of a resource */
    private static int runLarge(long seed) {
        Random random = new Random(seed);
        int resources = 1 + random.nextInt(3);
        RandomGraph graph = new RandomGraph(random, resources, LEAST_LARGE + random.nextInt(MOST_LARGE - LEAST_LARGE));
        Simulation simulation = new Simulation(random);
        for (int k = 0; k < resources; k++) {
            simulation.addResource(1 + random.nextInt(3), graph.memory());
        }
        try {
            simulation.start("job", graph.tasks(0, 1, 2));
            simulation.leaveFloating(random.nextBoolean() ? 1 : MOST_LARGE, graph.ranks());
            simulation.runUntilEnded();
            graph.verify();
            assertEquals(0, simulation.memoryInUse(), "bytes in use after the end");
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (replay it with -Ddespina.seed=" + seed + "): " + e.getMessage() + "\n"
                    + graph, e);
        }
        return simulation.seenBeyond();
    }

    @Test
    void theSameSeedDoesTheSameAgain() {
        assertEquals(run(7, false), run(7, false));
    }

    /** @return the simulated time it took */
    private static long run(long seed, boolean verbose) {
        Random random = new Random(seed);
        int resources = 1 + random.nextInt(3);
        RandomGraph graph = new RandomGraph(random, resources);
        if (verbose) {
            System.out.println(graph);
        }
        Simulation simulation = new Simulation(random);
        for (int k = 0; k < resources; k++) {
            simulation.addResource(1 + random.nextInt(3), graph.memory());
        }
        try {
            simulation.start("job", graph.tasks(0, 1, 2));
            simulation.runUntilEnded();
            graph.verify();
            assertEquals(0, simulation.memoryInUse(), "bytes in use after the end");
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (replay it with -Ddespina.seed=" + seed + "): " + e.getMessage() + "\n"
                    + graph, e);
        }
        return simulation.nanos();
    }
}
