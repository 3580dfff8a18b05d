package io.despina.operator.stateless;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatelessTest {
    private static final Schema NUMBERS = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final List<List<Object>> HUNDRED =
            IntStream.range(0, 100).mapToObj(k -> row(k % 7 == 3 ? null : k, "s".repeat(k % 40))).toList();

    private static OperatorHarness open(Supplier<Operator> operator, Schema... outputs) throws Exception {
        return OperatorHarness.of(operator).inputs(NUMBERS).outputs(outputs).open();
    }

    @Test
    void relayPassesEverythingOnInOrder() throws Exception {
        try (OperatorHarness relay = open(Relay::new, NUMBERS)) {
            relay.feed(0, HUNDRED).watermark(5).feedRow(0, 7, null).end();
            List<OperatorHarness.Event> events = relay.events(0);
            assertEquals(HUNDRED, relay.rows(0).subList(0, 100));
            assertEquals(OperatorHarness.Event.watermark(5, false), events.get(100));
            assertEquals(row(7, null), events.get(101).row());
        }
    }

    @Test
    void projectComputesEachPacketAndHandsBadOnesOver() throws Exception {
        Compiled<Projection> twice = partition -> (in, out) -> {
            if (in[0].isNull(0)) {
                throw new ArithmeticException("no number");
            }
            out.setInt(0, 2 * in[0].getInt(0));
        };
        Schema result = Schema.of(new Column("twice", Simple.INT, false));
        try (OperatorHarness project = OperatorHarness.of(() -> new Project(twice)).inputs(NUMBERS).outputs(result)
                .skippingBadRecords().open()) {
            project.feed(0, HUNDRED);
            assertEquals(IntStream.range(0, 100).filter(k -> k % 7 != 3).mapToObj(k -> row(2 * k)).toList(), project.rows(0));
            assertEquals(14, project.badRecords.size());
        }
        try (OperatorHarness project = open(() -> new Project(twice), result)) {
            assertThrows(ArithmeticException.class, () -> project.feed(0, HUNDRED));
        }
    }

    @Test
    void aMalformedPacketFailsWhateverOnErrorSays() throws Exception {
        Compiled<Projection> broken = partition -> (in, out) -> {
            throw new MalformedPacketException("bent");
        };
        try (OperatorHarness project = OperatorHarness.of(() -> new Project(broken)).inputs(NUMBERS).outputs(NUMBERS)
                .skippingBadRecords().open()) {
            assertThrows(MalformedPacketException.class, () -> project.feedRow(0, 1, "x"));
        }
    }

    @Test
    void filterSplitsAndKeepsOrder() throws Exception {
        Compiled<Predicate> even = partition -> in -> !in[0].isNull(0) && in[0].getInt(0) % 2 == 0;
        try (OperatorHarness filter = open(() -> new Filter(even), NUMBERS, NUMBERS)) {
            filter.feed(0, HUNDRED);
            List<List<Object>> kept = HUNDRED.stream().filter(r -> r.get(0) != null && (int) r.get(0) % 2 == 0).toList();
            List<List<Object>> rest = new ArrayList<>(HUNDRED);
            rest.removeAll(kept);
            assertEquals(kept, filter.rows(0));
            assertEquals(rest, filter.rows(1));
        }
    }

    @Test
    void unreadGivesThePacketAgain() {
        byte[] region = io.despina.operator.Rows.encode(NUMBERS, HUNDRED);
        PacketCursor cursor = PacketCursor.reusing(NUMBERS.layout());
        cursor.reset(region, 0, region.length);
        cursor.next();
        Packet second = cursor.next();
        assertEquals(1, second.getInt(0));
        cursor.unread();
        assertEquals(1, cursor.next().getInt(0));
        assertEquals(2, cursor.next().getInt(0));
        assertTrue(cursor.position() > 0);
    }
}
