package io.despina.operator.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.expr.FileRowsWriter;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LakeSinkTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));
    private static final LakeSinkOptions.Roll ROLL = new LakeSinkOptions.Roll(60_000, 60_000);

    private final FakeTable table = new FakeTable();

    /** Fails as often as the test says, by the name of the call. */
    private static final class FakeTable implements LakeTable {
        private final List<String> failing = new ArrayList<>();
        /** Rows of the files that it has taken in. */
        private final List<Long> taken = new ArrayList<>();
        private Shape shape = new Shape(List.of(), false, Set.of());
        private Callable<Void> meanwhile = () -> null;

        private void fail(String call) throws LostException {
            if (failing.remove(call)) {
                throw new LostException(call + " failed", null);
            }
        }

        @Override
        public Shape open() throws IOException {
            fail("open");
            return shape;
        }

        @Override
        public Marker marker(String outbox, long epoch) {
            return Marker.ABSENT;
        }

        @Override
        public TableFile create(String name) throws IOException {
            fail("create");
            return new TableFile() {
                @Override
                public OutputStream out() {
                    return new ByteArrayOutputStream();
                }

                @Override
                public DataFile end(long rows, List<String> partitions) throws IOException {
                    fail("end");
                    return new DataFile(name, 0, 0, rows, partitions);
                }

                @Override
                public void close() {
                    // nothing is open
                }
            };
        }

        @Override
        public void append(String outbox, long epoch, List<DataFile> files) throws IOException {
            fail("append");
            try {
                meanwhile.call();
            } catch (Exception e) {
                throw new IOException(e);
            }
            files.forEach(each -> taken.add(each.rows()));
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private final class FakeConnector implements Connector {
        @Override
        public LakeTable table(ConnectorSettings settings, Consumer<String> warn) {
            return table;
        }
    }

    private static FileRowsWriter nothing() {
        return new FileRowsWriter() {
            @Override
            public void write(Packet packet) {
                // the file counts its rows
            }

            @Override
            public void finish() {
                // nothing waits
            }

            @Override
            public long bufferedBytes() {
                return 0;
            }
        };
    }

    private OperatorHarness open() throws Exception {
        return OperatorHarness.of(() -> new LakeSink(new LakeSinkOptions(FakeConnector::new, new ConnectorSettings(Map.of()),
                Schema::toString, (out, schema) -> nothing(), List.of(), ROLL))).inputs(NUMBER).open();
    }

    /** A job that is killed closes its sink, while the thread that sends the epoch may be about to take its files in. */
    @Test
    void aSinkThatIsClosedMeanwhileTakesInAllFilesOfTheEpochOrNone() throws Exception {
        OperatorHarness sink = open();
        ((LakeSink) sink.operator()).begin("box", 7);
        sink.feedRow(0, 1).feedRow(0, 2);
        table.meanwhile = () -> {
            sink.operator().close();
            return null;
        };
        sink.release();
        assertEquals(List.of(2L), table.taken);
    }

    @Test
    void withoutAnOutboxItTriesAgainWhateverFails() throws Exception {
        try (OperatorHarness sink = open()) {
            table.failing.addAll(List.of("create", "append", "open"));
            sink.feedRow(0, 1).feedRow(0, 2).release();
            assertEquals(List.of(), table.failing);
            assertEquals(List.of(2L), table.taken);
            assertTrue(sink.warnings.get(0).startsWith("create failed"), sink.warnings::toString);
        }
    }

    @Test
    void filesOfAnotherTableAreNotTakenIn() throws Exception {
        try (OperatorHarness sink = open()) {
            sink.feedRow(0, 1);
            table.failing.add("append");
            table.shape = new LakeTable.Shape(List.of(), false, Set.of("n"));
            assertEquals("the files are of another table: append failed",
                    assertThrows(IOException.class, sink::release).getMessage());
            assertEquals(List.of(), table.taken);
        }
    }
}
