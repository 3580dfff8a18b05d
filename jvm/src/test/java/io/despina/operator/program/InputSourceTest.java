package io.despina.operator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class InputSourceTest {
    private static final long MS = 1_000_000;
    private static final Schema SCHEMA = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("n", Simple.BIGINT, false));

    /** What the user's program does. */
    private static final class Program implements InputRows {
        private final Deque<byte[]> waiting = new ArrayDeque<>();
        private boolean ended;

        void give(List<List<Object>> rows) {
            waiting.add(Rows.encode(SCHEMA, rows));
        }

        @Override
        public byte[] next() {
            return waiting.poll();
        }

        @Override
        public boolean hasEnded() {
            return ended;
        }
    }

    private final Program program = new Program();

    private OperatorHarness.Setup setup(EventTime time) {
        return OperatorHarness.of(() -> new InputSource(instance -> program, time, true)).outputs(SCHEMA);
    }

    private static List<List<Object>> rows(long from, long to) {
        List<List<Object>> rows = new ArrayList<>();
        for (long n = from; n < to; n++) {
            rows.add(Rows.row(n * 1000, n));
        }
        return rows;
    }

    @Test
    void itSendsWhatItIsGivenAndWaitsToBeWoken() throws Exception {
        try (OperatorHarness source = setup(null).open()) {
            assertEquals(Source.WHEN_WOKEN, source.produce());
            program.give(rows(0, 2));
            program.give(rows(2, 3));
            assertEquals(Source.WHEN_WOKEN, source.produce());
            assertEquals(rows(0, 3), source.rows(0));
            program.give(rows(3, 4));
            program.ended = true;
            assertEquals(Source.ENDED, source.produce());
            assertEquals(rows(0, 4), source.rows(0));
        }
    }

    @Test
    void withoutRoomItComesBackForWhatItHasBegun() throws Exception {
        program.give(rows(0, 100));
        program.ended = true;
        try (OperatorHarness source = setup(null).room(40, 1).open()) {
            assertEquals(source.now, source.produce());
            source.produceAll();
            assertEquals(rows(0, 100), source.rows(0));
        }
    }

    @Test
    void itsWatermarksFollowItsEventTimesAndIdleHoldsBackNobody() throws Exception {
        program.give(List.of(Rows.row(5000L, 1L), Rows.row(9000L, 2L), Rows.row(1000L, 3L), Rows.row(null, 4L)));
        try (OperatorHarness source = setup(new EventTime(0, List.of(), 2000, 10 * MS)).open()) {
            assertEquals(10 * MS, source.produce());
            assertEquals(List.of(Event.of(5000L, 1L), Event.of(9000L, 2L), Event.watermark(7000, true), Event.of(1000L, 3L),
                    Event.of(null, 4L)), source.events(0));
            source.now = 10 * MS;
            assertEquals(Source.WHEN_WOKEN, source.produce());
            assertEquals(true, source.events(0).get(5).idle());
        }
    }

    @Property(tries = 100)
    void givenTheSameRowsAgainItGoesOnWhereItStood(@ForAll @IntRange(max = 30) int calls) throws Exception {
        program.give(rows(0, 50));
        program.give(rows(50, 60));
        program.ended = true;
        try (OperatorHarness source = setup(null).room(40, 1).open()) {
            for (int k = 0; k < calls; k++) {
                source.produce();
            }
            program.waiting.clear();
            program.give(rows(0, 60));
            source.restart().produceAll();
            assertEquals(rows(0, 60), source.rows(0));
        }
    }
}
