package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Keys;
import io.despina.operator.window.KeysAlone;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The oracle looks at each run alone, from its first packet to its end, and only then at what a match ends. */
class PatternMatcherTest {
    private static final Schema RESULT = Schema.of(new Column("text", Simple.STRING, false));

    /** A step whose packets have one of these {@code v % 4}. */
    private record Rule(Set<Long> kinds, boolean not, boolean optional, long atLeast, long atMost) {
        boolean fits(List<Object> packet) {
            return kinds.contains((Long) packet.get(3) % 4);
        }
    }

    private static Rule rule(boolean not, boolean optional, long atLeast, long atMost, Long... kinds) {
        return new Rule(Set.of(kinds), not, optional, atLeast, atMost);
    }

    private static List<Rule> rules(Random random) {
        List<Rule> rules = new ArrayList<>();
        int steps = 1 + random.nextInt(5);
        for (int k = 0; k < steps; k++) {
            boolean inside = k > 0 && k < steps - 1;
            boolean not = inside && random.nextInt(4) == 0;
            long atLeast = 1 + random.nextInt(2);
            Set<Long> kinds = random.nextInt(3) > 0 ? Set.of((long) random.nextInt(4)) : Set.of(1L, (long) 2 * random.nextInt(2));
            rules.add(new Rule(kinds, not, inside && !not && random.nextInt(3) == 0, not ? 1 : atLeast,
                    atLeast + random.nextInt(2)));
        }
        return rules;
    }

    private static OperatorHarness.Setup harness(Keys keys, List<Rule> rules, long within, boolean toNext) {
        List<String> names = new ArrayList<>();
        rules.forEach(rule -> names.add(rule.not ? null : "s" + names.size()));
        RunLayout all = RunLayout.all(Timed.SCHEMA, names);
        Set<Integer> read = new HashSet<>();
        for (String name : names) {
            if (name != null) {
                read.addAll(Set.of(all.schema().indexOf("first(" + name + ".v)"), all.schema().indexOf(name + ".v"),
                        all.schema().indexOf("count(" + name + ")")));
            }
        }
        RunLayout layout = all.only(read, List.of(3));
        List<PatternMatcher.Step> steps = rules.stream().map(rule -> {
            Predicate where = inputs -> rule.kinds.contains(inputs[0].getLong(3) % 4);
            return new PatternMatcher.Step(instance -> where, rule.not, rule.optional, rule.atLeast, rule.atMost);
        }).toList();
        Projection select = (inputs, out) -> write(told(layout.schema(), names, inputs), out);
        return OperatorHarness.of(() -> new PatternMatcher(Timed.ORDER,
                new PatternMatcher.Options(keys, steps, within, toNext, layout, instance -> select)))
                .inputs(Timed.SCHEMA).outputs(RESULT, Timed.SCHEMA, RESULT);
    }

    private static String told(Schema run, List<String> names, Packet[] inputs) {
        StringBuilder text = new StringBuilder();
        for (String name : names) {
            if (name != null) {
                int last = run.indexOf(name + ".v");
                text.append(inputs[1].getLong(run.indexOf("count(" + name + ")"))).append(':');
                text.append(inputs[1].isNull(last) ? "" : inputs[1].getLong(run.indexOf("first(" + name + ".v)")) + "-"
                        + inputs[1].getLong(last)).append(' ');
            }
        }
        return text.append("last ").append(inputs[0].getLong(3)).toString();
    }

    private static void write(String text, PacketWriter out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.setBytes(0, bytes, 0, bytes.length);
    }

    @Property(tries = 600)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        long within = random.nextInt(4) == 0 ? NEVER : 1 + random.nextInt(30);
        boolean toNext = random.nextBoolean();
        List<Rule> rules = rules(random);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(keys, rules, within, toNext), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> packets = new ArrayList<>(Timed.packets(steps, 0, false));
            packets.sort(Timed.IN_ORDER);
            Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
            packets.forEach(packet -> groups.computeIfAbsent(keys.isNone() ? "all" : Timed.key(packet), k -> new ArrayList<>())
                    .add(packet));
            List<String> matches = new ArrayList<>();
            List<String> timeouts = new ArrayList<>();
            groups.values().forEach(group -> expect(group, rules, within, toNext, matches, timeouts));
            String told = rules + " within " + within + (toNext ? " to next " : " past last ") + steps;
            assertEquals(sorted(matches), sorted(texts(harness.rows(0))), told);
            assertEquals(sorted(timeouts), sorted(texts(harness.rows(2))), told);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }

    @Property(tries = 300)
    void anyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long within = random.nextInt(4) == 0 ? NEVER : 1 + random.nextInt(30);
        boolean toNext = random.nextBoolean();
        List<Rule> rules = rules(random);
        KeysAlone.compare(keys -> harness(keys, rules, within, toNext), 3, within == NEVER ? 1 : within + 1,
                random);
    }

    private static List<String> texts(List<List<Object>> rows) {
        return rows.stream().map(row -> (String) row.get(0)).toList();
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted(Comparator.naturalOrder()).toList();
    }

    /** A run's end: the index of its last packet, or none; whether it was complete, or had no more time. */
    private record Run(int start, int end, boolean complete, boolean late, String text) {
    }

    private static void expect(List<List<Object>> group, List<Rule> rules, long within, boolean toNext, List<String> matches,
            List<String> timeouts) {
        List<Run> runs = new ArrayList<>();
        for (int k = 0; k < group.size(); k++) {
            if (rules.get(0).fits(group.get(k))) {
                runs.add(run(group, k, rules, within));
            }
        }
        List<Run> complete = runs.stream().filter(Run::complete)
                .sorted(Comparator.comparingInt(Run::end).thenComparingInt(Run::start)).toList();
        List<Integer> ends = new ArrayList<>();
        for (Run match : complete) {
            if (toNext || ends.isEmpty() || match.start > ends.get(ends.size() - 1)) {
                ends.add(match.end);
                matches.add(match.text);
            }
        }
        for (Run run : runs) {
            boolean ended = !toNext && ends.stream().anyMatch(end -> end >= run.start
                    && Timed.time(group.get(end)) - Timed.time(group.get(run.start)) <= within);
            if (run.late && !ended) {
                timeouts.add(run.text);
            }
        }
    }

    private static Run run(List<List<Object>> group, int start, List<Rule> rules, long within) {
        List<List<Long>> taken = new ArrayList<>();
        rules.forEach(rule -> taken.add(new ArrayList<>()));
        int at = 0;
        for (int k = start; k < group.size(); k++) {
            List<Object> packet = group.get(k);
            if (within != NEVER && Timed.time(packet) - Timed.time(group.get(start)) > within) {
                break;
            }
            int step = k == start ? 0 : takes(rules, at, taken.get(at).size(), packet);
            if (step == -2) {
                return new Run(start, k, false, false, null);
            }
            if (step >= 0) {
                at = step;
                taken.get(at).add((Long) packet.get(3));
            }
            if (at == rules.size() - 1 && taken.get(at).size() >= rules.get(at).atLeast) {
                return new Run(start, k, true, false, text(rules, taken));
            }
        }
        return new Run(start, -1, false, within != NEVER, text(rules, taken));
    }

    /** The step that takes a packet; -1 if none does, -2 if a step forbids it. */
    private static int takes(List<Rule> rules, int at, int count, List<Object> packet) {
        List<Integer> reachable = new ArrayList<>();
        if (count >= rules.get(at).atLeast) {
            for (int k = at + 1; k < rules.size(); k++) {
                if (rules.get(k).not && rules.get(k).fits(packet)) {
                    return reachable.stream().filter(r -> rules.get(r).fits(packet)).reduce((a, b) -> b).orElse(-2);
                }
                if (!rules.get(k).not) {
                    reachable.add(k);
                    if (!rules.get(k).optional) {
                        break;
                    }
                }
            }
        }
        if (count < rules.get(at).atMost) {
            reachable.add(0, at);
        }
        return reachable.stream().filter(r -> rules.get(r).fits(packet)).reduce((a, b) -> b).orElse(-1);
    }

    private static String text(List<Rule> rules, List<List<Long>> taken) {
        StringBuilder text = new StringBuilder();
        long last = taken.stream().flatMap(List::stream).mapToLong(v -> v).boxed().reduce((a, b) -> b).orElseThrow();
        for (int k = 0; k < rules.size(); k++) {
            List<Long> own = taken.get(k);
            if (!rules.get(k).not) {
                text.append(own.size()).append(':').append(own.isEmpty() ? "" : own.get(0) + "-" + own.get(own.size() - 1))
                        .append(' ');
            }
        }
        return text.append("last ").append(last).toString();
    }

    @Test
    void aRunThatDoesNotComeToItsEndIsGivenWhenItsTimeHasPassed() throws Exception {
        List<Rule> rules = List.of(rule(false, false, 1, 1, 0L), rule(false, false, 1, 1, 1L));
        try (OperatorHarness harness = harness(Timed.BY_K, rules, 10, false).open()) {
            harness.feedRow(0, 0L, 0, "a", 0L).watermark(10);
            assertEquals(List.of(), harness.rows(2));
            harness.watermark(11);
            assertEquals(List.of("1:0-0 0: last 0"), texts(harness.rows(2)));
            harness.feedRow(0, 20L, 0, "a", 4L).feedRow(0, 30L, 0, "a", 5L).watermark(31);
            assertEquals(List.of("1:4-4 1:5-5 last 5"), texts(harness.rows(0)));
        }
    }

    @Test
    void runsThatHaveEndedAreForgotten() throws Exception {
        List<Rule> rules = List.of(rule(false, false, 1, 1, 0L), rule(false, false, 1, 1, 1L));
        try (OperatorHarness harness = harness(Timed.BY_K, rules, 10, true).open()) {
            for (long v = 0; v < 2000; v++) {
                harness.feedRow(0, v, null, "key " + v, v);
            }
            harness.watermark(2000);
            long held = harness.stateBytes;
            for (long v = 2000; v < 20000; v++) {
                harness.feedRow(0, v, null, "key " + v, v).watermark(v);
            }
            long later = harness.stateBytes;
            assertTrue(later <= held, () -> held + " bytes have become " + later);
        }
    }
}
