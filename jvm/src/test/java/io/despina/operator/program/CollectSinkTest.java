package io.despina.operator.program;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Array;
import io.despina.packet.Type.Simple;
import io.despina.state.SnapshotException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollectSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    @Test
    void handsOverWholePacketsInOrder() throws Exception {
        List<byte[]> batches = new ArrayList<>();
        List<List<Object>> rows = IntStream.range(0, 30_000).mapToObj(k -> row(k, "text " + k)).toList();
        try (OperatorHarness sink = OperatorHarness.of(() -> new CollectSink(batches::add)).inputs(PAIR).open()) {
            sink.feed(0, rows).feedRow(0, null, null);
        }
        List<List<Object>> collected = new ArrayList<>();
        batches.forEach(batch -> collected.addAll(Rows.decode(PAIR, batch, 0, batch.length)));
        List<List<Object>> expected = new ArrayList<>(rows);
        expected.add(row(null, null));
        assertEquals(expected, collected);
        assertEquals(3, batches.size(), "batches of a quarter of a megabyte");
    }

    @Test
    void whatWasKeptForAProgramIsNotLostByGivingRowsAtOnce(@TempDir Path folder) throws Exception {
        Files.createDirectories(folder.resolve("taken"));
        Files.writeString(folder.resolve("taken/1-0.seg"), "");
        try (OperatorHarness sink = OperatorHarness.of(() -> new CollectSink(rows -> { })).inputs(PAIR).keeping(folder).open()) {
            assertFalse(Files.exists(folder.resolve("taken")), "the job begins anew");
            sink.restart();
            Files.createDirectories(folder.resolve("taken"));
            assertEquals("rows of `tested` were kept for the program until their epoch was complete, and some may wait for it: "
                    + "with delivery at_least_once they would be lost",
                    assertThrows(SnapshotException.class, sink::restart).getMessage());
        }
    }

    @Test
    void theConsoleShowsATableAndCountsTheRest() throws Exception {
        Schema schema = Schema.of(new Column("n", Simple.INT, true), new Column("text", Simple.STRING, true),
                new Column("at", Simple.TIMESTAMP, true), new Column("a", new Array(Simple.DOUBLE, false), true));
        List<String> lines = new ArrayList<>();
        try (OperatorHarness sink = OperatorHarness.of(() -> new ConsoleSink(lines::addAll, 2)).inputs(schema).open()) {
            sink.feedRow(0, 1, "a\nb", 1_500_000L, List.of(1.5, 2.0)).feedRow(0, null, "x".repeat(100), null, null)
                    .feedRow(0, 3, "", 0L, List.of()).feedRow(0, 4, "", 0L, List.of()).end();
        }
        assertEquals(List.of(
                "n          | text         | at                          | a",
                "-----------+--------------+-----------------------------+-------------",
                "         1 | a\uFFFDb          | 1970-01-01T00:00:01.500Z    | [1.5, 2.0]",
                "      NULL | " + "x".repeat(39) + "… | NULL                        | NULL",
                "… and 2 more rows"), lines);
    }

    @Test
    void theFirstRowWidensItsColumns() throws Exception {
        Schema schema = Schema.of(new Column("mean", Simple.DOUBLE, true), new Column("n", Simple.INT, true),
                new Column("text", Simple.STRING, true));
        List<String> lines = new ArrayList<>();
        try (OperatorHarness sink = OperatorHarness.of(() -> new ConsoleSink(lines::addAll, 2)).inputs(schema).open()) {
            sink.feedRow(0, 89.9236696504065, 1, "x".repeat(100)).feedRow(0, 89.92366965040651, 2, "y").end();
        }
        assertEquals(List.of(
                "mean                 | n          | text",
                "---------------------+------------+-" + "-".repeat(40),
                "    89.9236696504065 |          1 | " + "x".repeat(39) + "…",
                "   89.92366965040651 |          2 | y"), lines);
    }
}
