package io.despina.operator.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutputSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    private final List<String> printed = new ArrayList<>();

    private OperatorHarness open(FileSink.Format format, Map<String, String> options) throws Exception {
        FileSink.Options all = new FileSink.Options(null, FileSink.Roll.NEVER, new FileSink.Records(format, options, "UTC", true),
                asked -> {
                    throw new AssertionError("these lines are plain");
                });
        return OperatorHarness.of(() -> new OutputSink(all, printed::addAll)).inputs(PAIR).open();
    }

    @Test
    void rowsLeaveAsTheyCome() throws Exception {
        try (OperatorHarness sink = open(FileSink.Format.CSV, Map.of("header", "true"))) {
            sink.feed(0, List.of(List.of(1, "a"), List.of(2, "b")));
            assertEquals(List.of("n,s\n1,a\n2,b"), printed);
            sink.feed(0, List.of(List.of(3, "c"))).end();
            assertEquals(List.of("n,s\n1,a\n2,b", "3,c"), printed);
        }
    }

    @Test
    void withoutRowsThereIsStillAHeader() throws Exception {
        try (OperatorHarness sink = open(FileSink.Format.CSV, Map.of("header", "true"))) {
            sink.end();
            assertEquals(List.of("n,s"), printed);
        }
        printed.clear();
        try (OperatorHarness sink = open(FileSink.Format.JSON, Map.of())) {
            sink.end();
            assertEquals(List.of(), printed);
        }
    }

    @Test
    void manyRowsLeaveInPartsOfWholeLines() throws Exception {
        try (OperatorHarness sink = open(FileSink.Format.JSON, Map.of())) {
            sink.feed(0, IntStream.range(0, 10_000).mapToObj(k -> List.<Object>of(k, "word")).toList()).end();
            assertTrue(printed.size() > 1, "one part of " + printed.size());
            List<String> lines = String.join("\n", printed).lines().toList();
            assertEquals(10_000, lines.size());
            assertEquals("{\"n\":9999,\"s\":\"word\"}", lines.get(9_999));
        }
    }
}
