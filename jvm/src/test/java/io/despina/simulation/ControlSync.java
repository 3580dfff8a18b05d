package io.despina.simulation;

import io.despina.control.protocol.Refusal;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Marks of {@code sync} pass through a simulated job, between its barriers, while it meets what comes. */
final class ControlSync {
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(35);
    private static final int MOST = 60;

    private final ControlSimulation simulation;
    private final ControlWork work;
    private final Map<String, Integer> seen;
    private int asked;

    /** @param seen counts the answers */
    ControlSync(ControlSimulation simulation, ControlWork work, Map<String, Integer> seen) {
        this.simulation = simulation;
        this.work = work;
        this.seen = seen;
    }

    /** Has marks pass, until there were enough or the job has ended. */
    void askAgainAndAgain() {
        if (asked == MOST || work.by() != null && work.hasEnded()) {
            return;
        }
        asked++;
        SimulatedCoordinator by = work.by();
        if (by != null && !by.isDead()) {
            by.run(() -> ask(by));
        }
        simulation.time().after(AGAIN, this::askAgainAndAgain);
    }

    private void ask(SimulatedCoordinator by) {
        try {
            by.coordinator().tell(work.job(), "sync", "", "").whenComplete((answers, failure) -> seen.merge(
                    failure == null ? "sync passed" : "sync given up", 1, Integer::sum));
        } catch (Refusal notNow) {
            seen.merge("sync refused", 1, Integer::sum);
        }
    }
}
