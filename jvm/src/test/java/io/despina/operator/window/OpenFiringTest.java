package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Predicate;
import io.despina.operator.Commanded;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.spec.ControlCommand;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.Held;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Open windows that give their rows because a user says so. */
class OpenFiringTest {

    @Property(tries = 300)
    void whatIsOpenLeavesNowAndAgainAtItsEnd(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Supplier<Operator> operators = windows(random);
        List<Step> steps = Timed.stream(random, 1);
        int cut = random.nextInt(steps.size() + 1);
        try (OperatorHarness told = open(operators, random); OperatorHarness ended = open(operators, random);
                OperatorHarness untold = open(operators, random)) {
            play(told, steps.subList(0, cut));
            play(ended, steps.subList(0, cut));
            play(untold, steps);
            int before = told.rows(0).size();
            fire(told, "");
            List<List<Object>> fired = List.copyOf(told.rows(0).subList(before, told.rows(0).size()));
            ended.watermark(Long.MAX_VALUE).end();
            assertEquals(sorted(ended.rows(0).subList(before, ended.rows(0).size())), sorted(fired), "what was open");

            told.restart();
            play(told, steps.subList(cut, steps.size()));
            told.watermark(Long.MAX_VALUE).end();
            untold.watermark(Long.MAX_VALUE).end();
            List<List<Object>> others = new ArrayList<>(told.rows(0).subList(0, before));
            others.addAll(told.rows(0).subList(before + fired.size(), told.rows(0).size()));
            assertEquals(sorted(untold.rows(0)), sorted(others), "the rows without a command");
        }
    }

    @Property(tries = 200)
    void windowsThatCloseStartAnew(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Supplier<Operator> operators = windows(random);
        List<Step> steps = Timed.stream(random, 1);
        int cut = random.nextInt(steps.size() + 1);
        long watermark = steps.subList(0, cut).stream().filter(step -> step.row() == null).mapToLong(Step::watermark).max()
                .orElse(Long.MIN_VALUE);
        try (OperatorHarness told = open(operators, random); OperatorHarness fresh = open(operators, random)) {
            play(told, steps.subList(0, cut));
            fire(told, ControlCommand.CLOSE);
            assertEquals(0, told.operator().held().packets());
            told.restart();
            int before = told.rows(0).size();
            if (watermark > Long.MIN_VALUE) {
                fresh.watermark(watermark);
            }
            play(told, steps.subList(cut, steps.size()));
            play(fresh, steps.subList(cut, steps.size()));
            told.watermark(Long.MAX_VALUE).end();
            fresh.watermark(Long.MAX_VALUE).end();
            assertEquals(sorted(fresh.rows(0)), sorted(told.rows(0).subList(before, told.rows(0).size())));
        }
    }

    @Test
    void windowsThatFireBeforeTheirEndsGiveWhatHasChanged() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(10, 0), Long.MAX_VALUE, false, 0);
        try (OperatorHarness harness = OperatorHarness.of(() -> new FiringAggregate(0, fired, Timed.BY_K,
                partition -> new Collected())).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L), Rows.row(2L, 1, "b", 2L)));
            fire(harness, "");
            assertEquals(List.of("a", "b"), groups(harness, 0));
            harness.feed(0, List.of(Rows.row(3L, 1, "b", 3L)));
            fire(harness, "");
            assertEquals(List.of("b"), groups(harness, 2));
            fire(harness, ControlCommand.CLOSE);
            assertEquals(List.of("a", "b"), groups(harness, 3));
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(5, harness.rows(0).size());
        }
    }

    @Property(tries = 200)
    void windowsOfGroupsGoOnBehindTheRowsThatTheyGive(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Supplier<Operator> operators = ofGroups(random);
        List<Step> steps = Timed.stream(random, 1);
        int cut = random.nextInt(steps.size() + 1);
        try (OperatorHarness told = open(operators, random); OperatorHarness untold = open(operators, random)) {
            play(told, steps.subList(0, cut));
            play(untold, steps);
            int before = told.rows(0).size();
            long open = told.operator().held().windows();
            fire(told, "");
            int fired = told.rows(0).size() - before;
            assertEquals(open, fired);
            told.restart();
            play(told, steps.subList(cut, steps.size()));
            told.watermark(Long.MAX_VALUE).end();
            untold.watermark(Long.MAX_VALUE).end();
            List<List<Object>> others = new ArrayList<>(told.rows(0).subList(0, before));
            others.addAll(told.rows(0).subList(before + fired, told.rows(0).size()));
            assertEquals(sorted(untold.rows(0)), sorted(others));
        }
    }

    @Test
    void sessionsThatCloseGiveWhatTheyHaveTakenOnce() throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> sessions(10)).inputs(Timed.SCHEMA)
                .outputs(Collected.RESULT, Timed.SCHEMA).room(1, 1).open()) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L), Rows.row(2L, 1, "b", 2L), Rows.row(3L, 1, "c", 3L),
                    Rows.row(8L, 1, "b", 4L)));
            harness.watermark(5);
            ((Commanded) harness.operator()).command(ControlCommand.FIRE, ControlCommand.CLOSE);
            assertFalse(harness.operator().timer(0));
            fire(harness, "");
            assertEquals(List.of("a", "b", "c"), groups(harness, 0));
            assertEquals(0, harness.operator().held().windows());
            harness.restart();
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(List.of("b"), groups(harness, 3), "the packet that waited for the watermark");
        }
    }

    @Test
    void sessionsThatEndBeforeTheCallGiveTheirRowsOnce() throws Exception {
        try (OperatorHarness harness = open(() -> sessions(10), new Random(1))) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L)));
            ((Commanded) harness.operator()).command(ControlCommand.FIRE, ControlCommand.CLOSE);
            harness.watermark(Long.MAX_VALUE).end();
            assertTrue(harness.operator().timer(0));
            assertEquals(List.of("a"), groups(harness, 0));
        }
    }

    @Test
    void windowsThatAreToCloseDoSoAlsoIfTheyAreAskedForRowsMeanwhile() throws Exception {
        try (OperatorHarness harness = open(() -> new WindowAggregate(0, Windows.tumbling(10, 0), Timed.BY_K,
                partition -> new Collected()), new Random(1))) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L), Rows.row(12L, 1, "b", 2L)));
            ((Commanded) harness.operator()).command(ControlCommand.FIRE, ControlCommand.CLOSE);
            fire(harness, "");
            assertEquals(List.of("a", "b"), groups(harness, 0));
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(2, harness.rows(0).size());
        }
    }

    @Test
    void lastRowsThatAreHalfOutLeaveOnce() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(10, 0), Long.MAX_VALUE, false, 0);
        try (OperatorHarness harness = OperatorHarness.of(() -> new FiringAggregate(0, fired, Timed.BY_K,
                partition -> new Collected())).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).room(1, 1).open()) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L), Rows.row(2L, 1, "b", 2L), Rows.row(3L, 1, "c", 3L)));
            ((Commanded) harness.operator()).command(ControlCommand.FIRE, ControlCommand.CLOSE);
            assertFalse(harness.operator().timer(0));
            fire(harness, "");
            harness.watermark(Long.MAX_VALUE).end();
            assertEquals(List.of("a", "b", "c"), groups(harness, 0));
        }
    }

    @Test
    void anotherArgumentIsRefused() throws Exception {
        try (OperatorHarness harness = open(() -> new WindowAggregate(0, Windows.tumbling(10, 0), Timed.BY_K,
                partition -> new Collected()), new Random(1))) {
            Commanded operator = (Commanded) harness.operator();
            IllegalArgumentException no = assertThrows(IllegalArgumentException.class,
                    () -> operator.command(ControlCommand.FIRE, "now"));
            assertTrue(no.getMessage().contains("`now`"), no.getMessage());
            assertEquals(0, harness.wakes.get());
        }
    }

    /** Packets 1, 2, 3 of a group, and what is told in between. */
    private static List<Object> numbers(Operator operator, String argument) throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> operator).inputs(Timed.SCHEMA)
                .outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L), Rows.row(2L, 1, "a", 2L))).watermark(3);
            fire(harness, argument);
            harness.feed(0, List.of(Rows.row(4L, 1, "a", 3L))).watermark(Long.MAX_VALUE).end();
            return harness.rows(0).stream().map(row -> row.get(5)).toList();
        }
    }

    @Test
    void windowsThatCloseAreBegunAnew() throws Exception {
        Windows tens = Windows.tumbling(10, 0);
        List<Supplier<Operator>> all = List.of(() -> new FinalAggregate(Timed.BY_K, partition -> new Collected()),
                () -> progress(tens), () -> sessions(100), () -> control(1, 9));
        for (Supplier<Operator> each : all) {
            assertEquals(List.of("[1, 2]", "[1, 2, 3]"), numbers(each.get(), ""), each.get().toString());
            assertEquals(List.of("[1, 2]", "[3]"), numbers(each.get(), ControlCommand.CLOSE), each.get().toString());
        }
        assertEquals(List.of("[1, 2]", "[1, 2, 3]"), numbers(count(3, 3), ""));
        assertEquals(List.of("[1, 2]"), numbers(count(3, 3), ControlCommand.CLOSE), "it counts from the next packet on");
        assertEquals(List.of("[1, 2]", "[2]", "[1, 2, 3]"), numbers(count(3, 1), ""));
    }

    @Test
    void theWholeStreamGivesOneRowAtItsEndWhateverWasAsked() throws Exception {
        try (OperatorHarness harness = open(() -> new FinalAggregate(Keys.none(), partition -> new Collected()), new Random(1))) {
            fire(harness, "");
            assertEquals(0, harness.rows(0).size(), "there is nothing yet");
            harness.feed(0, List.of(Rows.row(1L, 1, "a", 1L)));
            fire(harness, ControlCommand.CLOSE);
            assertEquals(Held.NONE, harness.operator().held());
            ((Commanded) harness.operator()).command(ControlCommand.FIRE, "");
            harness.restart().end();
            assertTrue(harness.operator().timer(0), "the end has given the rows");
            harness.release();
            assertEquals(List.of("[1]", "[]"), harness.rows(0).stream().map(row -> row.get(5)).toList());
        }
    }

    @Test
    void groupsLeaveInTheOrderInWhichTheyAppearAlsoBehindAFiring() throws Exception {
        try (OperatorHarness harness = open(() -> new FinalAggregate(Timed.BY_K, partition -> new Collected()), new Random(1))) {
            for (String each : List.of("a", "b", "c")) {
                harness.feed(0, List.of(Rows.row(1L, 1, each, 1L)));
            }
            fire(harness, ControlCommand.CLOSE);
            for (String each : List.of("d", "b", "e", "a")) {
                harness.feed(0, List.of(Rows.row(2L, 1, each, 2L)));
            }
            harness.restart().end();
            harness.release();
            assertEquals(List.of("a", "b", "c", "d", "b", "e", "a"), harness.rows(0).stream().map(row -> row.get(0)).toList());
        }
    }

    private static Supplier<Operator> ofGroups(Random random) {
        int a = 1 + random.nextInt(6);
        int b = 1 + random.nextInt(6);
        long size = 1 + random.nextInt(40);
        Windows windows = new Windows(size, 1 + random.nextInt((int) size), 0);
        return switch (random.nextInt(5)) {
            case 0 -> () -> sessions(size);
            case 1 -> () -> count(Math.max(a, b), Math.min(a, b));
            case 2 -> () -> control(a, b);
            case 3 -> () -> progress(windows);
            default -> () -> new FinalAggregate(Timed.BY_K, partition -> new Collected());
        };
    }

    private static Operator count(int size, int slide) {
        return new CountAggregate(Timed.ORDER, new Window.Count(size, slide), Timed.BY_K, partition -> new Collected());
    }

    private static Operator progress(Windows windows) {
        return new ProgressAggregate(Timed.ORDER, new ProgressAggregate.Values(Timed.columns(3), windows), Timed.BY_K,
                partition -> new Collected());
    }

    private static Operator control(int opens, int closes) {
        return new ControlAggregate(Timed.ORDER, new ControlAggregate.Borders(partition -> multiple(opens),
                partition -> multiple(closes), false, NEVER), Timed.BY_K, partition -> new Collected());
    }

    private static Predicate multiple(int of) {
        return inputs -> inputs[0].getLong(3) % of == 0;
    }

    private static Operator sessions(long gap) {
        return new SessionAggregate(Timed.ORDER, gap, Timed.BY_K, partition -> new Collected());
    }

    private static Supplier<Operator> windows(Random random) {
        long size = 1 + random.nextInt(40);
        if (random.nextInt(3) == 0) {
            Window.FiredSession fired = new Window.FiredSession(size, Long.MAX_VALUE, false, 0);
            return () -> new FiringSessions(0, fired, Timed.BY_K, partition -> new Collected());
        }
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size), random.nextInt(9));
        return () -> new WindowAggregate(0, windows, Timed.BY_K, partition -> new Collected());
    }

    private static OperatorHarness open(Supplier<Operator> operators, Random random) throws Exception {
        return Timed.room(OperatorHarness.of(operators).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA), random)
                .open();
    }

    private static void play(OperatorHarness harness, List<Step> steps) throws Exception {
        for (Step step : steps) {
            if (step.row() == null) {
                harness.watermark(step.watermark());
            } else {
                harness.feed(0, List.of(step.row()));
            }
        }
    }

    private static void fire(OperatorHarness harness, String argument) throws Exception {
        int before = harness.wakes.get();
        ((Commanded) harness.operator()).command(ControlCommand.FIRE, argument);
        assertEquals(before + 1, harness.wakes.get(), "it asks for the call by which its rows leave");
        while (!harness.operator().timer(0)) {
            harness.release();      // which only makes room
        }
        harness.release();
    }

    private static List<Object> groups(OperatorHarness harness, int from) {
        List<List<Object>> rows = harness.rows(0);
        return rows.subList(from, rows.size()).stream().map(row -> row.get(0)).toList();
    }

    /** In any order, with the packets of a group in any. */
    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(row -> {
            String[] all = row.get(5).toString().replaceAll("[\\[\\] ]", "").split(",");
            Arrays.sort(all, Comparator.comparing(Long::valueOf));
            return row.subList(0, 5) + Arrays.toString(all);
        }).sorted().toList();
    }
}
