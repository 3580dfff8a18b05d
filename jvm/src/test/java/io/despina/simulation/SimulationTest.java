package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final int SEEDS = 1000;
    /** More of them: -Ddespina.seeds=5000. */
    private static final int LARGE_SEEDS = Integer.getInteger("despina.seeds", 300);
    private static final int LEAST_LARGE = 6 << 10;
    private static final int MOST_LARGE = 100 << 10;
    /** Set to replay one seed, which then prints its graph. */
    private static final Long REPLAY = Long.getLong("despina.seed");

    @Test
    void randomGraphsAlwaysFinishWithTheRightRows() {
        if (REPLAY != null) {
            run(REPLAY, true);
            return;
        }
        for (long seed = 0; seed < SEEDS; seed++) {
            run(seed, false);
        }
    }

    @Test
    void packetsFinishThatAreLargerThanWhatFloats() {
        if (REPLAY != null) {
            runLarge(REPLAY);
            return;
        }
        int beyond = 0;
        for (long seed = 0; seed < LARGE_SEEDS; seed++) {
            beyond = Math.max(beyond, runLarge(seed));
        }
        assertTrue(beyond > 1, "at most " + beyond + " segments beyond a budget");
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
