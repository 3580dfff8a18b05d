package io.despina.operator.user;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowSink;
import io.despina.api.RowSource;
import io.despina.api.RowWriter;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.Sink;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sources and sinks of the user's. */
class UserEndsTest {
    private static final Schema NUMBERS = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema TIMES = Schema.of(new Column("ts", Simple.TIMESTAMP, true));
    private static final long MOST = 100;

    /** The numbers of its instance below 100. */
    public static final class Numbers implements RowSource {
        private long next;
        private int step;

        @Override
        public void open(Context context) {
            next = context.instance();
            step = context.parallelism();
        }

        @Override
        public long produce(RowWriter out) {
            if (next >= MOST) {
                return ENDED;
            }
            out.begin().setLong(0, next).commit();
            next += step;
            return 0;
        }

        @Override
        public Map<String, String> position() {
            return Map.of("next", Long.toString(next));
        }

        @Override
        public void restore(List<Map<String, String>> positions) {
            next = Long.parseLong(positions.get(0).get("next"));
        }
    }

    /** One row per call, and a pause after it. */
    public static final class Times implements RowSource {
        private final List<Long> times = new ArrayList<>(List.of(10L, 20L, 5L));

        @Override
        public long produce(RowWriter out) {
            if (times.isEmpty()) {
                return ENDED;
            }
            out.begin().setLong(0, times.remove(0)).commit();
            return 7;
        }
    }

    /** Forgets what is acknowledged. */
    public static final class Queue implements RowSource {
        private static final List<String> CALLS = new ArrayList<>();
        private int next;

        @Override
        public long produce(RowWriter out) {
            out.begin().setLong(0, next++).commit();
            return 7;
        }

        @Override
        public Map<String, String> position() {
            return Map.of("next", Integer.toString(next));
        }

        @Override
        public void restore(List<Map<String, String>> positions) {
            next = Integer.parseInt(positions.get(0).get("next"));
        }

        @Override
        public void acknowledge(long epoch, Map<String, String> position) {
            CALLS.add(epoch + " " + position);
        }
    }

    /** Shows rows as they come. */
    public static final class Plain implements RowSink {
        @Override
        public void write(Row row) {
            // nobody looks
        }
    }

    /** Answers what is no answer. */
    public static final class Wrong implements RowSource {
        @Override
        public long produce(RowWriter out) {
            return -2;
        }
    }

    /** Begins and goes. */
    public static final class Half implements RowSource {
        @Override
        public long produce(RowWriter out) {
            out.begin();
            return 0;
        }
    }

    /** Tells what was called. */
    public static final class Noted implements RowSink {
        private static final List<String> CALLS = new ArrayList<>();
        private long prepared;

        @Override
        public void open(Context context) {
            CALLS.add("open " + context.input().name(0));
        }

        @Override
        public void write(Row row) {
            if (row.getLong(0) == 2) {
                throw new IllegalStateException("a two");
            }
            CALLS.add("write " + row.getLong(0));
        }

        @Override
        public void prepare(long epoch) {
            prepared = epoch;
            CALLS.add("prepare " + epoch);
        }

        @Override
        public void commit(long epoch) {
            CALLS.add("commit " + epoch);
        }

        @Override
        public void abort() {
            CALLS.add("abort");
        }

        @Override
        public Map<String, String> position() {
            return Map.of("prepared", Long.toString(prepared));
        }

        @Override
        public void restore(List<Map<String, String>> positions) {
            CALLS.add("restore " + positions);
        }

        @Override
        public void close() {
            CALLS.add("close");
        }
    }

    private static UserClass named(Class<?> of) {
        return new UserClass(of.getName(), UserEndsTest.class.getClassLoader());
    }

    private static OperatorHarness.Setup sink(Class<?> of) {
        return OperatorHarness.of(() -> new UserSink(named(of), Map.of())).inputs(NUMBERS);
    }

    private static OperatorHarness.Setup source(Class<?> of, Schema schema, EventTime time) {
        return OperatorHarness.of(() -> new UserSource(new UserSource.Options(named(of), Map.of(), schema, time)))
                .outputs(schema);
    }

    @Test
    void aSourceGoesOnWhereItsSnapshotWas() throws Exception {
        OperatorHarness harness = source(Numbers.class, NUMBERS, null).instance(1, 2).room(32, 1).open();
        int restarts = 0;
        while (harness.produce() != Source.ENDED) {
            harness.restart();
            restarts++;
        }
        assertTrue(restarts > 1);
        assertEquals(LongStream.iterate(1, k -> k < MOST, k -> k + 2).mapToObj(Rows::row).toList(), harness.rows(0));
    }

    @Test
    void aSourcePausesAsItSaysAndALateRowComesBehindItsWatermark() throws Exception {
        OperatorHarness harness = source(Times.class, TIMES, new EventTime(0, List.of(), 0, NEVER)).open();
        harness.now = 1_000;
        assertEquals(7_001_000, harness.produce());
        harness.produceAll();
        assertEquals(List.of(Event.of(10L), Event.watermark(10, false), Event.of(20L), Event.watermark(20, false),
                Event.watermark(20, true), Event.of(5L)), harness.events(0));
    }

    @Test
    void aSourceIsToldThePositionOfEachEpochThatIsComplete() throws Exception {
        Queue.CALLS.clear();
        OperatorHarness harness = source(Queue.class, NUMBERS, null).open();
        Source source = (Source) harness.operator();
        harness.produce();
        source.barrier(1);
        harness.snapshot();
        harness.produce();
        source.acknowledge(1);
        source.barrier(2);          // is dropped
        harness.snapshot();
        harness.produce();
        source.barrier(3);
        Map<String, byte[]> third = harness.snapshot();
        harness.restart(third);
        Source next = (Source) harness.operator();
        next.acknowledge(3);        // it does not know what was read for it, and goes on from there
        harness.produce();
        next.barrier(4);
        harness.snapshot();
        next.acknowledge(4);
        next.acknowledge(4);
        assertEquals(List.of("1 {next=1}", "4 {next=4}"), Queue.CALLS);
    }

    @Test
    void whatMayWaitForAnAnswerHasAThreadOfItsOwn() throws Exception {
        assertTrue(source(Queue.class, NUMBERS, null).open().operator().blocks());
        assertFalse(source(Numbers.class, NUMBERS, null).open().operator().blocks());
        assertTrue(sink(Noted.class).open().operator().blocks());
        assertFalse(sink(Plain.class).open().operator().blocks());
    }

    @Test
    void aSourceThatBreaksTheContractFailsTheJob() throws Exception {
        assertTrue(assertThrows(IllegalArgumentException.class, source(Wrong.class, NUMBERS, null).open()::produce).getMessage()
                .contains("produce() answered -2"));
        assertTrue(assertThrows(IllegalArgumentException.class, source(Half.class, NUMBERS, null).open()::produce).getMessage()
                .contains("it has begun a row and not committed it"));
    }

    @Test
    void aSinkGetsRowsAndEpochsAndBadOnesAreToldAsSuch() throws Exception {
        Noted.CALLS.clear();
        OperatorHarness harness = sink(Noted.class).outputs(OperatorHarness.LETTERS).skippingBadRecords().open();
        harness.feedRow(0, 1).feedRow(0, 2).feedRow(0, 3);
        Sink sink = (Sink) harness.operator();
        OperatorHarness.done(sink.prepare(4));
        harness.restart();
        sink = (Sink) harness.operator();
        OperatorHarness.done(sink.commit(4));
        sink.abort();
        sink.close();
        assertEquals(List.of("open n", "write 1", "write 3", "prepare 4", "close", "open n", "restore [{prepared=4}]",
                "commit 4", "abort",
                "close"), Noted.CALLS);
        assertEquals(1, harness.badRecords.size());
        assertTrue(harness.badRecords.get(0).contains("IllegalStateException: a two"), harness.badRecords.get(0));
    }
}
