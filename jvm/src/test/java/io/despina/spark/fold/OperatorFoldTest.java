package io.despina.spark.fold;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.PacketFold;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
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
        OperatorFold fold = new OperatorFold(GRAPH.formatted(emitWhen, atEnd), "g", "{\"for_spark\": true}", List.of("fold"));
        return folded(fold, millisApart).get(0);
    }

    /** The rows of each operator. */
    private static List<List<List<Object>>> folded(OperatorFold fold, long millisApart) {
        Schema in = fold.inputs().get(0);
        List<Schema> out = fold.outputs();
        List<List<List<Object>>> rows = out.stream().map(schema -> (List<List<Object>>) new ArrayList<List<Object>>()).toList();
        PacketFold.Results results = fold.begin();
        Packet view = new Packet(in.layout());
        for (long id = 0; id < GROUPS; id++) {
            byte[] bytes = Rows.encode(in, List.of(Rows.row(id, id * millisApart * 1000)));
            view.wrap(bytes, 0, bytes.length);
            results.take(0, view);
            read(results, out, rows);
        }
        results.end();
        read(results, out, rows);
        return rows;
    }

    private static void read(PacketFold.Results results, List<Schema> schemas, List<List<List<Object>>> rows) {
        while (results.next()) {
            Packet p = results.packet();
            rows.get(results.operator()).addAll(Rows.decode(schemas.get(results.operator()), p.bytes(), p.start(), p.end()));
        }
    }

    @Test
    void givesEveryRowHoweverManyComeAtOnce() {
        List<List<Object>> all = LongStream.range(0, GROUPS).mapToObj(id -> Rows.row(id, 1)).toList();
        assertEquals(all, folded("false", true, 1));
        assertEquals(all, folded("true", false, 0));
        assertEquals(all, folded("true", false, 1));
    }

    @Test
    void givesEachOperatorsRowsAsIfItRanAlone() {
        String graph = GRAPH.formatted("id % 2 = 0", false).replace("\"out\": {", """
                "late": {"type": "scan", "state": {"n": {"initial": "0L", "next": "n + 1"}}, "emit_when": "false",
                         "select": ["next.n AS n", "'text' AS text"], "emit_at_end": true},
                "late_out": {"type": "discard_sink"},
                "out": {""").replace("\"links\": [", """
                "links": [{"from": "in", "to": "late"}, {"from": "late", "to": "late_out"},""");
        List<List<List<Object>>> alone = Stream.of("fold", "late")
                .map(id -> folded(new OperatorFold(graph, "g", "{\"for_spark\": true}", List.of(id)), 1).get(0)).toList();
        assertEquals(GROUPS / 2, alone.get(0).size());
        assertEquals(List.of(Rows.row((long) GROUPS, "text")), alone.get(1));
        assertEquals(alone, folded(new OperatorFold(graph, "g", "{\"for_spark\": true}", List.of("fold", "late")), 1));
    }
}
