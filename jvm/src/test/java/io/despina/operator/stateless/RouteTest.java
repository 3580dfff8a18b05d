package io.despina.operator.stateless;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RouteTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.INT, false));
    private static final List<Compiled<Predicate>> CASES = List.of(partition -> in -> in[0].getInt(0) % 2 == 0,
            partition -> in -> 12 / (in[0].getInt(0) - 3) > 1);

    private static OperatorHarness.Setup route(boolean first) {
        return OperatorHarness.of(() -> new Route(CASES, first)).inputs(IN).outputs(IN, IN, IN);
    }

    private static List<List<Object>> numbers(int... numbers) {
        return IntStream.of(numbers).mapToObj(Rows::row).toList();
    }

    @Test
    void theFirstCaseThatIsTrueHasThePacket() throws Exception {
        try (OperatorHarness route = route(true).open()) {
            route.feed(0, numbers(4, 5, 8, 99));
            assertEquals(List.of(row(4), row(8)), route.rows(0));
            assertEquals(List.of(row(5)), route.rows(1));
            assertEquals(List.of(row(99)), route.rows(2));
        }
    }

    @Test
    void everyCaseThatIsTrueHasThePacket() throws Exception {
        try (OperatorHarness route = route(false).open()) {
            route.feed(0, numbers(4, 5, 20, 99));
            assertEquals(List.of(row(4), row(20)), route.rows(0));
            assertEquals(List.of(row(4), row(5)), route.rows(1));
            assertEquals(List.of(row(99)), route.rows(2));
        }
    }

    /** The second case fails for 3 after the first was false, and with "all" for 3 alone again; nothing has left by then. */
    @Test
    void aBadRecordLeavesByNoPort() throws Exception {
        for (boolean first : new boolean[] {true, false}) {
            try (OperatorHarness route = route(first).skippingBadRecords().open()) {
                route.feed(0, numbers(2, 3, 99));
                assertEquals(1, route.badRecords.size());
                assertEquals(List.of(row(2)), route.rows(0));
                assertEquals(List.of(), route.rows(1));
                assertEquals(List.of(row(99)), route.rows(2));
            }
        }
    }

    @Test
    void waitsForThePortThatIsFull() throws Exception {
        int[] all = IntStream.range(0, 40).map(k -> 4 + 2 * k).toArray();
        byte[] region = Rows.encode(IN, numbers(all));
        PacketCursor cursor = PacketCursor.reusing(IN.layout());
        cursor.reset(region, 0, region.length);
        try (OperatorHarness route = route(true).room(32, 1).open()) {
            route.operator().process(0, cursor);
            assertFalse(cursor.isEmpty());
            List<List<Object>> found = new ArrayList<>();
            do {
                route.watermark(0);       // makes room
                route.operator().process(0, cursor);
            } while (!cursor.isEmpty());
            found.addAll(route.watermark(0).rows(0));
            assertEquals(numbers(all), found);
        }
    }
}
