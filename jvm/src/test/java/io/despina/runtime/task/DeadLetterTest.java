package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Source;
import io.despina.operator.source.GeneratedRows;
import io.despina.operator.source.Generator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.host.JobHandle;
import io.despina.spec.OnError;
import io.despina.spec.Rate;
import io.despina.spec.Schedule;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadLetterTest {
    private static final int LONGEST = 100;
    private static final TaskSettings SHORT_PACKETS = new TaskSettings(true, true, 100_000_000L, LONGEST);

    private final Bench bench = new Bench();
    private final List<String> letters = new ArrayList<>();
    private int longest;

    private final class Letters implements Operator {
        @Override
        public void process(int port, PacketCursor packets) {
            for (Packet p = packets.next(); p != null; p = packets.next()) {
                longest = Math.max(longest, p.size());
                for (int k = 0; k < 3; k++) {
                    letters.add(new String(p.copyOfValue(k), StandardCharsets.UTF_8));
                }
            }
        }
    }

    private StageSpec letters() {
        return new StageSpec("dead", 0, 1, Letters::new, new StageSpec.Ports(List.of(Bench.ERRORS), List.of()), OnError.FAIL,
                List.of(), StageSpec.Role.WHOLE);
    }

    private static StageSpec source(Source source, int errorsPort) {
        return new StageSpec("made", 0, 1, () -> source, new StageSpec.Ports(List.of(), errorsPort == 0 ? List.of(Bench.ERRORS)
                : List.of(Bench.NUMBERS, Bench.ERRORS), errorsPort), OnError.DEAD_LETTER, List.of(), StageSpec.Role.WHOLE);
    }

    @Test
    void aRowThatCannotBeMadeLeaves() {
        Source odd = new Generator(new Generator.Options(new GeneratedRows.Select(partition -> (inputs, out) -> {
            long id = inputs[0].getLong(0);
            if (id % 2 == 0) {
                throw new ArithmeticException("even");
            }
            out.setLong(0, id);
        }, Bench.NUMBERS, 7), 3, Rate.FLAT_OUT, null));
        JobHandle job = bench.start(Bench.task(List.of(source(odd, 1)), List.of(),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 1), Bench.out(0, 1, Bench.ERRORS, 2))),
                Bench.sink("sink", new Bench.Tally(), 1),
                Bench.task(List.of(letters()), List.of(Bench.in(0, 2)), List.of()));
        bench.settle();
        assertNull(job.failure());
        assertEquals(List.of("even", "made", "{\"id\": 0, \"seed\": 7}", "even", "made", "{\"id\": 2, \"seed\": 7}"), letters);
        assertEquals(List.of("made[0] even: {\"id\": 0, \"seed\": 7}", "made[0] even: {\"id\": 2, \"seed\": 7}"),
                job.counters().takeBadRecords().stream().map(each -> each.operator() + "[" + each.instance() + "] "
                        + each.reason() + ": " + each.record()).toList());
    }

    /** Has one bad record. */
    private static final class Bad implements Source {
        private final String why;
        private final String record;
        private OperatorContext context;

        Bad(String why, String record) {
            this.why = why;
            this.record = record;
        }

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public long produce(long now) throws Exception {
            context.badRecord(why, record);
            return ENDED;
        }
    }

    private List<String> letter(String why, String record) {
        letters.clear();
        JobHandle job = bench.start(Bench.with(Bench.task(List.of(source(new Bad(why, record), 0)), List.of(),
                List.of(Bench.out(0, 0, Bench.ERRORS, 1))), Schedule.DATA, SHORT_PACKETS),
                Bench.task(List.of(letters()), List.of(Bench.in(0, 1)), List.of()));
        bench.settle();
        assertNull(job.failure());
        return List.copyOf(letters);
    }

    private List<String> fusedLetter(String why, String record) {
        letters.clear();
        JobHandle job = bench.start(Bench.with(Bench.task(List.of(source(new Bad(why, record), 0)
                .fusedInto(Bench.next(0, "made->dead")), letters()), List.of(), List.of()), Schedule.DATA, SHORT_PACKETS));
        bench.settle();
        assertNull(job.failure());
        return List.copyOf(letters);
    }

    @Test
    void lettersAreErrorsAndNotWhatGoesOut() {
        Source odd = new Generator(new Generator.Options(new GeneratedRows.Select(partition -> (inputs, out) -> {
            long id = inputs[0].getLong(0);
            if (id % 2 == 0) {
                throw new ArithmeticException("even");
            }
            out.setLong(0, id);
        }, Bench.NUMBERS, 7), 7, null, null));
        JobHandle job = bench.start(Bench.task(List.of(source(odd, 1)), List.of(),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 1), Bench.out(0, 1, Bench.ERRORS, 2))),
                Bench.sink("sink", new Bench.Tally(), 1),
                Bench.task(List.of(letters()), List.of(Bench.in(0, 2)), List.of()));
        bench.settle();
        assertEquals(3, job.counters().snapshot().operators().get("made").packetsOut());
        assertEquals(4, job.counters().snapshot().operators().get("made").errors());
    }

    @Test
    void nothingGoesOutOfASinkThatWritesLetters() {
        JobHandle job = bench.start(Bench.task(List.of(source(new Bad("bad", "record"), 0)), List.of(),
                List.of(Bench.out(0, 0, Bench.ERRORS, 1))),
                Bench.task(List.of(letters()), List.of(Bench.in(0, 1)), List.of()));
        bench.settle();
        assertEquals(3, letters.size());
        assertEquals(0, job.counters().snapshot().operators().get("made").packetsOut());
        assertEquals(1, job.counters().snapshot().operators().get("made").errors());
    }

    @Test
    void whatIsTooLongForAPacketIsCutBetweenCharacters() {
        for (int shift = 0; shift < 4; shift++) {
            String record = "x".repeat(shift) + "ä€𝄞".repeat(40);
            for (List<String> letter : List.of(letter("bad", record), fusedLetter("bad", record))) {
                assertEquals(List.of("bad", "made"), letter.subList(0, 2));
                String cut = letter.get(2);
                assertTrue(cut.endsWith("…"), cut);
                assertTrue(record.startsWith(cut.substring(0, cut.length() - 1)), cut);
                assertTrue(longest > LONGEST - 10 && longest <= LONGEST, longest + " bytes");
            }
        }
    }

    @Test
    void aLongReasonLeavesRoomForTheRecord() {
        List<String> letter = letter("why".repeat(100), "record".repeat(100));
        assertTrue(letter.get(0).matches("(why)+w?h?…"), letter.get(0));
        assertEquals("made", letter.get(1));
        assertTrue(letter.get(2).matches("(record)+r?e?c?o?r?…"), letter.get(2));
    }

    /** Has bad records for as long as there is room. */
    private static final class Endless implements Source {
        private static final int MANY = 1_000_000;
        private OperatorContext context;
        private int written;

        @Override
        public void open(OperatorContext opened) {
            context = opened;
        }

        @Override
        public long produce(long now) throws Exception {
            for (; written < MANY && context.hasRoom(); written++) {
                context.badRecord("bad", "record");
            }
            return ENDED;
        }
    }

    @Test
    void noRoomForLettersIsNoRoom() {
        Endless endless = new Endless();
        JobHandle job = bench.start(Bench.task(List.of(source(endless, 1)), List.of(),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 1), Bench.out(0, 1, Bench.ERRORS, 2))),
                Bench.sink("sink", new Bench.Tally(), 1),
                Bench.task(List.of(letters()), List.of(Bench.in(0, 2)), List.of()));
        bench.settle();
        assertNull(job.failure());
        assertTrue(endless.written < Endless.MANY);
        assertEquals(3 * endless.written, letters.size());
    }
}
