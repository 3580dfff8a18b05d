package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.log.Log;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Logs under seeds, see {@link LogSimulation}. More of them: -Ddespina.seeds=200000; one, with its trace: -Ddespina.seed=7. */
class LogSimulationTest {
    private static final int SEEDS = Seeds.count(500, 1_000);

    /** Of files that a dead process cannot delete. */
    private static final Logger WARNINGS = Logger.getLogger(Log.class.getName());

    private final Mark.Counts counts = new Mark.Counts();

    @Test
    void whatWasAcknowledgedIsThere() throws Exception {
        WARNINGS.setLevel(Level.OFF);
        Seeds.each(SEEDS, this::run);
        if (Seeds.REPLAY == null) {
            System.out.println("log simulation: " + counts);
            assertEquals(List.of(), counts.missed(Mark.LOGS), "no seed has met");
        }
    }

    private void run(long seed) {
        LogSimulation simulation = new LogSimulation(seed, counts);
        try {
            String end = simulation.run();
            if (Seeds.REPLAY != null) {
                System.out.println(simulation.trace() + "\n" + end);
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + " (replay it with -Ddespina.seed=" + seed + "): " + e.getMessage() + "\n"
                    + simulation.trace(), e);
        }
    }
}
