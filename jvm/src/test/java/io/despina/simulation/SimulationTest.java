package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static final int SEEDS = 1000;
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
