package io.despina.simulation;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.despina.control.protocol.Refusal;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Savepoint;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Savepoints of a simulated job, taken while it meets what comes, and a job that goes on from one of them. */
final class ControlSavepoint {
    private static final int MOST = 5;
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(60);
    private static final int STOPS_ONE_IN = 8;

    private final ControlSimulation simulation;
    private final Path folder;
    private final ControlWork work;
    private int asked;

    ControlSavepoint(ControlSimulation simulation, Path folder, ControlWork work) {
        this.simulation = simulation;
        this.folder = folder;
        this.work = work;
    }

    private String address(int number) {
        return folder.resolve("savepoint-" + number).toString();
    }

    /**
     * Has savepoints of the job written, until there are enough or it has ended.
     *
     * @param whenStopped what happens soon after one with which the job is to stop
     */
    void askAgainAndAgain(Mark.Swarm swarm, Random random, Runnable whenStopped) {
        if (asked == MOST || work.hasEnded()) {
            return;
        }
        SimulatedCoordinator by = work.by();
        if (by != null && !by.isDead()) {
            boolean stops = random.nextInt(STOPS_ONE_IN) == 0;
            by.run(() -> ask(by, swarm, stops ? "drain" : ""));
            if (stops && random.nextBoolean()) {
                simulation.time().after(random.nextLong(2 * AGAIN), whenStopped);
            }
        }
        simulation.time().after(AGAIN, () -> askAgainAndAgain(swarm, random, whenStopped));
    }

    private void ask(SimulatedCoordinator by, Mark.Swarm swarm, String stop) {
        try {
            by.coordinator().savepoint(work.job(), address(asked + 1), stop);
            asked++;
            swarm.met(Mark.SAVEPOINT_ASKED);
            simulation.trace(by, "is asked for savepoint " + asked + " " + stop);
        } catch (Refusal no) {
            simulation.trace(by, "refuses a savepoint: " + no.getMessage());
        }
    }

    /** A job with a target of its own, which has what was out when the last whole savepoint was taken; null if there is none. */
    ControlWork successor() throws IOException {
        for (int k = asked; k > 0; k--) {
            try {
                Manifest kept = Savepoint.read(simulation.store(address(k)));
                Integer shown = work.memory().shownAt(kept.epoch());
                assertNotNull(shown, "savepoint " + k + " is of epoch " + kept.epoch() + ", which is not committed");
                return work.successor(address(k), shown);
            } catch (SnapshotException unfinished) {
                simulation.trace(address(k), "is none: " + unfinished.getMessage());
            }
        }
        return null;
    }
}
