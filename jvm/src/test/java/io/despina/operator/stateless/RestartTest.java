package io.despina.operator.stateless;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.despina.expr.Predicate;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.experiment.DelayingRelay;
import io.despina.operator.program.CollectSink;
import io.despina.operator.program.ConsoleSink;
import io.despina.operator.sink.DiscardSink;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.packet.Type.Array;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operators without keyed state, stopped after any packet and restored into a fresh instance, do what one that was never stopped
 * does.
 */
class RestartTest {
    private static final long MS = 1_000_000;
    private static final Schema IN = Schema.of(new Column("n", Simple.INT, false),
            new Column("a", new Array(Simple.DOUBLE, false), true));
    private static final Schema ELEMENT = Schema.of(new Column("n", Simple.INT, false), new Column("e", Simple.DOUBLE, false));
    private static final Schema ARRAY = Schema.of(IN.column(1));
    private static final List<List<Object>> PACKETS = List.of(row(1, List.of(1.5, 2.5)), row(2, null), row(3, List.of()),
            row(4, List.of(0.5, 1.5, 2.5)), row(5, List.of(7.0)));

    /**
     * One operator.
     *
     * @param make    from a list in which it is to leave what it does besides writing to its ports
     * @param outputs by port
     */
    private record Subject(String name, Function<List<Object>, Operator> make, Schema... outputs) {

        /** What comes of the packets, one each millisecond, with a restart after so many; none for -1. */
        List<Object> run(int restartAfter) throws Exception {
            List<Object> found = new ArrayList<>();
            try (OperatorHarness harness = OperatorHarness.of(() -> make.apply(found)).inputs(IN).outputs(outputs).open()) {
                for (int k = 0; k < PACKETS.size(); k++) {
                    if (k == restartAfter) {
                        harness.restart();
                    }
                    harness.now += MS;
                    harness.feed(0, List.of(PACKETS.get(k)));
                }
                harness.end();
                for (int port = 0; port < outputs.length; port++) {
                    found.add(harness.rows(port));
                }
            }
            return found;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Explode explode() {
        return new Explode(new Explode.Options(partition -> (in, out) -> out.setColumn(0, in[0], 1), ARRAY, List.of(0)));
    }

    private static Predicate even(int partition) {
        return in -> in[0].getInt(0) % 2 == 0;
    }

    static Stream<Subject> subjects() {
        DelayingRelay.Options steps = new DelayingRelay.Options(0, 0,
                List.of(new DelayingRelay.Step(2, 1), new DelayingRelay.Step(2, 3), new DelayingRelay.Step(2, 5)));
        return Stream.of(
                new Subject("relay", found -> new Relay(), IN),
                new Subject("relay, sleep_ms",
                        found -> new DelayingRelay(new DelayingRelay.Options(2, 0, List.of()), found::add), IN),
                new Subject("relay, steps", found -> new DelayingRelay(steps, found::add), IN),
                new Subject("filter", found -> new Filter(RestartTest::even), IN, IN),
                new Subject("route", found -> new Route(List.of(RestartTest::even,
                        partition -> in -> in[0].getInt(0) > 3), false),
                        IN,
                        IN, IN),
                new Subject("project", found -> new Project(partition -> (in, out) -> out.setColumn(0, in[0], 1)), ARRAY),
                new Subject("explode", found -> explode(), ELEMENT),
                new Subject("collect_sink", found -> new CollectSink(b -> found.addAll(Rows.decode(IN, b, 0, b.length)))),
                new Subject("console_sink", found -> new ConsoleSink(found::addAll, 3)),
                new Subject("discard_sink", found -> new DiscardSink()));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    void goesOnWhereItWasStopped(Subject subject) throws Exception {
        List<Object> whole = subject.run(-1);
        for (int k = 0; k < PACKETS.size(); k++) {
            assertEquals(whole, subject.run(k), "stopped after " + k);
        }
    }

    /** So no snapshot falls inside an array: one is taken when the packets before it are done. */
    @Test
    void anArrayThatIsNotDoneKeepsItsPacketUnread() throws Exception {
        byte[] region = Rows.encode(IN, List.of(row(4, List.of(0.5, 1.5, 2.5))));
        PacketCursor cursor = PacketCursor.reusing(IN.layout());
        cursor.reset(region, 0, region.length);
        try (OperatorHarness explode = OperatorHarness.of(RestartTest::explode).inputs(IN).outputs(ELEMENT).room(16, 1).open()) {
            explode.operator().process(0, cursor);
            assertFalse(cursor.isEmpty());
            do {
                explode.watermark(0);       // makes room
                explode.operator().process(0, cursor);
            } while (!cursor.isEmpty());
            assertEquals(List.of(row(4, 0.5), row(4, 1.5), row(4, 2.5)), explode.watermark(0).rows(0));
        }
    }
}
