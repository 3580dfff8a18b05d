package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.Instances.Step;
import io.despina.control.assembly.SnapshotContractTest.Subject;
import io.despina.operator.OperatorHarness;
import io.despina.plan.Plan;
import io.despina.state.Held;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operator with inputs, cut off after each few packets: what it then says to hold is what its rows of the end of the input
 * are of. So packets in are rows out, late and bad ones, those that the operator leaves out, and those that it holds.
 */
class HeldContractTest {
    private static final int EVERY = 4;

    /** What the rows of the end tell of the packets that were held. */
    private enum Rows {
        /** A row is of one packet, and each packet has one. */
        ONE_EACH,
        /** Column {@code ids} has those of a row's packets. */
        IDS,
        /** Column {@code c} has the number of a row's packets, which are in no other row. */
        COUNTS,
        /** Packets may be in several rows, or in none. */
        SOME,
        /** Rows come of no packet. */
        NO_PACKETS;

        static Rows of(Subject subject) {
            String name = subject.name().replaceFirst("^aggregate, ", "");
            String json = subject.json();
            if (Set.of("absence", "java").contains(subject.type())) {
                return NO_PACKETS;
            }
            if (json.contains("emit_at_end")) {
                return SOME;
            }
            if (name.matches("(union, ordered|delay|scan|scan without groups|each|trailing|sort).*")) {
                return ONE_EACH;
            }
            if (name.matches("(count|control|progress|sliding|top|latest|fired now).*") && !json.contains("collect_list")
                    || name.matches("(count|control|progress).*")) {
                return SOME;
            }
            return json.contains("collect_list(id)") ? IDS : json.contains("count(*) AS c") && !json.contains("sliding") ? COUNTS
                    : SOME;
        }
    }

    static Stream<Subject> subjects() {
        return SnapshotContractTest.subjects();
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void whatItHoldsIsWhatTheEndWouldGive(Subject subject) throws Exception {
        Plan plan = SnapshotContractTest.plan(subject);
        List<Step> steps = SnapshotContractTest.steps(new Random(7), subject);
        long most = 0;
        for (int cut = 0; cut <= steps.size(); cut += EVERY) {
            most = Math.max(most, holdsWhatTheEndGives(subject, plan, steps.subList(0, cut)));
        }
        assertTrue(most > 0 || isStateless(subject), "it never holds anything");
    }

    /** Whose rows leave with their packets. */
    private static boolean isStateless(Subject subject) {
        return Rows.of(subject) == Rows.NO_PACKETS
                || subject.name().matches("relay.*|project|filter|route|explode|union|sql|lookup( in a stream)?|geocode|locate"
                + "|.*for ever");
    }

    private static long holdsWhatTheEndGives(Subject subject, Plan plan, List<Step> steps) throws Exception {
        Instances instances = new Instances(plan, 2, false);
        for (Step step : steps) {
            instances.take(step);
        }
        Held held = Held.NONE;
        List<Integer> before = new ArrayList<>();
        int lost = 0;
        for (OperatorHarness each : instances.all) {
            held = held.plus(each.operator().held());
            before.add(each.rows(0).size());
            lost += each.lateCount + each.badRecords.size();
        }
        instances.end();
        List<List<Object>> after = new ArrayList<>();
        for (int k = 0; k < instances.all.size(); k++) {
            List<List<Object>> rows = instances.all.get(k).rows(0);
            after.addAll(rows.subList(before.get(k), rows.size()));
        }
        instances.close();
        String why = steps.size() + " steps, " + held + ": " + after;
        switch (Rows.of(subject)) {
            case ONE_EACH -> assertEquals(after.size(), held.packets(), why);
            case IDS -> assertEquals(ids(after, column(instances, "ids")), held.packets(), why);
            case COUNTS -> assertEquals(sum(after, column(instances, "c")), held.packets(), why);
            case SOME -> assertTrue(after.isEmpty() || held.packets() > 0, why);
            default -> assertTrue(held.packets() <= steps.size(), why);
        }
        long packets = steps.stream().filter(step -> step.row() != null).mapToInt(Step::times).sum();
        if (Rows.of(subject) == Rows.ONE_EACH) {
            int left = before.stream().mapToInt(rows -> rows).sum();
            assertEquals(packets, left + lost + held.packets(), "rows out, late and bad ones, and " + why);
        }
        assertTrue(lost + held.packets() <= packets && held.windows() >= 0, why);
        assertTrue(held.windows() == 0 || held.packets() > 0, why);
        return held.packets();
    }

    private static int column(Instances instances, String name) {
        return instances.operator.outputs().get(0).schema().indexOf(name);
    }

    private static long ids(List<List<Object>> rows, int column) {
        Set<Object> ids = new HashSet<>();
        rows.forEach(row -> ids.addAll((List<?>) row.get(column)));
        return ids.size();
    }

    private static long sum(List<List<Object>> rows, int column) {
        return rows.stream().mapToLong(row -> (Long) row.get(column)).sum();
    }
}
