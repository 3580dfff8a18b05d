package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** When the start of a job had come how far, by the wall clock. Thread-safe. */
final class StartTimes {

    /** What is reached in this order, but for the compiling, which goes on while resources start. */
    enum Step {
        /** The coordinator was asked to run the graph. */
        ASKED("asked_ms"),
        /** The graph was checked and planned. */
        PLANNED("planned_ms"),
        /** The coordinator had compiled expressions for its children. Not reached where each resource compiles its own. */
        COMPILED("compiled_ms"),
        /** All resources were there. */
        JOINED("joined_ms"),
        /** They had made their tasks. */
        READY("ready_ms");

        private final String word;

        Step(String word) {
            this.word = word;
        }
    }

    private final LongSupplier wall;
    /** Milliseconds since 1970. Guarded by this. */
    private final Map<Step, Long> reached = new EnumMap<>(Step.class);

    /** Of a job that is asked for now. @param wall milliseconds since 1970 */
    StartTimes(LongSupplier wall) {
        this.wall = wall;
        reach(Step.ASKED);
    }

    /** It is reached now, if it was not before: what a later attempt does is told with the restart. */
    synchronized void reach(Step step) {
        reached.putIfAbsent(step, wall.getAsLong());
    }

    /**
     * Milliseconds from {@code since} to each step that was reached, by its word; {@code jvm_ms}, when this JVM was started, only
     * if it was for this job.
     */
    synchronized ObjectNode put(ObjectNode answer, long since) {
        long started = ManagementFactory.getRuntimeMXBean().getStartTime();
        if (started >= since) {
            answer.put("jvm_ms", started - since);
        }
        reached.forEach((step, at) -> answer.put(step.word, at - since));
        return answer;
    }
}
