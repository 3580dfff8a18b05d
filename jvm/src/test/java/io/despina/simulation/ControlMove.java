package io.despina.simulation;

import io.despina.control.protocol.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Operators of a simulated job are moved from resource to resource, and its keys from instance to instance, while it meets what
 * comes.
 */
final class ControlMove {
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(90);
    private static final int MOST = 3;
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(60);
    private static final int MOST_OF_KEYS = 60;

    private final ControlSimulation simulation;
    private final ControlWork work;
    private final Random random;
    private final Map<String, Integer> seen;
    private int asked;
    private int ofKeys;

    /** @param seen counts the answers */
    ControlMove(ControlSimulation simulation, ControlWork work, Random random, Map<String, Integer> seen) {
        this.simulation = simulation;
        this.work = work;
        this.random = random;
        this.seen = seen;
    }

    /** Has operators moved, until there were enough or the job has ended. */
    void askAgainAndAgain(List<String> operators, List<String> resources) {
        if (asked == MOST || work.by() != null && work.hasEnded()) {
            return;
        }
        asked++;
        SimulatedCoordinator by = work.by();
        if (by != null && !by.isDead()) {
            String operator = operators.get(random.nextInt(operators.size()));
            String to = resources.get(random.nextInt(resources.size()));
            by.run(() -> ask(by, operator, to));
        }
        simulation.time().after(AGAIN, () -> askAgainAndAgain(operators, resources));
    }

    /** Has keys moved, likewise. */
    void keysAgainAndAgain() {
        if (ofKeys == MOST_OF_KEYS || work.by() != null && work.hasEnded()) {
            return;
        }
        ofKeys++;
        SimulatedCoordinator by = work.by();
        if (by != null && !by.isDead()) {
            String to = IntStream.range(0, ControlWork.BUCKETS).mapToObj(bucket -> "\"" + bucket + "\": "
                    + random.nextInt(ControlWork.INSTANCES)).collect(Collectors.joining(", ", "{", "}"));
            by.run(() -> ask(by, "relay", to));
        }
        simulation.time().after(SOON, this::keysAgainAndAgain);
    }

    private void ask(SimulatedCoordinator by, String operator, String to) {
        String what = to.startsWith("{") ? "keys moved" : "moved";
        try {
            by.coordinator().tell(work.job(), "move", operator, to).whenComplete((answers, failure) -> {
                simulation.trace(by, "moves " + operator + " to " + to + ": " + answers);
                seen.merge(failure == null ? what : what + " not", 1, Integer::sum);
            });
        } catch (Refusal notNow) {
            simulation.trace(by, "moves nothing: " + notNow.getMessage());
            seen.merge(what + ": refused", 1, Integer::sum);
        }
    }
}
