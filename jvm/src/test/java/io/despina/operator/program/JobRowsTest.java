package io.despina.operator.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class JobRowsTest {
    private static final Schema SCHEMA = Schema.of(new Column("n", Simple.BIGINT, false));

    /** Notes what it is told. */
    private static final class Reader implements JobRows.RowReader {
        private final List<String> told = new ArrayList<>();
        private JobRows to;

        @Override
        public void start(OperatorContext context, JobRows rows, String generation, long row) {
            to = rows;
            told.add("start " + generation + " " + row);
        }

        @Override
        public void cut(String generation, long row) {
            told.add("cut " + generation + " " + row);
        }

        @Override
        public void close() {
            told.add("close");
        }

        void put(String generation, long first, long... rows) {
            to.put(generation, first, Rows.encode(SCHEMA, LongStream.of(rows).mapToObj(n -> Rows.row(n)).toList()), rows.length);
        }

        List<String> taken() {
            List<String> all = List.copyOf(told);
            told.clear();
            return all;
        }
    }

    private final Reader reader = new Reader();

    private OperatorHarness open(int attempt) throws Exception {
        return OperatorHarness.of(() -> new InputSource(instance -> new JobRows(reader), null, true)).outputs(SCHEMA)
                .attempt(attempt).open();
    }

    private static List<List<Object>> rows(long... all) {
        return LongStream.of(all).mapToObj(n -> Rows.row(n)).toList();
    }

    @Test
    void withoutAStateRowsAreCutAsTheyAreTaken() throws Exception {
        try (OperatorHarness source = open(0)) {
            assertEquals(List.of("start null 0"), reader.taken());
            reader.put("g", 5, 1, 2);       // the first five were another reader's
            reader.put("g", 7, 3);
            assertEquals(Source.WHEN_WOKEN, source.produce());
            assertEquals(rows(1, 2, 3), source.rows(0));
            assertEquals(List.of("cut g 7", "cut g 8"), reader.taken());
            reader.to.end();
            assertEquals(Source.ENDED, source.produce());
        }
    }

    @Test
    void withAStateTheyAreCutWhenNoEpochNeedsThemAndAllAtTheEnd() throws Exception {
        try (OperatorHarness source = open(1)) {
            Source operator = (Source) source.operator();
            for (long epoch = 1; epoch <= 4; epoch++) {
                reader.put("g", 10 * epoch - 10, LongStream.range(0, 10).toArray());
                source.produce();
                operator.barrier(epoch);
            }
            reader.taken();
            for (long epoch = 1; epoch <= 3; epoch++) {
                operator.acknowledge(epoch);
            }
            assertEquals(List.of("cut g 10"), reader.taken());
            reader.to.end();
            assertEquals(Source.ENDED, source.produce());
            operator.acknowledge(4);
            assertEquals(List.of("cut g 20"), reader.taken());
            operator.barrier(5);
            operator.acknowledge(5);
            assertEquals(List.of("cut g 40"), reader.taken());
        }
    }

    @Test
    void aPlaceSaysWhoseRowsItHad() throws Exception {
        try (OperatorHarness source = open(1)) {
            reader.put("g", 3, 1, 2);
            source.produce();
            reader.taken();
            source.restart();
            assertEquals(List.of("close", "start g 5"), reader.taken());
            reader.put("h", 0, 9);          // the job has begun anew
            source.produce();
            source.restart();
            assertEquals(List.of("close", "start h 1"), reader.taken());
            reader.put("h", 1, 10);
            source.produce();
            assertEquals(rows(1, 2, 9, 10), source.rows(0));
        }
    }

    @Test
    void whatEndsTheReaderEndsTheJob() throws Exception {
        try (OperatorHarness source = open(0)) {
            reader.to.fail(new IOException("rows are gone"));
            assertEquals("rows are gone", assertThrows(IOException.class, source::produce).getMessage());
        }
    }
}
