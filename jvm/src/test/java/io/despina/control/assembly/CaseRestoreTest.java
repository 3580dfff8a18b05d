package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.despina.control.assembly.ContractCases.Step;
import io.despina.operator.OperatorHarness;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract cases, restored after every packet, or after every k-th where they are many: operators that read a case's
 * sources give the same rows from every port, and count as many late packets, as where nothing stops them.
 */
class CaseRestoreTest {
    private static final int RESTARTS = 40;
    /** Every third case runs; {@code DESPINA_EVERY_CASE=1} runs all. */
    private static final int SHARE = 3;
    /** Cases of what keeps nothing between two packets, of sinks, and of what has a process of its own. */
    static final Set<String> WITHOUT_STATE = Set.of("file_source", "generator_source", "project", "filter", "route",
            "explode", "relay", "collect_sink", "python", "python_source", "python_sink");

    static Stream<Path> cases() throws IOException {
        return ContractCases.folders(WITHOUT_STATE, SHARE);
    }

    /** The rows of each port. @param every how many packets come between two restarts; 0 for none */
    private static List<String> run(Plan plan, PlannedOperator operator, List<Step> steps, int every) throws Exception {
        List<String> given = new ArrayList<>();
        long[] watermarks = new long[steps.stream().mapToInt(Step::link).max().orElse(0) + 1];
        Arrays.fill(watermarks, Long.MIN_VALUE);
        long passed = Long.MIN_VALUE;
        int packets = 0;
        try (OperatorHarness opened = ContractCases.setup(plan, operator).open()) {
            for (Step step : steps) {
                if (step.event().row() != null) {
                    opened.feed(step.port(), List.of(step.event().row()));
                    if (every > 0 && ++packets % every == 0) {
                        opened.restart();
                    }
                } else if (step.event().watermark() != null) {
                    watermarks[step.link()] = step.event().watermark();
                    if (operator.inputs().size() == watermarks.length) {
                        opened.inputWatermark(step.port(), step.event().watermark());
                    }
                    long least = Arrays.stream(watermarks).min().orElseThrow();
                    if (least > passed) {
                        passed = least;
                        opened.watermark(least);
                    }
                }
            }
            opened.end();
            for (int port = 0; port < operator.outputs().size(); port++) {
                String name = operator.outputs().get(port).name();
                opened.rows(port).forEach(row -> given.add(name + " " + row));
            }
            given.add("late " + opened.lateCount + ", bad " + opened.badRecords);
        }
        Collections.sort(given);
        return given;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void goesOnAfterEveryPacket(Path folder) throws Exception {
        Plan plan = ContractCases.plan(folder);
        AtomicInteger tried = new AtomicInteger();
        ContractCases.eachFed(plan, (operator, steps) -> {
            int every = Math.max(1, steps.size() / RESTARTS);
            assertEquals(run(plan, operator, steps, 0), run(plan, operator, steps, every), operator.id());
            tried.incrementAndGet();
        });
        assertNotEquals(0, tried.get());
    }
}
