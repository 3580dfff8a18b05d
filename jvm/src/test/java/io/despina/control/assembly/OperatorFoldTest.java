package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OperatorFoldTest {
    /** Rows of this many groups are far more than the fold keeps at a time. */
    private static final int GROUPS = 20_000;
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "operators": {
               "in": {"type": "generator_source", "rows": {"type": "select", "select": ["id", "timestamp_millis(id) AS ts"]},
                       "count": 1,
                      "event_time": {"column": "ts", "order_by": ["id"]}},
               "fold": {"type": "scan", "group_by": ["id"], "state": {"n": {"initial": "0", "next": "n + 1"}}, "emit_when": "%s",
                        "select": ["id", "next.n AS n"], "emit_at_end": %s},
               "out": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "fold"}, {"from": "fold", "to": "out"}]}
            """;

    private static List<List<Object>> folded(String emitWhen, boolean atEnd, long millisApart) {
        OperatorFold fold = new OperatorFold(GRAPH.formatted(emitWhen, atEnd), "g", "{\"for_spark\": true}", "fold");
        Schema in = fold.input();
        Packet view = new Packet(in.layout());
        Iterator<Packet> sorted = LongStream.range(0, GROUPS).mapToObj(id -> {
            byte[] bytes = Rows.encode(in, List.of(Rows.row(id, id * millisApart * 1000)));
            view.wrap(bytes, 0, bytes.length);
            return view;
        }).iterator();
        Schema out = fold.result();
        List<List<Object>> rows = new ArrayList<>();
        fold.fold(sorted).forEachRemaining(p -> rows.addAll(Rows.decode(out, p.bytes(), p.start(), p.end())));
        return rows;
    }

    @Test
    void givesEveryRowHoweverManyComeAtOnce() {
        List<List<Object>> all = LongStream.range(0, GROUPS).mapToObj(id -> Rows.row(id, 1)).toList();
        assertEquals(all, folded("false", true, 1));
        assertEquals(all, folded("true", false, 0));
        assertEquals(all, folded("true", false, 1));
    }
}
