package io.despina.operator.source;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Source;
import io.despina.operator.experiment.RelayPackets;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.Rate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class GeneratorTest {
    private static final long MS = 1_000_000;
    private static final RelayPackets.Options FIFTY = new RelayPackets.Options(50, RelayPackets.Content.RANDOM, 1);

    private static Generator.Options packets(long count, Rate rate) {
        return new Generator.Options(new GeneratedRows.Packets(FIFTY), count, rate, null);
    }

    private static OperatorHarness.Setup setup(Generator.Options options) {
        Schema schema = options.rows() instanceof GeneratedRows.Select select ? select.result() : RelayPackets.SCHEMA;
        return OperatorHarness.of(() -> new Generator(options)).outputs(schema);
    }

    private static List<Long> ids(OperatorHarness harness) {
        return harness.rows(0).stream().map(row -> (Long) row.get(0)).toList();
    }

    @Test
    void relayPacketsAreExactlyTheExperimentsBytes() throws Exception {
        byte[] block = new byte[1_048_576];
        new SplittableRandom(1).nextBytes(block);
        try (OperatorHarness source = setup(packets(70_000, Rate.FLAT_OUT)).room(1 << 16, 2).open()) {
            source.produceAll();
            List<List<Object>> rows = source.rows(0);
            assertEquals(70_000, rows.size());
            for (int k = 0; k < rows.size(); k++) {
                int offset = (int) ((long) k * 34 % (1_048_576 - 50));
                assertEquals(row((long) k, 0L, ByteBuffer.wrap(block, offset, 34)), rows.get(k));
            }
        }
    }

    @Test
    void aFiftyBytePacketTakesFiftyOne() {
        List<Object> row = row(0L, 0L, new byte[34]);
        assertEquals(51, io.despina.operator.Rows.encode(RelayPackets.SCHEMA, List.of(row)).length);
    }

    @Test
    void instancesShareTheIds() throws Exception {
        List<Long> all = new ArrayList<>();
        for (int k = 0; k < 3; k++) {
            try (OperatorHarness source = setup(packets(100, Rate.FLAT_OUT)).instance(k, 3).open()) {
                source.produceAll();
                List<Long> ids = ids(source);
                int instance = k;
                assertTrue(ids.stream().allMatch(id -> id % 3 == instance));
                all.addAll(ids);
            }
        }
        assertEquals(LongStream.range(0, 100).boxed().toList(), all.stream().sorted().toList());
    }

    @Test
    void atAFixedRateAStalledSourceEmitsWhatIsOverdueWithItsOwnDueTime() throws Exception {
        try (OperatorHarness source = setup(packets(Generator.UNBOUNDED, new Rate.Constant(1000))).open()) {
            source.now = 5 * MS;
            assertEquals(6 * MS, source.produce());
            source.now = 6 * MS;
            assertEquals(7 * MS, source.produce());
            source.now = 40 * MS;
            while (source.produce() <= source.now) {
                continue;
            }
            assertEquals(LongStream.rangeClosed(0, 35).boxed().toList(), ids(source));
            assertEquals(LongStream.rangeClosed(5, 40).map(ms -> ms * MS).boxed().toList(), source.dues(0));
            assertEquals(40_000L, source.rows(0).get(35).get(1));
        }
    }

    @Test
    void instancesShareTheRate() throws Exception {
        try (OperatorHarness source = setup(packets(10, new Rate.Constant(500))).instance(1, 2).open()) {
            source.produceAll();
            assertEquals(List.of(2 * MS, 6 * MS, 10 * MS, 14 * MS, 18 * MS), source.dues(0));
        }
    }

    @Property(tries = 200)
    void stoppedAnywhereItGoesOnWithTheNextId(@ForAll @IntRange(max = 60) int calls, @ForAll boolean paced,
            @ForAll @IntRange(min = 1, max = 3) int parallelism) throws Exception {
        Rate rate = paced ? new Rate.Constant(3000) : Rate.FLAT_OUT;
        try (OperatorHarness source = setup(packets(100, rate)).instance(parallelism - 1, parallelism).open()) {
            for (int k = 0; k < calls; k++) {
                long next = source.produce();
                if (next == Source.ENDED) {
                    break;
                }
                source.now = Math.max(source.now, next);
            }
            source.restart().produceAll();
            assertEquals(LongStream.range(0, 100).filter(id -> id % parallelism == parallelism - 1).boxed().toList(),
                    ids(source));
        }
    }

    @Test
    void shapesHaveTheirRates() {
        Pace sine = Pace.of(new Rate.Sine(1000, 0, 2000));
        assertEquals(0, sine.dueNanos(0));
        assertEquals(500, sine.dueNanos(500) / 1e6, 1e-3);
        assertEquals(1000, sine.dueNanos(1000) / 1e6, 1e-3);
        assertTrue(sine.dueNanos(10) / 1e6 > 90, "starts slowly");
        assertEquals(61_500, sine.dueNanos(61_500) / 1e6, 1e-3);
        Pace steps = Pace.of(new Rate.Steps(List.of(new Rate.Step(10, 1000), new Rate.Step(20, 0), new Rate.Step(5, 2000))));
        assertEquals(9, steps.dueNanos(9) / 1e6, 1e-9);
        assertEquals(30, steps.dueNanos(10) / 1e6, 1e-9);
        assertEquals(34.5, steps.dueNanos(19) / 1e6, 1e-9);
        assertEquals(35.5, steps.dueNanos(21) / 1e6, 1e-9);
        assertEquals(NEVER, Pace.of(new Rate.Steps(List.of(new Rate.Step(10, 1000), new Rate.Step(1, 0)))).dueNanos(10));
        assertThrows(IllegalArgumentException.class, () -> Pace.of(new Rate.Steps(List.of(new Rate.Step(10, 0)))));
        assertThrows(IllegalArgumentException.class, () -> Pace.of(new Rate.Constant(0)));
    }

    @Property(tries = 50)
    void dueTimesNeverGoBack(@ForAll @IntRange(max = 5000) int low, @ForAll @IntRange(max = 5000) int more,
            @ForAll @IntRange(min = 1, max = 3000) int periodMs) {
        Pace pace = Pace.of(new Rate.Sine(periodMs, low, low + more + 1));
        long before = -1;
        for (int id = 0; id < 2000; id++) {
            long due = pace.dueNanos(id);
            assertTrue(due >= before, "packet " + id);
            before = due;
        }
        Pace fresh = Pace.of(new Rate.Sine(periodMs, low, low + more + 1));
        assertEquals(before, fresh.dueNanos(1999), "depends on the id alone");
    }

    private static Generator.Options jumpy(long[] times, EventTime eventTime) {
        Compiled<Projection> compiled = partition -> (in, out) -> out.setLong(0, times[(int) in[0].getLong(0)]);
        Schema schema = Schema.of(new Column("ts", Simple.TIMESTAMP, false));
        return new Generator.Options(new GeneratedRows.Select(compiled, schema, 9), times.length, Rate.FLAT_OUT, eventTime);
    }

    @Test
    void aLatePacketHasItsExactWatermarkRightBeforeIt() throws Exception {
        long[] times = {10, 50, 45, 30, 60, 70, 49, 80};
        try (OperatorHarness source = setup(jumpy(times, new EventTime(0, List.of(), 10, NEVER))).open()) {
            source.produceAll();
            assertEquals(List.of(Event.of(10L), Event.of(50L), Event.of(45L), Event.watermark(40, true), Event.of(30L),
                    Event.of(60L), Event.of(70L), Event.watermark(60, true), Event.of(49L), Event.of(80L),
                    Event.watermark(70, false)), source.events(0));
        }
    }

    @Test
    void theWatermarkSurvivesARestart() throws Exception {
        long[] times = new long[600];
        Arrays.setAll(times, k -> k == 520 ? 5 : 100 + k);
        EventTime time = new EventTime(0, List.of(), 0, NEVER);
        try (OperatorHarness source = setup(jumpy(times, time)).room(1 << 14, 2).open()) {
            source.produce();
            source.restart().produceAll();
            int late = source.events(0).indexOf(Event.of(5L));
            assertEquals(Event.watermark(619, true), source.events(0).get(late - 1));
        }
    }

    @Test
    void aSilentSourceTurnsIdleOnce() throws Exception {
        Rate rate = new Rate.Steps(List.of(new Rate.Step(1, 1000), new Rate.Step(1000, 0), new Rate.Step(1, 2000)));
        Generator.Options options = new Generator.Options(new GeneratedRows.Packets(FIFTY), 2, rate,
                new EventTime(1, List.of(), 0, 100 * MS));
        try (OperatorHarness source = setup(options).open()) {
            source.produceAll();
            assertEquals(List.of(false, false, true, false, false),
                    source.events(0).stream().map(Event::idle).toList());
            assertEquals(1001 * MS, source.now);
        }
    }
}
