package io.despina.spark.fold;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResumedFoldTest {
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "operators": {
               "in": {"type": "generator_source", "rows": {"type": "select", "select": ["id", "timestamp_millis(id) AS ts"]},
                      "event_time": {"column": "ts", "order_by": ["id"]}},
               "counts": {"type": "scan", "group_by": ["id % 2"], "state": {"n": {"initial": "0L", "next": "n + 1"}},
                          "select": ["id", "next.n AS n"]},
               "pairs": {"type": "join", "how": "left", "on": "left.id = right.id + 1", "between_ms": {"from": -10, "to": 20},
                         "select": ["left.id AS l", "right.id AS r"]},
               "last": {"type": "join", "how": "left", "as_of": {"strict": true}, "select": ["left.id AS l", "right.id AS r"]},
               "windows": {"type": "aggregate", "window": {"type": "sliding", "size_ms": 10, "slide_ms": 5},
                           "select": ["unix_millis(window.start) AS start", "count(DISTINCT id % 2) AS n"]},
               "points": {"type": "resample", "every_ms": 10, "ends_after_ms": 25, "fill": {"id": {"type": "previous"}}},
               "lines": {"type": "resample", "every_ms": 10, "ends_after_ms": 25, "fill": {"id": {"type": "linear"}}},
               "absent": {"type": "absence", "within_ms": 25, "select": ["absence.at AS at", "id"]},
               "sessions": {"type": "aggregate", "window": {"type": "session", "gap_ms": 10},
                            "select": ["unix_micros(window.end) AS ended", "count(*) AS n"]},
               "lasting": {"type": "aggregate", "select": ["unix_micros(window.end) AS ended", "count(*) AS n"],
                           "window": {"type": "control", "open": "id > 0", "close": "id > 99", "max_ms": 10}},
               "out_8": {"type": "discard_sink"}, "out_9": {"type": "discard_sink"},
               "out_5": {"type": "discard_sink"}, "out_6": {"type": "discard_sink"}, "out_7": {"type": "discard_sink"},
               "out": {"type": "discard_sink"}, "out_2": {"type": "discard_sink"}, "out_3": {"type": "discard_sink"},
               "out_4": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "counts"}, {"from": "counts", "to": "out"},
                       {"from": "in", "to": "pairs.left"}, {"from": "in", "to": "pairs.right"}, {"from": "pairs", "to": "out_2"},
                       {"from": "in", "to": "last.left"}, {"from": "in", "to": "last.right"}, {"from": "last", "to": "out_3"},
                       {"from": "in", "to": "points"}, {"from": "points", "to": "out_5"},
                       {"from": "in", "to": "lines"}, {"from": "lines", "to": "out_6"},
                       {"from": "in", "to": "absent"}, {"from": "absent", "to": "out_7"},
                       {"from": "in", "to": "sessions"}, {"from": "sessions", "to": "out_8"},
                       {"from": "in", "to": "lasting"}, {"from": "lasting", "to": "out_9"},
                       {"from": "in", "to": "windows"}, {"from": "windows", "to": "out_4"}]}
            """;

    private final List<List<Object>> rows = new ArrayList<>();
    private long microsOfId = 1000;
    private byte[] left;
    private ResumedFold fold;

    private void fold(String operator) {
        fold = new ResumedFold(new OperatorText(GRAPH, "g", "{\"for_spark\": true, \"streaming\": true}", operator));
        left = null;
    }

    /** @param port of all packets; their ids are their times, in milliseconds where a test says nothing else */
    private List<List<Object>> step(long watermark, int port, int... ids) {
        Schema in = fold.inputs().get(port);
        Iterator<Integer> left = IntStream.of(ids).iterator();
        Packet view = new Packet(in.layout());
        Iterator<Packet> folded = fold.step(this.left, new ResumedFold.Arriving() {
            @Override
            public boolean next() {
                if (!left.hasNext()) {
                    return false;
                }
                long id = left.next();
                byte[] bytes = Rows.encode(in, List.of(Rows.row(id, id * microsOfId)));
                view.wrap(bytes, 0, bytes.length);
                return true;
            }

            @Override
            public int port() {
                return port;
            }

            @Override
            public Packet packet() {
                return view;
            }
        }, watermark);
        rows.clear();
        folded.forEachRemaining(p -> rows.addAll(Rows.decode(fold.result(), p.bytes(), p.start(), p.end())));
        this.left = fold.left();
        return List.copyOf(rows);
    }

    @Test
    void packetsLeaveInEventOrderAsTheWatermarkPassesThem() {
        fold("counts");
        assertEquals(List.of(), step(0, 0, 5, 1, 3, 2));
        assertEquals(1, fold.nextVisit());
        assertEquals(List.of(Rows.row(1L, 1L), Rows.row(2L, 1L), Rows.row(3L, 2L)), step(3, 0));
        assertEquals(1, fold.earlierVisit());
        assertEquals(5, fold.nextVisit());
        assertEquals(List.of(Rows.row(4L, 2L), Rows.row(5L, 3L), Rows.row(6L, 3L)), step(6, 0, 6, 4));
        assertEquals(ResumedFold.NONE, fold.nextVisit());
    }

    @Test
    void moreRowsThanAreKeptAtATime() {
        fold("counts");
        int[] ids = IntStream.rangeClosed(1, 30_000).toArray();
        assertEquals(ids.length, step(ids.length, 0, ids).size());
        assertEquals(List.of(Rows.row(30_001L, 15_001L)), step(30_001, 0, 30_001));
    }

    @Test
    void aGroupDoesNotKnowOfAnother() {
        fold("counts");
        step(1, 0, 1);
        byte[] first = left;
        left = null;
        assertEquals(List.of(Rows.row(3L, 1L)), step(3, 0, 3));
        left = first;
        assertEquals(List.of(Rows.row(3L, 2L)), step(3, 0, 3));
    }

    @Test
    void anAsOfJoinWaitsForBothSides() {
        fold("last");
        assertEquals(List.of(), step(0, 0, 4, 8));
        assertEquals(List.of(Rows.row(4L, 3L)), step(5, 1, 3, 7));
        assertEquals(7, fold.nextVisit());
        assertEquals(List.of(Rows.row(8L, 7L)), step(8, 0));
    }

    @Test
    void anIntervalJoinEmitsPairsAtOnceAndForgetsWhatMeetsNothingMore() {
        fold("pairs");
        assertEquals(List.of(), step(0, 0, 4, 9));
        assertEquals(24, fold.nextVisit());
        assertEquals(List.of(Rows.row(4L, 3L)), step(2, 1, 3));
        assertEquals(13, fold.nextVisit());
        assertEquals(List.of(Rows.row(9L, null)), step(29, 0));
        assertNull(left);
    }

    @Test
    void windowsFireAtTheirEnds() {
        fold("windows");
        assertEquals(List.of(), step(0, 0, 1, 2, 6, 8));
        assertEquals(5, fold.nextVisit());
        assertEquals(List.of(Rows.row(-5L, 2L)), step(7, 0));
        assertEquals(List.of(Rows.row(0L, 2L), Rows.row(5L, 1L)), step(15, 0));
        assertNull(left);
    }

    /** A row's event time is a microsecond before its window's end. With a later watermark it may be late for what is behind. */
    @Test
    void aWindowThatEndsAMicrosecondBehindAMillisecondLeavesThere() {
        microsOfId = 1;
        for (String operator : List.of("sessions", "lasting")) {
            fold(operator);
            assertEquals(List.of(), step(0, 0, 1));
            assertEquals(List.of(), step(9, 0), operator);
            assertEquals(10, fold.nextVisit(), operator);
            assertEquals(List.of(Rows.row(10_001L, 1L)), step(10, 0), operator);
            assertNull(left, operator);
        }
    }

    @Test
    void aGroupIsVisitedAtEachPointUntilItEnds() {
        fold("points");
        assertEquals(List.of(), step(2, 0, 7));
        assertEquals(7, fold.nextVisit());
        assertEquals(List.of(), step(7, 0));
        assertEquals(10, fold.nextVisit());
        assertEquals(List.of(Rows.row(10_000L, 7L)), step(12, 0));
        assertEquals(10, fold.earlierVisit());
        assertEquals(20, fold.nextVisit());
        assertEquals(List.of(Rows.row(20_000L, 7L), Rows.row(30_000L, 7L)), step(30, 0));
        assertEquals(32, fold.nextVisit());
        assertEquals(List.of(), step(32, 0));
        assertEquals(32, fold.earlierVisit());
        assertEquals(ResumedFold.NONE, fold.nextVisit());
        assertNull(left);
    }

    @Test
    void aGroupThatNeedsItsNextPacketIsVisitedAtPacketsAndWhereItEnds() {
        fold("lines");
        assertEquals(List.of(), step(2, 0, 7, 27));
        assertEquals(List.of(), step(7, 0));
        assertEquals(27, fold.nextVisit());
        assertEquals(List.of(Rows.row(10_000L, 10.0), Rows.row(20_000L, 20.0)), step(30, 0));
        assertEquals(52, fold.nextVisit());
        assertEquals(List.of(Rows.row(30_000L, null), Rows.row(40_000L, null), Rows.row(50_000L, null)), step(52, 0));
        assertNull(left);
    }

    @Test
    void aGroupIsVisitedWhereItsLastPacketEndsAlone() {
        for (String operator : List.of("points", "lines", "absent")) {
            fold(operator);
            step(1, 0, 1, 2);
            step(3, 0, 3);
            int bytes = left.length;
            IntStream.range(4, 200).forEach(id -> step(id, 0, id));
            assertEquals(bytes, left.length, operator);
            step(210, 0);
            assertEquals(operator.equals("absent") ? List.of(Rows.row(224_000L, 199L)) : operator.equals("lines")
                    ? List.of(Rows.row(200_000L, null), Rows.row(210_000L, null), Rows.row(220_000L, null))
                    : List.of(Rows.row(220_000L, 199L)), step(224, 0), operator);
        }
    }

    @Test
    void aGroupIsVisitedWhereItEndsBetweenPackets() {
        fold("absent");
        assertEquals(List.of(), step(2, 0, 5, 50, 10, 52));
        assertEquals(List.of(), step(34, 0));
        assertEquals(35, fold.nextVisit());
        assertEquals(List.of(Rows.row(35_000L, 10L)), step(35, 0));
        assertEquals(50, fold.nextVisit());
        assertEquals(List.of(), step(60, 0));
        assertEquals(List.of(Rows.row(77_000L, 52L)), step(77, 0));
    }

    @Test
    void theSameBytesGoOnInTheSameWay() {
        fold("last");
        step(2, 1, 1, 5);
        byte[] kept = left.clone();
        List<List<Object>> once = step(6, 0, 6);
        assertEquals(List.of(Rows.row(6L, 5L)), once);
        left = kept;
        assertEquals(once, step(6, 0, 6));
        assertArrayEquals(left, fold.left());
    }

    @Test
    void bytesOfAnotherOperatorAreRefused() {
        fold("counts");
        step(1, 0, 1);
        byte[] counts = left;
        fold("windows");
        left = counts;
        assertThrows(RuntimeException.class, () -> step(2, 0, 2));
    }
}
